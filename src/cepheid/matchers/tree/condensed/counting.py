"""How many matches members stand for, by when these began: EMIT COUNT needs no more.

Each group has two lists of beginnings, in their order, with the number of composites that began then: one
of its members that are new at an event, and one of all that completed before. A join adds up or multiplies
lists, so that a number is never found by listing. Beginnings that the window no longer reaches fall off the
front.

A number may leave int64. Then counting is off for good, and whoever wants a number goes through the ways.
`g` is a group; `jit` says what the other letters mean.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.bits import product_fits, sum_fits
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.tree import layout as at
from cepheid.matchers.tree.condensed import layout as of
from cepheid.matchers.tree.condensed.members import moment_of, now_at, reaches

BEGAN, NUMBER = 0, 1
COUNT_WIDTH = 2

UNKNOWN = -1
"""A number that has to be found by the ways."""


@inlined
def has_room_to_count(t, st, cursor):
    """Whether whatever one member makes of the lists fits."""
    return not t.counts or st.counts.shape[0] - cursor[at.COUNTS] >= 32 * (cursor[at.LONGEST_COUNT] + 2)


@inlined
def is_counting(t, cursor):
    """Whether numbers are kept and known."""
    return t.counts and cursor[at.COUNTS_OFF] == 0


@kernel
def begin_counts(st, g):
    """A new group has counted nothing."""
    for k in range(of.OLD_AT, of.GROUP_WIDTH):
        st.groups[g, k] = 0
    st.groups[g, of.NEW_EVENT] = of.NONE


@kernel
def settle_counts(t, st, cursor, g, event, now):
    """Before an event changes a group: what was new is old now, and what is out of reach is gone."""
    while st.groups[g, of.OLD_SIZE] > 0 and not reaches(t, st.counts[st.groups[g, of.OLD_AT], BEGAN], now):
        st.groups[g, of.OLD_AT] += 1
        st.groups[g, of.OLD_SIZE] -= 1
        st.groups[g, of.OLD_ROOM] -= 1
    if st.groups[g, of.NEW_EVENT] != event:
        merge(t, st, cursor, g, of.OLD_AT, st.groups[g, of.NEW_AT], st.groups[g, of.NEW_SIZE], now)
        st.groups[g, of.NEW_SIZE] = 0
        st.groups[g, of.NEW_EVENT] = event


@kernel
def merge(t, st, cursor, g, which, source, size, now):
    """Add a stretch of the numbers to a list of a group, as far as the window reaches."""
    while size > 0 and not reaches(t, st.counts[source, BEGAN], now):
        source += 1
        size -= 1
    if size == 0:
        return
    size = add_where_known(st, cursor, st.groups[g, which], st.groups[g, which + 1], source, size)
    if size == 0:
        return
    begin, own = st.groups[g, which], st.groups[g, which + 1]
    total = own + size
    if own > 0 and st.counts[begin + own - 1, BEGAN] >= st.counts[source, BEGAN]:
        total = size_of_union(st.counts, begin, own, source, size)
    target = begin
    if total > st.groups[g, which + 2]:
        target = cursor[at.COUNTS]
        st.groups[g, which + 2] = 2 * total
        cursor[at.COUNTS] += 2 * total
    cursor[at.LONGEST_COUNT] = max(cursor[at.LONGEST_COUNT], total)
    i, j, k = begin + own - 1, source + size - 1, target + total - 1
    while j >= source or (i >= begin and i != k):
        if j < source or (i >= begin and st.counts[i, BEGAN] > st.counts[j, BEGAN]):
            began, number = st.counts[i, BEGAN], st.counts[i, NUMBER]
            i -= 1
        elif i < begin or st.counts[j, BEGAN] > st.counts[i, BEGAN]:
            began, number = st.counts[j, BEGAN], st.counts[j, NUMBER]
            j -= 1
        else:
            began, number = st.counts[i, BEGAN], st.counts[i, NUMBER]
            if sum_fits(number, st.counts[j, NUMBER]):
                number += st.counts[j, NUMBER]
            else:
                cursor[at.COUNTS_OFF] = 1
            i -= 1
            j -= 1
        st.counts[k, BEGAN], st.counts[k, NUMBER] = began, number
        k -= 1
    st.groups[g, which], st.groups[g, which + 1] = target, total


@kernel
def add_where_known(st, cursor, begin, own, source, size):
    """Add the numbers of a stretch whose beginnings a list has, from the newest on up to one that it has not;
    how many of the stretch are left. Most have all: events of one time begin many composites."""
    i, j = begin + own - 1, source + size - 1
    while j >= source:
        while i >= begin and st.counts[i, BEGAN] > st.counts[j, BEGAN]:
            i -= 1
        if i < begin or st.counts[i, BEGAN] != st.counts[j, BEGAN]:
            break
        if not sum_fits(st.counts[i, NUMBER], st.counts[j, NUMBER]):
            cursor[at.COUNTS_OFF] = 1
        st.counts[i, NUMBER] += st.counts[j, NUMBER]
        i -= 1
        j -= 1
    return j - source + 1


@kernel
def size_of_union(counts, one, one_size, other, other_size):
    """How many different beginnings two lists have."""
    i, j, total = one, other, 0
    while i < one + one_size and j < other + other_size:
        if counts[i, BEGAN] <= counts[j, BEGAN]:
            j += counts[i, BEGAN] == counts[j, BEGAN]
            i += 1
        else:
            j += 1
        total += 1
    return total + (one + one_size - i) + (other + other_size - j)


@kernel
def total_of(t, st, cursor, begin, size, now):
    """How many composites of a list began in reach."""
    total = np.int64(0)
    for k in range(begin, begin + size):
        if reaches(t, st.counts[k, BEGAN], now):
            if not sum_fits(total, st.counts[k, NUMBER]):
                cursor[at.COUNTS_OFF] = 1
                return np.int64(UNKNOWN)
            total += st.counts[k, NUMBER]
    return total


@kernel
def multiply(t, st, cursor, x, o, now):
    """What the new members of one group and the old ones of another make together, written behind all lists;
    its size. A composite of both begins when the earlier one does."""
    i, j = (
        st.groups[x, of.NEW_AT] + st.groups[x, of.NEW_SIZE],
        st.groups[o, of.OLD_AT] + st.groups[o, of.OLD_SIZE],
    )
    first, other = st.groups[x, of.NEW_AT], st.groups[o, of.OLD_AT]
    end = cursor[at.COUNTS] + (i - first) + (j - other)
    k = end
    ones, others, before = np.int64(0), np.int64(0), np.int64(0)
    while i > first or j > other:
        takes_one = j == other or (i > first and st.counts[i - 1, BEGAN] >= st.counts[j - 1, BEGAN])
        began = st.counts[i - 1, BEGAN] if takes_one else st.counts[j - 1, BEGAN]
        while i > first and st.counts[i - 1, BEGAN] == began:
            i -= 1
            if not sum_fits(ones, st.counts[i, NUMBER]):
                cursor[at.COUNTS_OFF] = 1
                return 0
            ones += st.counts[i, NUMBER]
        while j > other and st.counts[j - 1, BEGAN] == began:
            j -= 1
            if not sum_fits(others, st.counts[j, NUMBER]):
                cursor[at.COUNTS_OFF] = 1
                return 0
            others += st.counts[j, NUMBER]
        if not product_fits(ones, others):
            cursor[at.COUNTS_OFF] = 1
            return 0
        if ones * others > before:
            k -= 1
            st.counts[k, BEGAN], st.counts[k, NUMBER] = began, ones * others - before
            before = ones * others
    for i in range(end - k):
        for lane in range(COUNT_WIDTH):
            st.counts[cursor[at.COUNTS] + i, lane] = st.counts[k + i, lane]
    return end - k


@kernel
def is_one_after_all(st, x, o):
    """Whether the new members of one group are a single composite that began after all of another group, or
    with the last of these: together they are as many as the others, and began as they did."""
    at_new, old_end = st.groups[x, of.NEW_AT], st.groups[o, of.OLD_AT] + st.groups[o, of.OLD_SIZE]
    if st.groups[x, of.NEW_SIZE] != 1 or st.counts[at_new, NUMBER] != 1 or st.groups[o, of.OLD_SIZE] == 0:
        return False
    return st.counts[old_end - 1, BEGAN] <= st.counts[at_new, BEGAN]


@kernel
def count_event(t, ev, st, cursor, e, g):
    """An event by itself is one more composite of a group."""
    now = now_at(t, ev, e)
    settle_counts(t, st, cursor, g, cursor[at.OFFSET] + e, now)
    st.counts[st.counts.shape[0] - 1, BEGAN] = moment_of(t, ev, e)
    st.counts[st.counts.shape[0] - 1, NUMBER] = 1
    merge(t, st, cursor, g, of.NEW_AT, st.counts.shape[0] - 1, 1, now)


@kernel
def count_chain(t, ev, st, cursor, e, before, g):
    """The chains of a group with one more event, or one that begins with it; how many these are."""
    if before == at.NONE:
        count_event(t, ev, st, cursor, e, g)
        return np.int64(1)
    now, event = now_at(t, ev, e), cursor[at.OFFSET] + e
    settle_counts(t, st, cursor, before, event, now)
    settle_counts(t, st, cursor, g, event, now)
    begin, size = st.groups[before, of.OLD_AT], st.groups[before, of.OLD_SIZE]
    merge(t, st, cursor, g, of.NEW_AT, begin, size, now)
    number = total_of(t, st, cursor, begin, size, now)
    return number if cursor[at.COUNTS_OFF] == 0 else np.int64(UNKNOWN)


@kernel
def count_pair(t, ev, st, cursor, e, x, o, g):
    """Count what the new members of `x` make with those of `o`, in a group `g`; how many if that is NONE."""
    now, event = now_at(t, ev, e), cursor[at.OFFSET] + e
    begin, size = st.groups[x, of.NEW_AT], st.groups[x, of.NEW_SIZE]
    is_multiplied = False
    if o != at.NONE:
        settle_counts(t, st, cursor, o, event, now)
        is_multiplied = not is_one_after_all(st, x, o)
        if is_multiplied:
            size = multiply(t, st, cursor, x, o, now)
            begin = cursor[at.COUNTS]
        else:
            begin, size = st.groups[o, of.OLD_AT], st.groups[o, of.OLD_SIZE]
    number = np.int64(UNKNOWN)
    if g == at.NONE:
        number = total_of(t, st, cursor, begin, size, now)
    else:
        end = begin + size
        if is_multiplied:
            cursor[at.COUNTS] = end  # what was multiplied lies there until it is merged
        settle_counts(t, st, cursor, g, event, now)
        merge(t, st, cursor, g, of.NEW_AT, begin, size, now)
        if is_multiplied and cursor[at.COUNTS] == end:
            cursor[at.COUNTS] = begin
    return number if cursor[at.COUNTS_OFF] == 0 else np.int64(UNKNOWN)


@kernel
def compact_counts(st, cursor, target):
    """Write the lists of all groups to another array, without what lies between them."""
    end = 0
    for g in range(cursor[at.ROWS]):
        for which in (of.OLD_AT, of.NEW_AT):
            begin, size = st.groups[g, which], st.groups[g, which + 1]
            for k in range(size):
                for lane in range(COUNT_WIDTH):
                    target[end + k, lane] = st.counts[begin + k, lane]
            st.groups[g, which], st.groups[g, which + 2] = end, size
            end += size
    cursor[at.COUNTS] = end
