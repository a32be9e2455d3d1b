"""How many events pass each step of a pattern: what is counted where nothing was found."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from cepheid.matchers.masks import BatchRows, passes
from cepheid.plan.plan import Plan, QueryPlan
from cepheid.plan.program import EventTest
from cepheid.plan.workload.plan import WorkloadPlan
from cepheid.runners.stream.event_steps import part_text, test_parts
from cepheid.runners.stream.feed import slices
from cepheid.views.steps import PassedStep


@dataclass(frozen=True, slots=True)
class AskedOfEvents:
    """What one edge of the pattern asks of one event."""

    label: str
    test: EventTest
    is_required: bool  # without an event for it there is no match


@dataclass(frozen=True, slots=True)
class Passed:
    """The steps of one edge, and which events pass all of them."""

    asked: AskedOfEvents
    steps: tuple[PassedStep, ...]
    events: np.ndarray


def asked_of_events(plan: QueryPlan) -> list[AskedOfEvents]:
    """What the variables ask of one event, each edge once."""
    positions = {position.variable: position for position in plan.positions}
    found: list[AskedOfEvents] = []
    for variable, test in plan.engine.event_tests(plan):
        position = positions.get(variable)
        if position is None:
            found.append(AskedOfEvents(f"~{variable}", test, False))
        elif not position.kleene:
            found.append(AskedOfEvents(variable, test, not position.optional))
        elif not any(asked.label == f"{variable}[1]" for asked in found):
            found.append(AskedOfEvents(f"{variable}[1]", test, not position.optional))
        elif test != found[-1].test:
            found.append(AskedOfEvents(f"{variable}[i]", test, False))
        else:
            found[-1] = AskedOfEvents(f"{variable}[]", test, found[-1].is_required)
    return found


def required_of_events(plan: Plan) -> Iterator[tuple[int, AskedOfEvents]]:
    """What each query cannot do without, with the number of the query; not of those that see the matches of
    others, which are not among the events."""
    feeders = plan.feeders if isinstance(plan, WorkloadPlan) else ((),)
    for number, each in enumerate(plan.query_plans):
        if not feeders[number]:
            yield from ((number, asked) for asked in asked_of_events(each) if asked.is_required)


def passed_steps(plan: QueryPlan, events: pa.Table) -> list[Passed]:
    """How many events pass each step, and which pass all steps of an edge."""
    edges = asked_of_events(plan)
    masks = [np.concatenate(parts) for parts in zip(*_masks(plan, edges, events), strict=True)]
    found: list[Passed] = []
    for asked in edges:
        asks = [part_text(part) for part in test_parts(asked.test)]
        own, masks = masks[: len(asks)], masks[len(asks) :]
        steps = [PassedStep(asked.label, text, int(mask.sum())) for text, mask in zip(asks, own, strict=True)]
        found.append(Passed(asked, tuple(steps), own[-1]))
    return found


def _masks(plan: QueryPlan, edges: list[AskedOfEvents], events: pa.Table) -> Iterator[list[np.ndarray]]:
    """For each batch which events pass each step of each edge, and all steps before it."""
    for batch in slices(events, plan.schema):
        rows = BatchRows(batch.data, plan.schema, plan.unit)
        keyed = np.ones(rows.length, np.bool_)
        for key in plan.query.keys:
            keyed &= np.asarray(batch.data.column(key).is_valid())
        known: dict[EventTest, np.ndarray | None] = {}
        found: list[np.ndarray] = []
        for asked in edges:
            mask = keyed
            for part in test_parts(asked.test):
                if part not in known:
                    known[part] = passes(part, rows, {})
                held = known[part]
                mask = mask if held is None else mask & held
                found.append(mask)
        yield found
