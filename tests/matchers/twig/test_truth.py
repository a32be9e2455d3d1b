"""The transducer equals the oracle on random documents and patterns, however the bytes are cut."""

from __future__ import annotations

import random
from typing import Any

import pytest

import cepheid
from cepheid.language.twig.parse import parse_twig
from cepheid.pattern.twig.render import render_twig
from cepheid.plan.twig.build import twig_plan
from cepheid.xml import XmlPattern
from tests.cases.repetitions import repetition_case
from tests.cases.twig import twig_case
from tests.language.twig.queries import QUERIES
from tests.oracle.documents import document
from tests.oracle.test_twig import WORKED
from tests.oracle.twig import twig_rows

pytest.importorskip("lxml.etree")

CASES, BLOCK = 1000, 100


def _rows(pattern: XmlPattern, source: Any, parser: str = "fast") -> list[dict[str, Any]]:
    return list(pattern.run(source, parser))


def _pieces(data: bytes, dice: random.Random) -> list[bytes]:
    cuts = sorted(dice.choices(range(len(data) + 1), k=dice.randint(0, 6)))
    return [data[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]


@pytest.mark.parametrize("begin", range(0, CASES, BLOCK))
def test_random_cases(begin: int) -> None:
    with_rows = 0
    for seed in range(begin, begin + BLOCK):
        case = twig_case(seed)
        expected = twig_rows(case.pattern, document(case.data))
        pattern = XmlPattern(twig_plan(case.pattern))
        told = f"seed {seed}: {render_twig(case.pattern)} over {case.data.decode()}"
        assert _rows(pattern, case.data) == expected, told
        for parser in ("lxml", "expat"):
            assert _rows(pattern, case.data, parser) == expected, told
        assert _rows(pattern, _pieces(case.data, random.Random(seed))) == expected, told
        assert parse_twig(render_twig(case.pattern)) == case.pattern
        with_rows += bool(expected)
    assert with_rows > BLOCK / 5


def test_repetitions_that_may_take_nothing() -> None:
    with_rows = 0
    for seed in range(1000):
        case = repetition_case(seed)
        expected = twig_rows(case.pattern, document(case.data))
        told = f"seed {seed}: {render_twig(case.pattern)} over {case.data.decode()}"
        assert _rows(XmlPattern(twig_plan(case.pattern)), case.data) == expected, told
        with_rows += bool(expected)
    assert with_rows > 300


@pytest.mark.parametrize(("pattern", "text", "expected"), WORKED)
def test_worked_rows(pattern: str, text: str, expected: str) -> None:
    rows = cepheid.xml(pattern).run(text.encode())
    assert " ".join(f"{row['var']}{row['start']}" for row in rows) == expected
    assert list(rows) == twig_rows(parse_twig(pattern), document(text.encode()))


@pytest.mark.parametrize("name", QUERIES)
def test_the_papers_queries_run_and_explain_themselves(name: str) -> None:
    pattern = cepheid.xml(QUERIES[name])
    assert "q1 = T1-" in str(pattern.explain())
    assert len(pattern.run(b"<x/>")) == 0
