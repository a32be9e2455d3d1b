"""Rows look up, and are told, dropped, or wait for what is undecided.

Nothing is certain before it is certain what the outermost match is: as long as it is not, a row waits for
whatever is undecided on the ways to that one. Likewise for the nearest parent, and then for the run.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
from cepheid.matchers.jit import kernel
from cepheid.matchers.twig import layout as at
from cepheid.matchers.twig.prospects import (
    gather_ways,
    is_told,
    join,
    join_as_either,
    judge_ways,
    kid_further_out,
    latest_run,
    may_take,
    no_way,
    waits_for_outermost,
)
from cepheid.matchers.twig.records import give_back, release, take


@kernel
def look_again(t, m):
    """Tell the rows that are certain now, and forget those that cannot be; False if there is no room."""
    st = m.state
    while st[at.STIRRED] != at.NONE:
        row = st[at.STIRRED]
        if st[at.TOLD] == len(m.told):
            return False
        unwatch(m, row)
        total, needed = at.ALL_WAYS, 0
        no_way(m.heap, total)
        for k in range(m.rows[row, at.STANDS]):
            s = m.rows[row, at.ROW_SIZE + k]
            last, things = gather_ways(t, m, s)
            judge_ways(t, m, last)
            join(m.heap, total, s + at.FOUND)
            needed += things
        if m.rows[row, at.STANDS] > 1:
            join_as_either(t, m, row, total)
        is_sure, is_possible = is_told(m.heap, total), m.heap[total + at.IS_POSSIBLE]
        if is_possible and not is_sure:
            if st[at.USED] + at.WATCH_SIZE * needed > len(m.heap):
                st[at.NEEDED] = at.WATCH_SIZE * needed
                return False
            wait(t, m, row)
        st[at.STIRRED] = m.rows[row, at.STIRRED_NEXT]
        m.rows[row, at.IS_STIRRED] = 0
        if is_sure:
            tell(m, row, total)
        if is_sure or not is_possible:
            for k in range(m.rows[row, at.STANDS]):
                release(m, m.rows[row, at.ROW_SIZE + k])
            m.rows[row, at.STANDS] = 0
            m.rows[row, at.NEXT] = st[at.FREE_ROW]
            st[at.FREE_ROW] = row
            st[at.WAITING_ROWS] -= 1
    return True


@kernel
def tell(m, row, total):
    """Write a row that is certain."""
    told, held = m.told[m.state[at.TOLD]], m.rows[row]
    m.state[at.TOLD] += 1
    told[at.TOLD_MATCH], told[at.TOLD_PARENT] = m.heap[total + at.MATCH_MOST], m.heap[total + at.PARENT_MOST]
    told[at.TOLD_RUN], told[at.TOLD_VARIABLE] = m.heap[total + at.RUN_MOST], held[at.ROW_VARIABLE]
    told[at.TOLD_NAME], told[at.TOLD_START] = held[at.ROW_NAME], held[at.ROW_START]
    told[at.TOLD_END], told[at.TOLD_TEXT] = held[at.ROW_END], held[at.ROW_TEXT]
    told[at.TOLD_TEXT_END], told[at.TOLD_VALUES] = held[at.ROW_TEXT_END], held[at.ROW_VALUES]
    told[at.TOLD_VALUES_END] = held[at.ROW_VALUES_END]


@kernel
def wait(t, m, row):
    """Let a row wait for what is undecided on the ways that count."""
    total = at.ALL_WAYS
    if not m.heap[total + at.IS_CERTAIN] or m.heap[total + at.MATCH_LEAST] != m.heap[total + at.MATCH_MOST]:
        by = at.BY_MATCH
    elif m.heap[total + at.PARENT_LEAST] != m.heap[total + at.PARENT_MOST]:
        by = at.BY_PARENT
    else:
        by = at.BY_RUN
    best = value_of(m.heap, total, by)
    for k in range(m.rows[row, at.STANDS]):
        s = m.rows[row, at.ROW_SIZE + k]
        last, _ = gather_ways(t, m, s)
        judge_ways(t, m, last)
        if m.heap[s + at.FOUND + at.IS_POSSIBLE] and value_of(m.heap, s + at.FOUND, by) == best:
            m.heap[s + at.ACTIVE] = by
            watch_ways(t, m, row, s, last)


@kernel
def value_of(h, prospect, by):
    """The bound that counts."""
    if by == at.BY_MATCH:
        return h[prospect + at.MATCH_LEAST]
    return h[prospect + at.PARENT_MOST] if by == at.BY_PARENT else h[prospect + at.RUN_MOST]


@kernel
def watch_ways(t, m, row, s, last):
    """Watch what is undecided on the ways that are marked as active, from the nearest outwards."""
    while s != at.NONE:
        active = m.heap[s + at.ACTIVE]
        m.heap[s + at.ACTIVE] = 0
        if active and not m.heap[s + at.FINAL]:
            if m.heap[s + at.STATE] == at.UNDECIDED:
                watch(m, row, s)
            for by in (at.BY_MATCH, at.BY_PARENT, at.BY_RUN):
                if active & by:
                    watch_above(t, m, row, s, by)
        s = at.NONE if s == last else m.heap[s + at.WAY_NEXT]


@kernel
def watch_above(t, m, row, s, by):
    """Mark the ways up from a standing that have the value which counts."""
    step, up, k = m.heap[s + at.STEP], m.heap[s + at.UP], m.heap[s + at.KID]
    best = value_of(m.heap, s + at.FOUND, by)
    while k != at.NONE:
        if may_take(t, m, k, step):
            watch_item(t, m, row, s, k, by, best)
        k = kid_further_out(t, m, k, step)
    if up == at.NONE or m.heap[up + at.STEP] == 0:
        return
    if t.steps[step, at.REACH] == at.CHILDREN:
        activate(t, m, up, by, best)
    elif waits_for_outermost(t, m, up):
        watch(m, row, m.heap[up + at.OUTERMOST])
    else:
        while up != at.NONE and m.heap[up + at.LOOKED] == m.state[at.LOOK]:
            activate(t, m, up, by, best)
            up = m.heap[up + at.OUTER]


@kernel
def watch_item(t, m, row, s, k, by, best):
    """The same for the way by a child of a run: of the run itself, its child decides."""
    owner = m.heap[m.heap[k + at.KID_READER] + at.READER_OWNER]
    is_open = m.heap[k + at.CHOSEN] == at.NOT_CHOSEN
    is_top = m.heap[owner + at.STEP] == 0
    if not is_top and not m.heap[owner + at.FOUND + at.IS_POSSIBLE]:
        return
    if by == at.BY_RUN:
        if best == latest_run(m, k):
            if not is_top:
                m.heap[owner + at.ACTIVE] |= at.BY_MATCH
            if is_open:
                watch(m, row, ~k)
    elif is_top:
        if is_open and best == (m.heap[s + at.BEGIN] if by == at.BY_MATCH else -1):
            watch(m, row, ~k)
    elif activate(t, m, owner, by, best) and is_open:
        watch(m, row, ~k)


@kernel
def activate(t, m, up, by, best):
    """Mark a standing of the step above if its ways have the value which counts."""
    if not m.heap[up + at.FOUND + at.IS_POSSIBLE]:
        return False
    is_parent = by == at.BY_PARENT and t.steps[m.heap[up + at.STEP], at.VARIABLE] >= 0
    value = m.heap[up + at.BEGIN] if is_parent else value_of(m.heap, up + at.FOUND, by)
    if value != best:
        return False
    m.heap[up + at.ACTIVE] |= at.BY_MATCH if is_parent else by
    return True


@kernel
def watch(m, row, thing):
    """Let a row wait for a standing, or for ~ of a child."""
    link = take(m, at.WATCHES)
    head = m.heap[~thing + at.KID_WAITING] if thing < 0 else m.heap[thing + at.WAITING]
    set_head(m, thing, link)
    m.heap[link + at.THING], m.heap[link + at.WATCHER] = thing, row
    m.heap[link + at.THING_NEXT], m.heap[link + at.THING_BEFORE] = head, at.NONE
    if head != at.NONE:
        m.heap[head + at.THING_BEFORE] = link
    m.heap[link + at.NEXT] = m.rows[row, at.WATCHED]
    m.rows[row, at.WATCHED] = link


@kernel
def set_head(m, thing, link):
    """The first of those who wait for something."""
    if thing < 0:
        m.heap[~thing + at.KID_WAITING] = link
    else:
        m.heap[thing + at.WAITING] = link


@kernel
def unwatch(m, row):
    """A row waits for nothing."""
    link = m.rows[row, at.WATCHED]
    m.rows[row, at.WATCHED] = at.NONE
    while link != at.NONE:
        after, thing = m.heap[link + at.NEXT], m.heap[link + at.THING]
        if thing != at.FAR:
            left, right = m.heap[link + at.THING_BEFORE], m.heap[link + at.THING_NEXT]
            if right != at.NONE:
                m.heap[right + at.THING_BEFORE] = left
            if left != at.NONE:
                m.heap[left + at.THING_NEXT] = right
            else:
                set_head(m, thing, right)
        give_back(m, at.WATCHES, link)
        link = after
