"""Which primitives are waited for: the four ways to keep the pool to what may matter.

`dynamic` inserts and removes primitives, `reference` attaches and detaches the profiles that want one, `mark`
has all of both and looks at marks, and two steps let everything through. `jit` says what the letters mean.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.profile.one_step import layout as at
from cepheid.matchers.profile.one_step.members import (
    first_of,
    first_part_of,
    is_alive,
    next_of,
    primitive_of,
    template_of,
)
from cepheid.matchers.profile.one_step.records import unmake
from cepheid.matchers.profile.pool.kernel import insert, remove


@inlined
def attach(m, ref):
    """Put a reference in front of those of its primitive."""
    p = primitive_of(m, ref)
    m.references[ref, at.FOLLOWING] = first_of(m, p)
    m.references[ref, at.PRECEDING] = at.NONE
    if first_of(m, p) != at.NONE:
        m.references[first_of(m, p), at.PRECEDING] = ref
    m.primitives[p, at.FIRST] = ref


@inlined
def detach(m, ref):
    """Take a reference from its primitive."""
    following, before = next_of(m, ref), np.int64(m.references[ref, at.PRECEDING])
    if before != at.NONE:
        m.references[before, at.FOLLOWING] = following
    else:
        m.primitives[primitive_of(m, ref), at.FIRST] = following
    if following != at.NONE:
        m.references[following, at.PRECEDING] = before


@inlined
def wait(m, pool, cursor, ref):
    """One more instance waits for a part of a profile."""
    m.references[ref, at.WAITING] += 1
    if m.references[ref, at.WAITING] == 1 and cursor[at.METHOD] != at.TWO_STEP:
        p = primitive_of(m, ref)
        if cursor[at.METHOD] == at.MARK:
            m.primitives[p, at.MARKS] += 1
            cursor[at.MARKED] += 1
        else:
            if cursor[at.METHOD] == at.DYNAMIC and first_of(m, p) == at.NONE:
                insert(pool.tables, pool.state, p)
            attach(m, ref)
            cursor[at.ATTACHED] += 1


@inlined
def wait_less(m, pool, cursor, ref):
    """One instance less waits for a part of a profile."""
    m.references[ref, at.WAITING] -= 1
    if m.references[ref, at.WAITING] == 0 and cursor[at.METHOD] != at.TWO_STEP:
        p = primitive_of(m, ref)
        if cursor[at.METHOD] == at.MARK:
            m.primitives[p, at.MARKS] -= 1
            cursor[at.UNMARKED] += 1
        else:
            detach(m, ref)
            cursor[at.DETACHED] += 1
            if cursor[at.METHOD] == at.DYNAMIC and first_of(m, p) == at.NONE:
                remove(pool.tables, pool.state, p)


@inlined
def state_row(t, m, profile, state):
    """Where a state of a profile's template stands."""
    return t.templates[template_of(m, profile), at.FIRST_STATE] + state


@kernel
def wait_in(t, m, pool, cursor, profile, state):
    """An instance has come to a state."""
    s = state_row(t, m, profile, state)
    for k in range(t.states[s, at.WAITS], t.states[s, at.WAITS_END]):
        wait(m, pool, cursor, first_part_of(m, profile) + t.waits[k])


@kernel
def leave(t, m, pool, cursor, profile, state):
    """An instance has left a state."""
    s = state_row(t, m, profile, state)
    for k in range(t.states[s, at.WAITS], t.states[s, at.WAITS_END]):
        wait_less(m, pool, cursor, first_part_of(m, profile) + t.waits[k])


@kernel
def drop(t, st, m, pool, cursor, r):
    """Give up a record; nothing waits for its sake any more."""
    if st.rows[r, at.STATE] >= 0:
        leave(t, m, pool, cursor, st.rows[r, at.PROFILE], st.rows[r, at.STATE])
    unmake(st, m, cursor, r)


@kernel
def begin(t, m, pool, cursor, profile):
    """A profile takes part from now on: what may come first is waited for."""
    template = template_of(m, profile)
    m.profiles[profile, at.STANDING] = at.ALIVE
    for k in range(t.templates[template, at.ALWAYS], t.templates[template, at.ALWAYS_END]):
        wait(m, pool, cursor, first_part_of(m, profile) + t.waits[k])


@kernel
def end(t, st, m, pool, cursor, profile):
    """A profile takes part no more; only what was told is remembered."""
    template = template_of(m, profile)
    if not is_alive(m, profile):
        return
    m.profiles[profile, at.STANDING] = at.GONE
    for k in range(t.templates[template, at.ALWAYS], t.templates[template, at.ALWAYS_END]):
        wait_less(m, pool, cursor, first_part_of(m, profile) + t.waits[k])
    r = m.records[profile]
    while r != at.NONE:
        following = st.rows[r, at.OWN_NEXT]
        if st.rows[r, at.STATE] != at.MEMORY:
            drop(t, st, m, pool, cursor, r)
        r = following


@kernel
def enroll(t, m, pool, cursor, profiles):
    """Let new profiles take part. But for `dynamic`, all that they may ever wait for is in the pool."""
    is_fixed = cursor[at.METHOD] == at.MARK or cursor[at.METHOD] == at.TWO_STEP
    for k in range(profiles.size):
        profile = profiles[k]
        first = first_part_of(m, profile)
        for ref in range(first, first + t.templates[template_of(m, profile), at.PART_COUNT]):
            p = primitive_of(m, ref)
            m.primitives[p, at.USES] += 1
            if m.primitives[p, at.USES] == 1 and cursor[at.METHOD] != at.DYNAMIC:
                insert(pool.tables, pool.state, p)
            if is_fixed:
                attach(m, ref)
        begin(t, m, pool, cursor, profile)


@kernel
def dismiss(t, st, m, pool, cursor, profile):
    """Drop a profile, with all that it knows."""
    end(t, st, m, pool, cursor, profile)
    while m.records[profile] != at.NONE:
        unmake(st, m, cursor, m.records[profile])
    is_fixed = cursor[at.METHOD] == at.MARK or cursor[at.METHOD] == at.TWO_STEP
    first = first_part_of(m, profile)
    for ref in range(first, first + t.templates[template_of(m, profile), at.PART_COUNT]):
        p = primitive_of(m, ref)
        m.primitives[p, at.USES] -= 1
        if is_fixed:
            detach(m, ref)
        if m.primitives[p, at.USES] == 0 and cursor[at.METHOD] != at.DYNAMIC:
            remove(pool.tables, pool.state, p)
