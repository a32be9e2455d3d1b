"""The worked rows of the definition of regular tree patterns, and what its sentences say."""

from __future__ import annotations

import pytest

from cepheid.language.twig.parse import parse_twig
from tests.oracle.documents import document
from tests.oracle.twig import twig_rows

P2 = "<p><a/><a/></p>"
NESTED = "<s><s><n/></s></s>"

WORKED = [
    # the table of the definition: variable and start of what is returned
    ("//p(/a->X:/b->Y)", "<p><a/><a/><b/></p>", "X7 Y11"),
    ("//p(/a->X:/b:/a->Z)", "<p><a/><b/><a/><b/><a/></p>", "X3 Z11"),
    ("//p(/a->X*:/a->Y*)", P2, "X3 X7"),
    ("//p(/a->X|/a->Y:/b)", "<p><a/><b/></p>", "Y3"),
    ("//p((/a)*)", "<p><c/></p>", ""),
    ("//s//n->N", NESTED, "N6"),
    ("//p[/z->Z!=6]", "<p><z>x</z><z>6</z></p>", "Z3"),
    ("//p(//a->X:/b)", "<p><q><a/><a/></q><b/></p>", "X6 X10"),
    # axes
    ("/p", "<p><p/></p>", "result0"),
    ("//p", "<p><p/></p>", "result0 result3"),
    ("p/a", P2, "result3 result7"),
    ("//*[/n]", NESTED, "result3"),
    # positions count among the children of one parent that pass what stands before
    ("//p/a[2]", P2, "result7"),
    ("//p/*[last()]", P2, "result7"),
    ("//p/a[/x][1]", "<p><a/><a><x/></a></p>", "result7"),
    ("//p/a[1][/x]", "<p><a/><a><x/></a></p>", ""),
    ("//p(/a->X[last()]:/b)", "<p><a/><b/><a/><b/></p>", "X11"),
    # attributes and comparisons
    ("//a[@i=2]", '<p><a i="2.0"/><a i="x"/></p>', "result3"),
    ("//a[@i='2']", '<p><a i="2.0"/><a i="2"/></p>', "result15"),
    ("//p[//@i]", '<p><a i=""/></p>', "result0"),
    ("//a[/b<'3']", "<a><b> 2 </b></a>", "result0"),
    ("//a[/b='a c']", "<a><b>a<c> c</c></b></a>", "result0"),
    ("//p/a=6", "<p><a>6</a><a>7</a></p>", "result3"),
    ("//p->P/a>6", "<p><a>6</a><a>7</a></p>", "P0"),
    ("//a->A/@i='2'", '<p><a i="2.0"/><a i="2"/></p>', "A15"),
    # sibling expressions
    ("//p(/a->X:/b?)", "<p><a/><c/><a/><b/></p>", "X3 X11"),
    ("//p((/a->X|/b->Y)+)", "<p><a/>t<b/><!-- c --><a/></p>", "X3 Y8 X22"),
    ("/p->R|/q->Q", "<q/>", "Q0"),
    ("//p((/a->X?:/b->Y?)*)", "<p><b/><a/></p>", "Y3 X7"),
    ("//p(/a->X:(/b:/c)?)", "<p><a/><b/><a/></p>", "X3 X11"),
    # a repetition of nothing is none, so one that takes a child is longer
    ("//p((/a*|/b->X)?:/b->Y?)", "<p><b/></p>", "X3"),
    ("//p((/a*|/b->X)*:/b->Y?)", "<p><b/></p>", "X3"),
    ("//p((/a*|/b->X)+:/b->Y?)", "<p><b/></p>", "X3"),
    ("//p((/a*|/b->X):/b->Y?)", "<p><b/></p>", "Y3"),
    ("//p((/a*:(/a**|/b)+|/b->X)*)", "<p><a/><b/></p>", ""),
]


@pytest.mark.parametrize(("pattern", "text", "expected"), WORKED)
def test_returned_nodes(pattern: str, text: str, expected: str) -> None:
    rows = twig_rows(parse_twig(pattern), document(text.encode()))
    assert " ".join(f"{row['var']}{row['start']}" for row in rows) == expected


def _columns(pattern: str, text: str, *names: str) -> list[tuple[object, ...]]:
    return [
        tuple(row[name] for name in names) for row in twig_rows(parse_twig(pattern), document(text.encode()))
    ]


def test_match_is_the_outermost_and_parent_the_nearest() -> None:
    assert _columns("//s->S//n->N", NESTED, "var", "match", "parent") == [
        ("S", 0, None),
        ("S", 3, None),
        ("N", 0, 3),
    ]


def test_run_is_where_the_nearest_run_begins() -> None:
    text = "<p><a/><b><c/><d/></b></p>"
    pattern = "//p(/a->A:/b->B(/c:/d->D))/b->E"
    assert _columns(pattern, text, "var", "run") == [("A", 3), ("B", 3), ("E", None), ("D", 10)]


def test_text_attributes_and_bytes() -> None:
    text = '<p x="1">é<a y="&lt;">b<c/></a>d</p>'
    assert _columns("//p->P/a->A", text, "text", "attributes", "start", "end") == [
        ("ébd", [("x", "1")], 0, 37),
        ("b", [("y", "<")], 11, 32),
    ]
