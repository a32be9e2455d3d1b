"""An element at a step: what is met of its tests, and what follows from it.

A standing is decided when all tests of the step are met, or one cannot be met any more. Whether it holds
depends on what lies inside of it, and for positions on its siblings, never on what lies above.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.twig import layout as at
from cepheid.matchers.twig.records import meet, release, stir, take, touch
from cepheid.matchers.twig.siblings import new_reader, read_on, reader_of


@kernel
def up_of(t, m, step, layer):
    """The nearest standing of the step above, from which an element at a step is looked for."""
    up = m.state[at.STATE_SIZE + t.steps[step, at.ABOVE]]
    if m.heap[up + at.LAYER] == layer and t.steps[step, at.REACH] != at.HERE_OR_BELOW:
        up = m.heap[up + at.OUTER]
    return up


@kernel
def is_asked(t, m, step, layer):
    """Whether a step still has to be looked at: not where it only answers a test that is met already.

    Where it is met, it is met further out too.
    """
    if not t.steps[step, at.IS_TEST]:
        return True
    return m.heap[up_of(t, m, step, layer) + at.UNMET] >> t.steps[step, at.LETTER] & 1 == 1


@kernel
def stand(t, m, step, layer):
    """An element may stand at a step, seen from the nearest standing of the step above."""
    s = take(m, at.STANDINGS)
    for place in range(at.FOUND):
        m.heap[s + place] = at.NONE
    m.heap[s + at.STEP], m.heap[s + at.BEGIN], m.heap[s + at.LAYER] = step, m.layers[layer, at.START], layer
    m.heap[s + at.UNMET], m.heap[s + at.STATE], m.heap[s + at.COUNTED] = (
        t.steps[step, at.ASKED],
        at.UNDECIDED,
        0,
    )
    m.heap[s + at.USES], m.heap[s + at.MET_BITS], m.heap[s + at.ACTIVE] = 1, 0, 0
    m.heap[s + at.FINAL], m.heap[s + at.FINAL_OUTWARD] = 0, 0
    up = up_of(t, m, step, layer)
    fa = t.steps[step, at.AUTOMATON]
    if fa == at.NONE:
        m.heap[s + at.UP] = up
        m.heap[up + at.USES] += 1
    else:
        m.heap[s + at.KID] = m.heap[reader_of(m, up, fa) + at.CURRENT]
        m.heap[m.heap[s + at.KID] + at.KID_USES] += 1
    outer = m.heap[s + at.OUTER] = m.state[at.STATE_SIZE + step]
    if outer == at.NONE:
        m.heap[s + at.OUTERMOST] = s
    else:
        m.heap[s + at.OUTERMOST] = m.heap[outer + at.OUTERMOST]
        m.heap[outer + at.USES] += 1
    m.state[at.STATE_SIZE + step] = s
    m.heap[s + at.NEXT] = m.layers[layer, at.OPENED]
    m.layers[layer, at.OPENED] = s
    look_for(t, m, s, layer)


@kernel
def look_for(t, m, s, layer):
    """What a step looks for in its element: other steps, and runs of children."""
    step, words = m.heap[s + at.STEP], t.words
    for w in range(words):
        m.layers[layer, at.LAYER_SIZE + w] |= t.steps[step, at.STEP_SIZE + w]
        m.layers[layer, at.LAYER_SIZE + words + w] |= t.steps[step, at.STEP_SIZE + words + w]
    for test in range(t.steps[step, at.SIBLING_TESTS], t.steps[step, at.TESTS_END], at.TEST_SIZE):
        new_reader(t, m, test, s)


@inlined
def follow_up(t, m):
    """Follow what was met, if anything was."""
    if m.state[at.MET] != at.NONE or m.state[at.TOUCHED] != at.NONE:
        follow_all(t, m)


@kernel
def follow_all(t, m):
    """Follow what was met upwards through the pattern, until nothing new is met."""
    st = m.state
    while st[at.MET] != at.NONE or st[at.TOUCHED] != at.NONE:
        if st[at.MET] == at.NONE:
            r = st[at.TOUCHED]
            st[at.TOUCHED] = m.heap[r + at.TOUCHED_NEXT]
            m.heap[r + at.IS_TOUCHED] = 0
            read_on(t, m, r)
            continue
        s = st[at.MET]
        st[at.MET] = m.heap[s + at.MET_NEXT]
        m.heap[s + at.UNMET] &= ~m.heap[s + at.MET_BITS]
        m.heap[s + at.MET_BITS] = 0
        count(t, m, s)


@kernel
def count(t, m, s):
    """A position is known once all tests before it are met; a standing holds once all tests are met."""
    step = m.heap[s + at.STEP]
    first, last = t.steps[step, at.POSITION_TESTS], t.steps[step, at.SIBLING_TESTS]
    while first + at.TEST_SIZE * m.heap[s + at.COUNTED] < last:
        test = first + at.TEST_SIZE * m.heap[s + at.COUNTED]
        if m.heap[s + at.UNMET] & ((1 << t.code[test + at.PLACE]) - 1):
            return
        m.heap[s + at.COUNTED] += 1
        parent = m.heap[s + at.LAYER] - 1
        if t.code[test + at.KIND] == at.LAST:
            if m.layers[parent + 1, at.DEPTH] == 0:  # no other element stands beside the root
                m.heap[s + at.UNMET] &= ~(1 << t.code[test + at.PLACE])
                continue
            be_last(t, m, s, parent, t.code[test + at.AGAINST])
            if t.steps[step, at.ASKED] >> (t.code[test + at.PLACE] + 1) == 0:
                tell_above(t, m, s, True)
            return
        m.layers[parent, t.counts_at + t.code[test + at.AGAINST]] += 1
        if m.layers[parent, t.counts_at + t.code[test + at.AGAINST]] != t.code[test + at.TARGET]:
            m.heap[s + at.COUNTED] = (last - first) // at.TEST_SIZE
            fail(t, m, s)
            return
        m.heap[s + at.UNMET] &= ~(1 << t.code[test + at.PLACE])
    if m.heap[s + at.UNMET] == 0:
        hold(t, m, s)


@kernel
def be_last(t, m, s, parent, place):
    """So far it is the last of its parent's children; the one before it is not."""
    earlier = m.layers[parent, t.lasts_at + place]
    m.layers[parent, t.lasts_at + place] = s
    m.heap[s + at.USES] += 1
    if earlier != at.NONE:
        fail(t, m, earlier)
        release(m, earlier)


@kernel
def decide(m, s, state):
    """A standing holds or fails, for good."""
    m.heap[s + at.STATE] = state
    head = m.heap[s + at.WAITING]
    m.heap[s + at.WAITING] = at.NONE
    stir(m, head)


@kernel
def hold(t, m, s):
    """A standing holds: whoever asked from above hears of it."""
    if m.heap[s + at.STATE] != at.UNDECIDED:
        return
    decide(m, s, at.HOLDS)
    tell_above(t, m, s, False)


@kernel
def tell_above(t, m, s, is_one_of_its_like):
    """Whoever asked from above hears that it holds, or that it or one beside it will: all but for being the
    last is met, and some child will be the last."""
    step = m.heap[s + at.STEP]
    bit = 1 << t.steps[step, at.LETTER]
    is_below = t.steps[step, at.REACH] != at.CHILDREN
    k = m.heap[s + at.KID]
    if is_one_of_its_like and k != at.NONE and m.heap[k + at.KID_START] == m.heap[s + at.BEGIN]:
        k = m.heap[m.heap[k + at.KID_READER] + at.OUTER_KID] if is_below else at.NONE
    while k != at.NONE and not m.heap[k + at.HITS] & bit:  # what hits a child, hits those that it is in
        m.heap[k + at.HITS] |= m.heap[k + at.UNKNOWN] & bit
        m.heap[k + at.UNKNOWN] &= ~bit
        touch(m, m.heap[k + at.KID_READER])
        k = m.heap[m.heap[k + at.KID_READER] + at.OUTER_KID] if is_below else at.NONE
    up = m.heap[s + at.UP]
    while up != at.NONE and m.heap[up + at.UNMET] & bit:  # where it is met, it is met further out too
        meet(m, up, bit)
        up = m.heap[up + at.OUTER] if is_below else at.NONE


@kernel
def fail(t, m, s):
    """A standing fails, and so does the item whose child it is; one that it is only in may hold yet."""
    if m.heap[s + at.STATE] != at.UNDECIDED:
        return
    decide(m, s, at.FAILS)
    step, k = m.heap[s + at.STEP], m.heap[s + at.KID]
    if k == at.NONE or m.heap[k + at.KID_START] != m.heap[s + at.BEGIN]:
        return
    if m.heap[k + at.IS_CLOSED] or t.steps[step, at.REACH] == at.CHILDREN:
        m.heap[k + at.UNKNOWN] &= ~(1 << t.steps[step, at.LETTER])
        touch(m, m.heap[k + at.KID_READER])
