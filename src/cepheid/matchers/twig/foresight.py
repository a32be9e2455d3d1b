"""What is certain before the tag that says so: asked at the end of a chunk, while rows wait.

Between two tags of a chunk nobody could tell the difference, so it costs nothing there. A text that begins
with `6x` can no more become `x`, and a run is there once children whose items are known make one, whatever
is still open about others.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
from cepheid.matchers.jit import kernel
from cepheid.matchers.twig import layout as at
from cepheid.matchers.twig.comparisons import NOT_YET, compares_already
from cepheid.matchers.twig.readings import next_items
from cepheid.matchers.twig.records import meet
from cepheid.matchers.twig.standing import fail, follow_up

MOST = 4096
"""So many children that are not read yet are gone through."""


@kernel
def look_ahead(t, m):
    """Decide what no byte that may follow can change. There is room for what one tag needs."""
    layer = m.state[at.TOP]
    while layer > 0:
        s = m.layers[layer, at.OPENED]
        while s != at.NONE:
            if m.heap[s + at.STATE] == at.UNDECIDED:
                foresee_values(t, m, s, layer)
                foresee_runs(t, m, s)
            s = m.heap[s + at.NEXT]
        follow_up(t, m)
        layer -= 1


@kernel
def foresee_values(t, m, s, layer):
    """Comparisons with the text of an element that is open: some need no more of it."""
    step = m.heap[s + at.STEP]
    begin, end = m.layers[layer, at.TEXT_FROM], m.state[at.TEXT_SIZE]
    for test in range(t.steps[step, at.VALUE_TESTS], t.steps[step, at.POSITION_TESTS], at.TEST_SIZE):
        found = compares_already(t, t.code[test + at.AGAINST], m.texts, begin, end)
        if found == 1:
            meet(m, s, 1 << t.code[test + at.PLACE])
        elif found != NOT_YET:
            fail(t, m, s)


@kernel
def foresee_runs(t, m, s):
    """Runs of the children of an element that is open."""
    r = m.heap[s + at.READER]
    while r != at.NONE:
        bit = 1 << m.heap[r + at.READER_PLACE]
        if m.heap[s + at.UNMET] & bit and has_run(t, m, r):
            meet(m, s, bit)
        r = m.heap[r + at.NEXT]


@kernel
def has_run(t, m, r):
    """Whether children that are not read yet end a run, by the items that are known to take them."""
    fa, k, gone = m.heap[r + at.FA], m.heap[r + at.UNREAD], 0
    items, may_come = t.code[fa + at.FIRST_ITEM], t.code[fa + at.START_SET]
    a = m.heap[r + at.FIRST_ATTEMPT]
    while a != at.NONE:
        may_come |= next_items(t, m, a, fa)
        a = m.heap[a + at.NEXT]
    while k != at.NONE and gone < MOST:
        taken = m.heap[k + at.HITS] & may_come
        may_come = t.code[fa + at.START_SET]
        for item in range(t.code[fa + at.ITEMS]):
            if taken >> item & 1:
                row = items + at.ITEM_SIZE * item
                if t.code[row + at.ACCEPTING]:
                    return True
                may_come |= t.code[row + at.FOLLOW_SET]
        k = m.heap[k + at.NEXT]
        gone += 1
    return False
