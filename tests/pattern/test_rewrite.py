"""Rewrites: simpler, with the same meaning."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from cepheid.expressions import variables
from cepheid.language.sase.parse import parse
from cepheid.pattern.nodes import atoms
from cepheid.pattern.query import PatternQuery
from cepheid.pattern.render import render
from cepheid.pattern.rewrite import RULES, rewrite
from tests.pattern.trees import queries

PATTERNS = [
    ("SEQ(SEQ(A a, ~B b), C c)", "SEQ(A a, ~B b, C c)"),
    ("SEQ(A a, SEQ(B b, SEQ(C c)))", "SEQ(A a, B b, C c)"),
    ("SEQ(A a)", "A a"),
    ("OR(OR(A a, B b), C c)", "OR(A a, B b, C c)"),
    ("OR(A a)", "A a"),
    ("SEQ(A a, OR(B* b[]))", "SEQ(A a, OR(B* b[]))"),
    ("AND(AND(A a, B b), C c)", "AND(AND(A a, B b), C c)"),
    ("AND(SEQ(~A a), B b)", "AND(SEQ(~A a), B b)"),
    ("SEQ((SEQ(A a, B b)) WITHIN 5 min, C c)", "SEQ((SEQ(A a, B b)) WITHIN 5 min, C c)"),
    ("SEQ(A a, (~B b) WITHIN 5 min)", "SEQ(A a, ~B b)"),
    ("SEQ(A a, (SEQ(~B b, (~C c) WITHIN 5 min)) WITHIN 9 min)", "SEQ(A a, ~B b, ~C c)"),
    ("SEQ(OR(SEQ(SEQ(A a, B b)), C c))", "OR(SEQ(A a, B b), C c)"),
]


@pytest.mark.parametrize(("text", "expected"), PATTERNS, ids=[text for text, _ in PATTERNS])
def test_flatten(text: str, expected: str) -> None:
    assert rewrite(parse(f"PATTERN {text}")).pattern == parse(f"PATTERN {expected}").pattern


CONDITIONS = [
    ("a.x > 60 * 60", "a.x > 3600"),
    ("a.x > 4 / 2", "a.x > 2.0"),
    ("a.x > -(5)", "a.x > -5"),
    ("a.x > -7 % 3", "a.x > -1"),
    ("a.x > 1 / 0", "a.x > 1 / 0"),
    ("a.x > 9223372036854775807 + 1", "a.x > 9223372036854775807 + 1"),
    ("a.x > 1e308 * 10", "a.x > 1e308 * 10"),
    ("a.x > 2 min + 3 min", "a.x > 2 min + 3 min"),
    ("1 = 1 AND a.x = 1", "a.x = 1"),
    ("1 = 2 AND a.x = 1", "FALSE AND a.x = 1"),
    ("9007199254740993 = 9007199254740992.0 AND a.b", "a.b"),
    ("'a' < 'b' AND 2 BETWEEN 1 AND 3 AND 2 NOT IN (1, 3) AND NOT FALSE AND a.b", "a.b"),
    ("a.b OR 1 = 2", "a.b"),
    ("a.b OR 1 = 1", "a.b OR TRUE"),
    ("NOT (a.b AND 1 = 1)", "NOT a.b"),
    ("a.b AND a.x = 1 OR FALSE", "a.b AND a.x = 1 OR FALSE"),
    ("NULL = 1 OR a.b", "NULL = 1 OR a.b"),
]


@pytest.mark.parametrize(("text", "expected"), CONDITIONS, ids=[text for text, _ in CONDITIONS])
def test_constants(text: str, expected: str) -> None:
    rewritten = rewrite(parse(f"PATTERN A a WHERE {text}"))
    assert render(rewritten) == render(parse(f"PATTERN A a WHERE {expected}"))


def test_what_always_holds_disappears() -> None:
    assert rewrite(parse("PATTERN A a WHERE 1 = 1")) == parse("PATTERN A a")


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(queries)
def test_no_variable_disappears(query: PatternQuery) -> None:
    rewritten = rewrite(query)
    assert atoms(rewritten.pattern) == atoms(query.pattern)
    named = [variables(conjunct) for conjunct in query.conjuncts]
    assert [v for v in map(variables, rewritten.conjuncts) if v] == [v for v in named if v]
    assert rewrite(rewritten) == rewritten
    assert parse(render(rewritten)) == rewritten


def test_rules_are_visible() -> None:
    assert [rule.__name__ for rule in RULES] == [
        "drop_windows_without_events",
        "flatten_patterns",
        "fold_constants",
        "drop_true_conjuncts",
    ]
