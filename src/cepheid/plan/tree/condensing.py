"""By what the composites of each node are put into groups, so that a join tests a group once.

Composites of one group agree on all that a node above may ask of them: the values that conditions compare,
which variables they have and, where the order or an inner window asks for it, the event that they begin with.
The query's own window and the order of a SEQ are not part of it: a join takes those members of a group that
completed in time, and members leave one by one as the window moves.

Some questions need each composite by itself. Then every composite of that node is a group of its own.
"""

from itertools import chain

from cepheid.pattern.query import EmitMode
from cepheid.plan.program import Apply, Capture, Condition, Load, Source
from cepheid.plan.tree.grouping import Grouping
from cepheid.plan.tree.nodes import Kind, TreeAbsence
from cepheid.plan.tree.plan import TreePlan

ALWAYS, NEVER = "always", "never"


def groupings(plan: TreePlan) -> tuple[Grouping, ...]:
    """How the composites of each node are grouped."""
    alone, first = _alone(plan), _by_first(plan)
    return tuple(
        Grouping(
            slots=_terms(plan, number),
            by_first=number in first,
            most_counted=_most_counted(plan, number),
            alone=alone.get(number),
        )
        for number in range(len(plan.nodes))
    )


def why_not(plan: TreePlan) -> str | None:
    """Why a query's composites cannot be put into groups at all, or None."""
    if plan.query.emit.mode is EmitMode.NON_OVERLAPPING:
        return "EMIT NON OVERLAPPING looks at each match by itself"
    return _alone(plan).get(plan.root)


def order_of_ways(plan: TreePlan, number: int) -> tuple[int, ...]:
    """The positions below a node from left to right."""
    node = plan.nodes[number]
    if node.position >= 0:
        return (node.position,)
    return (*order_of_ways(plan, node.left), *order_of_ways(plan, node.right))


def nodes_out_of_order(plan: TreePlan) -> tuple[int, ...]:
    """The nodes whose variables do not follow each other as in the text, each after the one that it is part
    of: an AND in a shape that joins the first with the third part before the second has some."""
    return tuple(
        number for number in range(plan.root, -1, -1) if not _is_stretch(order_of_ways(plan, number), plan)
    )


def stretches_in_order(plan: TreePlan) -> tuple[int, ...]:
    """The topmost nodes whose variables follow each other as in the text, in the order of the text."""
    mixed = nodes_out_of_order(plan)
    below = [part for number in mixed for part in (plan.nodes[number].left, plan.nodes[number].right)]
    return tuple(sorted((n for n in below if n not in mixed), key=lambda n: order_of_ways(plan, n)))


def _is_stretch(order: tuple[int, ...], plan: TreePlan) -> bool:
    whole = sorted(order_of_ways(plan, plan.root))
    begin = whole.index(order[0])
    return list(order) == whole[begin : begin + len(order)]


def has_one_row_an_event(plan: TreePlan) -> bool:
    """Whether ways with an event in common at a variable always meet there: the parts follow each other."""
    return not plan.absences and all(
        node.kind in (Kind.LEAF, Kind.SEQ) and not node.nullable for node in plan.nodes
    )


def counts_by_beginning(plan: TreePlan) -> bool:
    """Whether the numbers of EMIT COUNT are kept by when composites began: a join then takes all of a group
    that completed before the event at hand."""
    if not plan.groupings or plan.query.emit.mode is not EmitMode.COUNT or plan.absences:
        return False
    return all(plan.nodes[node.right].kind is Kind.LEAF for node in plan.nodes if node.kind is Kind.SEQ)


# -- composites that stay by themselves --------------------------------------------------------------


def _alone(plan: TreePlan) -> dict[int, str]:
    """The nodes whose composites are groups by themselves, and why; all below one of them are too."""
    found: dict[int, str] = {}
    for number in range(plan.root, -1, -1):
        for each, why in _reasons(plan, number):
            for below in range(each + 1):
                if plan.nodes[below].members <= plan.nodes[each].members:
                    found.setdefault(below, why)
    return found


def _reasons(plan: TreePlan, number: int) -> list[tuple[int, str]]:
    """What a node asks that only composites by themselves can answer, and which node's these are."""
    node = plan.nodes[number]
    found = []
    if node.kind is Kind.CHAIN and any(item.position == node.position for item in plan.remembered):
        found.append((number, "a condition looks at each event of a Kleene variable"))
    judged = [plan.absences[a] for a in node.absences]
    found += [(number, "an absence is judged match by match") for a in judged if not is_between(plan, a)]
    if node.left < 0:
        return found
    sides = (node.left, node.right)
    if node.shares and not all(plan.nodes[side].kind is Kind.LEAF for side in sides):
        found += [(side, "an event may fit both sides of an AND") for side in sides]
    ranged = {place for c in asked_at(plan, number) for place in c.ranges_over}
    found += [
        (side, "a condition looks at each event of a Kleene variable")
        for side in sides
        if ranged & plan.nodes[side].members
    ]
    return found


def is_between(plan: TreePlan, absence: TreeAbsence) -> bool:
    """Whether an absence lies between the last event of the left side of a SEQ and the first of its right
    side, whatever match it is."""
    node = plan.nodes[absence.node]
    if node.kind is not Kind.SEQ or absence.branches:
        return False
    left, right = plan.nodes[node.left], plan.nodes[node.right]
    if left.nullable or right.nullable:
        return False
    surrounds = left.members <= absence.before and right.members <= absence.after
    return surrounds and not (absence.before & right.members or absence.after & left.members)


# -- what the others agree on ------------------------------------------------------------------------


def asked_at(plan: TreePlan, number: int) -> list[Condition]:
    """The conditions that a join tests, those on absences among them."""
    node = plan.nodes[number]
    return [*node.conditions, *chain.from_iterable(plan.absences[a].conditions for a in node.absences)]


def _terms(plan: TreePlan, number: int) -> tuple[int, ...]:
    """The slots of a node that nodes above it compare; a chain goes on with all of its own."""
    node = plan.nodes[number]
    if node.kind is Kind.CHAIN:
        return tuple(k for k, slot in enumerate(plan.slots) if slot.position == node.position)
    read = {
        load.index
        for upper in above(plan, number)
        for condition in asked_at(plan, upper)
        for load in _loads(condition.value)
        if load.source is Source.SLOT
    }
    return tuple(k for k in sorted(read) if plan.slots[k].position in node.members)


def above(plan: TreePlan, number: int) -> list[int]:
    """The nodes above a node."""
    members = plan.nodes[number].members
    return [upper for upper in range(number + 1, len(plan.nodes)) if members < plan.nodes[upper].members]


def _loads(value: Load | Apply) -> list[Load]:
    if isinstance(value, Load):
        return [value]
    return [load for argument in value.arguments for load in _loads(argument)]


def _by_first(plan: TreePlan) -> set[int]:
    """The nodes whose composites are compared by when they began: the right side of a SEQ, what lies in an
    inner window, and all that says when these begin."""
    found: set[int] = set()
    for number in range(plan.root, -1, -1):
        node = plan.nodes[number]
        if node.windows and node.kind is Kind.CHAIN:
            found.add(number)
        if node.left < 0:
            continue
        if node.windows:
            found |= {node.left, node.right}
        if node.kind is Kind.SEQ:
            found.add(node.right)
        if number in found:
            found.add(node.left)
            if node.kind is not Kind.SEQ or plan.nodes[node.left].nullable:
                found.add(node.right)
    return found


def _most_counted(plan: TreePlan, number: int) -> int:
    """Up to how many events the length of a chain makes a difference."""
    node = plan.nodes[number]
    if node.kind is not Kind.CHAIN:
        return 1
    position = plan.positions[node.position]
    if position.most is not None:
        return position.most
    nth = [s.ordinal for s in plan.slots if s.position == node.position and s.capture is Capture.NTH]
    return max(1, position.least, *nth)
