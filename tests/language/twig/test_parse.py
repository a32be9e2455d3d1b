"""Tree patterns as text: what is read, and that it can be written again."""

from __future__ import annotations

import pytest

from cepheid.errors import QueryError
from cepheid.language.twig.parse import parse_twig, written_twig
from cepheid.pattern.twig import nodes as tn
from cepheid.pattern.twig.render import render_twig
from tests.language.twig.queries import QUERIES

OTHERS = [
    "/a:/b",
    "(/a->X|/b)*:/c",
    "//a/b[@x='1'](/c*:(/d|/e)?)[2][last()]/f",
    "//p[(/a)]",
    "/a**",
    "(/a:/b):/c|(/d|/e)",
    "//p[a:b=-1.5]",
    "//x[//@id][/a//@*≥3]",
    "//p(/a=6:/b='x')*",
    "/*(/**)",
    "//größe-2[/x.y]",
    "//p[/a=0.1]",
]


@pytest.mark.parametrize("text", [*QUERIES.values(), *OTHERS])
def test_what_is_written_is_read_again(text: str) -> None:
    tree = written_twig(text)
    assert written_twig(render_twig(tree)) == tree
    checked = parse_twig(text)
    assert parse_twig(render_twig(checked)) == checked


SAME = [
    ("//a->X", "//a→X"),
    ("/ / a - > X [ last ( ) ] [ p : n < = 'it''s' ]", "//a->X[last()][/p:n <= 'it''s']"),
    ("//p[/a:/b]", "//p(/a:/b)"),
    ("//p[q]", "//p[/q]"),
    ("a/b", "/a/b"),
    ("//p[@x]", "//p[/@x]"),
    ("//p(/a*:/b|/c)", "//p(((/a*):/b)|/c)"),
    ("//p[/a ≠ 1]", "//p[/a != 1]"),
    ('//p[/a = "x"]', "//p[/a = 'x']"),
]


@pytest.mark.parametrize(("text", "other"), SAME)
def test_texts_that_say_the_same(text: str, other: str) -> None:
    assert written_twig(text) == written_twig(other)


def test_a_path_in_brackets_is_a_path_and_in_parentheses_an_item() -> None:
    path = tn.TreePath((tn.TreeStep(tn.Axis.CHILD, "a"),))
    step = tn.TreeStep(tn.Axis.BELOW, "p", None, (tn.Exists(path), tn.Siblings(tn.Item(path))))
    assert written_twig("//p[/a](/a)") == tn.TreePath((step,))


def test_a_name_may_have_a_prefix_and_a_variable_none() -> None:
    assert written_twig("//p(/x:a->V:/b)") == written_twig("//p( /x:a->V : /b )")
    assert tn.variables_of(written_twig("//p[/a->B:/c->A]//d->B")) == ("B", "A")


def test_without_a_mark_the_last_step_is_returned() -> None:
    assert render_twig(parse_twig("//a[/b]/c[/d]")) == "//a[/b]/c->result[/d]"
    assert render_twig(parse_twig("//a/b|/c")) == "(//a/b->result|/c->result)"


ERRORS = [
    ("", 1, "the pattern is empty", "write //a"),
    ("//a[", 5, "the pattern ends too early", None),
    ("//a[/b=x]", 8, "'x' does not fit here", "needs its quotes: 'x'"),
    ("//a]", 4, "this ] closes nothing", None),
    ("//a(/b", 7, "a ) is missing", "close the ("),
    ("//a[/b(/c]", 10, "a ) is missing", None),
    ("//a(/b*/c)", 8, "'/' does not fit here", "write : before the next one"),
    ("//a[/b and /c]", 8, "'and' does not fit here", "[/a][/b] for both"),
    ("//a/@id", 4, "only elements are returned", "as a condition"),
    ("//a[/b]->X", 8, "'->' does not fit here", "directly after its tag"),
    ("//a b", 5, "'b' does not fit here", "write /b"),
    ("//a()", 5, "the brackets are empty", None),
    ("//a[0]", 1, "positions count from 1", None),
    ("//a[1.5]", 4, "a position is a whole number", None),
    ("//a[/b='x]", 8, "the quote ' is never closed", None),
    ("child::a", 7, "':' does not fit here", "axes have no names"),
    ("//a[./b]", 5, "'.' does not fit here", "relative"),
    ("//a[@x->Y]", 5, "cannot be marked", "mark its element"),
    ("(@id)", 2, "an attribute is no child", "/*[@name]"),
    ("//a/@id=6", 4, "only elements are returned", "as a condition"),
    ("//a[*]", 5, "'*' does not fit here", "any tag is /*"),
    ("//a->", 6, "expected a variable", None),
    ("//a[/b->X|@id]", 11, "an attribute is no child", None),
    ("//a" + "[/b" * 70, 196, "nested more than 64 deep", None),
    ("//a(/b" + "*" * 20 + ")", 7, "repeated too often", None),
    ("//a" * 251, None, "the limit is 250", None),
]


@pytest.mark.parametrize(("text", "column", "message", "hint"), ERRORS)
def test_errors_say_where_what_and_what_instead(
    text: str, column: int | None, message: str, hint: str | None
) -> None:
    with pytest.raises(QueryError) as caught:
        parse_twig(text)
    assert message in caught.value.message
    assert caught.value.column == column
    assert hint is None or hint in (caught.value.hint or "")
