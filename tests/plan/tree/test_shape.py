"""The shapes of trees: those that are asked for, and what is said of those that cannot be."""

from __future__ import annotations

import pytest

import cepheid
from cepheid.errors import QueryError

ABCD = "PATTERN SEQ(A a, B b, C c, D d) WITHIN 10"
NESTED = "PATTERN AND(A a, SEQ(B b, ~X x, C c), OR(D d, E e)) WITHIN 10"


def tree(text: str, **options: object) -> str:
    """The lines that draw the tree of a query."""
    lines = str(cepheid.query(text).using("tree", **options).explain()).splitlines()
    begin = lines.index("tree") + 1
    return "\n".join(line.removeprefix("  ") for line in lines[begin : lines.index("choice of the shape")])


def shape(text: str, wanted: str) -> str:
    return tree(text, shape=wanted).splitlines()[0].removeprefix("shape ")


@pytest.mark.parametrize(
    ("text", "wanted", "expected"),
    [
        (ABCD, "left", "(((a b) c) d)"),
        (ABCD, "right", "(a (b (c d)))"),
        (ABCD, "((a b) (c d))", "((a b) (c d))"),
        (ABCD, "(a b c d)", "(((a b) c) d)"),
        (ABCD, " ( a ((b c) d ))", "(a ((b c) d))"),
        ("PATTERN AND(A a, B b, C c)", "((c a) b)", "((c a) b)"),
        (NESTED, "left", "((a (b c)) (d e))"),
        (NESTED, "right", "(a ((b c) (d e)))"),
        (NESTED, "((e d) (a (b c)))", "((e d) (a (b c)))"),
        ("PATTERN A a", "a", "a"),
        ("PATTERN SEQ(~X x, A+ a[])", "(a)", "a"),
    ],
)
def test_a_shape(text: str, wanted: str, expected: str) -> None:
    assert shape(text, wanted) == expected


@pytest.mark.parametrize(
    ("text", "wanted", "message", "hint"),
    [
        (ABCD, "((a b) (c z))", "names 'z', which is no positive variable", "a, b, c, d"),
        (NESTED, "((a x) (b c) (d e))", "names 'x', which is no positive variable", "a, b, c, d, e"),
        (ABCD, "((a b) c)", "leaves out 'd'", "name all positive variables: a, b, c, d"),
        (ABCD, "((a b) (a c d))", "names 'a' twice", "parentheses"),
        (ABCD, "((a b) (c d)", "a parenthesis too few or too many", "parentheses"),
        (ABCD, "(a b)) c d", "goes on after its end", "parentheses"),
        (ABCD, "", "a parenthesis too few or too many", "parentheses"),
        (ABCD, "((a c) (b d))", "not neighbours, or turns their order", "the one before or after it"),
        (ABCD, "((b a) (c d))", "not neighbours, or turns their order", "the one before or after it"),
        (NESTED, "((a b) (c (d e)))", "takes apart what the pattern keeps together: b, c", "one group"),
    ],
)
def test_no_shape(text: str, wanted: str, message: str, hint: str) -> None:
    with pytest.raises(QueryError) as caught:
        tree(text, shape=wanted)
    assert message in str(caught.value)
    assert hint in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"index": 1}, "index= is True or False, not 1"),
        ({"batch": 0}, "batch= is a number of events from 1 on, not 0"),
        ({"batch": True}, "batch= is a number of events from 1 on, not True"),
        ({"condense": "often"}, "condense= is one of"),
        ({"shape": 3}, "a shape is a text, not 3"),
        ({"sharing": "basic"}, "the engine 'tree' has no option 'sharing'"),
    ],
)
def test_options_that_there_are_not(options: dict[str, object], message: str) -> None:
    with pytest.raises(QueryError, match="^" + message.replace("(", r"\(")):
        tree(ABCD, **options)


def test_the_tree_is_drawn_with_what_each_node_tests() -> None:
    text = """PATTERN SEQ(A a, ~X x, AND(B b, C+ c[]), D d)
        WHERE a.v < b.v AND b.v = c[i].v AND d.v > a.v AND c[i].v > c[i-1].v AND c.len > 1 AND d.v > 3
        WITHIN 10"""
    assert tree(text, shape="right") == "\n".join(
        [
            "shape (a ((b c) d))",
            "SEQ(a, b, c, d): a.v < b.v (looked up); d.v > a.v; no x",
            "├─ a: A",
            "└─ SEQ(b, c, d)",
            "   ├─ AND(b, c): min(c.v) = b.v (looked up); max(c.v) = b.v (looked up); "
            "max(c.v IS NULL) = FALSE",
            "   │  ├─ b: B",
            "   │  └─ c[]: C; then C AND c[i].v > c[i-1].v; c.len > 1",
            "   └─ d: D AND d.v > 3",
        ]
    )


def test_other_strategies_are_refused_by_name() -> None:
    query = cepheid.query("PATTERN SEQ(A a, B b) WHERE skip_till_next_match { a.v < b.v }")
    with pytest.raises(QueryError, match="runs skip_till_any_match, not skip_till_next_match"):
        query.using("tree")


def test_auto_takes_a_tree_only_where_no_automaton_will_do() -> None:
    assert "nfa: it costs least" in str(cepheid.query(ABCD).explain())
    assert "tree: the only engine that runs it" in str(cepheid.query(NESTED).explain())
    assert "not nfa: AND is for the tree engine" in str(cepheid.query(NESTED).explain())
