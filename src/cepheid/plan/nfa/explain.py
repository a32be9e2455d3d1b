"""What the nfa engine does with a plan: its automaton with formulas, and where conditions are tested."""

from collections.abc import Iterator

from cepheid.pattern.query import Strategy
from cepheid.plan.events.bounded import is_contiguous
from cepheid.plan.explanation import ONE_PARTITION, Edge, Explanation, explained, section
from cepheid.plan.nfa.plan import NfaPlan
from cepheid.plan.nfa.sharing import sharing_lines
from cepheid.plan.states.automaton import may_lead, may_trail
from cepheid.plan.states.predicates import ABSENT, BEGIN, LEAVE, TAKE
from cepheid.plan.states.words import BIT, conditions_told, element_told, how, test_told

IGNORES = {
    Strategy.STRICT: "nothing",
    Strategy.PARTITION: "events of other partitions",
    Strategy.NEXT: "events that it cannot select",
    Strategy.ANY: "any event",
}


def explain(plan: NfaPlan) -> Explanation:
    """The explanation of a plan."""
    edges = list(_edges(plan))
    first, *others = sharing_lines(plan)
    return explained(
        plan,
        section("automaton", map(str, edges)),
        section("conditions", condition_lines(plan)),
        section("absences", _absence_lines(plan)),
        section(
            "state",
            [
                _partitions(plan),
                _bound(plan),
                f"values a run carries: {len(plan.slots)}; columns computed ahead: {len(plan.columns)}",
                f"sharing: {first}",
                *(f"  {line}" for line in others),
            ],
        ),
        edges=edges,
        caption="; ".join(line.strip() for line in _absence_lines(plan)),
    )


def _edges(plan: NfaPlan) -> Iterator[Edge]:
    automaton, states = plan.automaton, [_state(plan, place) for place in range(len(plan.positions))]

    def asked(place: int, edge: str) -> str:
        tests = automaton.begin if edge == BEGIN else automaton.take
        conditions = automaton.on_begin if edge == BEGIN else automaton.on_take
        position = plan.positions[place]
        parts = [test_told(tests[place], position, edge), *conditions_told(conditions[place])]
        return " AND ".join(parts)

    for place in automaton.first:
        yield Edge("start", states[place], f"begin: {asked(place, BEGIN)}", key=f"start {place}")
    for place, position in enumerate(plan.positions):
        if position.kleene:
            yield Edge(states[place], states[place], f"take: {asked(place, TAKE)}", key=f"take {place}")
        leave = conditions_told(automaton.on_leave[place])
        for follower in automaton.follow[place]:
            formula = " AND ".join([*leave, asked(follower, BEGIN)])
            yield Edge(states[place], states[follower], f"begin: {formula}", key=f"begin {place} {follower}")
        if place in automaton.last:
            told = f"complete: {' AND '.join(leave)}" if leave else "complete"
            yield Edge(states[place], "match", told, key=f"complete {place}")
        if (automaton.follow[place] or position.kleene) and not is_contiguous(plan.query):
            ignored = f"ignore: {IGNORES[plan.query.strategy]}"
            yield Edge(states[place], states[place], ignored, dashed=True, key=f"ignore {place}")


def _state(plan: NfaPlan, place: int) -> str:
    position = plan.positions[place]
    return f"{position.variable}[]" if position.kleene else position.variable


def condition_lines(plan: NfaPlan) -> list[str]:
    """Each condition, the edges that test it, and how."""
    automaton = plan.automaton
    told: dict[tuple[str, str, str], list[str]] = {}
    for edge, tests in ((BEGIN, automaton.begin), (TAKE, automaton.take)):
        for position, test in zip(plan.positions, tests, strict=True):
            if edge == BEGIN or position.kleene:
                for condition in test.conditions:
                    text = element_told(condition, position, edge)
                    told.setdefault((text, position.variable, BIT), []).append(edge)
    on = ((BEGIN, automaton.on_begin), (TAKE, automaton.on_take), (LEAVE, automaton.on_leave))
    for edge, placed in on:
        for position, conditions in zip(plan.positions, placed, strict=True):
            for text, way in zip(conditions_told(conditions), map(how, conditions), strict=True):
                told.setdefault((text, position.variable, way), []).append(edge)
    lines = [
        f"{text}  →  {' and '.join(edges)} of {name}, {way}" for (text, name, way), edges in told.items()
    ]
    for absence in plan.absences:
        texts = [element_told(condition, absence, ABSENT) for condition in absence.test.conditions]
        texts += conditions_told(absence.conditions)
        lines += [f"{text}  →  says what qualifies as the absent {absence.variable}" for text in texts]
    return lines


def _absence_lines(plan: NfaPlan) -> Iterator[str]:
    positions = plan.positions
    for absence in plan.absences:
        kind, place = absence.test.type or "any event", absence.place
        before = positions[place - 1].variable if place else None
        after = positions[place].variable if place < len(positions) else None
        if before and after:
            where = f"between {before} and {after}, looked up in an index of candidates as {after} is bound"
        elif after:
            where = f"before {after}, in the window that ends at the last event, judged at completion"
        else:
            where = f"after {before}: the match waits until its window has closed"
        yield f"no {kind} {absence.variable} {where}"
        if before and after and may_lead(absence, plan.automaton):
            yield "  or before the first event, where those before it are absent"
        if before and after and may_trail(absence, plan.automaton):
            yield "  or after the last event, where those after it are absent: the match then waits"


def _partitions(plan: NfaPlan) -> str:
    return f"partitioned by {', '.join(plan.query.keys)}" if plan.query.keys else ONE_PARTITION


def _bound(plan: NfaPlan) -> str:
    if plan.query.window is None:
        return "no window: what a run may still need is never dropped"
    return f"bounded by WITHIN {plan.query.window}: runs, buffer and candidates are dropped as it passes"
