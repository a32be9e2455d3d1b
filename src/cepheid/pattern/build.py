"""Queries in Python, the same as the text.

    from cepheid import pattern as p

    s, e = p.var("s"), p.var("e")
    p.seq(p.event("Shelf", "s"), p.no("Register", "r"), p.event("Exit", "e")).same("tag_id").where(
        s.value > 20, "e.gate IN (1, 2)"
    ).within("12 hours").returning(s.tag_id, "e.time")

Conditions may also be text; they are kept as they are and parsed when the query is built.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from cepheid.errors import QueryCheckError
from cepheid.expressions import And, Element, Expression
from cepheid.pattern import nodes as pt
from cepheid.pattern.durations import parse_duration, parse_window
from cepheid.pattern.functions import MATCH_AGGREGATES
from cepheid.pattern.literals import nearest
from cepheid.pattern.query import (
    AggregateItem,
    Aggregation,
    Emit,
    EmitMode,
    Equivalence,
    PatternQuery,
    ReturnItem,
    Strategy,
)
from cepheid.pattern.resolve import resolve
from cepheid.pattern.terms import Term, expression_of
from cepheid.pattern.words import STRATEGIES
from cepheid.time import Window

ParseConditions = Callable[[str], tuple[tuple[Equivalence, ...], tuple[Expression, ...]]]
ParseReturns = Callable[[str], tuple[ReturnItem, ...]]
ParseHaving = Callable[[str], Expression]


@dataclass(frozen=True, slots=True)
class Builder:
    """A pattern and the clauses given so far; every method returns a new one."""

    pattern: pt.Pattern
    chosen: Strategy | None = None
    conditions: tuple[Expression | Equivalence | str, ...] = ()
    window: Window | None = None
    returns: tuple[ReturnItem | str, ...] | None = None
    aggregation: Aggregation | None = None
    emitted: Emit | None = None
    kept: Expression | str | None = None

    def where(self, *conditions: Term | str) -> Builder:
        """Conditions that all hold: terms, or text as after WHERE."""
        added = tuple(c if isinstance(c, str) else expression_of(c) for c in conditions)
        return replace(self, conditions=(*self.conditions, *added))

    def same(self, *attributes: str) -> Builder:
        """An equivalence test: all events of the match agree on these attributes."""
        return replace(self, conditions=(*self.conditions, Equivalence(attributes)))

    def strategy(self, name: str | Strategy) -> Builder:
        """Which events may lie between two selected ones."""
        if isinstance(name, Strategy):
            return replace(self, chosen=name)
        if name.lower() not in STRATEGIES:
            raise QueryCheckError(
                f"there is no strategy '{name}'",
                hint=nearest(name.lower(), STRATEGIES) or f"strategies: {', '.join(STRATEGIES)}",
            )
        return replace(self, chosen=STRATEGIES[name.lower()])

    def within(self, window: str | int | float | timedelta | Window) -> Builder:
        """The window of the whole match: "12 hours", "< 7 s", "500 events", or a bare number."""
        return replace(self, window=parse_window(window))

    def returning(self, *items: Term | ReturnItem | str) -> Builder:
        """What a match returns: terms, `p.star("v")`, or text as after RETURN."""
        added = tuple(
            ReturnItem(item.expression, item.name) if isinstance(item, Term) else item for item in items
        )
        return replace(self, returns=(*(self.returns or ()), *added))

    def aggregate(self, *items: AggregateItem, group_by: Sequence[str] = ()) -> Builder:
        """AGG instead of matches: `aggregate(p.agg("count"), p.agg("sum", p.var("b").price))`."""
        return replace(self, aggregation=Aggregation(tuple(items), tuple(group_by)))

    def having(self, condition: Term | str) -> Builder:
        """Only rows of AGG where this is true: text as after HAVING, or `p.column("n") >= 10`."""
        return replace(self, kept=condition if isinstance(condition, str) else expression_of(condition))

    def emit(self, mode: str, detail: int | str | timedelta | None = None) -> Builder:
        """`emit("all")`, `emit("non overlapping")`, `emit("first", 3)`, `emit("every", "1 min")`, …"""
        modes = {known.value: known for known in EmitMode}
        chosen = modes.get(mode.upper().replace("_", " "))
        if chosen is None:
            raise QueryCheckError(
                f"there is no EMIT {mode}", hint=nearest(mode.upper(), modes) or f"modes: {', '.join(modes)}"
            )
        if chosen is EmitMode.FIRST and isinstance(detail, int):
            return replace(self, emitted=Emit(chosen, count=detail))
        if chosen is EmitMode.EVERY and isinstance(detail, str | timedelta):
            return replace(self, emitted=Emit(chosen, period=parse_duration(detail)))
        if detail is not None or chosen in (EmitMode.FIRST, EmitMode.EVERY):
            raise QueryCheckError(
                f"EMIT {chosen.value} does not go with {detail!r}",
                hint='write emit("first", 3) or emit("every", "1 min")',
            )
        return replace(self, emitted=Emit(chosen))

    def build(
        self, parse_conditions: ParseConditions, parse_returns: ParseReturns, parse_having: ParseHaving
    ) -> PatternQuery:
        """The query; the functions parse what was given as text."""
        tests, conjuncts = _conditions(self.conditions, parse_conditions)
        returned: list[ReturnItem] = []
        for item in self.returns or ():
            returned.extend(parse_returns(item) if isinstance(item, str) else (item,))
        query = PatternQuery(
            self.pattern,
            self.chosen or Strategy.ANY,
            tests,
            conjuncts,
            self.window,
            tuple(returned) if self.returns is not None else None,
            self._aggregation(parse_having),
            self.emitted or Emit(),
        )
        return resolve(query)

    def _aggregation(self, parse_having: ParseHaving) -> Aggregation | None:
        if self.kept is None:
            return self.aggregation
        if self.aggregation is None:
            raise QueryCheckError("having() is about the rows of aggregate(), and there is none")
        kept = parse_having(self.kept) if isinstance(self.kept, str) else self.kept
        return replace(self.aggregation, having=kept)


def _conditions(
    conditions: tuple[Expression | Equivalence | str, ...], parse_conditions: ParseConditions
) -> tuple[tuple[Equivalence, ...], tuple[Expression, ...]]:
    tests: list[Equivalence] = []
    conjuncts: list[Expression] = []
    for condition in conditions:
        match condition:
            case str():
                more_tests, more_conjuncts = parse_conditions(condition)
                tests.extend(more_tests)
                conjuncts.extend(more_conjuncts)
            case Equivalence():
                tests.append(condition)
            case And(operands=operands):
                conjuncts.extend(_conditions(operands, parse_conditions)[1])
            case _:
                conjuncts.append(condition)
    return tuple(tests), tuple(conjuncts)


# ---------------------------------------------------------------- patterns


def seq(*parts: Builder) -> Builder:
    """`SEQ(p, q, …)`: each begins after the one before it ends."""
    return Builder(pt.Seq(_parts("seq", parts)))


def all_of(*parts: Builder) -> Builder:
    """`AND(p, q, …)`: all, in any order."""
    return Builder(pt.Conjunction(_parts("all_of", parts)))


def any_of(*parts: Builder) -> Builder:
    """`OR(p, q, …)`: one of them."""
    return Builder(pt.Choice(_parts("any_of", parts)))


def within(part: Builder, window: str | int | float | timedelta | Window) -> Builder:
    """`(p) WITHIN d`: the sub-pattern's own window."""
    return Builder(pt.Within(_parts("within", (part,))[0], parse_window(window)))


def _parts(what: str, parts: tuple[Builder, ...]) -> tuple[pt.Pattern, ...]:
    if not parts:
        raise QueryCheckError(f"{what}() needs a part")
    for part in parts:
        if not isinstance(part, Builder):
            raise QueryCheckError(
                f"{what}() takes patterns, not {type(part).__name__}", hint='write p.event("Type", "v")'
            )
        if part != Builder(part.pattern):
            raise QueryCheckError(
                f"a pattern inside {what}() has a clause of its own",
                hint="clauses belong to the whole pattern; for a window of a part, write p.within(part, …)",
            )
    return tuple(part.pattern for part in parts)


def event(type: str, variable: str | None = None) -> Builder:
    """`Type v`; without a variable, `Name` alone."""
    return Builder(pt.Single(type, variable or type, bare=variable is None))


def any_event(variable: str) -> Builder:
    """`ANY v`."""
    return Builder(pt.Single(None, variable))


def one_or_more(type: str | None, variable: str) -> Builder:
    """`Type+ v[]`; for any type, None."""
    return Builder(pt.Kleene(type, variable, least=1))


def zero_or_more(type: str | None, variable: str) -> Builder:
    """`Type* v[]`; for any type, None."""
    return Builder(pt.Kleene(type, variable, least=0))


def times(type: str | None, variable: str, least: int, most: int | None) -> Builder:
    """`Type{n,m} v[]`; for any type, None; with no most, None."""
    return Builder(pt.Kleene(type, variable, least=least, most=most))


def optional(type: str | None, variable: str) -> Builder:
    """`Type? v`; for any type, None."""
    return Builder(pt.Optional(type, variable))


def no(type: str | None, variable: str) -> Builder:
    """`~Type v`: no such event; for any type, None."""
    return Builder(pt.Absent(type, variable))


def nth(type: str | None, variable: str, ordinal: int) -> Builder:
    """`Type[i] v` of a profile."""
    return Builder(pt.Nth(type, variable, ordinal=ordinal))


def silence(type: str | None, variable: str, duration: str | int | float | timedelta) -> Builder:
    """`SILENCE OF Type v FOR 30 min` of a profile."""
    return Builder(pt.Silence(type, variable, duration=parse_duration(duration)))


def at(time_of_day: str) -> Builder:
    """`AT '17:00'` of a profile."""
    return Builder(pt.At(time_of_day))


def every(period: str | int | float | timedelta) -> Builder:
    """`EVERY 30 min` of a profile."""
    return Builder(pt.Every(parse_duration(period)))


# ---------------------------------------------------------------- items of RETURN and AGG


def star(variable: str) -> ReturnItem:
    """`v.*`, for `returning`."""
    return ReturnItem(None, star=variable)


def agg(function: str, argument: Term | None = None, name: str | None = None) -> AggregateItem:
    """`COUNT`, `SUM(b.price)`, … over matches, for `aggregate`."""
    if function.lower() not in MATCH_AGGREGATES:
        raise QueryCheckError(
            f"AGG has no function '{function}'", hint=nearest(function.lower(), MATCH_AGGREGATES)
        )
    if (argument is None) is not (function.lower() == "count"):
        raise QueryCheckError("count takes no argument, and the others take one")
    return AggregateItem(function.lower(), argument.expression if argument is not None else None, name)


def column(name: str) -> Term:
    """A column of a row of AGG, for `having`: `p.column("n") >= 10`."""
    return Term(Element(name))
