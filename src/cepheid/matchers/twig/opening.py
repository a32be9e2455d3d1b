"""A start tag: the steps that want its name, and the readers whose child it is."""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.bits import as_bits
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.twig import layout as at
from cepheid.matchers.twig.comparisons import compares
from cepheid.matchers.twig.records import meet, take, touch
from cepheid.matchers.twig.siblings import add_kid
from cepheid.matchers.twig.standing import count, fail, follow_up, is_asked, look_for, stand
from cepheid.matchers.twig.values import write_meaning


@kernel
def open_layer(t, m, b, tokens, n, last):
    """A start tag comes."""
    st = m.state
    start = tokens.start[n]
    start = m.places[start] if len(m.places) else start + st[at.OFFSET]
    layer = push_layer(t, m, tokens.name[n], start, tokens.depth[n])
    s = m.layers[layer - 1, at.OPENED] if is_child(m, layer, tokens.depth[n]) else at.NONE
    while s != at.NONE:
        r = m.heap[s + at.READER]
        while r != at.NONE:
            add_kid(t, m, r, layer)
            r = m.heap[r + at.NEXT]
        s = m.heap[s + at.NEXT]
    stand_all(t, m, layer)
    keep_values(t, m, b, tokens, n + 1, last)
    begin_all(t, m, layer)
    follow_up(t, m)
    if m.layers[layer, at.FIRST_KID] != at.NONE:
        miss_other_items(t, m, layer)
        follow_up(t, m)
    if not m.layers[layer, at.IS_RETURNED]:  # the values were only to be compared
        st[at.VALUE_SIZE], st[at.ATTRIBUTES] = (
            m.layers[layer, at.VALUE_BEGIN],
            m.layers[layer, at.VALUES_FROM],
        )


@kernel
def begin_document(t, m):
    """The layer at the bottom: the document stands at step 0, which holds."""
    m.layers[0] = at.NONE
    m.layers[0, at.LAYER_SIZE : t.lasts_at] = 0
    m.layers[0, at.DEPTH], m.layers[0, at.IS_RETURNED] = -1, 0
    m.layers[0, at.HAS_READERS] = t.steps[0, at.SIBLING_TESTS] < t.steps[0, at.TESTS_END]
    s = take(m, at.STANDINGS)
    for place in range(at.FOUND):
        m.heap[s + place] = at.NONE
    m.heap[s + at.STEP], m.heap[s + at.LAYER], m.heap[s + at.COUNTED] = 0, 0, 0
    m.heap[s + at.UNMET], m.heap[s + at.STATE] = t.steps[0, at.ASKED], at.HOLDS
    m.heap[s + at.USES], m.heap[s + at.MET_BITS], m.heap[s + at.OUTERMOST] = 1, 0, s
    m.layers[0, at.OPENED] = m.state[at.STATE_SIZE] = s
    m.state[at.TOP] = 0
    look_for(t, m, s, 0)


@kernel
def push_layer(t, m, name, start, depth):
    """One more layer of the execute stack; what is looked for below its parent is looked for below it."""
    st, words, below = m.state, t.words, at.LAYER_SIZE + t.words
    st[at.TOP] += 1
    layer = st[at.TOP]
    m.layers[layer] = at.NONE
    m.layers[layer, at.LAYER_SIZE : t.lasts_at] = 0
    m.layers[layer, at.NAME], m.layers[layer, at.START] = name, start
    m.layers[layer, at.DEPTH] = depth
    m.layers[layer, at.HAS_READERS], m.layers[layer, at.IS_RETURNED] = 0, 0
    for w in range(words):
        m.layers[layer, below + w] = m.layers[layer - 1, below + w]
    return layer


@inlined
def is_child(m, layer, depth):
    """Whether an element with so many open around it is a child of the one in the layer before."""
    return depth == m.layers[layer - 1, at.DEPTH] + 1


@kernel
def stand_all(t, m, layer):
    """Make a standing for each step that wants the element."""
    words, name = t.words, m.layers[layer, at.NAME]
    scratch = at.STATE_SIZE + len(t.steps)
    for w in range(words):
        bits = m.layers[layer - 1, at.LAYER_SIZE + words + w]
        if is_child(m, layer, m.layers[layer, at.DEPTH]):
            bits |= m.layers[layer - 1, at.LAYER_SIZE + w]
        m.state[scratch + w] = bits & m.names[name, w]
    for w in range(words):
        while m.state[scratch + w]:
            lowest = m.state[scratch + w] & -m.state[scratch + w]
            m.state[scratch + w] &= ~lowest
            step = w * at.WORD + place_of(lowest)
            if not is_asked(t, m, step, layer):
                continue
            stand(t, m, step, layer)
            for other in range(words):
                m.state[scratch + other] |= t.steps[step, at.STEP_SIZE + 2 * words + other]
            if t.steps[step, at.SIBLING_TESTS] < t.steps[step, at.TESTS_END]:
                m.layers[layer, at.HAS_READERS] = 1
            if t.steps[step, at.VARIABLE] >= 0:
                m.layers[layer, at.IS_RETURNED] = 1


@inlined
def place_of(bit):
    """The place of the only bit that is set."""
    return (as_bits(np.float64(bit)) >> 52) - 1023


@kernel
def begin_all(t, m, layer):
    """What a start tag says of its standings."""
    s = m.layers[layer, at.OPENED]
    while s != at.NONE:
        step = m.heap[s + at.STEP]
        if t.steps[step, at.WANTS_TEXT] and m.layers[layer, at.TEXT_FROM] == at.NONE:
            m.layers[layer, at.TEXT_FROM] = m.state[at.TEXT_SIZE]
            m.state[at.TEXT_USERS] += 1
        for test in range(t.steps[step, at.ATTRIBUTE_TESTS], t.steps[step, at.VALUE_TESTS], at.TEST_SIZE):
            if has_attribute(t, m, test, layer):
                meet(m, s, 1 << t.code[test + at.PLACE])
            else:
                fail(t, m, s)
        count(t, m, s)
        s = m.heap[s + at.NEXT]


@kernel
def keep_values(t, m, b, tokens, first, last):
    """Keep the attributes of the tag, as they are meant."""
    st = m.state
    layer = st[at.TOP]
    m.layers[layer, at.VALUES_FROM], m.layers[layer, at.VALUE_BEGIN] = st[at.ATTRIBUTES], st[at.VALUE_SIZE]
    for k in range(first, last):
        span = (np.int64(tokens.kind[k]), tokens.start[k], tokens.end[k])
        begin = st[at.VALUE_SIZE]
        st[at.VALUE_SIZE] = write_meaning(t, b, span, m.values, begin)
        kept = m.attributes[st[at.ATTRIBUTES]]
        kept[at.ATTRIBUTE_NAME], kept[at.VALUE_FROM] = tokens.name[k], begin
        kept[at.VALUE_TO] = st[at.VALUE_SIZE]
        st[at.ATTRIBUTES] += 1
    m.layers[layer, at.VALUES_TO] = st[at.ATTRIBUTES]


@kernel
def has_attribute(t, m, test, layer):
    """Whether some attribute has the name that a test asks for, and compares."""
    asked, against = t.code[test + at.TARGET], t.code[test + at.AGAINST]
    for k in range(m.layers[layer, at.VALUES_FROM], m.layers[layer, at.VALUES_TO]):
        kept = m.attributes[k]
        if m.names[kept[at.ATTRIBUTE_NAME], t.words + asked] and (
            against == at.NONE or compares(t, against, m.values, kept[at.VALUE_FROM], kept[at.VALUE_TO])
        ):
            return True
    return False


@kernel
def miss_other_items(t, m, layer):
    """Items that take a child by its own tag, and want another tag."""
    k = m.layers[layer, at.FIRST_KID]
    while k != at.NONE:
        r = m.heap[k + at.KID_READER]
        fa = m.heap[r + at.FA]
        present, s = 0, m.layers[layer, at.OPENED]
        while s != at.NONE:
            if t.steps[m.heap[s + at.STEP], at.AUTOMATON] == fa:
                present |= 1 << t.steps[m.heap[s + at.STEP], at.LETTER]
            s = m.heap[s + at.NEXT]
        m.heap[k + at.UNKNOWN] &= ~(t.code[fa + at.CHILD_LETTERS] & ~present)
        touch(m, r)
        k = m.heap[k + at.NEXT_OF_ELEMENT]
