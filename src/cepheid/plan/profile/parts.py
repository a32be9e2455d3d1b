"""The query that an engine runs for a profile: time events are types of events that no stream has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from cepheid import expressions as ex
from cepheid.errors import QueryError, UnsupportedError
from cepheid.events import EventSchema
from cepheid.expressions import Index, variables
from cepheid.pattern import nodes as pt
from cepheid.pattern.fold import fold_expression, fold_pattern, with_children, with_parts
from cepheid.pattern.presence import needs_an_event
from cepheid.pattern.profile import ProfileTerms, without_selection
from cepheid.pattern.query import Equivalence, PatternQuery, ReturnItem, Strategy
from cepheid.pattern.rewrite import rewrite
from cepheid.plan.coerce import coerce
from cepheid.plan.output import name_of
from cepheid.plan.positions import type_name
from cepheid.plan.profile.kinds import TimeKind, daily_kind, periodic_kind, silent_kind

TIME_EVENTS = (pt.At, pt.Every, pt.Silence)

TYPE_COLUMN = "type"
"""What the column is called that has the types of events and of time events."""


@dataclass(frozen=True, slots=True)
class InnerQuery:
    """What an engine runs, over which columns, and the time events among the events."""

    query: PatternQuery
    schema: EventSchema
    kinds: tuple[TimeKind, ...]
    told_apart: tuple[ex.Expression, ...]  # conjuncts that keep time events from being any event
    needs_every_tick: bool


def inner_query(query: PatternQuery, terms: ProfileTerms, schema: EventSchema) -> InnerQuery:
    """The query of a profile over a stream; refuses what time events cannot stand beside."""
    plain = replace(query, pattern=without_selection(query.pattern))
    beats = [node for node in pt.walk(plain.pattern) if isinstance(node, TIME_EVENTS)]
    if not beats:
        return InnerQuery(plain, schema, (), (), False)
    refusal = _refusal(plain, beats)
    if refusal is not None:
        raise refusal
    named = _Naming(plain, terms, schema)
    types = unused_column(TYPE_COLUMN, schema.columns.names)
    inner = replace(schema, columns=_with_types(schema, types), type=types)
    pattern = fold_pattern(plain.pattern, named.single)
    apart = tuple(named.is_no_time_event(atom, types) for atom in named.of_any_type)
    own = tuple(c for c in plain.conjuncts if not any(variables(c) == {v} for v in named.silent))
    whole = tuple(ReturnItem(None, whole=v) for v in named.bound)
    changed = replace(
        plain,
        pattern=pattern,
        equivalences=tuple(_over_columns(test, schema) for test in plain.equivalences),
        conjuncts=(*(_over_column(each, schema) for each in own), *apart),
        returns=whole if plain.returns is None else tuple(_returned(i, schema) for i in plain.returns),
    )
    return InnerQuery(changed, inner, tuple(named.kinds.values()), apart, _may_be_ticks(plain.pattern))


class _Naming:
    """Puts `Type v` in the place of each time event, with a type and a variable of its own."""

    def __init__(self, query: PatternQuery, terms: ProfileTerms, schema: EventSchema) -> None:
        self.terms, self.schema = terms, schema
        self.kinds: dict[str, TimeKind] = {}
        self.silent = {node.variable for node in pt.walk(query.pattern) if isinstance(node, pt.Silence)}
        self.conjuncts = [coerce(each, schema) for each in rewrite(query).conjuncts]
        self.of_any_type: list[pt.Atom] = []
        self.bound: list[str] = []
        self._unnamed = 0

    def single(self, node: pt.Pattern, below: list[pt.Pattern]) -> pt.Pattern:
        """The node as an engine takes it; called from the leaves up, in the order of the text."""
        match node:
            case pt.At():
                return self._event(daily_kind(node, self.terms.timezone, self.schema), node)
            case pt.Every():
                return self._event(periodic_kind(node, self.schema), node)
            case pt.Silence(variable=v):
                own = tuple(each for each in self.conjuncts if variables(each) == {v})
                of = type_name(node, self.schema.type is not None)
                self.bound.append(v)
                return self._event(silent_kind(node, of, own, self.schema), node)
            case pt.Atom():
                return self._atom(node)
            case _:
                return with_parts(node, below)

    def _event(self, kind: TimeKind, node: pt.Pattern) -> pt.Single:
        self.kinds.setdefault(kind.type, kind)
        self._unnamed += 1
        name = node.variable if isinstance(node, pt.Silence) else f"{kind.text} #{self._unnamed}"
        return pt.Single(kind.type, name, span=node.span)

    def _atom(self, node: pt.Atom) -> pt.Atom:
        if not isinstance(node, pt.Absent):
            self.bound.append(node.variable)
        if type_name(node, self.schema.type is not None) is not None:
            return node
        self.of_any_type.append(node)
        return replace(node, type=None, bare=False)

    def is_no_time_event(self, atom: pt.Atom, types: str) -> ex.Expression:
        """A conjunct that holds for the events of the stream alone."""
        index = Index.CURRENT if isinstance(atom, pt.Kleene) else Index.ONLY
        kind = ex.Call("coalesce", (ex.Attribute(atom.variable, index, types), ex.Literal("")))
        return ex.In(kind, tuple(ex.Literal(each) for each in self.kinds), negated=True)


def unused_column(name: str, names: Sequence[str]) -> str:
    """A name for a column that none of these is; no query names it by chance."""
    name += "()"
    while name in names:
        name += "_"
    return name


def _with_types(schema: EventSchema, types: str) -> pa.Schema:
    """The columns, and one more for types: those of the stream, and those of time events."""
    columns = [column.with_nullable(True) for column in schema.columns]
    return pa.schema([*columns, pa.field(types, pa.string())])


def _over_column(node: ex.Expression, schema: EventSchema) -> ex.Expression:
    """The same expression, with `v.type` as the stream's own column: a time event has none."""

    def renamed(each: ex.Expression, below: list[ex.Expression]) -> ex.Expression:
        each = with_children(each, below)
        if isinstance(each, ex.Attribute | ex.Element):
            return replace(each, name=schema.column_of(each.name) or each.name)
        return each

    return fold_expression(node, renamed)


def _over_columns(test: Equivalence, schema: EventSchema) -> Equivalence:
    return replace(test, attributes=tuple(schema.column_of(name) or name for name in test.attributes))


def _returned(item: ReturnItem, schema: EventSchema) -> ReturnItem:
    """An item of RETURN under the name that it would have."""
    if item.expression is None:
        return item
    return replace(
        item, expression=_over_column(item.expression, schema), name=item.name or name_of(item.expression)
    )


def _refusal(query: PatternQuery, beats: Sequence[pt.Pattern]) -> QueryError | None:
    """Why time events cannot stand in a query."""
    where = beats[0].span
    if query.strategy in (Strategy.STRICT, Strategy.PARTITION):
        return UnsupportedError(
            f"no engine runs a time event under {query.strategy.value} yet",
            span=where,
            hint="use skip_till_next_match or skip_till_any_match",
        )
    windows = [query.window, *(n.window for n in pt.walk(query.pattern) if isinstance(n, pt.Within))]
    if any(window is not None and window.counts_events for window in windows):
        return UnsupportedError(
            "no engine runs a time event in a window of EVENTS yet: it is none of those that are counted",
            span=where,
            hint="use a window of time, such as WITHIN 1 hour",
        )
    if query.keys and _may_be_ticks(query.pattern):
        return UnsupportedError(
            f"a match of AT and EVERY alone has no {', '.join(query.keys)}",
            span=where,
            hint="leave out the equivalence test, or add an event that every match has",
        )
    return None


def _may_be_ticks(pattern: pt.Pattern) -> bool:
    """Whether AT and EVERY alone may be a match."""

    def optional_but_ticks(node: pt.Pattern, below: list[pt.Pattern]) -> pt.Pattern:
        if isinstance(node, pt.At | pt.Every):
            return pt.Optional(None, "")
        return with_parts(node, below)

    return not needs_an_event(fold_pattern(pattern, optional_but_ticks))
