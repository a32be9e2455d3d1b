"""From parsed text to clauses and the whole query: one method per alternative of the grammar."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from lark import Token

from cepheid.errors import QuerySyntaxError, Span
from cepheid.expressions import Expression
from cepheid.language.sase.expressions import ExpressionLowering
from cepheid.language.sase.patterns import PatternLowering
from cepheid.language.sase.references import BareName
from cepheid.language.sase.words import Period, Word, cover, did_you_mean, duration, exact, span_of, whole
from cepheid.pattern.functions import MATCH_AGGREGATES
from cepheid.pattern.nodes import Pattern, Within, parts
from cepheid.pattern.query import AggregateItem, Aggregation, Emit, EmitMode, ReturnItem, Strategy
from cepheid.pattern.words import STRATEGIES
from cepheid.time import Duration, Window


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause with its keyword, to refuse a second one by name."""

    keyword: str
    value: Any
    span: Span


@dataclass(frozen=True, slots=True)
class Where:
    """The strategy, if one was named, and the condition, not yet split into conjuncts."""

    strategy: Strategy
    condition: Expression | None


@dataclass(frozen=True, slots=True)
class Having:
    """The condition of HAVING, in which a name alone is a column of the row."""

    condition: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """The pattern and its clauses, as written."""

    pattern: Pattern
    clauses: dict[str, Any]


def _emit(mode: EmitMode, children: list[Any], **extra: Any) -> Clause:
    return Clause("EMIT", Emit(mode, span=cover(children), **extra), span_of(children[0]))


def _emits(mode: EmitMode) -> Callable[[Any, list[Any]], Clause]:
    """The lowering of a mode that is its words alone."""
    return lambda lowering, children: _emit(mode, children)


class QueryLowering(PatternLowering, ExpressionLowering):
    """Called by the parser bottom-up, with the children of one alternative."""

    def query(self, children: list[Any]) -> ParsedQuery:
        _, pattern, *clauses = children
        by_keyword: dict[str, Any] = {}
        for clause in clauses:
            if clause.keyword in by_keyword:
                raise QuerySyntaxError(
                    f"{clause.keyword} is given twice",
                    span=clause.span,
                    hint="each clause stands once; join conditions with AND"
                    if clause.keyword == "WHERE"
                    else "each clause stands once",
                )
            by_keyword[clause.keyword] = clause.value
        if "WITHIN" not in by_keyword:
            pattern, window = _give_back_window(pattern)
            if window is not None:
                by_keyword["WITHIN"] = window
        return ParsedQuery(pattern, by_keyword)

    def plain_where(self, children: list[Any]) -> Clause:
        return Clause("WHERE", Where(Strategy.ANY, children[1]), span_of(children[0]))

    def strategy_where(self, children: list[Any]) -> Clause:
        keyword, name, condition, _ = children
        if name.lower not in STRATEGIES:
            raise QuerySyntaxError(
                f"there is no strategy '{name.text}'",
                span=name.span,
                hint=_strategy_hint(name.lower),
            )
        return Clause("WHERE", Where(STRATEGIES[name.lower], condition), span_of(keyword))

    def within(self, children: list[Any]) -> Clause:
        return Clause("WITHIN", children[1], span_of(children[0]))

    def time_window(self, children: list[Any]) -> Window:
        _, amount, unit = children
        return _window(duration(amount, unit), children)

    def number_window(self, children: list[Any]) -> Window:
        _, amount = children
        return _window(Duration(exact(amount), None), children)

    def event_window(self, children: list[Any]) -> Window:
        _, amount, _ = children
        return _window(whole(amount, "a number of events", 0), children)

    def duration(self, children: list[Token]) -> Period:
        return Period(duration(*children), cover(children))

    def number_length(self, children: list[Token]) -> Period:
        return Period(Duration(exact(children[0]), None), cover(children))

    def returns(self, children: list[Any]) -> Clause:
        return Clause("RETURN", children[1], span_of(children[0]))

    def return_items(self, children: list[ReturnItem]) -> tuple[ReturnItem, ...]:
        return tuple(children)

    def return_item(self, children: list[Any]) -> ReturnItem:
        expression, _, alias = children
        name = alias and alias.text
        if isinstance(expression, BareName):
            return ReturnItem(None, name, whole=expression.name, span=expression.span)
        return ReturnItem(expression, name, span=cover(children))

    def star_item(self, children: list[Any]) -> ReturnItem:
        return ReturnItem(None, star=children[0].text, span=cover(children))

    # ------------------------------------------------------------ AGG and EMIT

    def aggregation(self, children: list[Any]) -> Clause:
        keyword, *items, group_by = children
        value = Aggregation(tuple(items), group_by or (), span=cover(children[:-1]))
        return Clause("AGG", value, span_of(keyword))

    def group_by(self, children: list[Any]) -> tuple[str, ...]:
        return tuple(child.text for child in children if isinstance(child, Word))

    def having(self, children: list[Any]) -> Clause:
        keyword, condition = children
        return Clause("HAVING", Having(condition, cover(children)), span_of(keyword))

    def agg_plain(self, children: list[Any]) -> AggregateItem:
        function, _, alias = children
        return _aggregate_item(function, None, alias, cover(children))

    def agg_star(self, children: list[Any]) -> AggregateItem:
        function, _, _, _, alias = children
        return _aggregate_item(function, None, alias, cover(children))

    def agg_of(self, children: list[Any]) -> AggregateItem:
        function, argument, _, _, alias = children
        return _aggregate_item(function, argument, alias, cover(children))

    emit_all = _emits(EmitMode.ALL)
    emit_non_overlapping = _emits(EmitMode.NON_OVERLAPPING)
    emit_compressed = _emits(EmitMode.COMPRESSED)
    emit_longest = _emits(EmitMode.LONGEST)
    emit_count = _emits(EmitMode.COUNT)
    emit_on_close = _emits(EmitMode.ON_CLOSE)
    emit_on_rise = _emits(EmitMode.ON_RISE)

    def emit_first(self, children: list[Any]) -> Clause:
        return _emit(EmitMode.FIRST, children, count=whole(children[2], "EMIT FIRST", 1))

    def emit_every(self, children: list[Any]) -> Clause:
        return _emit(EmitMode.EVERY, children, period=children[2].value)

    def emit_every_number(self, children: list[Any]) -> Clause:
        return _emit(EmitMode.EVERY, children, period=Duration(exact(children[2]), None))


def _window(length: Duration | int, children: list[Any]) -> Window:
    """A window whose first child says whether it is half-open."""
    return Window(length, children[0] is not None, span=cover(children))


def _aggregate_item(
    function: Word, argument: Expression | None, alias: Word | None, span: Span
) -> AggregateItem:
    name = function.lower
    if name not in MATCH_AGGREGATES:
        raise QuerySyntaxError(
            f"AGG has no function '{function.text}'",
            span=function.span,
            hint=did_you_mean(function.text, MATCH_AGGREGATES)
            or f"functions: {', '.join(MATCH_AGGREGATES).upper()}",
        )
    if name != "count" and argument is None:
        raise QuerySyntaxError(
            f"{name.upper()} needs an attribute", span=span, hint=f"write {name.upper()}(v.attribute)"
        )
    if name == "count" and argument is not None:
        raise QuerySyntaxError("COUNT counts matches and takes no argument", span=span, hint="write COUNT")
    return AggregateItem(name, argument, alias.text if alias else None, span=span)


def _strategy_hint(name: str) -> str:
    """The strategy of which this is a part, else the nearest, else all."""
    whole = [strategy for strategy in STRATEGIES if name and f"_{name}_" in f"_{strategy}_"]
    if len(whole) == 1:
        return f"did you mean {whole[0]}?"
    return did_you_mean(name, STRATEGIES) or f"strategies: {', '.join(STRATEGIES)}"


def _give_back_window(pattern: Pattern) -> tuple[Pattern, Window | None]:
    """Take the window off a pattern that ends in `( … ) WITHIN d`: with no other WITHIN it is the query's.

    A node that starts where its first part starts has no brackets of its own; inside brackets,
    WITHIN is the sub-pattern's.
    """
    inner = parts(pattern)
    if not inner or span_of(pattern).start != span_of(inner[0]).start:
        return pattern, None
    if isinstance(pattern, Within):
        return pattern.part, pattern.window
    last, window = _give_back_window(inner[-1])
    if window is None:
        return pattern, None
    changed: Any = replace(pattern, parts=(*inner[:-1], last))  # type: ignore[call-arg]
    return changed, window
