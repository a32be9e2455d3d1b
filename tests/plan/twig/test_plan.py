"""Plans of tree patterns: state functions by rule, automata with preferences, and which variables repeat."""

from __future__ import annotations

import pytest

from cepheid.language.twig.parse import parse_twig, written_twig
from cepheid.pattern.twig import nodes as tn
from cepheid.plan.twig.build import twig_plan
from cepheid.plan.twig.explain import explain_twig_plan
from cepheid.plan.twig.sibling_fa import preferences

RULES = [
    ("/a[/b]", "T1-5 T1-1"),
    ("/a->X", "T1-2"),
    ("//a/b", "T1-3 T1-2"),
    ("//a->X[//b->Y]", "T1-6 T1-4"),
    ("/a->X(/b)", "T1-7 T1-1"),
    ("//a->X(/b:/c)", "T1-8 T1-1 T1-1"),
    ("//a[/b=6]", "T1-6 T2-1"),
    ("//a[/b->B=6]", "T1-6 T2-2"),
    ("//a[//@b=6]", "T1-6 T2-1"),
]


@pytest.mark.parametrize(("text", "rules"), RULES)
def test_each_step_falls_under_a_rule(text: str, rules: str) -> None:
    assert " ".join(step.rule for step in twig_plan(parse_twig(text)).steps[1:]) == rules


TABLES = [
    # items that may begin, items that may follow each, and the items after which a run may end
    ("/a:/b", (0,), ((1,), ()), (1,)),
    ("/a*:/b", (0, 1), ((0, 1), ()), (1,)),
    ("/a|/b+", (0, 1), ((), (1,)), (0, 1)),
    ("(/a?:/b?)*", (0, 1), ((1, 0), (0, 1)), (0, 1)),
    ("(/a?|/b)*:/c", (0, 1, 2), ((0, 1, 2), (0, 1, 2), ()), (2,)),
    ("(/a?|/b)+:/c", (0, 1, 2), ((0, 1, 2), (0, 1, 2), ()), (2,)),
]


@pytest.mark.parametrize(("text", "start", "follow", "ends"), TABLES)
def test_what_may_follow_is_in_the_order_of_preference(
    text: str, start: tuple[int, ...], follow: tuple[tuple[int, ...], ...], ends: tuple[int, ...]
) -> None:
    pattern = written_twig(text)
    assert isinstance(pattern, tn.Siblings)
    tables = preferences(pattern.expression)
    assert (tables.start, tables.follow) == (start, follow)
    assert tuple(item for item, is_end in enumerate(tables.accepting) if is_end) == ends


REPEATS = [
    ("//a->X", (False,)),
    ("//a->X/b->Y", (False, True)),
    ("//a->X/b->Y[1]", (False, False)),
    ("//a/b[last()]/c->Y[1]", (False,)),
    ("//a//c->Y[1]", (True,)),
    ("//a(/c->Y[1])", (True,)),
    ("//a->X[/b->X]", (True,)),
]


@pytest.mark.parametrize(("text", "repeats"), REPEATS)
def test_which_variables_may_repeat_in_a_match(text: str, repeats: tuple[bool, ...]) -> None:
    assert twig_plan(parse_twig(text)).repeats == repeats


POSITIONS = [
    # what is asked of the last step; the others have no positions
    ("//p->P[/a[last()]]", ""),
    ("//p->P[//a[/b][last()]]", "branch"),
    ("//p->P[/a[last()][1][last()]]", ""),
    ("//p->P[/a[2]]", "nth"),
    ("//p->P[/a[last()][2]]", "last nth"),
    ("//p->P[/a[last()] = 6]", "last value"),
    ("//p->P[/a[last()]/@i]", "last attribute"),
    ("//p(/a->A[last()])", "last"),
    ("//p->P(/a[last()])", ""),
    ("//p->P(/a[last()]*:/b?)", ""),
    ("//p->P(/a[last()]:/b)", "last"),
    ("//p->P(/a[last()]:/b->B?)", "last"),
    ("//p/a[last()]", "last"),
    ("//p/a->A[1]", "nth"),
]


@pytest.mark.parametrize(("text", "asked"), POSITIONS)
def test_some_element_is_the_last_if_there_is_any(text: str, asked: str) -> None:
    steps = twig_plan(parse_twig(text)).steps
    assert " ".join(test.kind.value for step in steps[2:3] for test in step.tests) == asked


def test_what_is_returned_below_waits_for_the_position() -> None:
    (step,) = twig_plan(parse_twig("//p[/a[/b->B][last()]]")).steps[2:3]
    assert [test.kind.value for test in step.tests] == ["branch", "last"]


def test_an_explanation_prints_functions_and_automata() -> None:
    explained = explain_twig_plan(twig_plan(parse_twig("//p(/a->X[@i=2]*:/b)//c")))
    assert str(explained).splitlines() == [
        "pattern",
        "  //p(/a->X[/@i = 2]*:/b)//c",
        "returned",
        "  X",
        "q1 = T1-8 ⟦//p(/a->X[/@i = 2]*:/b)⟧, asked by q0",
        "  q1(p(x1)x2) = setMark(SiblingFA1(x1) q4(x1)) q1(x1) q1(x2)",
        "  q1(%t(x1)x2) = q1(x1) q1(x2)",
        "  q1(ε) = ε",
        "q2 = T1-5 ⟦/a->X[/@i = 2]⟧, asked by SiblingFA1",
        "  q2(a(x1)x2) = addNode(a, @i = 2.0) q2(x2)",
        "  q2(%t(x1)x2) = q2(x2)",
        "  q2(ε) = ε",
        "q3 = T1-1 ⟦/b⟧, asked by SiblingFA1",
        "  q3(b(x1)x2) = setMark(true) q3(x2)",
        "  q3(%t(x1)x2) = q3(x2)",
        "  q3(ε) = ε",
        "q4 = T1-3 ⟦//c⟧, asked by q1",
        "  q4(c(x1)x2) = setMark(true) q4(x1) q4(x2)",
        "  q4(%t(x1)x2) = q4(x1) q4(x2)",
        "  q4(ε) = ε",
        "SiblingFA1 = T3-1 ⟦(/a->X[/@i = 2]*:/b)⟧",
        "  SiblingFA1 → q2        /a->X[/@i = 2]",
        "  SiblingFA1 → q3        /b",
        "  q2 → q2                /a->X[/@i = 2]",
        "  q2 → q3                /b",
        "  a run may end after q3; of several ways the one that stands first here is taken",
    ]
    assert "flowchart" in explained.mermaid()
