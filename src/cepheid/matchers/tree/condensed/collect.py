"""Making room in a condensed tree: members out of reach of the window leave their groups one by one, and
groups that have none left go too. `jit` says what the letters mean; `m` is a member, `g` a group."""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import kernel
from cepheid.matchers.tree import layout as at
from cepheid.matchers.tree.condensed import layout as of
from cepheid.matchers.tree.condensed.members import link, reaches
from cepheid.matchers.windows import measured


@kernel
def compact_members(t, st, cursor, now, expires, moved, moved_rows):
    """Keep the members that a window may still reach, in their order, and the groups that have any.

    `expires` says that no event before `now` will come; `moved` and `moved_rows` become where members and
    rows are now. A range that begins with a member that goes begins with the next older one. Groups have to
    be listed anew.
    """
    for g in range(cursor[at.ROWS]):
        moved_rows[g] = 0
    mark_living(t, st, cursor, now, expires, moved)
    count = np.int64(0)
    for m in range(cursor[at.MEMBERS]):
        g, older = st.members[m, of.GROUP], st.members[m, of.OLDER]
        before = moved[older] if older != of.NONE else np.int64(of.NONE)
        if moved[m] == 0:
            moved[m] = before
            continue
        for k in range(of.MEMBER_WIDTH):
            st.members[count, k] = st.members[m, k]
        for k in (of.LEFT, of.RIGHT):
            if st.members[count, k] != of.NONE:
                st.members[count, k] = moved[st.members[count, k]]
        link(st.members, count, before)
        moved_rows[g] = 1
        moved[m] = count
        count += 1
    compact_groups(t, st, cursor, moved, moved_rows)
    for m in range(count):
        st.members[m, of.GROUP] = moved_rows[st.members[m, of.GROUP]]
    cursor[at.MEMBERS] = count


@kernel
def mark_living(t, st, cursor, now, expires, living):
    """Mark the members that the window may still reach; a fleeting one lives as long as it is part of one."""
    kind = t.book[t.windows, at.WINDOW_KIND]
    for m in range(cursor[at.MEMBERS]):
        g = st.members[m, of.GROUP]
        living[m] = g >= t.node_count
        if living[m] != 0 and expires:
            moment = measured(kind, now, st.parts[st.rows[g, at.PARTITION], at.COUNTED])
            living[m] = reaches(t, st.members[m, of.YOUNGEST], moment)
    for m in range(cursor[at.MEMBERS]):
        right = st.members[m, of.RIGHT]
        if living[m] != 0 and right != of.NONE and st.members[right, of.GROUP] < t.node_count:
            living[right] = 1


@kernel
def compact_groups(t, st, cursor, moved, moved_rows):
    """Keep the rows of groups that have members, and those that a composite by itself is made of."""
    for g in range(cursor[at.ROWS] - 1, -1, -1):
        if moved_rows[g] != 0:
            for part in (st.rows[g, at.PART_LEFT], st.rows[g, at.PART_RIGHT]):
                if part != at.NONE:
                    moved_rows[part] = 1
    for g in range(t.node_count):
        moved_rows[g] = g
        st.groups[g, of.NEWEST] = of.NONE
    kept = np.int64(t.node_count)
    for g in range(t.node_count, cursor[at.ROWS]):
        if moved_rows[g] == 0:
            moved_rows[g] = at.NONE
            continue
        moved_rows[g] = kept
        for k in range(st.rows.shape[1]):
            st.rows[kept, k] = st.rows[g, k]
        for k in (at.PART_LEFT, at.PART_RIGHT, at.LAST_LEAF):
            if st.rows[kept, k] != at.NONE:
                st.rows[kept, k] = moved_rows[st.rows[kept, k]]
        for k in range(of.GROUP_WIDTH):
            st.groups[kept, k] = st.groups[g, k]
        if st.groups[kept, of.NEWEST] != of.NONE:
            st.groups[kept, of.NEWEST] = moved[st.groups[kept, of.NEWEST]]
        kept += 1
    cursor[at.ROWS] = kept
