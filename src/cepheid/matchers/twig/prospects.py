"""What the ways up from a node say: whether it is returned, and its match, parent and run.

Ways that hold and ways that may still hold give bounds: the match is the outermost, so its upper bound comes
from those that hold and its lower bound from all; parent and run are the nearest, the other way round. A row
is certain when some way holds and all bounds meet.

All standings on the ways up from a node are of elements that it is in, so those of one step are a chain. They
are gathered step by step, the nearest first, and judged in the opposite order.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
from cepheid.matchers.jit import kernel
from cepheid.matchers.twig import layout as at


@kernel
def no_way(h, into):
    """There is no way, so far."""
    h[into + at.IS_POSSIBLE], h[into + at.IS_CERTAIN], h[into + at.IS_FINAL] = 0, 0, 1
    h[into + at.MATCH_LEAST], h[into + at.MATCH_MOST] = at.FAR, at.FAR
    h[into + at.PARENT_LEAST], h[into + at.PARENT_MOST] = -1, -1
    h[into + at.RUN_LEAST], h[into + at.RUN_MOST] = -1, -1


@kernel
def join(h, into, way):
    """What these ways say together with others."""
    h[into + at.IS_FINAL] &= h[way + at.IS_FINAL]
    if not h[way + at.IS_POSSIBLE]:
        return
    h[into + at.IS_POSSIBLE] = 1
    h[into + at.MATCH_LEAST] = min(h[into + at.MATCH_LEAST], h[way + at.MATCH_LEAST])
    h[into + at.PARENT_MOST] = max(h[into + at.PARENT_MOST], h[way + at.PARENT_MOST])
    h[into + at.RUN_MOST] = max(h[into + at.RUN_MOST], h[way + at.RUN_MOST])
    if h[way + at.IS_CERTAIN]:
        h[into + at.IS_CERTAIN] = 1
        h[into + at.MATCH_MOST] = min(h[into + at.MATCH_MOST], h[way + at.MATCH_MOST])
        h[into + at.PARENT_LEAST] = max(h[into + at.PARENT_LEAST], h[way + at.PARENT_LEAST])
        h[into + at.RUN_LEAST] = max(h[into + at.RUN_LEAST], h[way + at.RUN_LEAST])


@kernel
def is_told(h, prospect):
    """Whether a row is certain, with all of its columns."""
    return (
        h[prospect + at.IS_CERTAIN]
        and h[prospect + at.MATCH_LEAST] == h[prospect + at.MATCH_MOST]
        and h[prospect + at.PARENT_LEAST] == h[prospect + at.PARENT_MOST]
        and h[prospect + at.RUN_LEAST] == h[prospect + at.RUN_MOST]
    )


@kernel
def may_take(t, m, k, step):
    """Whether the item of a step may take a child in a run."""
    letter = t.steps[step, at.LETTER]
    chosen = m.heap[k + at.CHOSEN]
    return (chosen == at.NOT_CHOSEN or chosen == letter) and m.heap[k + at.POSSIBLE] >> letter & 1


@kernel
def kid_further_out(t, m, k, step):
    """The next child, further out, that an element is in; NONE where an item is a child itself."""
    is_below = t.steps[step, at.REACH] == at.BELOW
    return m.heap[m.heap[k + at.KID_READER] + at.OUTER_KID] if is_below else at.NONE


@kernel
def waits_for_outermost(t, m, up):
    """Whether only the outermost element at the first step has to be looked at: it may be the match."""
    outermost = m.heap[up + at.OUTERMOST]
    is_first = t.steps[m.heap[up + at.STEP], at.ABOVE] == 0
    return is_first and m.heap[outermost + at.STATE] == at.UNDECIDED


@kernel
def gather_ways(t, m, place):
    """List the standings on the ways up from one: the last of them, and how much a row may have to watch."""
    m.state[at.LOOK] += 1
    m.heap[place + at.LOOKED], m.heap[place + at.WAY_BEFORE] = m.state[at.LOOK], at.NONE
    s, last, n, kids = place, place, 0, 0
    while s != at.NONE:
        n += 1
        last = list_above(t, m, s, last)
        k = m.heap[s + at.KID]
        while k != at.NONE:
            kids += 1
            k = kid_further_out(t, m, k, m.heap[s + at.STEP])
        s = at.NONE if s == last else m.heap[s + at.WAY_NEXT]
    return last, 4 * n + 3 * kids


@kernel
def list_above(t, m, s, last):
    """List the standings that are next on the ways up from one."""
    step, up, look = m.heap[s + at.STEP], m.heap[s + at.UP], m.state[at.LOOK]
    if m.heap[s + at.STATE] == at.FAILS or m.heap[s + at.FINAL]:
        return last
    k = m.heap[s + at.KID]
    while k != at.NONE:
        owner = m.heap[m.heap[k + at.KID_READER] + at.READER_OWNER]
        if may_take(t, m, k, step) and m.heap[owner + at.STEP] != 0:
            last = listed(m, owner, last)
        k = kid_further_out(t, m, k, step)
    if up == at.NONE or m.heap[up + at.STEP] == 0:
        return last
    if t.steps[step, at.REACH] == at.CHILDREN:
        return listed(m, up, last)
    if not waits_for_outermost(t, m, up):
        while up != at.NONE and m.heap[up + at.LOOKED] != look:
            last = listed(m, up, last)
            up = at.NONE if m.heap[up + at.FINAL_OUTWARD] else m.heap[up + at.OUTER]
    return last


@kernel
def listed(m, s, last):
    """List a standing, once."""
    if m.heap[s + at.LOOKED] == m.state[at.LOOK]:
        return last
    m.heap[s + at.LOOKED], m.heap[s + at.WAY_BEFORE] = m.state[at.LOOK], last
    m.heap[last + at.WAY_NEXT] = s
    return s


@kernel
def judge_ways(t, m, last):
    """Say for each standing that was listed what its ways up say, and those of it and all further out."""
    s = last
    while s != at.NONE:
        if not m.heap[s + at.FINAL]:
            judge(t, m, s, s + at.FOUND)
        if not m.heap[s + at.FINAL_OUTWARD]:
            outer, into = m.heap[s + at.OUTER], s + at.OUTWARD
            no_way(m.heap, into)
            join_through(t, m, s, into)
            if outer != at.NONE:
                join(m.heap, into, outer + at.OUTWARD)
            if m.heap[into + at.IS_FINAL] and (outer == at.NONE or m.heap[outer + at.FINAL_OUTWARD]):
                m.heap[s + at.FINAL_OUTWARD] = 1
        s = m.heap[s + at.WAY_BEFORE]


@kernel
def judge(t, m, s, into):
    """What the ways up from a standing say."""
    h = m.heap
    no_way(h, into)
    if m.heap[s + at.STATE] == at.FAILS:
        return
    step, up = m.heap[s + at.STEP], m.heap[s + at.UP]
    if m.heap[s + at.KID] != at.NONE:
        join_as_item(t, m, s, into)
    elif m.heap[up + at.STEP] == 0:
        be_match(m, s, into)
    elif t.steps[step, at.REACH] == at.CHILDREN:
        join_through(t, m, up, into)
    elif waits_for_outermost(t, m, up):
        h[into + at.IS_POSSIBLE], h[into + at.IS_FINAL] = 1, 0
        h[into + at.MATCH_LEAST] = m.heap[m.heap[up + at.OUTERMOST] + at.BEGIN]
        if t.steps[m.heap[up + at.STEP], at.VARIABLE] >= 0:
            h[into + at.PARENT_MOST] = m.heap[up + at.BEGIN]
    else:
        join(h, into, up + at.OUTWARD)
    if m.heap[s + at.STATE] == at.UNDECIDED:
        if h[into + at.IS_POSSIBLE]:
            h[into + at.IS_CERTAIN], h[into + at.IS_FINAL] = 0, 0
    elif h[into + at.IS_FINAL]:
        m.heap[s + at.FINAL] = 1


@kernel
def be_match(m, s, into):
    """The way of an element at the first step: it is the match."""
    h = m.heap
    h[into + at.IS_POSSIBLE], h[into + at.IS_CERTAIN] = 1, 1
    h[into + at.MATCH_LEAST] = h[into + at.MATCH_MOST] = m.heap[s + at.BEGIN]


@kernel
def join_through(t, m, up, into):
    """The ways by one standing of the step above: it is the parent where that step is marked."""
    h, way = m.heap, at.ONE_WAY
    for k in range(at.PROSPECT_SIZE):
        h[way + k] = h[up + at.FOUND + k]
    if t.steps[m.heap[up + at.STEP], at.VARIABLE] >= 0:
        h[way + at.PARENT_LEAST] = h[way + at.PARENT_MOST] = m.heap[up + at.BEGIN]
    join(h, into, way)


@kernel
def latest_run(m, k):
    """Where a run begins at the latest that takes a child."""
    return m.heap[k + at.KID_START] if m.heap[k + at.RUN] < 0 else m.heap[k + at.RUN]


@kernel
def join_as_either(t, m, row, into):
    """The way of a row whose node is returned by whichever item takes it, where one of them does."""
    h, way, k = m.heap, at.ITEM_WAY, m.heap[m.rows[row, at.ROW_SIZE] + at.KID]
    if k == at.NONE or h[k + at.CHOSEN] != at.NOT_CHOSEN or h[k + at.RUN] < 0:
        return
    items = 0
    for place in range(m.rows[row, at.STANDS]):
        s = m.rows[row, at.ROW_SIZE + place]
        if h[s + at.KID] == k and h[s + at.STATE] == at.HOLDS:
            items |= 1 << t.steps[h[s + at.STEP], at.LETTER]
    if h[k + at.POSSIBLE] & ~items:
        return
    owner = h[h[k + at.KID_READER] + at.READER_OWNER]
    no_way(h, way)
    if h[owner + at.STEP] == 0:
        be_match(m, m.rows[row, at.ROW_SIZE], way)
    else:
        join_through(t, m, owner, way)
    h[way + at.RUN_LEAST] = h[way + at.RUN_MOST] = h[k + at.RUN]
    join(h, into, way)


@kernel
def join_as_item(t, m, s, into):
    """The ways by the children that the item of this step may take."""
    h, way = m.heap, at.ITEM_WAY
    step, k = h[s + at.STEP], h[s + at.KID]
    while k != at.NONE:
        if may_take(t, m, k, step):
            owner = m.heap[m.heap[k + at.KID_READER] + at.READER_OWNER]
            no_way(h, way)
            if m.heap[owner + at.STEP] == 0:
                be_match(m, s, way)
            else:
                join_through(t, m, owner, way)
            if m.heap[k + at.CHOSEN] == at.NOT_CHOSEN:
                h[way + at.RUN_LEAST], h[way + at.RUN_MOST] = -1, latest_run(m, k)
                h[way + at.IS_CERTAIN] = 0
                h[way + at.IS_FINAL] &= 1 - h[way + at.IS_POSSIBLE]
            else:
                h[way + at.RUN_LEAST] = h[way + at.RUN_MOST] = m.heap[k + at.RUN]
            join(h, into, way)
        k = kid_further_out(t, m, k, step)
