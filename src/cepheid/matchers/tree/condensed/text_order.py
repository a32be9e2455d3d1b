"""Ways whose events come as the text has its variables, where a shape puts an AND together in another order.

A node out of that order has its members taken one by one; what one member of each such node stands for is a
product of ranges below them, which may be written in any order.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
from typing import NamedTuple

import numpy as np

from cepheid.matchers.jit import kernel
from cepheid.matchers.tree import layout as at
from cepheid.matchers.tree.condensed import layout as of
from cepheid.matchers.tree.condensed.ranges import (
    BEGIN,
    FRAMES,
    MEMBER,
    RESULT,
    TOP,
    end_matches,
    finish_frames,
    has_room,
    open_frame,
    open_range,
    side_of,
)
from cepheid.matchers.ways import layout as to
from cepheid.plan.tree.condensing import nodes_out_of_order, stretches_in_order
from cepheid.plan.tree.plan import TreePlan


class TextOrder(NamedTuple):
    """How ways come in the order of the text: nothing has to be done if no node is out of it."""

    mixed: np.ndarray  # nodes that are out of it, each after the one that it is part of
    owners: np.ndarray  # by node: which one of them it is part of
    stretches: np.ndarray  # the topmost nodes that are in it, in the order of the text


def text_order(plan: TreePlan) -> TextOrder:
    """What a plan needs so that its ways come in the order of the text."""
    mixed = nodes_out_of_order(plan)
    owners = np.full(len(plan.nodes), at.NONE, np.int64)
    for place, number in enumerate(mixed):
        owners[[plan.nodes[number].left, plan.nodes[number].right]] = place
    return TextOrder(np.array(mixed, np.int64), owners, np.array(stretches_in_order(plan), np.int64))


def as_joined(plan: TreePlan) -> TextOrder:
    """Ways have their events as the tree has its leaves."""
    none = np.zeros(0, np.int64)
    return TextOrder(none, none, none)


@kernel
def write_in_order(t, st, desk, order, now):
    """The ways of the found member, as the text has its variables; whether there was room. Each frame is of a
    node that is out of this order, and one member of each makes a product."""
    while desk.state[FRAMES] > 0:
        f = desk.state[FRAMES] - 1
        if desk.frames[f, TOP] == desk.frames[f, BEGIN]:
            desk.state[FRAMES] -= 1
            continue
        if not has_room(desk):
            return False
        desk.frames[f, TOP] -= 1
        desk.frames[f, MEMBER] = desk.pile[desk.frames[f, TOP]]
        if f + 1 == order.mixed.size:
            if not write_product(t, st, desk, order, now):
                return False
            continue
        head, floor = range_of(st, desk, order, order.mixed[f + 1])
        if head != of.NONE:
            if not open_range(t, st, desk, head, floor, np.int64(of.NONE), np.int64(of.NONE), False, now):
                return False
        else:  # nothing of it is in the match: it has one member all the same, which is none
            top = desk.frames[f, TOP]
            open_frame(desk, top, np.int64(of.NONE), np.int64(of.NONE), np.int64(of.NONE))
            desk.pile[top] = of.NONE
            desk.frames[f + 1, TOP] = top + 1
    return True


@kernel
def range_of(st, desk, order, node):
    """The range of a node in the member that was taken of the one that it is part of; NONE if it has none."""
    f = order.owners[node]
    m = desk.frames[f, MEMBER]
    if m != of.NONE:
        for side in (of.LEFT, of.RIGHT):
            head = st.members[m, side]
            if head != of.NONE and st.rows[st.members[head, of.GROUP], at.OF_NODE] == node:
                return side_of(st, desk, f, m, side)
    return np.int64(of.NONE), np.int64(of.NO_FLOOR)


@kernel
def write_product(t, st, desk, order, now):
    """All combinations of the ranges below the members that were taken; whether there was room."""
    base, last = desk.state[FRAMES], order.stretches.size - 1
    while range_of(st, desk, order, order.stretches[last])[0] == of.NONE:
        last -= 1
    source = np.int64(to.NONE)
    for k in range(last + 1):
        head, floor = range_of(st, desk, order, order.stretches[k])
        if head == of.NONE:
            continue
        if not has_room(desk):
            return False
        if not open_range(t, st, desk, head, floor, source, np.int64(of.NONE), k < last, now):
            return False
        if not finish_frames(t, st, desk, base, now):
            return False
        source = desk.state[RESULT]
        if source == to.NONE:  # the window has passed all of it
            return True
    end_matches(desk, source)
    return True
