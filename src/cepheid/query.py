"""A query as users hold it: text or builder in, runs and sessions out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from cepheid.errors import BindingError, CepheidError, QueryError, QuerySyntaxError, SnapshotError
from cepheid.events import EventSchema, bind
from cepheid.language.sase.parse import parse, parse_conditions, parse_returns
from cepheid.matchers.snapshot import Snapshot
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
from cepheid.plan.plan import Plan, QueryPlan
from cepheid.runners.embedded.run import run_table
from cepheid.runners.embedded.session import Session, resumed_binding
from cepheid.runners.stream.intake import Intake, take_in
from cepheid.runners.stream.limits import MAX_MATCHES, checked_limit, default_max_state
from cepheid.runners.stream.storable import storable_schema
from cepheid.time import parse_unit


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
        intake = take_in(events)
        plan = self.plan(
            columns_of(intake, time, type, order), time=time, type=type, order=order, time_unit=time_unit
        )
        return run_table(
            plan,
            intake.only(plan.needed),
            on_late=on_late,
            on_bad=on_bad,
            max_matches=checked_limit("max_matches", max_matches, MAX_MATCHES),
            max_state=checked_limit("max_state", max_state, default_max_state()),
            progress=progress,
        )

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
    ) -> Session:
        """An incremental run: push batches, get what became certain."""
        plan = self.plan(_schema_of(schema), time=time, type=type, order=order, time_unit=time_unit)
        with _pointing_into(self.text):
            refuse_unbounded(plan)
        return Session(
            plan,
            lateness=lateness,
            on_late=on_late,
            on_bad=on_bad,
            max_matches=checked_limit("max_matches", max_matches, MAX_MATCHES),
            max_state=checked_limit("max_state", max_state, default_max_state()),
        )

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
            plan = self.plan(_schema_of(schema), time=time, type=type, order=order, time_unit=time_unit)
            return plan.engine.explain(plan)
        with _pointing_into(self.text):
            choose(rewrite(self.tree), self.engine, dict(self.options), self.engines)
            stream = assumed_stream({"": self.tree}, {"": ()}, self._planned)
            plan = self._planned(stream)
        told = plan.engine.explain(plan)
        assumed = section(
            "assumed, since no stream was given", [f"{f.name}: {f.type}" for f in stream.columns]
        )
        return replace(told, text=f"{told.text}\n{assumed}")

    def using(self, engine: str, **options: Any) -> Query:
        """The same query on a named engine."""
        choose(self.tree, engine, options, self.engines)
        return replace(self, engine=engine, options=tuple(sorted(options.items())))

    def plan(
        self,
        columns: pa.Schema,
        *,
        time: str,
        type: str | None = None,
        order: Sequence[str] = (),
        time_unit: str | None = None,
    ) -> QueryPlan:
        """How the query is run over a stream with these columns."""
        schema = bind(columns, time, type, _names(order), _unit(time_unit))
        with _pointing_into(self.text):
            return self._planned(schema)

    def _planned(self, schema: EventSchema) -> QueryPlan:
        return plan_for(self.tree, schema, self.engine, dict(self.options), self.engines)

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
        raise QueryError(f"a query is a text or a pattern made with cepheid.pattern, not {_article(source)}")
    _refuse_half_characters(text)
    with _pointing_into(text):
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


def resume(query: Query, snapshot: bytes) -> Session:
    """A session that goes on where the snapshot was taken."""
    if not isinstance(query, Query):
        raise CepheidError(f"resume() takes a query and a snapshot of its session, not {_article(query)}")
    if not isinstance(snapshot, bytes | bytearray | memoryview):
        raise SnapshotError(f"a snapshot is bytes, not {_article(snapshot)}")
    saved = Snapshot.from_bytes(bytes(snapshot))
    columns, binding = resumed_binding(saved)
    try:
        plan = query.plan(columns, **binding)
    except QueryError as error:
        raise SnapshotError(f"the snapshot is of another query: {error.message}") from error
    try:
        return _restored(plan, saved)
    except (KeyError, TypeError, ValueError) as error:
        raise SnapshotError(f"the snapshot is not whole: {error}; take an earlier one") from error


def _restored(plan: Plan, saved: Snapshot) -> Session:
    max_matches, max_state = saved.values["limits"]
    on_late, on_bad = saved.values["on"]
    session = Session(
        plan, lateness=0, on_late=on_late, on_bad=on_bad, max_matches=max_matches, max_state=max_state
    )
    session.lateness = saved.values["lateness"]
    session.restore(saved)
    return session


class _pointing_into:
    """Errors from inside point into the query's text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, QueryError):
            error.with_text(self.text)


def _names(order: Sequence[str] | str | None) -> tuple[str, ...]:
    if order is None or isinstance(order, str):
        return (order,) if order else ()
    if not isinstance(order, Sequence):
        raise BindingError(f"order= is a list of columns, not {_article(order)}")
    return tuple(order)


def _unit(name: str | None) -> str | None:
    if name is None:
        return None
    unit = parse_unit(name) if isinstance(name, str) else None
    if unit is None:
        raise BindingError(f"time_unit={name!r} is no unit: use ns, us, ms, s, min, h, d or w")
    return unit


def _schema_of(schema: Any) -> pa.Schema:
    """The columns of a stream, from an Arrow schema, a dict of types, or anything that has them."""
    if isinstance(schema, EventSchema):
        schema = schema.columns
    if type(schema).__module__.startswith("pyspark."):
        from cepheid.runners.spark.schema import arrow_schema

        return arrow_schema(getattr(schema, "schema", schema))
    if isinstance(schema, dict):
        try:
            schema = pa.schema(list(schema.items()))
        except (TypeError, ValueError) as error:
            raise BindingError(
                f"a schema as a dict has Arrow types, such as pa.int64() or 'int64': {error}"
            ) from None
    return storable_schema(schema) if isinstance(schema, pa.Schema) else take_in(schema).schema


def columns_of(intake: Intake, time: str, type: str | None, order: Sequence[str]) -> pa.Schema:
    """The columns of events that are taken in; where there are none, what they would be."""
    if intake.rows == 0:
        intake.schema, intake.batches = _nothing(intake.schema, time, type, order), ()
    return intake.schema


def _nothing(columns: pa.Schema, time: str, type: str | None, order: Sequence[str]) -> pa.Schema:
    """The columns of no events at all; those that have no type, or are not there, get that of their role."""
    roles = {name: pa.int64() for name in (time, *_names(order)) if isinstance(name, str)}
    if isinstance(type, str):
        roles[type] = pa.string()
    known = {column.name: column.type for column in columns}
    if len(known) < len(columns):
        return columns  # a repeated name is refused when the columns are bound
    typed = {
        name: roles[name] if name in roles and _is_guess(kind, roles[name]) else kind
        for name, kind in known.items()
    }
    return pa.schema(list((typed or roles).items()))


def _is_guess(kind: pa.DataType, role: pa.DataType) -> bool:
    """Whether this is what a library calls a column that has no value to tell its type; real numbers can
    well be times."""
    return bool(pa.types.is_null(kind) or (pa.types.is_float64(kind) and pa.types.is_string(role)))


def _article(value: object) -> str:
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
