"""What an explanation says is what the plan holds: for random queries, on all engines.

The text is taken apart again and held against the plan's own fields.
"""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given

import cepheid
from cepheid.errors import QueryError
from cepheid.events import bind
from cepheid.plan.aggregate.plan import Aggregated, AggregatePlan, TwoStepPlan
from cepheid.plan.events.bounded import refuse_unbounded
from cepheid.plan.events.division import divided
from cepheid.plan.nfa.plan import NfaPlan
from cepheid.plan.plan import QueryPlan
from tests.cases import AggregateCase, Case, aggregate_cases, cases

Sections = dict[str, list[str]]


def plan_of(case: Case | AggregateCase) -> QueryPlan:
    return cepheid.query(case.query_text).plan(bind(case.table.schema, **case.binding))


def sections(text: str) -> Sections:
    """The lines below each title."""
    found: Sections = {}
    for line in text.splitlines():
        if line.startswith("  "):
            found[list(found)[-1]].append(line[2:])
        else:
            found[line] = []
    return found


def check_all(plan: QueryPlan, told: Sections) -> None:
    """What holds for every engine."""
    assert told["engine"][0].startswith(f"{plan.engine.name}: ")
    assert told["stream"][0] == f"columns that travel: {', '.join(plan.needed)}"
    way = divided(plan)
    assert told["on Spark"][0] == f"divided by {way.by.value}: {way.reason}"
    is_bounded = plan.engine.stream_refusal(plan) is None
    assert ("may run for ever" in told["stream"]) == is_bounded
    if is_bounded:
        refuse_unbounded(plan)
    else:
        with pytest.raises(QueryError):
            refuse_unbounded(plan)


def partitions(told: Sections) -> list[str]:
    (line,) = (line for line in told["state"] if line.startswith(("partitioned by", "one partition:")))
    return line.removeprefix("partitioned by ").split(", ") if line.startswith("partitioned by") else []


TOLD = re.compile(
    r".*  →  (begin and take|begin|take|leave) of (\w+), (one event: a bit|two values|interpreted)"
)


def conditions(told: Sections) -> Counter[tuple[str, str, bool]]:
    """How many conditions each edge of each variable tests, and whether as bits of a mask."""
    found: Counter[tuple[str, str, bool]] = Counter()
    for line in told.get("conditions", []):
        match = TOLD.match(line)
        if match is not None:
            for edge in match[1].split(" and "):
                found[edge, match[2], match[3] == "one event: a bit"] += 1
    return found


def held(plan: NfaPlan) -> Counter[tuple[str, str, bool]]:
    """The same, from the automaton."""
    automaton, found = plan.automaton, Counter[tuple[str, str, bool]]()
    for place, position in enumerate(plan.positions):
        name = position.variable
        found["begin", name, True] += len(set(automaton.begin[place].conditions))
        found["take", name, True] += len(set(automaton.take[place].conditions)) if position.kleene else 0
        for edge, on in (
            ("begin", automaton.on_begin),
            ("take", automaton.on_take),
            ("leave", automaton.on_leave),
        ):
            found[edge, name, False] += len({condition.source for condition in on[place]})
    return +found


@given(case=cases())
def test_matches(case: Case) -> None:
    plan = plan_of(case)
    assert isinstance(plan, NfaPlan)
    told = sections(str(plan))
    check_all(plan, told)
    assert partitions(told) == list(plan.query.keys)
    assert conditions(told) == held(plan)
    assert len([line for line in told.get("absences", []) if not line.startswith(" ")]) == len(plan.absences)
    edges = sum(map(len, plan.automaton.follow)) + len(plan.automaton.first) + len(plan.automaton.last)
    assert sum("ignore" not in line and "take:" not in line for line in told["automaton"]) == edges
    assert told["output"][0].startswith(f"EMIT {plan.query.emit.mode.value}")


@given(case=aggregate_cases())
def test_aggregates(case: AggregateCase) -> None:
    plan = plan_of(case)
    assert isinstance(plan, Aggregated)
    told = sections(str(plan))
    check_all(plan, told)
    assert told["method"][0].startswith(f"{plan.method}: ")
    assert told["output"][1:] == [f"{field.name}: {field.type}" for field in plan.output_schema]
    if isinstance(plan, TwoStepPlan):
        assert any(line.startswith(f"  {plan.inner.engine.name}: ") for line in told["first step"])
        assert partitions(told) == list(plan.query.keys)
    else:
        assert isinstance(plan, AggregatePlan)
        assert partitions(told) == [*plan.query.keys, *plan.alike]
        assert "runs, buffer" not in str(plan)
        divides = [line for line in told.get("conditions", []) if line.endswith("divides the stream")]
        assert len(divides) == len(plan.alike)
        compared = [
            line for line in told.get("conditions", []) if line.endswith("an index of values in order")
        ]
        assert len(compared) == len(plan.compared)


def test_a_query_that_divides_by_an_equality() -> None:
    text = str(cepheid.query("PATTERN SEQ(A a, B b) WHERE a.id = b.id WITHIN 10 AGG COUNT").explain())
    assert "partitioned by id" in text and "there are no runs" in text and "divides the stream" in text
    assert "one partition" not in text and "compared" not in text and "buffer" not in text
