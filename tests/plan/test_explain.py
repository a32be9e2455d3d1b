"""How a query is run, as text, Mermaid, DOT and HTML."""

from __future__ import annotations

import re

import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import BindingError, CepheidError, QueryCheckError, UnsupportedError

SCHEMA = pa.schema(
    [("ts", pa.timestamp("us")), ("kind", pa.string()), ("tag", pa.string()), ("x", pa.int64())]
)
BOUND = {"time": "ts", "type": "kind"}
TREND = cepheid.query(
    """PATTERN SEQ(Stock+ a[], ~Halt h, Stock b)
       WHERE skip_till_next_match { [tag] AND a[1].x > 1000 AND a[i].x > avg(a[..i-1].x)
                                    AND b.x < 80% * a[a.len].x AND h.x = 1 AND "q" = 'q' }
       WITHIN 1 hour"""
)


def test_text() -> None:
    text = str(TREND.explain())
    for part in (
        "nfa",
        "cost:",
        "partitioned by tag",
        "bounded by WITHIN 1 hours",
        "begin",
        "take",
        "ignore: events that it cannot select",
        "a[1].x > 1000",
        "no Halt h between a and b",
        "says what qualifies as the absent h",
        "EMIT ALL",
    ):
        assert part in text, part
    assert text.endswith(
        "assumed, since no stream was given\n  time: timestamp[us]\n  type: string\n  tag: int64\n  x: int64"
    )


def test_over_a_stream() -> None:
    text = str(TREND.explain(SCHEMA, **BOUND))
    assert re.search(r"columns that travel: .*tag", text)
    assert "columns that travel: ts, kind, x" in str(
        cepheid.query("PATTERN A a WHERE a.x = 1 RETURN a.x").explain(SCHEMA, **BOUND)
    )


def test_anything_with_columns_is_a_schema() -> None:
    table = SCHEMA.empty_table()
    for schema in (SCHEMA, table, table.to_reader(), dict(zip(SCHEMA.names, SCHEMA.types, strict=True))):
        assert "columns that travel" in str(cepheid.query("PATTERN A a").explain(schema, **BOUND))


def test_mermaid() -> None:
    diagram = TREND.explain().mermaid()
    assert diagram.startswith("flowchart LR\n")
    states = set(re.findall(r'^  (s\d+)\(\["', diagram, re.MULTILINE))
    used = set(re.findall(r"\b(s\d+)\b(?= (?:-->|-\.->))|(?<=\| )(s\d+)", diagram))
    assert {name for pair in used for name in pair if name} == states
    assert "-.->" in diagram and '"a[]"' in diagram
    quoted = cepheid.query("""PATTERN A a WHERE a.tag = 'say "hi"'""").explain().mermaid()
    assert all(line.count('"') % 2 == 0 for line in quoted.splitlines())


def test_dot() -> None:
    graph = TREND.explain().dot()
    assert graph.startswith("digraph plan {") and graph.rstrip().endswith("}")
    assert '"start" -> "a[]"' in graph and "style=dashed" in graph
    quoted = cepheid.query("""PATTERN A a WHERE a.tag = 'say "hi" \\\\'""").explain().dot()
    assert '\\"hi\\"' in quoted


def test_html() -> None:
    page = cepheid.query("PATTERN A a WHERE a.tag = '<b>'").explain()._repr_html_()
    assert "<pre>" in page and "<svg" in page and "<b>" not in page and "&lt;b&gt;" in page


@pytest.mark.parametrize(
    "text",
    [
        "PATTERN A a",
        "PATTERN OR(A a, SEQ(B b, C? c)) WHERE strict_contiguity {} EMIT NON OVERLAPPING",
        "PATTERN SEQ(~A a, B* b[], C c, ~D d) WITHIN 500 EVENTS",
        "PATTERN SEQ(A{2,3} a[], (B b ; C c) WITHIN 5 min) WHERE partition_contiguity { [tag] } WITHIN < 1 h",
        "PATTERN A+ a[] WHERE sum(a.x) > 3 AND a[i].x + a[1].x > 0 OR a[i].x IS NULL WITHIN 1 h RETURN a.len",
    ],
)
def test_every_construct_is_explained(text: str) -> None:
    explanation = cepheid.query(text).explain()
    assert str(explanation) and explanation.mermaid() and explanation.dot() and explanation._repr_html_()
    assert "stream" in str(cepheid.query(text).explain(SCHEMA, **BOUND))


def test_why_not() -> None:
    with pytest.raises(CepheidError, match="needs time="):
        TREND.explain(SCHEMA)
    with pytest.raises(BindingError, match="no column 'when'"):
        TREND.explain(SCHEMA, time="when")
    with pytest.raises(QueryCheckError, match="no attribute 'y'"):
        cepheid.query("PATTERN A a WHERE a.y = 1").explain(SCHEMA, **BOUND)
    with pytest.raises(UnsupportedError, match="AT, a time event"):
        cepheid.query("PATTERN SEQ(A a, AT '17:00') WITHIN 1 h").explain()


def test_the_engine_asked_for() -> None:
    assert "asked for by name" in str(TREND.using("nfa").explain())
    assert "the only engine that runs it" in str(TREND.explain())


LATER = "what a run can only take it reads when it may go on"


@pytest.mark.parametrize(
    ("strategy", "emit", "sharing", "told", "defers"),
    [
        ("skip_till_next_match", "ALL", "auto", "auto: runs that are alike", True),
        ("skip_till_next_match", "ALL", "basic", "basic: runs are apart", False),
        ("skip_till_next_match", "ALL", "merging", "merging, as asked", False),
        ("skip_till_next_match", "COUNT", "auto", "merging: runs that are alike", False),
        ("skip_till_any_match", "ALL", "auto", "merging: runs that are alike", False),
        ("partition_contiguity", "ALL", "auto", "auto: runs that are alike", False),
    ],
)
def test_how_runs_share_their_work(strategy: str, emit: str, sharing: str, told: str, defers: bool) -> None:
    query = cepheid.query(
        f"PATTERN SEQ(A+ a[], B b) WHERE {strategy} {{ a[i].x > a[1].x }} WITHIN 9 min EMIT {emit}"
    )
    chosen = query.using("nfa", sharing=sharing) if sharing != "auto" else query
    text = str(chosen.explain(SCHEMA, **BOUND))
    assert f"sharing: {told}" in text
    assert (LATER in text) == defers
