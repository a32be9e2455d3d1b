"""Which engine runs a query, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from cepheid.errors import QueryError, UnsupportedError
from cepheid.events import EventSchema
from cepheid.pattern.check import check_against
from cepheid.pattern.query import PatternQuery
from cepheid.pattern.rewrite import rewrite
from cepheid.plan.aggregate import build as aggregate
from cepheid.plan.nfa import build as nfa
from cepheid.plan.plan import QueryPlan


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine as the planner sees it: what it refuses, how it plans, what it is good for."""

    name: str
    refusal: Callable[[PatternQuery], UnsupportedError | None]
    plan: Callable[..., QueryPlan]
    good_for: str
    cost: str
    options: tuple[str, ...] = ()  # what `q.using(name, …)` takes


ENGINES: dict[str, Engine] = {
    "nfa": Engine(
        "nfa",
        nfa.refusal,
        nfa.plan_nfa,
        good_for="SEQ, OR and Kleene patterns under every strategy",
        cost="each event visits the runs of its partition that wait for it; a match costs its length",
        options=("sharing",),
    ),
    "aggregate": Engine(
        "aggregate",
        aggregate.refusal,
        aggregate.plan_aggregate,
        good_for="AGG, without building a match where conditions allow it",
        cost="each event costs the steps of the pattern, or visits the open first events of its partition",
        options=("method", "max_events"),
    ),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """The engine chosen, the reason, and why the others were not."""

    engine: Engine
    reason: str
    others: tuple[tuple[str, str], ...]


def choose(query: PatternQuery, engine: str = "auto", options: Mapping[str, Any] = {}) -> Choice:
    """The engine that runs a query; refuses by the name of the construct that none supports."""
    if engine not in ("auto", *ENGINES):
        known = ", ".join(["auto", *ENGINES])
        raise QueryError(f"there is no engine '{engine}'", hint=f"the engines are {known}")
    for option in options:
        if engine == "auto" or option not in ENGINES[engine].options:
            raise QueryError(f"the engine '{engine}' has no option '{option}'")
    refusals = {name: candidate.refusal(query) for name, candidate in ENGINES.items()}
    wanted = [engine] if engine != "auto" else list(ENGINES)
    for name in wanted:
        if refusals[name] is None:
            others = tuple((n, str(r)) for n, r in refusals.items() if n != name and r is not None)
            reason = "asked for by name" if engine != "auto" else f"it runs {ENGINES[name].good_for}"
            return Choice(ENGINES[name], reason, others)
    refusal = refusals["aggregate" if engine == "auto" and query.aggregation is not None else wanted[0]]
    assert refusal is not None
    raise refusal


def plan_for(
    query: PatternQuery, schema: EventSchema, engine: str = "auto", options: Mapping[str, Any] = {}
) -> QueryPlan:
    """The plan of a query over a stream: checked, rewritten, and built by the engine chosen."""
    check_against(query, schema)
    simpler = rewrite(query)
    return choose(simpler, engine, options).engine.plan(simpler, query, schema, **options)
