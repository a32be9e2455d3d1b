"""A query as users hold it: text or builder in, runs and sessions out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from cepheid.errors import CepheidError, QueryError, QuerySyntaxError
from cepheid.events import EventSchema
from cepheid.language.sase.parse import parse, parse_conditions, parse_returns
from cepheid.matches import Matches
from cepheid.pattern.build import Builder
from cepheid.pattern.check import check
from cepheid.pattern.query import PatternQuery
from cepheid.pattern.render import render
from cepheid.pattern.rewrite import rewrite
from cepheid.plan.assumed import assumed_stream
from cepheid.plan.choose import choose, plan_for
from cepheid.plan.engine import QueryEngine
from cepheid.plan.engines import ENGINES
from cepheid.plan.events.bounded import refuse_unbounded
from cepheid.plan.explanation import Explanation, section
from cepheid.plan.plan import QueryPlan
from cepheid.runners.embedded.run import run_table
from cepheid.runners.embedded.session import Session
from cepheid.runners.embedded.sizing import Sizing
from cepheid.runners.stream.binding import bound_events, bound_schema
from cepheid.runners.stream.terms import terms_for


@dataclass(frozen=True)
class Query:
    """A checked query; `run` it over what there is, or open a `session` on what is coming."""

    tree: PatternQuery
    text: str
    engine: str = "auto"
    options: tuple[tuple[str, Any], ...] = ()  # of the engine, as `using` was given them
    engines: tuple[QueryEngine, ...] = ENGINES  # that may run it

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
    ) -> Matches:
        """All matches in a table, a reader, a data frame, dicts, or files."""
        stream, intake = bound_events(events, time, type, order, time_unit)
        plan = self.plan(stream)
        terms = terms_for(
            stream, on_late=on_late, on_bad=on_bad, max_matches=max_matches, max_state=max_state
        )
        (found,) = run_table(plan, intake, terms, progress, lambda ordered: Sizing(ordered).sized(plan))
        return found

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
    ) -> Session[pa.Table]:
        """An incremental run: push batches, get what became certain."""
        stream = bound_schema(schema, time, type, order, time_unit)
        plan = self.plan(stream)
        with pointing_into(self.text):
            refuse_unbounded(plan)
        terms = terms_for(
            stream,
            lateness=lateness,
            on_late=on_late,
            on_bad=on_bad,
            max_matches=max_matches,
            max_state=max_state,
        )
        return Session(plan, terms)

    def explain(
        self,
        schema: Any = None,
        *,
        time: str | None = None,
        type: str | None = None,
        order: Sequence[str] = (),
        time_unit: str | None = None,
    ) -> Explanation:
        """How the query is run, and why so; over a stream's columns if they are given."""
        if schema is not None:
            if time is None:
                raise CepheidError("explain() over a schema needs time=, the name of its time column")
            plan = self.plan(bound_schema(schema, time, type, order, time_unit))
            return plan.engine.explain(plan)
        with pointing_into(self.text):
            choose(rewrite(self.tree), self.engine, dict(self.options), self.engines)
        stream = assumed_stream({"": self.tree}, {"": ()}, self.plan)
        plan = self.plan(stream)
        told, columns = (
            plan.engine.explain(plan),
            [f"{column.name}: {column.type}" for column in stream.columns],
        )
        return replace(told, text=f"{told.text}\n{section('assumed, since no stream was given', columns)}")

    def using(self, engine: str, **options: Any) -> Query:
        """The same query on a named engine."""
        choose(self.tree, engine, options, self.engines)
        return replace(self, engine=engine, options=tuple(sorted(options.items())))

    def plan(self, stream: EventSchema) -> QueryPlan:
        """How the query is run over a stream."""
        with pointing_into(self.text):
            return plan_for(self.tree, stream, self.engine, dict(self.options), self.engines)

    def __str__(self) -> str:
        return render(self.tree)

    def __repr__(self) -> str:
        return f"cepheid.query({render(self.tree)!r})"


def query(source: str | Builder | PatternQuery) -> Query:
    """A query from text, or from a pattern made with the builder."""
    if isinstance(source, Builder):
        tree = source.build(parse_conditions, parse_returns)
        text = render(tree)
    elif isinstance(source, PatternQuery):
        tree, text = source, render(source)
    elif isinstance(source, str):
        _refuse_half_characters(source)
        tree, text = parse(source), source
    else:
        raise QueryError(
            f"a query is a text or a pattern made with cepheid.pattern, not {with_article(source)}"
        )
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


@contextmanager
def pointing_into(text: str) -> Iterator[None]:
    """Errors from inside point into the query's text."""
    try:
        yield
    except QueryError as error:
        error.with_text(text)
        raise


def with_article(value: object) -> str:
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
