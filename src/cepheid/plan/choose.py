"""Which engine runs a query, and why; and the query's plan by that engine."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from cepheid.errors import QueryError
from cepheid.events import EventSchema
from cepheid.pattern.check import check_against
from cepheid.pattern.query import PatternQuery
from cepheid.pattern.rewrite import rewrite
from cepheid.plan.engine import QueryEngine
from cepheid.plan.engines import ENGINES
from cepheid.plan.header import header_of
from cepheid.plan.plan import EngineChoice, QueryPlan


def choose(
    query: PatternQuery,
    engine: str = "auto",
    options: Mapping[str, Any] = {},
    engines: Sequence[QueryEngine] = ENGINES,
) -> tuple[QueryEngine, EngineChoice]:
    """The engine that runs a query; refuses by the name of the construct that none supports."""
    known = {each.name: each for each in engines}
    if engine not in ("auto", *known):
        names = ", ".join(["auto", *known])
        raise QueryError(f"there is no engine '{engine}'", hint=f"the engines are {names}")
    for option in options:
        if engine == "auto" or option not in known[engine].options:
            raise QueryError(f"the engine '{engine}' has no option '{option}'")
    refusals = {name: each.refusal(query) for name, each in known.items()}
    able = {name: known[name].cost(query) for name, refusal in refusals.items() if refusal is None}
    wanted = [name for name in able if engine in ("auto", name)]
    if not wanted:
        raise _refused(query, engine, {name: why for name, why in refusals.items() if why is not None})
    if options:
        known[engine].check_options(query, **options)
    chosen = min(wanted, key=lambda name: able[name][0])
    others = [(name, why.message if why is not None else able[name][1]) for name, why in refusals.items()]
    reason = "asked for by name" if engine != "auto" else _why(len(wanted))
    beside = tuple((name, why) for name, why in others if name != chosen)
    return known[chosen], EngineChoice(reason, able[chosen][1], beside)


def _why(able: int) -> str:
    return "the only engine that runs it" if able == 1 else "it costs least of those that run it"


def _refused(query: PatternQuery, engine: str, refusals: Mapping[str, QueryError]) -> QueryError:
    """The refusal that helps most: of the engine asked for, else of one that is for such queries."""
    if engine != "auto":
        return refusals[engine]
    for refusal in refusals.values():
        if refusal.span is not None and (query.aggregation is None or refusal.span != query.aggregation.span):
            return refusal
    return next(iter(refusals.values()))


def plan_for(
    query: PatternQuery,
    schema: EventSchema,
    engine: str = "auto",
    options: Mapping[str, Any] = {},
    engines: Sequence[QueryEngine] = ENGINES,
) -> QueryPlan:
    """The plan of a query over a stream: checked, rewritten, and built by the engine chosen."""
    check_against(query, schema)
    simpler = rewrite(query)
    chosen, choice = choose(simpler, engine, options, engines)
    header = header_of(simpler, query, schema, chosen, choice)
    return chosen.plan(header, partial(plan_for, engines=engines), **options)
