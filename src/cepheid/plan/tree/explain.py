"""What the tree engine does with a plan: its tree, and what each node tests."""

import itertools
from collections.abc import Iterator

from cepheid.plan.explanation import ONE_PARTITION, Edge, Explanation, OutlineNode, explained, section
from cepheid.plan.states.predicates import ABSENT, BEGIN, TAKE
from cepheid.plan.states.words import conditions_told, element_told, test_told
from cepheid.plan.tree.condensing import NEVER, why_not
from cepheid.plan.tree.explain_choice import choice_lines
from cepheid.plan.tree.indexes import hashed_equalities, ordered_comparison
from cepheid.plan.tree.nodes import Kind, TreeAbsence
from cepheid.plan.tree.plan import TreePlan
from cepheid.plan.tree.terms import terms_of


def explain(plan: TreePlan) -> Explanation:
    """The explanation of a plan."""
    return explained(
        plan,
        section("tree", [f"shape {plan.shape}", *_drawn(plan, plan.root, "", "")]),
        section("choice of the shape", choice_lines(plan)),
        section("condensing", _condensing_lines(plan)),
        section("absences", _absence_lines(plan)),
        section(
            "state",
            [
                _partitions(plan),
                _bound(plan),
                f"values a composite carries: {len(plan.slots)}; columns computed ahead: {len(plan.columns)}",
                f"events are read {plan.batch:,} at a time"
                if plan.batch > 1
                else "events are read one by one",
            ],
        ),
        edges=list(_edges(plan)),
        outline=list(_outline(plan, plan.root, -1, itertools.count())),
        caption=f"shape {plan.shape}",
    )


def _condensing_lines(plan: TreePlan) -> Iterator[str]:
    """By what composites are grouped at each node, or why they are not."""
    if plan.condense_choice is not None:
        yield plan.condense_choice.told()
    if not plan.groupings:
        yield _why_not_condensed(plan)
        return
    yield "a join tests two groups once, whatever number of composites they have; those of a group agree on"
    for number, grouping in enumerate(plan.groupings):
        if number == plan.root:
            continue
        if grouping.alone is not None:
            yield f"{_name(plan, number)}: everything, each is a group by itself, since {grouping.alone}"
            continue
        terms = ", ".join(terms_of(plan, number)) or "no value"
        first = " and the first event" if grouping.by_first else ""
        yield f"{_name(plan, number)}: {{{terms}}}{first}"


def _why_not_condensed(plan: TreePlan) -> str:
    if plan.asked_condense == NEVER:
        return "none, as asked"
    why = why_not(plan)
    if why is not None:
        return f"none: {why}"
    if plan.condense_choice is not None and not plan.condense_choice.doubt:
        return "none, since that takes less time"
    return (
        "none, since EMIT ALL lists each match, and two variables have no composites to put together; of a "
        "large table some events are run both ways first"
    )


def _drawn(plan: TreePlan, number: int, first: str, others: str) -> Iterator[str]:
    """A node and what is below it, as lines of text."""
    node = plan.nodes[number]
    yield first + _name(plan, number) + _told(plan, number)
    below = [part for part in (node.left, node.right) if part >= 0]
    for part in below:
        is_last = part == below[-1]
        yield from _drawn(
            plan, part, others + ("└─ " if is_last else "├─ "), others + ("   " if is_last else "│  ")
        )


def _outline(plan: TreePlan, number: int, parent: int, places: Iterator[int]) -> Iterator[OutlineNode]:
    """A node and what is below it, for the picture; a run knows it by the variables that it joins."""
    node, place = plan.nodes[number], next(places)
    lines = [line for line in _told(plan, number).removeprefix(": ").split("; ") if line]
    if plan.groupings and number != plan.root and plan.groupings[number].alone is None:
        lines.append(f"groups by {{{', '.join(terms_of(plan, number)) or 'no value'}}}")
    key = " ".join(plan.positions[each].variable for each in sorted(node.members))
    yield OutlineNode(_name(plan, number), parent, tuple(lines), key)
    for part in (node.left, node.right):
        if part >= 0:
            yield from _outline(plan, part, place, places)


def _name(plan: TreePlan, number: int) -> str:
    node = plan.nodes[number]
    if node.position >= 0:
        position = plan.positions[node.position]
        return f"{position.variable}[]" if position.kleene else position.variable
    return f"{node.kind.name}({', '.join(plan.positions[place].variable for place in sorted(node.members))})"


def _told(plan: TreePlan, number: int) -> str:
    """What a node tests."""
    node = plan.nodes[number]
    parts = []
    if node.position >= 0:
        position, leaf = plan.positions[node.position], plan.leaves[node.position]
        parts.append(test_told(leaf.begin, position, BEGIN))
        if node.kind is Kind.CHAIN:
            takes = [test_told(leaf.take, position, TAKE), *conditions_told(leaf.on_take)]
            parts.append(f"then {' AND '.join(takes)}")
            parts += conditions_told(leaf.on_leave)
    ordered = ordered_comparison(plan, number)
    looked_up = [
        each.condition for each in (*hashed_equalities(plan, number), *([ordered] if ordered else []))
    ]
    for condition, text in zip(node.conditions, conditions_told(node.conditions), strict=True):
        parts.append(f"{text} (looked up)" if condition in looked_up else text)
    parts += [f"no {plan.absences[a].variable}" for a in node.absences]
    return f": {'; '.join(parts)}" if parts else ""


def _edges(plan: TreePlan) -> Iterator[Edge]:
    """From each part to the node that joins it."""
    for number, node in enumerate(plan.nodes):
        for part in (node.left, node.right):
            if part >= 0:
                yield Edge(_name(plan, part), _name(plan, number), _told(plan, number).removeprefix(": "))
    yield Edge(_name(plan, plan.root), "match", "complete")


def _absence_lines(plan: TreePlan) -> Iterator[str]:
    for absence in plan.absences:
        kind = absence.test.type or "any event"
        yield f"no {kind} {absence.variable} {_where(plan, absence)}"
        texts = [element_told(test, absence, ABSENT) for test in absence.test.conditions]
        for text in [*texts, *conditions_told(absence.conditions)]:
            yield f"  {text}  →  says what qualifies as the absent {absence.variable}"


def _where(plan: TreePlan, absence: TreeAbsence) -> str:
    at = _name(plan, absence.node)
    if plan.may_trail(absence):
        return f"judged at {at}; where nothing is selected after it, when the window has closed"
    if plan.may_lead(absence):
        return f"judged at {at}; where nothing is selected before it, back to the start of the window"
    return f"between its neighbours, judged at {at}"


def _partitions(plan: TreePlan) -> str:
    return f"partitioned by {', '.join(plan.query.keys)}" if plan.query.keys else ONE_PARTITION


def _bound(plan: TreePlan) -> str:
    if plan.query.window is None:
        return "no window: a composite is never dropped"
    return f"bounded by WITHIN {plan.query.window}: composites and candidates are dropped as it passes"
