"""Trees to text: canonical, with no parentheses too many, and parsed back to the same tree."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from cepheid.language.sase.parse import parse, parse_conditions
from cepheid.pattern.query import PatternQuery
from cepheid.pattern.render import render, render_expression, render_pattern
from tests.pattern.trees import queries


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(queries)
def test_what_is_rendered_parses_to_the_same(query: PatternQuery) -> None:
    text = render(query)
    assert parse(text) == query
    assert render(parse(text)) == text


def test_a_query_is_a_clause_a_line() -> None:
    text = """
        pattern (A a ; !B b) within 0.50 min & C+ c[] return a.x as n, c.*, first_time() emit first 3
        where (a.x+1)*2 > 10 and [k] within 1 hour"""
    assert render(parse(text)) == (
        "PATTERN AND((SEQ(A a, ~B b)) WITHIN 0.5 min, C+ c[])\n"
        "WHERE skip_till_any_match { [k] AND (a.x + 1) * 2 > 10 }\n"
        "WITHIN 1 hours\n"
        "RETURN a.x AS n, c.*, first_time()\n"
        "EMIT FIRST 3"
    )
    assert render(parse("PATTERN A a AGG count as n, sum(a.x) group by k emit every 1 min")) == (
        "PATTERN A a\nAGG COUNT AS n, SUM(a.x) GROUP BY k\nEMIT EVERY 1 min"
    )
    assert (
        render(parse("PATTERN A a WHERE strict_contiguity {}")) == "PATTERN A a\nWHERE strict_contiguity {  }"
    )


EXPRESSIONS = [
    ("((a.x)) + (1 * 2)", "a.x + 1 * 2"),
    ("(a.x + 1) * 2", "(a.x + 1) * 2"),
    ("a.x - (1 - 2)", "a.x - (1 - 2)"),
    ("(a.x - 1) - 2", "a.x - 1 - 2"),
    ("-a.x", "-a.x"),
    ("-(-a.x)", "-(-a.x)"),
    ("-(5)", "-(5)"),
    ("80% * a.x", "0.8 * a.x"),
    ("(a.x OR a.y) and not (a.x and a.z) or a.y", "(a.x OR a.y) AND NOT (a.x AND a.z) OR a.y"),
    ("(a.x > 1) = true", "(a.x > 1) = TRUE"),
    ("a.x not in (1, 2) or a.y is not null", "a.x NOT IN (1, 2) OR a.y IS NOT NULL"),
    ("a.x between 1 and 2 or a.y like 'a''b'", "a.x BETWEEN 1 AND 2 OR a.y LIKE 'a''b'"),
    ("avg(k[..i-1].x * 2) > count(k) or a.x", "avg(k[..i-1].x * 2) > count(k) OR a.x"),
    ("k[k.len].x = k.len or `s t`.`len` = a.within", "k[last].x = k.len OR `s t`.`len` = a.within"),
    (
        "a.t > timestamp '2024-05-01T12:00' or a.t - b.t < 90 seconds",
        "a.t > TIMESTAMP '2024-05-01 12:00:00' OR a.t - b.t < 90 seconds",
    ),
]


@pytest.mark.parametrize(("text", "rendered"), EXPRESSIONS, ids=[text for text, _ in EXPRESSIONS])
def test_expressions(text: str, rendered: str) -> None:
    _, (conjunct,) = parse_conditions(text)
    assert render_expression(conjunct) == rendered


def test_patterns() -> None:
    text = (
        "SEQ(A a, OR(~B b, T{2} c[]), T{3,} d[], ANY? e, `at` `or`, SILENCE OF S s FOR 5 min, T[2] t, E, F*)"
    )
    assert render_pattern(parse(f"PATTERN {text}").pattern) == text
