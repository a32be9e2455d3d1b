"""A query as users hold it: text or builder in, runs and sessions out.

What runs a query is imported when one is run: to check and to explain one needs no compiled function.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import pyarrow as pa

from cepheid.errors import CepheidError, QueryError, QuerySyntaxError, SnapshotError
from cepheid.events import EventSchema
from cepheid.language.sase.parameters import Parameters
from cepheid.language.sase.parse import parse, parse_conditions, parse_having, parse_returns
from cepheid.matches import Matches
from cepheid.pattern.build import Builder
from cepheid.pattern.check import check
from cepheid.pattern.query import Emit, PatternQuery
from cepheid.pattern.render import render
from cepheid.pattern.rewrite import rewrite
from cepheid.plan.assumed import assumed_stream
from cepheid.plan.choose import choose, plan_for
from cepheid.plan.engine import QueryEngine
from cepheid.plan.engines import ENGINES
from cepheid.plan.events.bounded import refuse_unbounded
from cepheid.plan.explanation import Explanation, section
from cepheid.plan.plan import Plan, QueryPlan

if TYPE_CHECKING:
    from cepheid.matchers.known import KnownEvents
    from cepheid.matchers.snapshot import Snapshot
    from cepheid.runners.embedded.run import Fit
    from cepheid.runners.embedded.session import Session
    from cepheid.runners.stream.intake import Intake
    from cepheid.runners.stream.terms import Terms
    from cepheid.why import Why

Whole = TypeVar("Whole")
"""What a run gives back: matches of a query, a dict of name to matches of a workload."""

Going = TypeVar("Going", covariant=True)
"""The session that goes on."""

Found = TypeVar("Found")
"""What a push gives back: a table of a query, a dict of name to table of a workload."""


class Runnable(ABC, Generic[Whole, Found]):
    """A query or a workload; `run` it over what there is, or open a `session` on what is coming."""

    __slots__ = ()

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
        progress: Callable[[int], None] | None = None,
    ) -> Whole:
        """All matches in a table, a reader, a data frame, dicts, or files."""
        from cepheid.runners.stream.binding import bound_events
        from cepheid.runners.stream.left_out import naming_left_out, warn_of_left_out

        stream, intake = bound_events(events, time, type, order, time_unit)
        with naming_left_out(intake.left_out):
            plan, fit = self._fitting(stream)
        warn_of_left_out(intake.left_out, plan)
        from cepheid.runners.stream.terms import terms_for

        terms = terms_for(stream, 0, on_late, on_bad, max_matches, max_state)
        return self._ran(plan, intake, terms, progress, fit)

    def session(
        self,
        schema: Any,
        *,
        time: str,
        type: str | None = None,
        order: Sequence[str] = (),
        time_unit: str | None = None,
        lateness: Any = 0,
        on_late: str = "side",
        on_bad: str = "side",
        max_matches: int | None = None,
        max_state: int | None = None,
    ) -> Session[Found]:
        """An incremental run: push batches, get what became certain."""
        from cepheid.runners.stream.binding import bound_schema

        stream = bound_schema(schema, time, type, order, time_unit)
        plan = self.plan(stream)
        self._refuse_unbounded(plan)
        from cepheid.runners.stream.terms import terms_for

        return self._opened(plan, terms_for(stream, lateness, on_late, on_bad, max_matches, max_state))

    def _ran(
        self, plan: Any, intake: Intake, terms: Terms, progress: Callable[[int], None] | None, fit: Fit
    ) -> Whole:
        """All matches of events that are taken in."""
        from cepheid.runners.embedded.run import run_table

        return self._shown(run_table(plan, intake, terms, progress, fit))

    def _opened(self, plan: Any, terms: Terms) -> Session[Found]:
        """A session on these terms."""
        from cepheid.runners.embedded.session import Session

        return Session(plan, terms)

    def _resumed(self, saved: Snapshot) -> Session[Found]:
        """A session that goes on from a snapshot."""
        from cepheid.runners.embedded.session import resumed, saved_stream

        stream = saved_stream(saved)
        try:
            plan = self.plan(stream)
        except QueryError as error:
            raise SnapshotError(f"the snapshot is of another query: {error.message}") from error
        return resumed(plan, saved)

    @abstractmethod
    def plan(self, stream: EventSchema) -> Plan:
        """How this is run over a stream."""

    @abstractmethod
    def _fitting(self, stream: EventSchema) -> tuple[Plan, Fit]:
        """A plan that says which events and columns are used, and the plan for just some events."""

    @abstractmethod
    def _refuse_unbounded(self, plan: Any) -> None:
        """Refuse to run what would hold more and more of an unbounded stream."""

    @abstractmethod
    def _shown(self, found: list[Matches]) -> Whole:
        """What users see of the matches of each output."""


@dataclass(frozen=True)
class Query(Runnable[Matches, pa.Table]):
    """A checked query."""

    tree: PatternQuery
    text: str
    engine: str = "auto"
    options: tuple[tuple[str, Any], ...] = ()  # of the engine, as `using` was given them
    engines: tuple[QueryEngine, ...] = field(default=ENGINES, compare=False, repr=False)  # that may run it

    def explain(
        self,
        schema: Any = None,
        *,
        time: str | None = None,
        type: str | None = None,
        order: Sequence[str] = (),
        time_unit: str | None = None,
    ) -> Explanation:
        """How the query is run, and why so; over a stream's columns if they are given, and if a table is,
        over just its events."""
        if schema is not None:
            from cepheid.runners.stream.binding import bound_schema

            if time is None:
                raise CepheidError("explain() over a schema needs time=, the name of its time column")
            if isinstance(schema, pa.Table | pa.RecordBatch) and schema.num_rows:
                plan = self._plan_for_events(schema, time, type, order, time_unit)
            else:
                plan = self.plan(bound_schema(schema, time, type, order, time_unit))
            return plan.engine.explain(plan)
        with pointing_into(self.text):
            choose(rewrite(self.tree), self.engine, dict(self.options), self.engines)
        stream = assumed_stream({"": self.tree}, {"": ()}, self.plan)
        plan = self.plan(stream)
        columns = section(
            "assumed, since no stream was given", (f"{c.name}: {c.type}" for c in stream.columns)
        )
        told = plan.engine.explain(plan)
        return replace(told, text=f"{told.text}\n{columns}")

    def why(
        self,
        events: Any,
        *,
        time: str,
        type: str | None = None,
        order: Sequence[str] = (),
        time_unit: str | None = None,
        around: Any = None,
        max_events: int | None = None,
    ) -> Why:
        """Why there is no match, or no other one: how far events came, and which condition on which event
        stopped them; `around` is the time at which one was expected."""
        from cepheid.runners.embedded.why.found import EngineMatches
        from cepheid.runners.embedded.why.tables import WhyScope, why_in_table
        from cepheid.runners.stream.binding import bound_events

        stream, intake = bound_events(events, time, type, order, time_unit)
        listed = replace(self.tree, returns=None, aggregation=None, emit=Emit())
        is_listed = self.tree.aggregation is None
        engine, options = (self.engine, self.options) if is_listed else ("auto", ())
        self.plan(stream)  # refuses what the query itself asks and the stream does not have
        with pointing_into(self.text):
            plan = plan_for(listed, stream, engine, dict(options), self.engines)
        matching = EngineMatches(self.tree, None, engine, options, self.engines)
        wanted = WhyScope(around, max_events)
        return why_in_table(self.text, matching, self.tree.conjuncts, plan, intake, wanted)

    def using(self, engine: str, **options: Any) -> Query:
        """The same query on a named engine."""
        choose(self.tree, engine, options, self.engines)
        return replace(self, engine=engine, options=tuple(sorted(options.items())))

    def plan(self, stream: EventSchema) -> QueryPlan:
        """How the query is run over a stream."""
        with pointing_into(self.text):
            return plan_for(self.tree, stream, self.engine, dict(self.options), self.engines)

    def _fitting(self, stream: EventSchema) -> tuple[QueryPlan, Fit]:
        plan = self.plan(stream)
        return plan, partial(self._fitted, plan, stream)

    def _fitted(self, plan: QueryPlan, stream: EventSchema, ordered: pa.Table) -> QueryPlan:
        """The plan for just these events, which are in order."""
        from cepheid.matchers.known import KnownEvents

        known = KnownEvents(ordered, stream)
        return known.fitted(self._preferred(plan, stream, known))

    def _preferred(self, plan: QueryPlan, stream: EventSchema, known: KnownEvents) -> QueryPlan:
        """The plan of another engine, if that is better for just these events and none was asked for."""
        from cepheid.matchers.engines import named

        if self.engine != "auto":
            return plan
        for each in self.engines:
            if each.instead is None or each.name == plan.engine.name or each.refusal(plan.query) is not None:
                continue
            other = partial(plan_for, self.tree, stream, each.name, {}, self.engines)
            plan = named(each.instead)(plan, other, known)
        return plan

    def _plan_for_events(
        self,
        events: pa.Table | pa.RecordBatch,
        time: str,
        type: str | None,
        order: Sequence[str],
        time_unit: str | None,
    ) -> QueryPlan:
        """How the query is run over a table."""
        from cepheid.runners.embedded.run import ordered_events
        from cepheid.runners.stream.binding import bound_events
        from cepheid.runners.stream.side import SideOutput

        stream, intake = bound_events(events, time, type, order, time_unit)
        plan = self.plan(stream)
        ordered = ordered_events(plan, intake.only(plan.needed), SideOutput("bad", "drop", intake.schema))
        return self._fitted(plan, stream, ordered)

    def _refuse_unbounded(self, plan: QueryPlan) -> None:
        with pointing_into(self.text):
            refuse_unbounded(plan)

    def _shown(self, found: list[Matches]) -> Matches:
        return found[0]

    def __str__(self) -> str:
        return render(self.tree)

    def __repr__(self) -> str:
        return f"cepheid.query({render(self.tree)!r})"


def query(source: str | Builder | PatternQuery, /, **parameters: Any) -> Query:
    """A query from text, or from a pattern made with the builder; `least=5` gives `$least` its value."""
    given = Parameters(parameters)
    if isinstance(source, Builder):
        tree = source.build(
            partial(parse_conditions, parameters=given),
            partial(parse_returns, parameters=given),
            partial(parse_having, parameters=given),
        )
        text = render(tree)
    elif isinstance(source, PatternQuery):
        tree, text = source, render(source)
    elif isinstance(source, str):
        _refuse_half_characters(source)
        tree, text = parse(source, given), source
    else:
        raise QueryError(f"a query is a text or a pattern made with cepheid.pattern, not {_article(source)}")
    given.refuse_unused()
    _refuse_half_characters(text)
    with pointing_into(text):
        check(tree)
    return Query(tree, text)


def _refuse_half_characters(text: str) -> None:
    """A surrogate without its other half is no text, and could not even be shown under a caret."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = ord(text[error.start])
        raise QuerySyntaxError(
            f"the query holds half a character, U+{half:04X}, at position {error.start}", hint="remove it"
        ) from None


class Resumable(Protocol[Going]):
    """What has sessions that can be snapshotted: a query, a workload, profiles, or an XML pattern."""

    def _resumed(self, saved: Snapshot) -> Going: ...


def resume(query: Resumable[Going], snapshot: bytes) -> Going:
    """A session that goes on where the snapshot was taken."""
    if not hasattr(type(query), "_resumed"):
        raise CepheidError(
            "resume() takes a query, a workload or a profile, or an XML pattern, and a snapshot of "
            f"its session, not {_article(query)}"
        )
    if not isinstance(snapshot, bytes | bytearray | memoryview):
        raise SnapshotError(f"a snapshot is bytes, not {_article(snapshot)}")
    from cepheid.matchers.snapshot import Snapshot

    return query._resumed(Snapshot.from_bytes(bytes(snapshot)))


@contextmanager
def pointing_into(text: str) -> Iterator[None]:
    """Errors from inside point into the query's text."""
    try:
        yield
    except QueryError as error:
        error.with_text(text)
        raise


def _article(value: object) -> str:
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
