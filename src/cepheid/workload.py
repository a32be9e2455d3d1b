"""A workload as users hold it: named queries that run over one stream and share their work."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import pyarrow as pa

from cepheid.errors import CepheidError, QueryError
from cepheid.events import EventSchema
from cepheid.matchers.allowance import Allowance
from cepheid.matchers.baselines.chop_connect.rates import rates_of
from cepheid.matchers.engines import matcher_for
from cepheid.matchers.workload.matcher import WorkloadMatcher
from cepheid.matches import Matches
from cepheid.plan.aggregate.build import sized
from cepheid.plan.aggregate.plan import AggregatePlan
from cepheid.plan.plan import QueryPlan
from cepheid.plan.workload.composition import Composition, composition_of, feeders_of, told_apart
from cepheid.plan.workload.derived import composed_stream
from cepheid.plan.workload.explain import WorkloadExplanation, explain_workload
from cepheid.plan.workload.plan import RatesOf, WorkloadPlan, check_sharing, plan_workload
from cepheid.plan.workload.sharing.rated import Rates
from cepheid.query import Query, columns_of, query
from cepheid.runners.embedded.run import collected, good_events, matches_in, slices
from cepheid.runners.embedded.sizing import Sizing
from cepheid.runners.stream.assumed import assumed_stream
from cepheid.runners.stream.intake import Intake, take_in
from cepheid.runners.stream.limits import MAX_MATCHES, checked_limit, default_max_state
from cepheid.runners.stream.order import in_order
from cepheid.runners.stream.side import SideOutput

Progress = Callable[[int], None]

_FEW_EVENTS = 1_000


@dataclass(frozen=True)
class Workload:
    """Queries by their names; `run` them over what there is."""

    queries: Mapping[str, Query]
    sharing: str = "auto"
    sharing_plan: str = "greedy"

    def run(
        self,
        events: Any,
        *,
        time: str,
        type: str | None = None,
        order: Sequence[str] = (),
        time_unit: str | None = None,
        on_late: str = "side",
        on_bad: str = "side",
        max_matches: int | None = None,
        max_state: int | None = None,
        progress: Progress | None = None,
    ) -> dict[str, Matches]:
        """The matches of each query; events are read and put in order once."""
        started = clock.perf_counter()
        intake = take_in(events)
        columns = columns_of(intake, time, type, order)
        plans = self._plans(columns, time=time, type=type, order=order, time_unit=time_unit)
        late, bad = SideOutput("late", on_late, columns), SideOutput("bad", on_bad, columns)
        plan, ordered = self._over(plans, intake, bad)
        allowance = Allowance(
            checked_limit("max_matches", max_matches, MAX_MATCHES),
            checked_limit("max_state", max_state, default_max_state()),
        )
        matcher = matcher_for(plan, allowance)
        assert isinstance(matcher, WorkloadMatcher)
        found = collected(plan, matches_in(matcher, plan, ordered, progress))
        seconds = clock.perf_counter() - started
        return {
            name: Matches(
                table,
                late.table,
                bad.table,
                _stats(matcher, allowance, plan, number, table, ordered.num_rows, late, bad, seconds),
            )
            for number, (name, table) in enumerate(zip(plan.names, found, strict=True))
        }

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
    ) -> WorkloadExplanation:
        """What the queries share: over the events of a stream, over a schema of its columns, or, if neither
        is given, over a stream that has what they name."""
        if events is None:
            columns, assumed = assumed_stream(self.queries, self.composition, self._plans)
            plans = {name: _small(plan) for name, plan in self._plans(columns, **assumed).items()}
            return explain_workload(self._shared(plans, _no_rates))
        if time is None:
            raise CepheidError("explain() over a stream needs time=, the name of its time column")
        binding = {"time": time, "type": type, "order": order, "time_unit": time_unit}
        if isinstance(events, pa.Schema):
            return explain_workload(self.plan(events, **binding))
        intake = take_in(events)
        plans = self._plans(columns_of(intake, time, type, order), **binding)
        shared, _ = self._over(plans, intake, SideOutput("bad", "side", intake.schema))
        return explain_workload(shared)

    def plan(self, columns: pa.Schema, **binding: Any) -> WorkloadPlan:
        """How the queries are run over a stream with these columns."""
        return self._shared(self._plans(columns, **binding), _no_rates)

    @cached_property
    def composition(self) -> Composition:
        """Which queries name which others."""
        trees = {name: each.tree for name, each in self.queries.items()}
        feeders: dict[str, tuple[str, ...]] = {}
        for name, each in self.queries.items():
            with _naming(name, each.text):
                feeders[name] = feeders_of(name, trees)
        return composition_of(feeders)

    def _plans(self, columns: pa.Schema, **binding: Any) -> dict[str, QueryPlan]:
        composition = self.composition
        plans: dict[str, QueryPlan] = {}
        for name in composition.order:
            each, feeders = self.queries[name], {other: plans[other] for other in composition.feeders[name]}
            with _naming(name, each.text):
                if feeders:
                    schema = plans[composition.order[0]].schema  # which has no feeders: that of the stream
                    plans[name] = _plan_fed(each, feeders, schema, binding)
                else:
                    plans[name] = each.plan(columns, **binding)
        return {name: plans[name] for name in self.queries}

    def _over(
        self, plans: Mapping[str, QueryPlan], intake: Intake, bad: SideOutput
    ) -> tuple[WorkloadPlan, pa.Table]:
        """The plan for just the events that are taken in, and these in their order."""
        ordered = _ordered(replace(self, sharing="none")._shared(plans, _no_rates), intake, bad)
        sizing = Sizing(ordered)
        fed = {name for name, feeders in self.composition.feeders.items() if feeders}
        fitted = {name: plan if name in fed else sizing.sized(plan) for name, plan in plans.items()}
        schema = next(plan.schema for name, plan in plans.items() if name not in fed)
        first = next(slices(ordered, schema), None)
        rates = _no_rates if first is None else partial(rates_of, batch=first)
        return self._shared(fitted, rates), ordered

    def _shared(self, plans: Mapping[str, QueryPlan], rates: RatesOf) -> WorkloadPlan:
        return plan_workload(plans, self.composition, self.sharing, self.sharing_plan, rates)


def workload(queries: Mapping[str, Query | str]) -> Workload:
    """A workload of named queries, or of their texts."""
    if not isinstance(queries, Mapping) or not queries:
        raise CepheidError("a workload is a dict of at least one query by its name")
    found = Workload({name: _named(name, each) for name, each in queries.items()})
    _ = found.composition  # refused here if there is none
    return found


def _plan_fed(
    each: Query, feeders: Mapping[str, QueryPlan], schema: EventSchema, binding: Mapping[str, Any]
) -> QueryPlan:
    """The plan of a query over the stream and the matches of others."""
    stream = composed_stream(schema, feeders)
    if schema.type is None:
        each = replace(each, tree=told_apart(each.tree, tuple(feeders), schema))
    return each.plan(stream.columns, **{**binding, "type": stream.type})


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


def _small(plan: QueryPlan) -> QueryPlan:
    """The plan for windows of few events, where nothing is known of the stream."""
    return sized(plan, _FEW_EVENTS) if isinstance(plan, AggregatePlan) else plan


def _no_rates(plans: Sequence[AggregatePlan]) -> Rates:
    """Where no event is known, all steps are as frequent."""
    return lambda step, window: 1.0


def _ordered(plan: WorkloadPlan, intake: Intake, bad: SideOutput) -> pa.Table:
    """The events that can be used, in their order."""
    intake = intake.only(plan.needed)
    table = pa.Table.from_batches(list(intake.batches), schema=intake.schema)
    bad.add_unread(intake.unreadable())
    return in_order(good_events(plan, table, bad), plan.schema)


def _stats(
    matcher: WorkloadMatcher,
    allowance: Allowance,
    plan: WorkloadPlan,
    number: int,
    table: pa.Table,
    events: int,
    late: SideOutput,
    bad: SideOutput,
    seconds: float,
) -> dict[str, Any]:
    """Figures of one query; time and state are those of all that are run with it."""
    place = next(place for place, share in enumerate(plan.shares) if number in share.members)
    share, own = plan.shares[place], matcher.matchers[place]
    inflow = None if matcher.composed is None else matcher.composed.inflows.get(number)
    return {
        "events": events,
        **({} if inflow is None else {"derived": inflow.derived}),
        "matches": table.num_rows,
        "late": late.count,
        "bad": bad.count,
        "seconds": seconds,
        "events_per_second": round(events / seconds) if seconds else None,
        "sharing": share.kind,
        "shared_by": len(share.members),
        **own.figures,
        "state_bytes": own.state_bytes,
        "peak_state_bytes": own.peak_state_bytes,
        "max_matches": allowance.max_matches,
        "max_state": allowance.max_state,
    }
