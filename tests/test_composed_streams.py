"""Queries that name other queries: what their matches are as events, and which queries are refused."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import LimitError, QueryCheckError, QueryError, UnsupportedError
from cepheid.events import bind
from cepheid.plan.events.bounded import refuse_unbounded
from cepheid.plan.events.division import By, divided
from cepheid.plan.events.pushdown import pushed
from tests.cases.compositions import CompositionCase
from tests.composing import COLUMNS, EVENTS, ONE_STREAM, in_batches, run

# -- what it means -----------------------------------------------------------------------------------


def test_matches_are_events_with_the_columns_of_return() -> None:
    found = run(
        {
            "pair": "PATTERN SEQ(A a, B b) WITHIN 2 RETURN a.x AS first, b.x AS x",
            "pairs": "PATTERN SEQ(pair p, pair q) WITHIN 3 "
            "RETURN p.first AS one, q.first AS two, q.time AS at",
            "after": "PATTERN SEQ(pairs z, D d) WITHIN 2 RETURN z.at AS at, d.x AS x",
        },
        EVENTS,
    )
    assert found["pairs"] == [{"one": 0, "two": 3, "at": 4}]
    assert found["after"] == [{"at": 4, "x": 5}]


def test_a_derived_event_comes_directly_after_the_last_event_of_its_match() -> None:
    events = [{"t": 1, "k": kind, "x": x} for x, kind in enumerate("ABAC")]
    found = run(
        {
            "pair": "PATTERN SEQ(A a, B b) RETURN b.x AS last",
            "order": "PATTERN SEQ(ANY a, ANY b) WHERE strict_contiguity { 1 = 1 }",
            "seen": "PATTERN SEQ(ANY a, pair p, ANY b) WHERE strict_contiguity { 1 = 1 } "
            "RETURN a.x AS a, b.x AS b",
        },
        events,
    )
    assert found["seen"] == [{"a": 1, "b": 2}]
    assert len(found["order"]) == 3, "a query that names no other sees the stream alone"


def test_what_one_event_derives_comes_query_after_query_each_followed_by_what_it_derives() -> None:
    queries = {
        "late": "PATTERN one o RETURN o.x AS x",
        "one": "PATTERN SEQ(A a, B b) RETURN a.x AS x",
        "two": "PATTERN B b RETURN b.x AS x",
        "seen": "PATTERN SEQ(B b, ANY{5,5} v[], C c, ~late l, ~one o, ~two w) "
        "WHERE strict_contiguity { 1 = 1 } RETURN collect(v.k) AS kinds",
    }
    events = [{"t": time, "k": kind, "x": time} for time, kind in enumerate("AABC")]
    assert run(queries, events)["seen"] == [{"kinds": ["one", "late", "one", "late", "two"]}]


def test_the_name_of_a_query_means_the_query_and_its_own_name_the_type() -> None:
    found = run(
        {
            "B": "PATTERN SEQ(A a, B b) WITHIN 1 RETURN b.x AS y",
            "seen": "PATTERN B b RETURN b.x AS x, b.y AS y",
            "any": "PATTERN SEQ(B b, ANY v) WHERE strict_contiguity { 1 = 1 } RETURN v.x AS x, v.k AS k",
        },
        [*EVENTS[:2], {"t": 2, "k": "B", "x": 2}],
    )
    assert found["B"] == [{"y": 1}]
    assert found["seen"] == [{"x": None, "y": 1}]
    assert found["any"] == [{"x": 2, "k": None}], "an event of that type has none for who names the query"


def test_a_stream_without_types() -> None:
    queries = {
        "rise": "PATTERN SEQ(ANY a, ANY b) WHERE strict_contiguity { b.x > a.x } RETURN b.x - a.x AS by",
        "fall": "PATTERN SEQ(rise r, E) WHERE strict_contiguity { E.x < 3 } "
        "RETURN r.by AS by, E.x AS x, r.type AS t",
    }
    events = [{"time": time, "x": x} for time, x in enumerate([1, 4, 2, 3, 9])]
    assert run(queries, events, time="time")["fall"] == [{"by": 3, "x": 2, "t": "rise"}]
    with pytest.raises(QueryCheckError, match="names the type 'A', and the stream has no type column"):
        run({**queries, "fall": "PATTERN SEQ(rise r, A a)"}, events, time="time")
    with pytest.raises(QueryCheckError, match="has a column 'type' that is not said to be its type"):
        run(queries, [{**event, "type": 1} for event in events], time="time")


def test_matches_that_end_in_an_absence_are_waited_for() -> None:
    queries = {
        "lonely": "PATTERN SEQ(A a, ~B b) WITHIN 3 RETURN a.x AS x",
        "next": "PATTERN SEQ(lonely l, C c) WHERE skip_till_next_match { 1 = 1 } WITHIN 10 "
        "RETURN l.x AS x, c.x AS c",
    }
    events = [
        {"t": t, "k": k, "x": t} for t, k in [(1, "A"), (2, "C"), (5, "A"), (6, "B"), (7, "C"), (20, "C")]
    ]
    assert run(queries, events)["next"] == [{"x": 1, "c": 2}]
    case = CompositionCase(queries, events, ONE_STREAM, COLUMNS)
    session = cepheid.workload(queries).session(COLUMNS, **ONE_STREAM, lateness=13)
    found = session.push(case.table)
    assert {name: table.num_rows for name, table in found.items()} == {"lonely": 1, "next": 1}
    assert session._feed.matcher.composed.held_bytes > 0  # type: ignore[attr-defined]
    assert not any(table.num_rows for table in session.close().values())


def test_matches_of_one_event_that_become_certain_one_after_the_other_keep_their_order() -> None:
    queries = {
        "quiet": "PATTERN SEQ(A a, B b, ~C c) WITHIN 5 RETURN a.x AS x",
        "seen": "PATTERN SEQ(B b, quiet q, quiet r, quiet s) WHERE strict_contiguity { 1 = 1 } WITHIN 9 "
        "RETURN q.x AS q, r.x AS r, s.x AS s",
    }
    rows = [(1, "A"), (1, "A"), (2, "A"), (3, "B"), (7, "D"), (8, "D"), (9, "D")]
    events = [{"t": t, "k": kind, "p": None, "x": x} for x, (t, kind) in enumerate(rows)]
    case = CompositionCase(queries, events, ONE_STREAM, COLUMNS)
    assert run(queries, events)["seen"] == [{"q": 0, "r": 1, "s": 2}]
    for seed in range(5):
        assert len(in_batches(case, random.Random(seed))["seen"]) == 1
    session = cepheid.workload(queries).session(COLUMNS, **ONE_STREAM, lateness=3)
    found = [session.push(case.table), session.advance(7), session.advance(8)]
    assert [(each["quiet"].num_rows, each["seen"].num_rows) for each in found] == [(0, 0), (2, 0), (1, 0)]
    last = session.close()["seen"].to_pylist()
    assert [(row["q"], row["r"], row["s"]) for row in last] == [(0, 1, 2)]


def test_events_that_wait_count_as_state() -> None:
    queries = {
        "lonely": "PATTERN SEQ(A a, ~B b) WITHIN 1000 RETURN a.x AS x",
        "next": "PATTERN SEQ(lonely l, C c) WITHIN 10",
    }
    session = cepheid.workload(queries).session(COLUMNS, **ONE_STREAM, max_state=10**6)
    with pytest.raises(LimitError, match="wait for matches that end in an absence"):
        for time in range(100):
            session.push([{"t": time, "k": "C", "p": 1, "x": 1}] * 500)


def test_derived_events_are_counted() -> None:
    workload = cepheid.workload(
        {
            "pair": "PATTERN SEQ(A a, B b) WITHIN 2 RETURN a.x AS x",
            "count": "PATTERN SEQ(pair p, D d) WITHIN 9 AGG COUNT, SUM(p.x) AS s",
        }
    )
    found = workload.run(EVENTS, **ONE_STREAM)
    rows = [{n: int(v) for n, v in row.items()} for row in found["count"]]
    assert rows == [{"time": 5, "count": 2, "s": 3}, {"time": 10, "count": 5, "s": 13}]
    assert found["count"].stats["derived"] == 3
    assert "derived" not in found["pair"].stats


def test_being_named_changes_nothing_in_a_query() -> None:
    text = "PATTERN SEQ(A a, B b, C+ c[]) WITHIN 6"
    alone = cepheid.query(text).run(EVENTS, **ONE_STREAM)
    found = cepheid.workload({"named": text, "by": "PATTERN named n"}).run(EVENTS, **ONE_STREAM)
    assert found["named"].table.equals(alone.table)
    assert [row["n"]["a"] for row in found["by"]] == [row["a"] for row in alone]


def test_other_types_of_columns() -> None:
    kinds = pa.array([event["k"] for event in EVENTS]).dictionary_encode()
    times = pa.array([event["t"] * 60_000 for event in EVENTS], pa.timestamp("ms"))
    table = pa.table({"t": times, "k": kinds, "s": kinds, "u": pa.array([2**63 + 1] * 11, pa.uint64())})
    found = run(
        {
            "pair": "PATTERN SEQ(A a, B b) WITHIN 2 min RETURN lower(b.s) AS s, a.u AS big, last_time() AS t",
            "seen": "PATTERN SEQ(pair p, C c) WITHIN 1 min RETURN p.s AS s, p.t AS at, p.big AS big",
            "null": "PATTERN pair p WHERE p.big IS NULL RETURN p.k AS kind",
        },
        table,
    )
    assert [row["s"] for row in found["seen"]] == ["b", "b"]
    assert [row["at"].minute for row in found["seen"]] == [1, 8]
    assert [row["big"] for row in found["seen"]] == [2**63 + 1] * 2
    assert found["null"] == [{"kind": "pair"}] * 3, "what cannot be computed with is null"


# -- what is refused -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("queries", "message"),
    [
        ({"a": "PATTERN b x", "b": "PATTERN c x", "c": "PATTERN a x"}, "'a' names 'b' names 'c' names 'a'"),
        (
            {"n": "PATTERN A a AGG COUNT EMIT ON CLOSE", "q": "PATTERN n x"},
            "'n' has EMIT ON CLOSE, and tells",
        ),
        ({"n": "PATTERN A a EMIT COUNT", "q": "PATTERN n x"}, "has EMIT COUNT, and has no matches"),
        ({"n": "PATTERN A a EMIT COMPRESSED", "q": "PATTERN n x"}, "has EMIT COMPRESSED, and has no matches"),
    ],
)
def test_what_cannot_be_composed_is_refused_at_once(queries: dict[str, str], message: str) -> None:
    with pytest.raises(QueryCheckError) as error:
        cepheid.workload(queries)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ("a.k AS x", "returns 'x' as string, which is int64 elsewhere"),
        ("a.x AS t", "returns 't', which is the time of events"),
        ("a.x AS time", "returns 'time', which is the time of events"),
        ("a.k AS k", "returns 'k', which is the type of events"),
        ("a.x AS type", "returns 'type', which is the type of events"),
        ("a.p AS p", "returns 'p', which is a tie-breaker of events"),
    ],
)
def test_columns_that_would_mean_two_things_are_refused(returned: str, message: str) -> None:
    workload = cepheid.workload({"one": f"PATTERN A a RETURN {returned}", "two": "PATTERN one o"})
    with pytest.raises(QueryError) as error:
        workload.plan(bind(COLUMNS, **ONE_STREAM, order=["p"]))
    assert message in str(error.value)
    assert "query 'two' of the workload" in str(error.value)


def test_an_attribute_that_no_match_has_is_refused() -> None:
    workload = cepheid.workload({"one": "PATTERN A a RETURN a.x AS y", "two": "PATTERN one o WHERE o.z > 1"})
    with pytest.raises(QueryError, match="no attribute 'z'"):
        workload.run(EVENTS, **ONE_STREAM)


def test_waiting_for_ever_is_refused_over_a_stream() -> None:
    queries = {"one": "PATTERN SEQ(A a, ~B b) WITHIN 5 EVENTS", "two": "PATTERN one o WITHIN 5"}
    workload = cepheid.workload(queries)
    with pytest.raises(QueryCheckError, match="'two' would wait for ever"):
        refuse_unbounded(workload.plan(bind(COLUMNS, **ONE_STREAM)))
    assert "are certain at the end" in str(workload.explain(COLUMNS, **ONE_STREAM))
    timed = cepheid.workload({**queries, "one": "PATTERN SEQ(A a, ~B b) WITHIN 5"})
    refuse_unbounded(timed.plan(bind(COLUMNS, **ONE_STREAM)))


# -- what is told, and how it is divided ---------------------------------------------------------------


def test_an_explanation_says_what_feeds_what() -> None:
    workload = cepheid.workload(
        {
            "alarm": "PATTERN SEQ(quiet q, pair p) WHERE p.first > 3 WITHIN 9 min",
            "pair": "PATTERN SEQ(A a, B b) WITHIN 2 min RETURN a.x AS first",
            "quiet": "PATTERN SEQ(A a, ~B b) WITHIN 2 min RETURN a.x AS first",
        }
    )
    told = workload.explain()
    assert "alarm: the matches of pair, quiet are events to it; it waits for them" in str(told)
    fed = {(edge.source, edge.target) for edge in told.edges if edge.label == "matches"}
    assert fed == {("pair", "alarm"), ("quiet", "alarm")}
    assert '-->|"matches"|' in told.mermaid()


def test_a_composed_stream_is_divided_by_keys_that_matches_carry() -> None:
    def way(returned: str, where: str = "[p]") -> Any:
        queries = {
            "pair": f"PATTERN SEQ(A a, B+ b[]) WHERE [p] WITHIN 5 RETURN {returned}",
            "two": f"PATTERN SEQ(pair x, pair y) WHERE {where} WITHIN 9",
        }
        return divided(cepheid.workload(queries).plan(bind(COLUMNS, **ONE_STREAM)))

    assert way("a.p AS p").keys == ("p",)
    assert way("b[last].p AS p, a.x AS x").keys == ("p",)
    assert way("a.p + 0 AS p").by is By.NOTHING
    assert "returns it AS p" in way("a.x AS x").reason
    assert way("a.p AS p", "x.x > 1").by is By.NOTHING
    workload = cepheid.workload({"one": "PATTERN A a WHERE [p]", "two": "PATTERN one o WHERE [p]"})
    with pytest.raises(UnsupportedError, match="without the key p"):
        divided(workload.plan(bind(COLUMNS, **ONE_STREAM)), "keys")


def test_only_events_of_the_stream_are_filtered_ahead() -> None:
    queries = {
        "pair": "PATTERN SEQ(A a, B b) WHERE a.x > 1 WITHIN 5 RETURN a.x AS first",
        "two": "PATTERN SEQ(pair p, C c) WHERE p.first > 2 AND c.x < 7 WITHIN 9",
    }
    plan = cepheid.workload(queries).plan(bind(COLUMNS, **ONE_STREAM))
    text = pushed(plan).text
    assert "'C'" in text and "'A'" in text
    assert "pair" not in text and "first" not in text
    queries["two"] = "PATTERN SEQ(pair p, ANY c) WITHIN 9"
    assert pushed(cepheid.workload(queries).plan(bind(COLUMNS, **ONE_STREAM))).filter is None
    queries["two"] = "PATTERN SEQ(pair p, ANY c) WHERE [first] WITHIN 9"
    assert "'C'" not in pushed(cepheid.workload(queries).plan(bind(COLUMNS, **ONE_STREAM))).text
