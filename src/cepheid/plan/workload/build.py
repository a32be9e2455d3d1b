"""Which queries of a workload are run together, and how.

How queries share their work is a matter of the engine that runs them. What cannot be shared runs beside the
others, over events that are read and ordered once. So does a query that names others as types of events: the
stream that it sees is its own.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import pyarrow as pa

from cepheid.errors import QueryError
from cepheid.plan.engine import QueryEngine, Share
from cepheid.plan.engines import ENGINES
from cepheid.plan.header import digest
from cepheid.plan.plan import QueryPlan
from cepheid.plan.workload.composition import Composition
from cepheid.plan.workload.engine import WORKLOAD
from cepheid.plan.workload.plan import WorkloadPlan

RatesOf = Callable[[QueryEngine], Callable[[Sequence[Any]], Any]]
"""For an engine, how often events take part in some of its plans."""

APART = "none"


def plan_workload(
    plans: Mapping[str, QueryPlan],
    composition: Composition,
    sharing: str,
    choice: str,
    rates: RatesOf | None = None,
) -> WorkloadPlan:
    """How to run some queries over one stream; `rates` says how often events take part in them."""
    names, listed = tuple(plans), tuple(plans.values())
    numbers = {name: number for number, name in enumerate(names)}
    feeders = tuple(tuple(numbers[other] for other in composition.feeders[name]) for name in names)
    over_stream = [number for number, fed_by in enumerate(feeders) if not fed_by]
    fed = [numbers[name] for name in composition.order if composition.feeders[name]]
    schema, needed = listed[over_stream[0]].schema, {name for plan in listed for name in plan.needed}
    marks = [plan.fingerprint for plan in listed]
    return WorkloadPlan(
        engine=WORKLOAD,
        schema=schema,
        unit="ns" if any(plan.unit == "ns" for plan in listed) else listed[0].unit,
        needed=tuple(name for name in schema.columns.names if name in needed),
        output_schema=pa.schema([]),
        identity=digest(*(plan.identity for plan in listed)),
        fingerprint=digest(*marks, repr(feeders)) if fed else digest(*marks),
        names=names,
        plans=listed,
        shares=(
            *_shares({n: listed[n] for n in over_stream}, names, sharing, choice, rates),
            *(Share(APART, (number,)) for number in fed),
        ),
        feeders=feeders,
    )


def _shares(
    plans: Mapping[int, QueryPlan], names: Sequence[str], sharing: str, choice: str, rates: RatesOf | None
) -> Iterator[Share]:
    """How queries share their work: each engine says so for its own, if it has a way of that name."""
    by_engine: dict[str, list[int]] = {}
    for number, plan in plans.items():
        by_engine.setdefault(plan.engine.name, []).append(number)
    for members in by_engine.values():
        engine = plans[members[0]].engine
        way = engine.sharing().ways.get(sharing) if engine.sharing is not None else None
        if way is None:
            yield from (Share(APART, (number,)) for number in members)
            continue
        chosen, called = [plans[n] for n in members], [names[n] for n in members]
        for share in way(chosen, called, choice, None if rates is None else rates(engine)):
            yield replace(share, members=tuple(members[n] for n in share.members))


def sharings(engines: Sequence[QueryEngine] = ENGINES) -> tuple[str, ...]:
    """The ways of sharing that some engine has, and sharing nothing."""
    known = [engine.sharing().ways for engine in engines if engine.sharing is not None]
    return (*dict.fromkeys(chain.from_iterable(known)), APART)


def check_sharing(sharing: str, choice: str, engines: Sequence[QueryEngine] = ENGINES) -> None:
    """Refuse a way of sharing that no engine has."""
    ways = sharings(engines)
    if sharing not in ways:
        raise QueryError(f"a workload cannot share by '{sharing}'", hint=f"it can by {', '.join(ways)}")
    choices = {each for engine in engines if engine.sharing for each in engine.sharing().choices}
    if choice not in choices:
        known = ", ".join(sorted(choices))
        raise QueryError(f"there is no sharing plan '{choice}'", hint=f"the plans are {known}")
