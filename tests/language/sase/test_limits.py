"""Hostile texts end in an error that says why, soon, and never in a RecursionError."""

from __future__ import annotations

import copy
import pickle

import pytest

from cepheid.errors import QueryError, QuerySyntaxError
from cepheid.language.sase.parse import parse, parse_conditions, parse_returns
from cepheid.pattern.check import check
from cepheid.pattern.render import render
from cepheid.pattern.rewrite import rewrite

REFUSED = [
    ("a megabyte", "PATTERN A a WHERE " + "a.x = 1 AND " * 90_000, "the limit is 262,144"),
    (
        "deep parentheses",
        f"PATTERN A a WHERE {'(' * 1000}a.x{')' * 1000}",
        "parentheses are nested more than 200",
    ),
    ("open parentheses", "PATTERN " + "(" * 100_000, "parentheses are nested more than 200"),
    ("deep pattern", f"PATTERN {'(' * 300}A a{')' * 300}", "parentheses are nested more than 200"),
    ("deep NOT", f"PATTERN A a WHERE {'NOT ' * 1000}a.x", "expression is nested more than 200"),
    ("deep minus", f"PATTERN A a WHERE {'- ' * 1000}1 = 1", "expression is nested more than 200"),
    ("a long sum", f"PATTERN A a WHERE {'1+' * 100_000}1 = 2", "expression is nested more than 200"),
    ("a sum in an aggregate", f"PATTERN A+ a[] WHERE sum({'a.x+' * 2000}1) = 2", "nested more than 200"),
    ("an endless number", "PATTERN A a WITHIN " + "9" * 100_000, "too long"),
    ("an endless exponent", "PATTERN A a WITHIN 1e999999999 s", "too long"),
    ("an endless fraction", f"PATTERN A a WHERE a.x = 0.{'1' * 5000}", "too long"),
]


@pytest.mark.parametrize(("text", "message"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_refused(text: str, message: str) -> None:
    with pytest.raises(QuerySyntaxError, match=message) as caught:
        parse(text)
    assert len(str(caught.value)) < 600


def test_parts_have_the_same_limits() -> None:
    for parser in (parse_conditions, parse_returns):
        with pytest.raises(QuerySyntaxError, match="nested more than 200"):
            parser("NOT " * 1000 + "a.x")


def test_long_but_flat_is_fine() -> None:
    query = parse("PATTERN A a WHERE " + " AND ".join(f"a.x != {n}" for n in range(3000)))
    assert len(query.conjuncts) == 3000
    assert len(parse("PATTERN " + " ; ".join(f"A a{n}" for n in range(2000))).pattern.parts) == 2000  # type: ignore[attr-defined]


def _deepest() -> list[str]:
    alternating = "a.x = 1"
    for _ in range(98):
        alternating = f"({alternating}) AND a.x = 1 OR a.y = 1"
    nested = "A a0"
    for n in range(1, 66):
        nested = f"((A a{n} ; {nested}) WITHIN {n} min | B b{n})"
    return [
        f"PATTERN A a WHERE {'NOT ' * 198}a.x = 1",
        f"PATTERN A a WHERE {'1+' * 198}1 = 2",
        f"PATTERN A a WHERE {'abs(' * 198}a.x{')' * 198} = 2",
        f"PATTERN A a WHERE {alternating}",
        f"PATTERN {nested}",
    ]


@pytest.mark.parametrize("text", _deepest(), ids=["not", "sum", "calls", "and-or", "pattern"])
def test_every_walk_survives_the_deepest_trees(text: str) -> None:
    query = parse(text)
    check(query)
    assert parse(render(query)) == query
    rewrite(query)
    assert hash(query) == hash(copy.copy(query))
    assert pickle.loads(pickle.dumps(query)) == query


NONSENSE = [
    "\x00",
    "PATTERN \x00",
    "PATTERN A a WHERE a.x = \ud800",
    "`",
    "'",
    "\\",
    "PATTERN A a\u2028WHERE",
    "((((",
    "🦀",
]


@pytest.mark.parametrize("text", NONSENSE)
def test_nonsense_is_a_query_error(text: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse(text)
    assert str(caught.value)
