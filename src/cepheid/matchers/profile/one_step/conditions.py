"""Conjuncts and windows over the events of a match, which stand in `bound` by the numbers of their parts.

`jit` says what the letters mean.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers import program as op
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.profile.one_step import layout as at
from cepheid.matchers.windows import within
from cepheid.plan.program import Source

SLOT = int(Source.SLOT)


@inlined
def fetch(source, index, t, ev, st):
    """A value's 64 bits, and whether it is not null."""
    if source == SLOT:
        e = st.bound[t.slots[index, 0]]
        return ev.columns[t.slots[index, 1], e], ev.valid[t.slots[index, 1], e] != 0
    return t.constants[index, 0], t.constants[index, 1] != 0


@kernel
def is_true(c, t, ev, st):
    """Whether a condition is true of the events that are bound."""
    operation = t.conditions[c, op.OPERATION]
    if operation == op.RUN_PROGRAM:
        first = t.conditions[c, op.LOADS]
        for k in range(t.conditions[c, op.LOADS_END] - first):
            value, known = fetch(t.loads[first + k, 0], t.loads[first + k, 1], t, ev, st)
            st.registers[k, 0] = value
            st.registers[k, 1] = known
        begin, end = t.conditions[c, op.PROGRAM], t.conditions[c, op.PROGRAM_END]
        return op.execute(t.program, begin, end, st.registers, ev.texts)
    left, known = fetch(t.conditions[c, op.LEFT_SOURCE], t.conditions[c, op.LEFT], t, ev, st)
    if not known or operation == op.IS_TRUE:
        return known and left != 0
    right, known = fetch(t.conditions[c, op.RIGHT_SOURCE], t.conditions[c, op.RIGHT], t, ev, st)
    return known and op.compares(operation, left, right, ev.texts)


@kernel
def all_true(t, ev, st, template, part, filled):
    """Whether all conjuncts hold that name a part, and else only what is filled."""
    for c in range(t.templates[template, at.CONDITIONS], t.templates[template, at.CONDITIONS_END]):
        named = t.joint[c, at.JOINT_PARTS]
        if (named >> part) & 1 != 0 and named & ~(filled | np.int64(1) << part) == 0:
            if not is_true(c, t, ev, st):
                return False
    return True


@kernel
def all_true_at(t, ev, st, template, part, filled):
    """The same of the conjuncts on a part's edge: it is the last in the text that they name."""
    for c in range(t.templates[template, at.CONDITIONS], t.templates[template, at.CONDITIONS_END]):
        named = t.joint[c, at.JOINT_PARTS]
        if t.joint[c, at.JOINT_LAST] == part and named & ~(filled | np.int64(1) << part) == 0:
            if not is_true(c, t, ev, st):
                return False
    return True


@inlined
def first_bound(st, parts):
    """The first of the events that some parts have; NONE if they have none."""
    found, part = np.int64(at.NONE), 0
    while parts != 0:
        if parts & 1 != 0 and st.bound[part] != at.NONE and (found == at.NONE or st.bound[part] < found):
            found = st.bound[part]
        parts >>= 1
        part += 1
    return found


@inlined
def last_bound(st, parts):
    """The last of the events that some parts have; NONE if they have none."""
    found, part = np.int64(at.NONE), 0
    while parts != 0:
        if parts & 1 != 0 and st.bound[part] > found:
            found = st.bound[part]
        parts >>= 1
        part += 1
    return found


@inlined
def is_bound(st, count, e):
    """Whether an event is one of the match."""
    for part in range(count):
        if st.bound[part] == e:
            return True
    return False


@kernel
def fits_windows(t, ev, st, template, part):
    """Whether the event of a part, which is the last so far, is in all windows around it."""
    for w in range(t.templates[template, at.WINDOWS], t.templates[template, at.WINDOWS_END]):
        members = t.windows[w, at.MEMBERS]
        if (members >> part) & 1 != 0:
            first = ev.time[first_bound(st, members)]
            if not within(
                t.windows[w, at.WINDOW_KIND], t.windows[w, at.WINDOW_LIMIT], first, ev.time[st.bound[part]]
            ):
                return False
    return True


@inlined
def bind(t, st, template, r):
    """The events of a record; the parts that it does not have are NONE."""
    positions = t.templates[template, at.POSITIONS]
    for part in range(t.templates[template, at.PART_COUNT]):
        st.bound[part] = st.rows[r, at.EVENTS + part] if r != at.NONE and part < positions else at.NONE
