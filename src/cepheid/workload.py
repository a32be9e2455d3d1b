"""A workload as users hold it: named queries that run over one stream and share their work."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import pyarrow as pa

from cepheid.errors import CepheidError, QueryError
from cepheid.events import EventBatch, EventSchema
from cepheid.matchers.engines import named
from cepheid.matchers.known import KnownEvents
from cepheid.matches import Matches
from cepheid.plan.assumed import assumed_stream
from cepheid.plan.engine import QueryEngine
from cepheid.plan.events.bounded import refuse_unbounded
from cepheid.plan.explanation import Explanation
from cepheid.plan.plan import QueryPlan
from cepheid.plan.workload.build import RatesOf, check_sharing, plan_workload
from cepheid.plan.workload.composition import Composition, composition_of, feeders_of, told_apart
from cepheid.plan.workload.derived import composed_stream
from cepheid.plan.workload.plan import WorkloadPlan
from cepheid.query import Query, Runnable, query

_FEW_EVENTS = 1_000


@dataclass(frozen=True)
class Workload(Runnable[dict[str, Matches], dict[str, pa.Table]]):
    """Queries by their names. Events are read and put in order once, and results are by name."""

    queries: Mapping[str, Query]
    sharing: str = "auto"
    sharing_plan: str = "greedy"

    def using(self, sharing: str = "auto", *, plan: str = "greedy") -> Workload:
        """The same workload, shared in another way."""
        check_sharing(sharing, plan)
        return replace(self, sharing=sharing, sharing_plan=plan)

    def explain(
        self,
        events: Any = None,
        *,
        time: str | None = None,
        type: str | None = None,
        order: Sequence[str] = (),
        time_unit: str | None = None,
    ) -> Explanation:
        """What the queries share: over the events of a stream, over a schema of its columns, or, if neither
        is given, over a stream that has what they name."""
        if events is None:
            trees = {name: each.tree for name, each in self.queries.items()}
            assumed = assumed_stream(trees, self.composition.feeders, self._plans)
            few = KnownEvents(_few_events(assumed), assumed)
            return _explained(self._shared({name: few.fitted(p) for name, p in self._plans(assumed).items()}))
        from cepheid.runners.stream.binding import bound_events, bound_schema

        if time is None:
            raise CepheidError("explain() over a stream needs time=, the name of its time column")
        if isinstance(events, pa.Schema):
            return _explained(self.plan(bound_schema(events, time, type, order, time_unit)))
        stream, intake = bound_events(events, time, type, order, time_unit)
        plan, fit = self._fitting(stream)
        from cepheid.runners.embedded.run import ordered_events
        from cepheid.runners.stream.side import SideOutput

        intake = intake.only(plan.needed)
        ordered = ordered_events(plan, intake, SideOutput("bad", "drop", intake.schema))
        return _explained(fit(ordered))

    def plan(self, stream: EventSchema) -> WorkloadPlan:
        """How the queries are run over a stream."""
        return self._shared(self._plans(stream))

    def _refuse_unbounded(self, plan: WorkloadPlan) -> None:
        for (name, each), own in zip(self.queries.items(), plan.plans, strict=True):
            with _naming(name, each.text):
                refuse_unbounded(own)
        refuse_unbounded(plan)

    @cached_property
    def composition(self) -> Composition:
        """Which queries name which others."""
        trees = {name: each.tree for name, each in self.queries.items()}
        feeders: dict[str, tuple[str, ...]] = {}
        for name, each in self.queries.items():
            with _naming(name, each.text):
                feeders[name] = feeders_of(name, trees)
        return composition_of(feeders)

    def _plans(self, stream: EventSchema) -> dict[str, QueryPlan]:
        """The plan of each query; one that names others sees their matches beside the stream."""
        plans: dict[str, QueryPlan] = {}
        for name in self.composition.order:
            each = self.queries[name]
            feeders = {other: plans[other] for other in self.composition.feeders[name]}
            with _naming(name, each.text):
                if feeders and stream.type is None:
                    each = replace(each, tree=told_apart(each.tree, tuple(feeders), stream))
                plans[name] = each.plan(composed_stream(stream, feeders) if feeders else stream)
        return {name: plans[name] for name in self.queries}

    def _fitted(self, plans: Mapping[str, QueryPlan], ordered: pa.Table) -> WorkloadPlan:
        """The plan for just these events, which are in order."""
        from cepheid.runners.stream.feed import slices

        stream = plans[self.composition.order[0]].schema  # of a query that names no other
        known, feeders = KnownEvents(ordered, stream), self.composition.feeders
        fitted = {name: plan if feeders[name] else known.fitted(plan) for name, plan in plans.items()}
        first = next(slices(ordered, stream), None)
        return self._shared(fitted, None if first is None else partial(_rates_in, first))

    def _fitting(self, stream: EventSchema) -> tuple[WorkloadPlan, Callable[[pa.Table], WorkloadPlan]]:
        plans = self._plans(stream)
        return replace(self, sharing="none")._shared(plans), partial(self._fitted, plans)

    def _shown(self, found: list[Matches]) -> dict[str, Matches]:
        return dict(zip(self.queries, found, strict=True))

    def _shared(self, plans: Mapping[str, QueryPlan], rates: RatesOf | None = None) -> WorkloadPlan:
        return plan_workload(plans, self.composition, self.sharing, self.sharing_plan, rates)


def workload(queries: Mapping[str, Query | str]) -> Workload:
    """A workload of named queries, or of their texts."""
    if not isinstance(queries, Mapping) or not queries:
        raise CepheidError("a workload is a dict of at least one query by its name")
    found = Workload({name: _named(name, each) for name, each in queries.items()})
    _ = found.composition  # refused here if there is none
    return found


def _named(name: object, each: Query | str) -> Query:
    if not isinstance(name, str):
        raise CepheidError(f"a query of a workload has a text for a name, not {name!r}")
    if isinstance(each, Query):
        return each
    with _naming(name):
        return query(each)


@contextmanager
def _naming(name: str, text: str | None = None) -> Iterator[None]:
    """Errors say which query they are about, and where in its text."""
    try:
        yield
    except QueryError as error:
        if text is not None:
            error.with_text(text)
        error.message = f"query '{name}' of the workload: {error.message}"
        raise


def _few_events(stream: EventSchema) -> pa.Table:
    """So many events of one time, of which nothing else is known: for where no stream is given."""
    return pa.table([pa.nulls(_FEW_EVENTS, field.type) for field in stream.columns], schema=stream.columns)


def _rates_in(batch: EventBatch, engine: QueryEngine) -> Callable[[Sequence[Any]], Any]:
    """How often events take part in plans of an engine, going by the events of a batch."""
    assert engine.sharing is not None
    return partial(named(engine.sharing().rates), batch=batch)


def _explained(plan: WorkloadPlan) -> Explanation:
    return plan.engine.explain(plan)
