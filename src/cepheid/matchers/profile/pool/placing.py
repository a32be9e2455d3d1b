"""Where an event has something to look for: done for a whole batch, whatever is waited for."""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.profile.pool import layout as at
from cepheid.matchers.profile.pool.hashing import slot_of


@kernel
def place_events(t, ev, first, n):
    """List the slots of one event after the other, from the event `first`, while there is room; the next
    event, and how many slots are listed."""
    count = ev.types.size
    for e in range(first, count):
        ev.found_starts[e] = n
        fitting = _place(t, ev, e, 0, n)
        if fitting != at.NONE and ev.types[e] != at.NONE:
            fitting = _place(t, ev, e, ev.types[e], fitting)
        if fitting == at.NONE:
            return e, n
        n = fitting
    ev.found_starts[count] = n
    return count, n


@inlined
def _place(t, ev, e, of_type, n):
    """List the slots of an event in the groups of a type; NONE if there is no room."""
    for i in range(t.group_starts[of_type], t.group_starts[of_type + 1]):
        group = np.int64(t.group_list[i])
        kind, column = t.groups[group, at.GROUP_KIND], t.groups[group, at.GROUP_COLUMN]
        if n == ev.found.size:
            return at.NONE
        if kind == at.ALL:
            ev.found[n] = slot_of(t.slots, group, np.int64(0))
            n += 1
            continue
        if ev.states[column, e] != at.VALUE:
            continue
        key = ev.keys[column, e]
        if kind == at.ALIKE:
            n = _place_likes(t, ev, group, key, n)
            if n == at.NONE:
                return at.NONE
            continue
        if kind == at.EQUAL_TEXT:
            key = np.int64(ev.text_codes[key])
            if key == at.NONE:
                continue
        slot = slot_of(t.slots, group, key)
        if slot != at.NONE:
            ev.found[n] = slot
            n += 1
    return n


@inlined
def _place_likes(t, ev, group, text, n):
    for k in range(ev.like_starts[text], ev.like_starts[text + 1]):
        slot = slot_of(t.slots, group, np.int64(ev.likes[k]))
        if slot != at.NONE:
            if n == ev.found.size:
                return at.NONE
            ev.found[n] = slot
            n += 1
    return n
