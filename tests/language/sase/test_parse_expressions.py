"""Conditions to trees: every form of expression once."""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction

import pytest

from cepheid.expressions import (
    Aggregate,
    And,
    Arithmetic,
    Attribute,
    Between,
    Call,
    Comparison,
    Element,
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
from cepheid.language.sase.parse import parse
from cepheid.time import Duration


def of(variable: str, name: str, index: Index = Index.ONLY) -> Attribute:
    return Attribute(variable, index, name)


def over(function: str, argument: Expression | None, scope: Scope = Scope.WHOLE) -> Aggregate:
    return Aggregate(function, "k", scope, argument)


def minutes(amount: int) -> Literal:
    return Literal(Duration(Fraction(amount), "min"))


ONE, TWO, THREE = Literal(1), Literal(2), Literal(3)
X, Y = Element("x"), Element("y")
A_X, A_Y, B_X = of("a", "x"), of("a", "y"), of("b", "x")
GAP = Arithmetic("-", of("b", "time"), of("a", "time"))

EXPRESSIONS: list[tuple[str, Expression]] = [
    ("a.x = 1", Comparison("=", A_X, ONE)),
    ("a.x == 1", Comparison("=", A_X, ONE)),
    ("a.x <> 1", Comparison("!=", A_X, ONE)),
    ("a.x != 1.5", Comparison("!=", A_X, Literal(1.5))),
    ("a.x >= .5", Comparison(">=", A_X, Literal(0.5))),
    ("a.x < 1e3", Comparison("<", A_X, Literal(1000.0))),
    ("a.x < -5", Comparison("<", A_X, Literal(-5))),
    ("a.x < -(5)", Comparison("<", A_X, Negative(Literal(5)))),
    ("a.x < - -5", Comparison("<", A_X, Negative(Literal(-5)))),
    ("a.x -5 < 1", Comparison("<", Arithmetic("-", A_X, Literal(5)), ONE)),
    ("a.x + 1 * 2 < 3", Comparison("<", Arithmetic("+", A_X, Arithmetic("*", ONE, TWO)), THREE)),
    ("(a.x + 1) / 2 < 3", Comparison("<", Arithmetic("/", Arithmetic("+", A_X, ONE), TWO), THREE)),
    ("a.x %500 = 0", Comparison("=", Arithmetic("%", A_X, Literal(500)), Literal(0))),
    ("a.x10%3 = 0", Comparison("=", Arithmetic("%", of("a", "x10"), THREE), Literal(0))),
    ("10 % 3 = 1", Comparison("=", Arithmetic("%", Literal(10), THREE), ONE)),
    ("a.x < 12.5%", Comparison("<", A_X, Literal(0.125))),
    ("a.x < 10%-3", Comparison("<", A_X, Arithmetic("-", Literal(0.1), THREE))),
    ("a.x = 'it''s'", Comparison("=", A_X, Literal("it's"))),
    ('a.x = "say ""-- hi"""', Comparison("=", A_X, Literal('say "-- hi"'))),
    (
        "a.x = true OR a.x = NULL",
        Or((Comparison("=", A_X, Literal(True)), Comparison("=", A_X, Literal(None)))),
    ),
    ("a.x", A_X),
    ("NOT a.x", Not(A_X)),
    ("NOT NOT a.x", Not(Not(A_X))),
    ("a.x OR a.y AND b.x", Or((A_X, And((A_Y, B_X))))),
    ("a.x OR (a.y ∧ b.x)", Or((A_X, And((A_Y, B_X))))),
    ("NOT a.x = a.y = b.x", Not(And((Comparison("=", A_X, A_Y), Comparison("=", A_Y, B_X))))),
    ("a.x IN (1, 'b')", In(A_X, (ONE, Literal("b")))),
    ("a.x NOT IN (1)", In(A_X, (ONE,), negated=True)),
    ("a.x BETWEEN 1 AND 2 + 3", Between(A_X, ONE, Arithmetic("+", TWO, THREE))),
    ("a.x not between 1 and 2", Between(A_X, ONE, TWO, negated=True)),
    ("a.x LIKE 'a%_'", Like(A_X, "a%_")),
    ("a.x NOT LIKE 'a'", Like(A_X, "a", negated=True)),
    ("a.x IS NULL", IsNull(A_X)),
    ("a.x IS NOT NULL", IsNull(A_X, negated=True)),
    ("TIMESTAMP '2024-05-01' < a.time", Comparison("<", Literal(datetime(2024, 5, 1)), of("a", "time"))),
    (
        "a.time < timestamp '2024-05-01T12:00:00.25Z'",
        Comparison("<", of("a", "time"), Literal(datetime(2024, 5, 1, 12, microsecond=250_000, tzinfo=UTC))),
    ),
    ("b.time - a.time < 5 min", Comparison("<", GAP, minutes(5))),
    ("b.time - a.time > -5min", Comparison(">", GAP, minutes(-5))),
    ("ABS(a.x) = 1", Comparison("=", Call("abs", (A_X,)), ONE)),
    ("day_of_week(a.time) = 7", Comparison("=", Call("day_of_week", (of("a", "time"),)), Literal(7))),
    ("k[1].x", of("k", "x", Index.FIRST)),
    ("k[i].x", of("k", "x", Index.CURRENT)),
    ("k[ i - 1 ].x", of("k", "x", Index.PREVIOUS)),
    ("k[last].x", of("k", "x", Index.LAST)),
    ("k[k.len].x", of("k", "x", Index.LAST)),
    ("k[i].len", of("k", "len", Index.CURRENT)),
    ("k.len = 2", Comparison("=", Length("k"), TWO)),
    ("a.len = 2", Comparison("=", of("a", "len"), TWO)),
    ("count(k) = 2", Comparison("=", over("count", None), TWO)),
    ("count(k[..i-1]) = 2", Comparison("=", over("count", None, Scope.PRIOR), TWO)),
    ("count(k.x) = 2", Comparison("=", over("count", X), TWO)),
    ("first(k.x) = last(k.x)", Comparison("=", over("first", X), over("last", X))),
    ("sum(k.x * k.y) = 1", Comparison("=", over("sum", Arithmetic("*", X, Y)), ONE)),
    ("max(k[..i-1].x + 1) = 1", Comparison("=", over("max", Arithmetic("+", X, ONE), Scope.PRIOR), ONE)),
    ("1 = 1", Comparison("=", ONE, ONE)),
]


@pytest.mark.parametrize(("text", "expression"), EXPRESSIONS, ids=[text for text, _ in EXPRESSIONS])
def test_expressions(text: str, expression: Expression) -> None:
    query = parse(f"PATTERN SEQ(A a, K+ k[], B b) WHERE {text}")
    assert query.conjuncts == (expression,)
