"""Many queries over one stream: which of them are run together, and how.

Queries that count matches by algebra keep their common numbers once (`algebra`). As the thesis on A-Seq has
it, they may share counters for common prefixes (`prefix_tree`) or for common substrings (`chop_connect`).
What cannot be shared runs beside the others, over events that are read and ordered once. So does a query that
names others as types of events: the stream that it sees is its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from cepheid.errors import BindingError, QueryError
from cepheid.plan.aggregate.plan import AggregatePlan
from cepheid.plan.plan import Plan, QueryPlan
from cepheid.plan.workload.composition import Composition
from cepheid.plan.workload.sharing.choose import METHODS, choose
from cepheid.plan.workload.sharing.eligible import refusal, shared_query
from cepheid.plan.workload.sharing.rated import Rates
from cepheid.plan.workload.sharing.sharing_plan import SharingPlan

RatesOf = Callable[[Sequence[AggregatePlan]], Rates]
"""How often the steps of some plans are taken."""

QUERY = "query"
"""The column that names the query where the rows of all stand in one table."""


@dataclass(frozen=True, slots=True)
class Share:
    """Queries that are run together."""

    kind: str
    members: tuple[int, ...]
    sharing: SharingPlan | None = None


@dataclass(frozen=True, slots=True)
class WorkloadPlan(Plan):
    """The plans of named queries over one stream, and how they share their work."""

    names: tuple[str, ...]
    plans: tuple[QueryPlan, ...]
    shares: tuple[Share, ...]  # in the order in which they run
    feeders: tuple[tuple[int, ...], ...]  # of each query, the others whose matches are events to it

    @property
    def is_composed(self) -> bool:
        """Whether some query names another."""
        return any(self.feeders)

    @property
    def in_order(self) -> tuple[int, ...]:
        """The queries, each after its feeders."""
        return tuple(member for share in self.shares for member in share.members)

    @property
    def text(self) -> str:
        """The queries by their names."""
        return "\n".join(f"{name}: {plan.text}" for name, plan in zip(self.names, self.plans, strict=True))

    @property
    def output_schemas(self) -> tuple[pa.Schema, ...]:
        """The columns of each query's matches."""
        return tuple(plan.output_schema for plan in self.plans)

    def plans_of(self, share: Share) -> tuple[QueryPlan, ...]:
        """The plans of the queries that are run together."""
        return tuple(self.plans[member] for member in share.members)


def query_plans(plan: Plan) -> tuple[QueryPlan, ...]:
    """The plans of single queries that a plan is made of."""
    if isinstance(plan, WorkloadPlan):
        return plan.plans
    assert isinstance(plan, QueryPlan)
    return (plan,)


def plan_workload(
    plans: Mapping[str, QueryPlan], composition: Composition, sharing: str, method: str, rates: RatesOf
) -> WorkloadPlan:
    """How to run some queries over one stream; `rates` says how often their steps are taken."""
    names, listed = tuple(plans), tuple(plans.values())
    numbers = {name: number for number, name in enumerate(names)}
    feeders = tuple(tuple(numbers[other] for other in composition.feeders[name]) for name in names)
    over_stream = [number for number, fed_by in enumerate(feeders) if not fed_by]
    fed = [numbers[name] for name in composition.order if composition.feeders[name]]
    schema, needed = listed[over_stream[0]].schema, {name for plan in listed for name in plan.needed}
    marks = [plan.fingerprint for plan in listed]
    return WorkloadPlan(
        schema=schema,
        unit="ns" if any(plan.unit == "ns" for plan in listed) else listed[0].unit,
        needed=tuple(name for name in schema.columns.names if name in needed),
        output_schema=pa.schema([]),
        identity=_digest(plan.identity for plan in listed),
        fingerprint=_digest([*marks, repr(feeders)] if fed else marks),
        names=names,
        plans=listed,
        shares=(
            *_shares(listed, names, over_stream, sharing, method, rates),
            *(Share("none", (number,)) for number in fed),
        ),
        feeders=feeders,
    )


def _shares(
    plans: Sequence[QueryPlan],
    names: Sequence[str],
    chosen: Sequence[int],
    sharing: str,
    method: str,
    rates: RatesOf,
) -> Iterable[Share]:
    """How the chosen queries share their work."""
    found = SHARINGS[sharing]([plans[n] for n in chosen], [names[n] for n in chosen], method, rates)
    return (replace(share, members=tuple(chosen[n] for n in share.members)) for share in found)


def check_sharing(sharing: str, method: str) -> None:
    """Refuse a way of sharing that there is not."""
    if sharing not in SHARINGS:
        raise QueryError(f"a workload cannot share by '{sharing}'", hint=f"it can by {', '.join(SHARINGS)}")
    if method not in METHODS:
        raise QueryError(f"there is no sharing plan '{method}'", hint=f"the plans are {', '.join(METHODS)}")


def _apart(plans: Sequence[QueryPlan], names: Sequence[str], method: str, rates: RatesOf) -> Iterable[Share]:
    return [Share("none", (number,)) for number in range(len(plans))]


def _by_algebra(
    plans: Sequence[QueryPlan], names: Sequence[str], method: str, rates: RatesOf
) -> Iterable[Share]:
    """Common numbers are kept once: an operation less for each, and none more."""
    return _grouped(plans, _counted_alike, lambda members: Share("algebra", members))


def _by_counters(
    plans: Sequence[QueryPlan], names: Sequence[str], method: str, rates: RatesOf
) -> Iterable[Share]:
    """Common substrings are counted once where that is worth the connecting."""

    def share(members: tuple[int, ...]) -> Share:
        chosen = [plan for n in members if isinstance(plan := plans[n], AggregatePlan)]
        queries = [shared_query(names[n], plan) for n, plan in zip(members, chosen, strict=True)]
        return Share("chop_connect", members, choose(queries, rates(chosen), method))

    return _grouped(plans, _marked_alike, share)


def _by_prefixes(
    plans: Sequence[QueryPlan], names: Sequence[str], method: str, rates: RatesOf
) -> Iterable[Share]:
    return [
        replace(share, kind="prefix_tree") if share.sharing is not None else share
        for share in _by_counters(plans, names, "none", rates)
    ]


SHARINGS: dict[str, Callable[..., Iterable[Share]]] = {
    "auto": _by_algebra,
    "algebra": _by_algebra,
    "chop_connect": _by_counters,
    "prefix_tree": _by_prefixes,
    "none": _apart,
}


def _grouped(
    plans: Sequence[QueryPlan],
    alike: Callable[[QueryPlan], Hashable | None],
    share: Callable[[tuple[int, ...]], Share],
) -> Iterable[Share]:
    """A share for all that are alike; what has no likeness runs by itself."""
    groups: dict[Hashable, list[int]] = {}
    for number, plan in enumerate(plans):
        key = alike(plan)
        groups.setdefault(("apart", number) if key is None else key, []).append(number)
    for members in groups.values():
        yield share(tuple(members)) if len(members) > 1 else Share("none", tuple(members))


def _counted_alike(plan: QueryPlan) -> Hashable | None:
    """Numbers are kept by partition, and rows made by group and at moments: these must be the same."""
    if not isinstance(plan, AggregatePlan) or plan.method != "inverse":
        return None
    if any(step.undone_by for step in plan.steps):
        return None
    return plan.unit, plan.query.keys, plan.alike, plan.group, plan.query.emit.mode, plan.period


def _marked_alike(plan: QueryPlan) -> Hashable | None:
    """Counters also depend on the window."""
    if not isinstance(plan, AggregatePlan) or refusal(plan) is not None:
        return None
    return shared_query("", plan).window


def united(plan: WorkloadPlan) -> WorkloadPlan:
    """The plan whose rows all stand in one table: the query's name, then the columns of any."""
    schemas = [plan.output_schema for plan in plan.plans]
    try:
        together = pa.unify_schemas(schemas, promote_options="permissive")
    except pa.ArrowException as error:
        raise BindingError(
            f"the results of the workload do not fit one table: {error}; give columns of different types "
            "different names, with AS"
        ) from None
    if QUERY in together.names:
        raise BindingError(f"a result has a column '{QUERY}', which names the query: rename it with AS")
    return replace(plan, output_schema=pa.schema([pa.field(QUERY, pa.string()), *together]))


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
