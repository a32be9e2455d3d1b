"""Conditions in Python: `p.var("s").price > 20`, `p.avg(p.var("a").prior.price)`.

A `Term` wraps a frozen expression and overloads the operators; `&`, `|` and `~` are AND, OR and NOT.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from cepheid import expressions as ex
from cepheid.errors import QueryCheckError
from cepheid.pattern.aggregates import Prior, aggregate
from cepheid.pattern.literals import literal_of

Operation = Callable[["Term", object], "Term"]


def _comparing(operator: str) -> Operation:
    return lambda left, right: Term(ex.Comparison(operator, left.expression, expression_of(right)))


def _computing(operator: str) -> tuple[Operation, Operation]:
    """The operation with the term on the left, and with it on the right."""
    return (
        lambda left, right: Term(ex.Arithmetic(operator, left.expression, expression_of(right))),
        lambda right, left: Term(ex.Arithmetic(operator, expression_of(left), right.expression)),
    )


class Term:
    """An expression under construction."""

    __slots__ = ("expression", "name")

    def __init__(self, expression: ex.Expression, name: str | None = None) -> None:
        self.expression = expression
        self.name = name

    def __repr__(self) -> str:
        return f"Term({self.expression!r})"

    def __bool__(self) -> bool:
        raise TypeError(
            "a condition has no truth value yet: join conditions with & | ~, not with and, or, not"
        )

    __hash__ = object.__hash__

    __eq__ = _comparing("=")  # type: ignore[assignment]
    __ne__ = _comparing("!=")  # type: ignore[assignment]
    __lt__ = _comparing("<")
    __le__ = _comparing("<=")
    __gt__ = _comparing(">")
    __ge__ = _comparing(">=")
    __add__, __radd__ = _computing("+")
    __sub__, __rsub__ = _computing("-")
    __mul__, __rmul__ = _computing("*")
    __truediv__, __rtruediv__ = _computing("/")
    __mod__, __rmod__ = _computing("%")

    def __neg__(self) -> Term:
        return Term(ex.Negative(self.expression))

    def __and__(self, other: object) -> Term:
        both = (self.expression, expression_of(other))
        return Term(ex.And(tuple(x for e in both for x in (e.operands if isinstance(e, ex.And) else (e,)))))

    def __or__(self, other: object) -> Term:
        both = (self.expression, expression_of(other))
        return Term(ex.Or(tuple(x for e in both for x in (e.operands if isinstance(e, ex.Or) else (e,)))))

    def __invert__(self) -> Term:
        return Term(ex.Not(self.expression))

    def is_in(self, *choices: object) -> Term:
        """`x IN (…)`."""
        return Term(ex.In(self.expression, tuple(map(expression_of, choices))))

    def between(self, low: object, high: object) -> Term:
        """`x BETWEEN low AND high`."""
        return Term(ex.Between(self.expression, expression_of(low), expression_of(high)))

    def like(self, pattern: str) -> Term:
        """`x LIKE 'a%'`."""
        return Term(ex.Like(self.expression, pattern))

    def is_null(self) -> Term:
        """`x IS NULL`."""
        return Term(ex.IsNull(self.expression))

    def is_not_null(self) -> Term:
        """`x IS NOT NULL`."""
        return Term(ex.IsNull(self.expression, negated=True))

    def __getitem__(self, name: str) -> Term:
        """`v.address.city`: a field of a struct."""
        match self.expression:
            case ex.Attribute(path=path) | Prior(path=path):
                return Term(replace(self.expression, path=(*path, name)))
            case _:
                raise QueryCheckError("only an attribute has fields", hint='write p.var("a").address["city"]')

    __iter__ = None  # a term is no sequence, though it has fields

    def concat(self, *others: object) -> Term:
        """`s || t`: texts, one after the other."""
        return Term(ex.Call("concat", (self.expression, *map(expression_of, others))))

    def named(self, name: str) -> Term:
        """`x AS name`, for `returning`."""
        return Term(self.expression, name)


class VariableEvents:
    """Some events of a variable; their attributes are terms. `e["price"]` is `e.price`, for any name."""

    __slots__ = ("_index", "_variable")

    def __init__(self, variable: str, index: ex.Index | int | None) -> None:
        self._variable = variable
        self._index = index

    def __getitem__(self, name: str) -> Term:
        if self._index is None:
            return Term(Prior(self._variable, name))
        return Term(ex.Attribute(self._variable, self._index, name))

    def __getattr__(self, name: str) -> Term:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]


class Variable(VariableEvents):
    """A variable of the pattern; `.first .current .previous .last .prior .len` are for Kleene variables."""

    __slots__ = ()

    def __init__(self, name: str) -> None:
        super().__init__(name, ex.Index.ONLY)

    @property
    def first(self) -> VariableEvents:
        """`a[1]`."""
        return VariableEvents(self._variable, ex.Index.FIRST)

    @property
    def current(self) -> VariableEvents:
        """`a[i]`, the event being taken."""
        return VariableEvents(self._variable, ex.Index.CURRENT)

    @property
    def previous(self) -> VariableEvents:
        """`a[i-1]`."""
        return VariableEvents(self._variable, ex.Index.PREVIOUS)

    @property
    def last(self) -> VariableEvents:
        """`a[last]`."""
        return VariableEvents(self._variable, ex.Index.LAST)

    def nth(self, ordinal: int) -> VariableEvents:
        """`a[2]`, for 2."""
        return VariableEvents(self._variable, ex.Index.FIRST if ordinal == 1 else ordinal)

    @property
    def prior(self) -> VariableEvents:
        """`a[..i-1]`, in aggregates."""
        return VariableEvents(self._variable, None)

    @property
    def len(self) -> Term:
        """`a.len`."""
        return Term(ex.Length(self._variable))


def var(name: str) -> Variable:
    """A variable of the pattern, to write conditions about."""
    return Variable(name)


def expression_of(value: object) -> ex.Expression:
    """The expression of a term, or a Python value as a literal."""
    if isinstance(value, Term):
        return value.expression
    if isinstance(value, VariableEvents):
        raise QueryCheckError("an event is not a value: name one of its attributes, as in p.var('a').price")
    literal = literal_of(value)
    if literal is None:
        kind = type(value).__name__
        raise QueryCheckError(f"{kind} cannot stand in a query: use numbers, text, times or None")
    return literal


def call(function: str, *arguments: object) -> Term:
    """`abs(x)`, `lower(s)`, `hour(t)`, `first_time()` and the like."""
    return Term(ex.Call(function.lower(), tuple(map(expression_of, arguments))))


def case(*branches: tuple[object, object], otherwise: object = None) -> Term:
    """`CASE WHEN c THEN x … ELSE otherwise END`: `case((c, x), (d, y), otherwise=z)`."""
    conditions = tuple(expression_of(condition) for condition, _ in branches)
    results = tuple(expression_of(result) for _, result in branches)
    return Term(ex.Case(conditions, results, expression_of(otherwise)))


def over(function: str, argument: object, *, distinct: bool = False) -> Term:
    """An aggregate over the events of a Kleene variable: `over("avg", p.var("a").price)`."""
    if isinstance(argument, VariableEvents) and function == "count" and not distinct:
        scope = ex.Scope.PRIOR if argument._index is None else ex.Scope.WHOLE
        return Term(ex.Aggregate(function, argument._variable, scope, None))
    return Term(aggregate(function, expression_of(argument), None, QueryCheckError, distinct))
