"""An engine is a value: everything that the rest of the house may ask of it is one record of functions.

Nothing outside an engine's two folders tests for its plan class. Whoever holds a plan asks `plan.engine`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cepheid.errors import QueryError, UnsupportedError
from cepheid.events import EventSchema
from cepheid.pattern.nodes import Absent, atoms
from cepheid.pattern.query import PatternQuery
from cepheid.plan.events.bounded import refuse_endless
from cepheid.plan.events.division import Division, divided_matches
from cepheid.plan.events.pushdown import Pushed, query_filter
from cepheid.plan.explanation import Explanation
from cepheid.plan.plan import QueryPlan
from cepheid.plan.program import EventTest

Planner = Callable[[PatternQuery, EventSchema], QueryPlan]
"""Plans another query: for an engine that builds on the matches of one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """What may be asked of any plan, whether it is of one query or of many that run together.

    Matchers stand above plans, so functions of theirs are named here and looked up when they are needed.
    """

    name: str
    matcher: str  # makes a matcher of a plan
    explain: Callable[[Any], Explanation]  # from the plan alone: it cannot say what the plan does not do
    filter: Callable[[Any, frozenset[str]], Pushed]  # which events can matter, for whoever reads them
    division: Callable[[Any, str | None], Division]  # by keys, by ranges of time, or not at all
    stream_refusal: Callable[[Any], QueryError | None]  # why an unbounded stream cannot run it


@dataclass(frozen=True, slots=True)
class Joined:
    """Plans of one engine that run as one."""

    plans: tuple[Any, ...]
    matcher: str  # makes a matcher of this, with an output for each plan
    lines: Callable[[Joined], Iterable[str]]  # what is shared, in words
    details: Any = None  # for the matcher and the words alone


@dataclass(frozen=True, slots=True)
class Share:
    """Queries of a workload, by their numbers, that are run together, or one by itself."""

    kind: str
    members: tuple[int, ...]
    joined: Joined | None = None


@dataclass(frozen=True, slots=True)
class Sharing:
    """How plans of one engine share their work in a workload."""

    ways: Mapping[str, Callable[..., Iterable[Share]]]  # (plans, names, choice of what is shared, rates)
    choices: tuple[str, ...]  # how a way may choose what is shared
    rates: str  # measures how often events take part in some plans: the function's name


def _takes_any(query: PatternQuery, **options: Any) -> None:
    """Options are looked at when a query is planned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryEngine(Engine):
    """An engine for one query: besides the above, whether it can run it, how, and at which cost."""

    refusal: Callable[[PatternQuery], UnsupportedError | None]
    plan: Callable[..., QueryPlan]  # (header, planner, **options) -> the engine's own plan
    cost: Callable[[PatternQuery], tuple[float, str]]  # what `auto` compares, and the reason in words
    event_tests: Callable[[Any], Sequence[tuple[str, EventTest]]]  # what each variable asks of one event
    filter: Callable[[Any, frozenset[str]], Pushed] = query_filter
    division: Callable[[Any, str | None], Division] = divided_matches
    stream_refusal: Callable[[Any], QueryError | None] = refuse_endless
    options: tuple[str, ...] = ()  # what `q.using(name, …)` takes
    check_options: Callable[..., None] = _takes_any  # (query, **options): refuses what they cannot be
    fit: str | None = None  # the plan for just the events of a table: the function's name
    instead: str | None = None  # the plan for a table where another engine was chosen: the function's name
    sharing: Callable[[], Sharing] | None = None  # how its queries share work in a workload


def cost_by_steps(why: str, query: PatternQuery) -> tuple[float, str]:
    """The number of steps of a pattern, with the reason in words."""
    return float(sum(not isinstance(atom, Absent) for atom in atoms(query.pattern))), why
