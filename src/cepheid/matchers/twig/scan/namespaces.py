"""Namespaces: what a start tag declares, and which namespace each of its names is in.

It is only called once some name of the document has to do with namespaces.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
from cepheid.matchers.jit import kernel
from cepheid.matchers.twig.scan import layout as at
from cepheid.matchers.twig.scan.lists import mark_lists
from cepheid.matchers.twig.scan.names import XML, is_word, pair_name, pair_slot, slot_of
from cepheid.matchers.twig.scan.text import wrong

MADE_NO_ROOM, UNSPELLED = -3, -4


@kernel
def resolve_tag(b, told, scan):
    """Let the names of a start tag, whose tokens are from `told` on, be those in their namespaces.

    The number of the element's name; or a failure, and then nothing is declared.
    """
    st, names, tokens = scan.state, scan.names, scan.tokens
    count = st[at.TOKENS] - told
    if st[at.HAS_LISTED]:
        mark_lists(told, scan)
    is_short = st[at.NAMES] + 2 * count > len(names.starts)
    if is_short or st[at.DECLARATIONS] + count > len(scan.declarations):
        return MADE_NO_ROOM
    failure = declare_all(b, told, scan)
    if failure < 0:
        return failure
    element = tokens.name[told]
    prefix = names.facts[element, at.PREFIX]
    if prefix == at.NONE:
        prefix = at.NO_PREFIX
    elif is_declaration(names, element):
        return wrong(st, at.NO_SUCH_PREFIX, tokens.start[told] + 1)
    name = resolved(names, st, element, prefix, tokens.start[told] + 1)
    if name < 0:
        return name
    tokens.name[told] = name
    for k in range(told + 1, st[at.TOKENS]):
        attribute = tokens.name[k]
        if names.facts[attribute, at.PREFIX] != at.NONE and not is_declaration(names, attribute):
            failure = resolve_attribute(names, st, tokens, k)
            if failure < 0:
                return failure
    return name


@kernel
def resolve_attribute(names, st, tokens, k):
    """An attribute with a prefix; no other one may mean the same."""
    attribute = tokens.name[k]
    name = resolved(names, st, attribute, names.facts[attribute, at.PREFIX], tokens.start[k])
    if name < 0:
        return name
    meant = names.facts[name, at.EXPANDED]
    if names.last_tag[meant] == st[at.TAGS]:
        return wrong(st, at.TWICE_MEANT, tokens.start[k])
    names.last_tag[meant] = st[at.TAGS]
    tokens.name[k] = name
    return 0


@kernel
def is_declaration(names, attribute):
    """Whether an attribute declares a namespace."""
    return names.facts[attribute, at.DECLARES] != at.NONE


@kernel
def resolved(names, st, name, prefix, place):
    """The number of a name in the namespace that its prefix is bound to, or a failure."""
    if prefix == at.MISPLACED:
        return wrong(st, at.BAD_COLON, place)
    namespace = names.facts[prefix, at.BOUND]
    if namespace < 0:
        return wrong(st, at.NO_SUCH_PREFIX, place)
    if namespace == at.NO_NAMESPACE:
        return name
    if names.facts[name, at.LAST_NAMESPACE] != namespace:
        names.facts[name, at.RESOLVED] = name_in(names, st, name, namespace)
        names.facts[name, at.LAST_NAMESPACE] = namespace
    return names.facts[name, at.RESOLVED]


@kernel
def name_in(names, st, written, namespace):
    """The number of a name in a namespace; there is room for two new ones."""
    slot = pair_slot(names, written, namespace)
    if names.pairs[slot] >= 0:
        return names.pairs[slot]
    name = pair_name(names, st, written, namespace, slot)
    local = names.facts[written, at.LOCAL]
    if local == at.NONE:
        names.facts[name, at.EXPANDED] = name
        return name
    slot = pair_slot(names, local, namespace)
    meant = names.pairs[slot]
    if meant < 0:
        meant = pair_name(names, st, local, namespace, slot)
        names.facts[meant, at.EXPANDED] = meant
    names.facts[name, at.EXPANDED] = meant
    return name


@kernel
def declare_all(b, told, scan):
    """Bind the prefixes that a start tag declares."""
    st, names, tokens = scan.state, scan.names, scan.tokens
    for k in range(told + 1, st[at.TOKENS]):
        if is_declaration(names, tokens.name[k]) and spelled(b, tokens, k, scan.spellings) < 0:
            st[at.SPELLED], st[at.SPELLED_END] = tokens.start[k], tokens.end[k]
            return UNSPELLED
    for k in range(told + 1, st[at.TOKENS]):
        prefix = names.facts[tokens.name[k], at.DECLARES]
        if prefix == at.NONE:
            continue
        namespace = spelled(b, tokens, k, scan.spellings)
        mistake = mistaken(names, prefix, namespace)
        if mistake:
            return wrong(st, mistake, tokens.start[k])
        declaration = scan.declarations[st[at.DECLARATIONS]]
        declaration[at.DECLARED], declaration[at.FORMER] = prefix, names.facts[prefix, at.BOUND]
        declaration[at.DECLARED_AT] = st[at.DEPTH]
        names.facts[prefix, at.BOUND] = namespace
        st[at.DECLARATIONS] += 1
    return 0


@kernel
def spelled(b, tokens, k, spellings):
    """The namespace that the value of an attribute means, or NONE if it was not written so before."""
    start, end = tokens.start[k], tokens.end[k]
    if start == end:
        return at.NO_NAMESPACE
    found = spellings.slots[slot_of(b, start, end, spellings)]
    return at.NONE if found < 0 else spellings.facts[found, at.MEANS]


@kernel
def mistaken(names, prefix, namespace):
    """What is wrong with binding a prefix to a namespace, or NO_ERROR."""
    if prefix == at.MISPLACED or namespace == at.XMLNS_NAMESPACE:
        return at.BAD_DECLARATION
    is_xml = is_word(names.letters, names.starts[prefix], names.ends[prefix], XML)
    if is_xml != (namespace == at.XML_NAMESPACE):
        return at.BAD_DECLARATION
    return at.UNBINDING if namespace == at.NO_NAMESPACE and prefix != at.NO_PREFIX else at.NO_ERROR


@kernel
def forget_declarations(scan, depth):
    """Forget what was declared by an element that ends; `depth` elements are open around it."""
    st = scan.state
    while st[at.DECLARATIONS] > 0:
        declaration = scan.declarations[st[at.DECLARATIONS] - 1]
        if declaration[at.DECLARED_AT] < depth:
            return
        scan.names.facts[declaration[at.DECLARED], at.BOUND] = declaration[at.FORMER]
        st[at.DECLARATIONS] -= 1
