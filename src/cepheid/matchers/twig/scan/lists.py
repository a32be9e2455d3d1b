"""Attributes that the document type declares as lists of words, or as one word: their blanks mean less."""

# mypy: allow-untyped-defs, no-check-untyped-defs
from cepheid.matchers.jit import kernel
from cepheid.matchers.twig.scan import layout as at
from cepheid.matchers.twig.scan.names import NO_ROOM, name_of, pair_name, pair_slot


@kernel
def list_attribute(b, middle, names, st):
    """Note a declaration: `b` has the name of an element and, from `middle` on, that of an attribute."""
    element = name_of(b, 0, middle, names, st)
    attribute = name_of(b, middle, len(b), names, st)
    if element < 0 or attribute < 0 or st[at.NAMES] == len(names.starts):
        return NO_ROOM
    slot = pair_slot(names, attribute, at.LISTED_OF + element)
    found = names.pairs[slot]
    if found < 0:
        found = pair_name(names, st, attribute, at.LISTED_OF + element, slot)
    names.facts[found, at.BOUND] = 1
    st[at.HAS_LISTED], st[at.NEEDS_CARE] = 1, 1
    return 0


@kernel
def mark_lists(told, scan):
    """Mark the attributes of a start tag, whose tokens are from `told` on, that are lists."""
    names, tokens = scan.names, scan.tokens
    for k in range(told + 1, scan.state[at.TOKENS]):
        found = names.pairs[pair_slot(names, tokens.name[k], at.LISTED_OF + tokens.name[told])]
        if found >= 0 and names.facts[found, at.BOUND] == 1:
            tokens.kind[k] = at.LISTED
