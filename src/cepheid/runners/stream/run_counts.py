"""What a run has counted of its events and edges, with the words that it is told in."""

from collections.abc import Sequence

from cepheid.matchers.counted import RunTally
from cepheid.plan.plan import QueryPlan
from cepheid.plan.program import EventTest
from cepheid.runners.stream.event_steps import part_text, test_parts
from cepheid.views.run_record import RunCounts
from cepheid.views.steps import PassedStep


def run_counts(counted: RunTally | None, events: int) -> RunCounts | None:
    """What a matcher has counted, with its words; None if it counted nothing."""
    if counted is None:
        return None
    labels, tests = labels_of_bits(counted.plan), counted.plan.engine.event_tests(counted.plan)
    by_label = dict(zip(labels, in_bits(counted.plan, tests), strict=True))
    steps = [
        PassedStep(label, part_text(part), number)
        for (label, test), numbers in zip(by_label.items(), counted.passed, strict=True)
        for part, number in zip(test_parts(test), numbers, strict=True)
    ]
    last = tuple(numbers[-1] for numbers in counted.passed)
    return RunCounts(events, counted.plan, tuple(steps), last, counted.edges)


def labels_of_bits(plan: QueryPlan) -> list[str]:
    """How each test of an event is called, in the order of their bits: a, b[1], b[i], ~r."""
    begins = [f"{p.variable}[1]" if p.kleene else p.variable for p in plan.positions]
    takes = [f"{p.variable}[i]" for p in plan.positions if p.kleene]
    positive = {position.variable for position in plan.positions}
    absent = [f"~{v}" for v, _ in plan.engine.event_tests(plan) if v not in positive]
    return [*begins, *takes, *absent]


def in_bits(plan: QueryPlan, tests: Sequence[tuple[str, EventTest]]) -> list[EventTest]:
    """Tests of events as an engine lists them, variable by variable, in the order of their bits."""
    own = iter(test for _, test in tests)
    begins, takes = [], []
    for position in plan.positions:
        begins.append(next(own))
        if position.kleene:
            takes.append(next(own))
    return [*begins, *takes, *own]
