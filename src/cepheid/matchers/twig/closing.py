"""An end tag: what stands at the element is reduced, and what is returned becomes a row."""

# mypy: allow-untyped-defs, no-check-untyped-defs
from cepheid.matchers.jit import kernel
from cepheid.matchers.twig import layout as at
from cepheid.matchers.twig.comparisons import compares
from cepheid.matchers.twig.records import meet, release, release_kid, stir_row, touch
from cepheid.matchers.twig.siblings import finish
from cepheid.matchers.twig.standing import fail, follow_up


@kernel
def close_layer(t, m, end):
    """The end tag of the innermost layer."""
    st = m.state
    layer = st[at.TOP]
    reduce_layer(t, m, layer)
    st[at.TOP] = layer - 1
    if m.layers[layer, at.FIRST_KID] != at.NONE:
        close_as_kid(t, m, layer)
    if m.layers[layer, at.IS_RETURNED]:
        make_rows(t, m, layer, end)
    if m.layers[layer, at.TEXT_FROM] != at.NONE:
        st[at.TEXT_USERS] -= 1
        if st[at.TEXT_USERS] == 0:  # what no row has is forgotten at once
            st[at.TEXT_SIZE] = max(st[at.TEXT_HELD], m.layers[layer, at.TEXT_FROM])
    s = m.layers[layer, at.OPENED]
    while s != at.NONE:
        after = m.heap[s + at.NEXT]
        release(m, s)
        s = after
    if m.layers[layer, at.DEPTH] == 0:
        reduce_layer(t, m, 0)


@kernel
def reduce_layer(t, m, layer):
    """All children have come: what is not met now, but for positions, is never met."""
    if t.positions > 0:
        meet_lasts(t, m, layer)
    s = m.layers[layer, at.OPENED]
    while s != at.NONE:
        step = m.heap[s + at.STEP]
        r = m.heap[s + at.READER]
        while r != at.NONE:
            finish(t, m, r)
            r = m.heap[r + at.NEXT]
        for test in range(t.steps[step, at.VALUE_TESTS], t.steps[step, at.POSITION_TESTS], at.TEST_SIZE):
            begin, end = m.layers[layer, at.TEXT_FROM], m.state[at.TEXT_SIZE]
            if compares(t, t.code[test + at.AGAINST], m.texts, begin, end):
                meet(m, s, 1 << t.code[test + at.PLACE])
        follow_up(t, m)
        if m.heap[s + at.UNMET] & ~t.steps[step, at.POSITION_BITS]:
            fail(t, m, s)
            follow_up(t, m)
        m.state[at.STATE_SIZE + step] = m.heap[s + at.OUTER]
        s = m.heap[s + at.NEXT]


@kernel
def meet_lasts(t, m, layer):
    """Those that are the last of the children: they are. That may let others be counted."""
    is_any = True
    while is_any:
        is_any = False
        for place in range(t.positions):
            s = m.layers[layer, t.lasts_at + place]
            if s != at.NONE:
                is_any = True
                m.layers[layer, t.lasts_at + place] = at.NONE
                meet(m, s, 1 << t.code[t.last_places + place])
                follow_up(t, m)  # while it is held: it may be the last for its next test, too
                release(m, s)


@kernel
def close_as_kid(t, m, layer):
    """No item finds anything more in this child, unless the child itself waits for its position."""
    k = m.layers[layer, at.FIRST_KID]
    while k != at.NONE:
        after, r = m.heap[k + at.NEXT_OF_ELEMENT], m.heap[k + at.KID_READER]
        waiting, s = 0, m.layers[layer, at.OPENED]
        while s != at.NONE:
            step = m.heap[s + at.STEP]
            is_item = t.steps[step, at.AUTOMATON] == m.heap[r + at.FA]
            if is_item and m.heap[s + at.STATE] == at.UNDECIDED:
                waiting |= 1 << t.steps[step, at.LETTER]
            s = m.heap[s + at.NEXT]
        m.heap[k + at.IS_CLOSED] = 1
        m.heap[k + at.UNKNOWN] &= waiting
        touch(m, r)
        release_kid(m, k)
        k = after
    follow_up(t, m)


@kernel
def make_rows(t, m, layer, end):
    """A row for each variable that the element may be returned for."""
    s = m.layers[layer, at.OPENED]
    while s != at.NONE:
        variable = returned_as(t, m, s)
        other = m.layers[layer, at.OPENED]
        while returned_as(t, m, other) != variable:
            other = m.heap[other + at.NEXT]
        if variable >= 0 and other == s:  # the first of them
            make_row(t, m, layer, end, s)
        s = m.heap[s + at.NEXT]


@kernel
def returned_as(t, m, s):
    """The variable that a standing may be returned for, or NONE."""
    return at.NONE if m.heap[s + at.STATE] == at.FAILS else t.steps[m.heap[s + at.STEP], at.VARIABLE]


@kernel
def new_row(m):
    """A row that is not used; there is one."""
    st = m.state
    row = st[at.FREE_ROW]
    if row == at.NONE:
        row = st[at.USED_ROWS]
        st[at.USED_ROWS] = row + 1
    else:
        st[at.FREE_ROW] = m.rows[row, at.NEXT]
    st[at.WAITING_ROWS] += 1
    return row


@kernel
def make_row(t, m, layer, end, first):
    """The row of a variable, with all standings of it at this element."""
    row = new_row(m)
    held, variable = m.rows[row], returned_as(t, m, first)
    held[at.ROW_VARIABLE], held[at.ROW_NAME] = variable, m.layers[layer, at.NAME]
    held[at.ROW_START], held[at.ROW_END] = m.layers[layer, at.START], end
    held[at.ROW_TEXT], held[at.ROW_TEXT_END] = m.layers[layer, at.TEXT_FROM], m.state[at.TEXT_SIZE]
    held[at.ROW_VALUES], held[at.ROW_VALUES_END] = (
        m.layers[layer, at.VALUES_FROM],
        m.layers[layer, at.VALUES_TO],
    )
    held[at.WATCHED], held[at.IS_STIRRED], held[at.STANDS] = at.NONE, 0, 0
    m.state[at.TEXT_HELD] = m.state[at.TEXT_SIZE]
    s = first
    while s != at.NONE:
        if returned_as(t, m, s) == variable:
            held[at.ROW_SIZE + held[at.STANDS]] = s
            held[at.STANDS] += 1
            m.heap[s + at.USES] += 1
        s = m.heap[s + at.NEXT]
    stir_row(m, row)
