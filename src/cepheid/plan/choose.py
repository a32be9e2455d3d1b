"""Which engine runs a query, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cepheid.errors import QueryError, UnsupportedError
from cepheid.events import EventSchema
from cepheid.pattern.check import check_against
from cepheid.pattern.query import PatternQuery
from cepheid.pattern.rewrite import rewrite
from cepheid.plan import nfa
from cepheid.plan.nodes import NfaPlan


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine as the planner sees it: what it refuses, how it plans, what it is good for."""

    name: str
    refusal: Callable[[PatternQuery], UnsupportedError | None]
    plan: Callable[[PatternQuery, PatternQuery, EventSchema], NfaPlan]
    good_for: str
    cost: str


ENGINES: dict[str, Engine] = {
    "nfa": Engine(
        "nfa",
        nfa.refusal,
        nfa.plan_nfa,
        good_for="SEQ, OR and Kleene patterns under every strategy",
        cost="each event visits the runs of its partition that wait for it; a match costs its length",
    ),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """The engine chosen, the reason, and why the others were not."""

    engine: Engine
    reason: str
    others: tuple[tuple[str, str], ...]


def choose(query: PatternQuery, engine: str = "auto") -> Choice:
    """The engine that runs a query; refuses by the name of the construct that none supports."""
    if engine not in ("auto", *ENGINES):
        known = ", ".join(["auto", *ENGINES])
        raise QueryError(f"there is no engine '{engine}'", hint=f"the engines are {known}")
    refusals = {name: candidate.refusal(query) for name, candidate in ENGINES.items()}
    wanted = [engine] if engine != "auto" else list(ENGINES)
    for name in wanted:
        if refusals[name] is None:
            others = tuple((n, str(r)) for n, r in refusals.items() if n != name and r is not None)
            reason = "asked for by name" if engine != "auto" else f"it runs {ENGINES[name].good_for}"
            return Choice(ENGINES[name], reason, others)
    refusal = refusals[wanted[0]]
    assert refusal is not None
    raise refusal


def plan_for(query: PatternQuery, schema: EventSchema, engine: str = "auto") -> NfaPlan:
    """The plan of a query over a stream: checked, rewritten, and built by the engine chosen."""
    check_against(query, schema)
    simpler = rewrite(query)
    return choose(simpler, engine).engine.plan(simpler, query, schema)
