"""A profile as the rest of the house sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from cepheid.errors import QueryCheckError, QueryError
from cepheid.pattern.query import PatternQuery
from cepheid.plan.engine import QueryEngine
from cepheid.plan.events.division import By, Division
from cepheid.plan.events.pushdown import Pushed
from cepheid.plan.explanation import Explanation, explained, section
from cepheid.plan.plan import QueryPlan
from cepheid.plan.profile.plan import ProfilePlan
from cepheid.plan.program import EventTest


def _event_tests(plan: ProfilePlan) -> Sequence[tuple[str, EventTest]]:
    """What the variables ask of one event; nothing is said where time events stand among them."""
    return [] if plan.kinds else plan.inner.engine.event_tests(plan.inner)


def _filter(plan: ProfilePlan, opaque: frozenset[str]) -> Pushed:
    return Pushed(None, "a profile is told from all events of its stream")


def _division(plan: ProfilePlan, by: str | None) -> Division:
    return Division(By.NOTHING, "the events of a profile go to one shard")


def _stream_refusal(plan: ProfilePlan) -> QueryError | None:
    """Why a stream without end cannot run a profile: its query cannot, or it would never forget."""
    refusal = plan.inner.engine.stream_refusal(plan.inner)
    if refusal is not None:
        return refusal
    if plan.window is None and plan.chosen:
        return QueryCheckError(
            "over an unbounded stream select= would remember events for ever",
            span=plan.original.pattern.span,
            hint="add a window, such as WITHIN 1 hour",
        )
    if plan.window is None and len(plan.positions) > 1 and plan.terms.consume == "unique":
        return QueryCheckError(
            "over an unbounded stream consume='unique' would remember events for ever",
            span=plan.original.pattern.span,
            hint="add a window, such as WITHIN 1 hour",
        )
    return None


def _explain(plan: ProfilePlan) -> Explanation:
    """What is told, and which engine finds the matches."""
    told = [
        str(plan.terms),
        f"{plan.method}: matches of the {plan.inner.engine.name} engine, told one by one",
    ]
    kinds = [kind.text for kind in plan.kinds]
    inner = plan.inner.engine.explain(plan.inner)
    return explained(plan, section("profile", told), section("time events", kinds), edges=inner.edges)


def _cost(query: PatternQuery) -> tuple[float, str]:
    return 0.0, "what its query costs, and a look at each match"


def _refusal(query: PatternQuery) -> None:
    return None


def _plan(header: QueryPlan, *_: object, **__: object) -> NoReturn:
    raise QueryError("a profile is made with cepheid.profile(…), and not by the name of an engine")


PROFILE = QueryEngine(
    name="profile",
    refusal=_refusal,
    plan=_plan,
    cost=_cost,
    matcher="cepheid.matchers.profile.matcher.ProfileMatcher",
    event_tests=_event_tests,
    explain=_explain,
    filter=_filter,
    division=_division,
    stream_refusal=_stream_refusal,
)
