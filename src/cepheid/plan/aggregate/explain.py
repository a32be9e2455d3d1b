"""What the aggregate engine does with a plan: the steps that it counts, and where conditions are tested."""

from collections.abc import Iterator

from cepheid.pattern.render import render_expression
from cepheid.plan.aggregate.having import having_lines
from cepheid.plan.aggregate.methods import COSTS
from cepheid.plan.aggregate.plan import AggregatePlan, Compared, TwoStepPlan
from cepheid.plan.explanation import Edge, Explanation, explained, section
from cepheid.plan.mask_bits import take_bits
from cepheid.plan.positions import Position
from cepheid.plan.program import EventTest
from cepheid.plan.states.predicates import ABSENT, BEGIN, TAKE
from cepheid.plan.states.steps import Step
from cepheid.plan.states.words import BIT, conditions_told, element_told, how, test_told


def explain(plan: AggregatePlan | TwoStepPlan) -> Explanation:
    """The explanation of a plan, by whether it builds matches."""
    return _in_two_steps(plan) if isinstance(plan, TwoStepPlan) else _counted(plan)


def _counted(plan: AggregatePlan) -> Explanation:
    edges = list(_edges(plan))
    return explained(
        plan,
        section("method", [f"{plan.method}: {COSTS[plan.method]}", *_sizes(plan)]),
        section("steps", map(str, edges)),
        section("conditions", _condition_lines(plan)),
        section("absences", _absence_lines(plan)),
        section("rows", having_lines(plan)),
        section("state", [_partitions((*plan.query.keys, *plan.alike)), _bound(plan)]),
        edges=edges,
    )


def _sizes(plan: AggregatePlan | TwoStepPlan) -> list[str]:
    return [
        f"counts are exact in {plan.bits:,} bits, for windows of {plan.most_events:,} events",
        "a table that is run whole may need narrower numbers, by how much its windows hold",
    ]


def _edges(plan: AggregatePlan) -> Iterator[Edge]:
    """The steps, each from those that it may follow."""
    names = _names(plan.steps)
    for number, step in enumerate(plan.steps):
        asked = test_told(*_asked(plan, step))
        if step.begins:
            yield Edge("start", names[number], asked, key=f"bit {step.test}")
        for before in step.after:
            yield Edge(names[before], names[number], asked, key=f"bit {step.test}")
        if step.ends:
            yield Edge(names[number], "match", "counted")


def _names(steps: tuple[Step, ...]) -> list[str]:
    """A variable has a number behind its name where it has several steps."""
    all_names = [step.variable for step in steps]
    return [
        f"{name}{all_names[: number + 1].count(name)}" if all_names.count(name) > 1 else name
        for number, name in enumerate(all_names)
    ]


def _asked(plan: AggregatePlan, step: Step) -> tuple[EventTest, Position, str]:
    """What an event must pass to take a step: the test, and the variable and edge that it is of."""
    automaton, place = plan.automaton, step.test
    tests, edge = automaton.begin, BEGIN
    if step.test >= len(plan.positions):
        place, tests, edge = take_bits(automaton.positions).index(step.test), automaton.take, TAKE
    return tests[place], plan.positions[place], edge


def _condition_lines(plan: AggregatePlan) -> list[str]:
    lines = [f"{name} is equal in all events of a match  →  divides the stream" for name in plan.alike]
    tested: dict[str, list[str]] = {}
    for step, name in zip(plan.steps, _names(plan.steps), strict=True):
        test, position, edge = _asked(plan, step)
        for condition in test.conditions:
            tested.setdefault(element_told(condition, position, edge), []).append(name)
    lines += [f"{text}  →  step {', '.join(names)}, {BIT}" for text, names in tested.items()]
    lines += [
        f"{_comparison(pair)}  →  from {pair.before} to {pair.after}, an index of values in order"
        for pair in plan.compared
    ]
    for absence in plan.absences:
        texts = [element_told(condition, absence, ABSENT) for condition in absence.test.conditions]
        lines += [f"{text}  →  says what qualifies as the absent {absence.variable}" for text in texts]
    return lines


def _comparison(pair: Compared) -> str:
    before, after = (render_expression(value.expression) for value in pair.values)
    return f"{before} of {pair.before} {pair.operator} {after} of {pair.after}"


def _absence_lines(plan: AggregatePlan) -> Iterator[str]:
    names = _names(plan.steps)
    for number, absence in enumerate(plan.absences):
        kind = absence.test.type or "any event"
        undone = [name for name, step in zip(names, plan.steps, strict=True) if number in step.undone_by]
        barred = [name for name, step in zip(names, plan.steps, strict=True) if number in step.looks_back]
        if undone:
            yield f"{kind} {absence.variable} takes back what is counted at {', '.join(undone)}"
        if barred:
            where = f"in the window before a match that begins at {', '.join(barred)}"
            yield f"no {kind} {absence.variable} {where}"


def _partitions(columns: tuple[str, ...]) -> str:
    keys = ", ".join(columns)
    return (
        f"partitioned by {keys}" if keys else "one partition: add an equivalence test [key] if there is one"
    )


def _bound(plan: AggregatePlan) -> str:
    if plan.query.window is None:
        return "no window: every match of the input counts, and there are no runs"
    return (
        f"bounded by WITHIN {plan.query.window}: what leaves the window leaves the counts; there are no runs"
    )


def _in_two_steps(plan: TwoStepPlan) -> Explanation:
    inner = plan.inner.engine.explain(plan.inner)
    why = "a condition between events needs the matches, which another engine builds"
    lines = [f"{plan.method}: {why}", "an event costs the matches that it completes"]
    if plan.is_counted:
        lines = [
            f"{plan.method}: matches are counted on a graph of them, which another engine makes",
            "an event costs the rows of that graph, for each event that may be the first of a match",
            *_sizes(plan),
        ]
    judged = [plan.absences[number].variable for number in plan.judged]
    if judged:
        lines.append(f"absent after the last event, and judged as events come: {', '.join(judged)}")
    return explained(
        plan,
        section("method", lines),
        section("conditions", _judged_conditions(plan)),
        section("rows", having_lines(plan)),
        section("state", [_partitions(plan.query.keys), "the matches that still count"]),
        section("first step", _own_lines(inner.text)),
        edges=inner.edges,
    )


def _judged_conditions(plan: TwoStepPlan) -> Iterator[str]:
    for number in plan.judged:
        absence = plan.absences[number]
        for text, condition in zip(conditions_told(absence.conditions), absence.conditions, strict=True):
            yield f"{text}  →  says what qualifies as the absent {absence.variable}, {how(condition)}"
        for element in absence.test.conditions:
            told = element_told(element, absence, ABSENT)
            yield f"{told}  →  says what qualifies as the absent {absence.variable}"


def _own_lines(text: str) -> Iterator[str]:
    """The sections of the first step that the whole has not: its engine, automaton or tree, and state."""
    wanted = False
    for line in text.splitlines():
        if not line.startswith(" "):
            wanted = line in ("engine", "automaton", "tree", "conditions", "absences", "state")
        if wanted:
            yield line
