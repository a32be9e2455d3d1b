"""Conditions in Python: `p.var("s").price > 20`, `p.avg(p.var("a").prior.price)`.

A `Term` wraps a frozen expression and overloads the operators; `&`, `|` and `~` are AND, OR and NOT.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from cepheid.errors import QueryCheckError
from cepheid.expressions import (
    Aggregate,
    And,
    Arithmetic,
    Attribute,
    Between,
    Call,
    Comparison,
    Expression,
    In,
    Index,
    IsNull,
    Length,
    Like,
    Literal,
    Negative,
    Not,
    Or,
    Scope,
)
from cepheid.pattern.aggregates import Prior, aggregate
from cepheid.time import Duration


class Term:
    """An expression under construction."""

    __slots__ = ("expression", "name")

    def __init__(self, expression: Expression, name: str | None = None) -> None:
        self.expression = expression
        self.name = name

    def __repr__(self) -> str:
        return f"Term({self.expression!r})"

    def __bool__(self) -> bool:
        raise TypeError(
            "a condition has no truth value yet: join conditions with & | ~, not with and, or, not"
        )

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> Term:  # type: ignore[override]
        return _compared("=", self, other)

    def __ne__(self, other: object) -> Term:  # type: ignore[override]
        return _compared("!=", self, other)

    def __lt__(self, other: object) -> Term:
        return _compared("<", self, other)

    def __le__(self, other: object) -> Term:
        return _compared("<=", self, other)

    def __gt__(self, other: object) -> Term:
        return _compared(">", self, other)

    def __ge__(self, other: object) -> Term:
        return _compared(">=", self, other)

    def __add__(self, other: object) -> Term:
        return _computed("+", self, other)

    def __radd__(self, other: object) -> Term:
        return _computed("+", other, self)

    def __sub__(self, other: object) -> Term:
        return _computed("-", self, other)

    def __rsub__(self, other: object) -> Term:
        return _computed("-", other, self)

    def __mul__(self, other: object) -> Term:
        return _computed("*", self, other)

    def __rmul__(self, other: object) -> Term:
        return _computed("*", other, self)

    def __truediv__(self, other: object) -> Term:
        return _computed("/", self, other)

    def __rtruediv__(self, other: object) -> Term:
        return _computed("/", other, self)

    def __mod__(self, other: object) -> Term:
        return _computed("%", self, other)

    def __rmod__(self, other: object) -> Term:
        return _computed("%", other, self)

    def __neg__(self) -> Term:
        return Term(Negative(self.expression))

    def __and__(self, other: object) -> Term:
        both = (self.expression, expression_of(other))
        return Term(And(tuple(x for e in both for x in (e.operands if isinstance(e, And) else (e,)))))

    def __or__(self, other: object) -> Term:
        both = (self.expression, expression_of(other))
        return Term(Or(tuple(x for e in both for x in (e.operands if isinstance(e, Or) else (e,)))))

    def __invert__(self) -> Term:
        return Term(Not(self.expression))

    def is_in(self, *choices: object) -> Term:
        """`x IN (…)`."""
        return Term(In(self.expression, tuple(map(expression_of, choices))))

    def between(self, low: object, high: object) -> Term:
        """`x BETWEEN low AND high`."""
        return Term(Between(self.expression, expression_of(low), expression_of(high)))

    def like(self, pattern: str) -> Term:
        """`x LIKE 'a%'`."""
        return Term(Like(self.expression, pattern))

    def is_null(self) -> Term:
        """`x IS NULL`."""
        return Term(IsNull(self.expression))

    def is_not_null(self) -> Term:
        """`x IS NOT NULL`."""
        return Term(IsNull(self.expression, negated=True))

    def named(self, name: str) -> Term:
        """`x AS name`, for `returning`."""
        return Term(self.expression, name)


class Events:
    """Some events of a variable; their attributes are terms. `e["price"]` is `e.price`, for any name."""

    __slots__ = ("_index", "_variable")

    def __init__(self, variable: str, index: Index | None) -> None:
        self._variable = variable
        self._index = index

    def __getitem__(self, name: str) -> Term:
        if self._index is None:
            return Term(Prior(self._variable, name))
        return Term(Attribute(self._variable, self._index, name))

    def __getattr__(self, name: str) -> Term:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]


class Variable(Events):
    """A variable of the pattern; `.first .current .previous .last .prior .len` are for Kleene variables."""

    __slots__ = ()

    def __init__(self, name: str) -> None:
        super().__init__(name, Index.ONLY)

    @property
    def first(self) -> Events:
        """`a[1]`."""
        return Events(self._variable, Index.FIRST)

    @property
    def current(self) -> Events:
        """`a[i]`, the event being taken."""
        return Events(self._variable, Index.CURRENT)

    @property
    def previous(self) -> Events:
        """`a[i-1]`."""
        return Events(self._variable, Index.PREVIOUS)

    @property
    def last(self) -> Events:
        """`a[last]`."""
        return Events(self._variable, Index.LAST)

    @property
    def prior(self) -> Events:
        """`a[..i-1]`, in aggregates."""
        return Events(self._variable, None)

    @property
    def len(self) -> Term:
        """`a.len`."""
        return Term(Length(self._variable))


def var(name: str) -> Variable:
    """A variable of the pattern, to write conditions about."""
    return Variable(name)


def expression_of(value: object) -> Expression:
    """The expression of a term, or a Python value as a literal."""
    if isinstance(value, Term):
        return value.expression
    if isinstance(value, Events):
        raise QueryCheckError("an event is not a value: name one of its attributes, as in p.var('a').price")
    if isinstance(value, timedelta):
        days, seconds, rest = value.days, value.seconds, value.microseconds
        return Literal(Duration(Fraction((days * 86_400 + seconds) * 1_000_000 + rest), "us"))
    if isinstance(value, date) and not isinstance(value, datetime):
        return Literal(datetime(value.year, value.month, value.day))
    if isinstance(value, Decimal):
        return Literal(float(value))
    plain: Any = value.item() if hasattr(value, "item") else value
    if plain is None or isinstance(plain, bool | int | float | str | datetime | Duration):
        return Literal(plain)
    raise QueryCheckError(f"{type(value).__name__} cannot stand in a query: use numbers, text, times or None")


def _compared(operator: str, left: object, right: object) -> Term:
    return Term(Comparison(operator, expression_of(left), expression_of(right)))


def _computed(operator: str, left: object, right: object) -> Term:
    return Term(Arithmetic(operator, expression_of(left), expression_of(right)))


def call(function: str, *arguments: object) -> Term:
    """`abs(x)`, `lower(s)`, `hour(t)`, `first_time()` and the like."""
    return Term(Call(function.lower(), tuple(map(expression_of, arguments))))


def over(function: str, argument: object) -> Term:
    """An aggregate over the events of a Kleene variable: `over("avg", p.var("a").price)`."""
    if isinstance(argument, Events) and function == "count":
        scope = Scope.PRIOR if argument._index is None else Scope.WHOLE
        return Term(Aggregate(function, argument._variable, scope, None))
    return Term(aggregate(function, expression_of(argument), None, QueryCheckError))
