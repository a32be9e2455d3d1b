"""Rows of AGG as events of the queries that name theirs."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import QueryError
from cepheid.events import bind
from cepheid.plan.events.division import By, divided
from tests.composing import COLUMNS, EVENTS, ONE_STREAM, run

THRESHOLD = {
    "many": "PATTERN A a WITHIN 4 AGG COUNT AS n HAVING n >= 2 EMIT ON RISE",
    "then": "PATTERN SEQ(many m, B b) WHERE skip_till_next_match { 1 = 1 } WITHIN 9 "
    "RETURN m.t AS since, m.n AS n, b.x AS x",
}


def test_rows_of_a_threshold_are_events_directly_after_theirs() -> None:
    events = [{"t": 1, "k": kind, "x": x} for x, kind in enumerate("ABABAB")]
    found = run(THRESHOLD, events)
    assert found["many"] == [{"time": 1, "n": 2}]
    assert found["then"] == [{"since": 1, "n": 2, "x": 3}]
    queries = {"count": "PATTERN A a AGG COUNT AS n", "seen": _order_of("count", 5)}
    assert run(queries, events[:4])["seen"] == [{"kinds": ["A", "count", "B", "A", "count"]}]


def _order_of(named: str, length: int) -> str:
    """A query for the types of so many events that follow each other from the first on."""
    return (
        f"PATTERN SEQ(ANY{{{length},{length}}} v[], ~{named} x) "
        "WHERE strict_contiguity { v[1].x = 0 } WITHIN 1000 RETURN collect(v.k) AS kinds"
    )


def test_rows_of_a_period_come_after_all_events_of_their_time_and_what_they_bring() -> None:
    events = [{"t": t, "k": k, "x": x} for x, (t, k) in enumerate([(1, "A"), (4, "B"), (4, "A"), (13, "C")])]
    queries = {
        "four": "PATTERN ANY a WITHIN 9 AGG COUNT AS n EMIT EVERY 4",
        "three": "PATTERN ANY a WITHIN 9 AGG COUNT AS n EMIT EVERY 3",
        "each": "PATTERN A a RETURN a.t AS at",
        "seen": "PATTERN SEQ(ANY+ v[], ~four f, ~three g, ~each e, C c) "
        "WHERE strict_contiguity { v[1].x = 0 AND f.n < 0 AND g.n < 0 AND e.at < 0 } WITHIN 100 "
        "RETURN collect(v.k) AS kinds, collect(v.t) AS at",
    }
    (seen,) = run(queries, events)["seen"]
    kinds = ["A", "each", "three", "B", "A", "each", "four", "three", "four", "three", "four", "three"]
    assert seen == {"kinds": kinds, "at": [1, 1, 3, 4, 4, 4, 4, 6, 8, 9, 12, 12]}


def test_groups_of_one_moment_come_by_their_values() -> None:
    events = [{"t": 1, "k": "A", "p": p, "x": 0} for p in (3, None, 1, 2)] + [{"t": 9, "k": "B", "x": 1}]
    queries = {
        "of": "PATTERN A a WITHIN 5 AGG COUNT AS n GROUP BY p EMIT EVERY 2",
        "seen": "PATTERN SEQ(of{4,4} v[], ~A z) WHERE skip_till_next_match { v[1].p IS NULL } WITHIN 1 "
        "RETURN collect(v.p) AS p",
    }
    assert {"p": [None, 1, 2, 3]} in run(queries, events)["seen"]


def test_counts_are_as_wide_as_their_rows_may_be() -> None:
    queries = {
        "pairs": "PATTERN SEQ(A a, B b) WITHIN 9 AGG COUNT AS n",
        "threes": "PATTERN SEQ(A a, B b, C c) WITHIN 9 AGG COUNT AS n, SUM(a.x) AS s",
        "more": "PATTERN A+ a[] AGG COUNT AS n",
        "decimal": "PATTERN SEQ(pairs p, threes t) WHERE t.n > p.n RETURN p.n AS p, t.n AS t WITHIN 9",
        "real": "PATTERN SEQ(pairs p, more m) WHERE m.n >= p.n RETURN m.n AS m WITHIN 9",
    }
    plan = cepheid.workload(queries).plan(bind(COLUMNS, **ONE_STREAM))
    types = {
        name: each.output_schema.field(0).type for name, each in zip(plan.names, plan.plans, strict=True)
    }
    assert types["decimal"] == pa.decimal128(38, 0) and types["real"] == pa.float64()
    assert run(queries, EVENTS)["decimal"]


def test_what_is_counted_together_stays_together_when_it_is_named() -> None:
    queries = {
        "two": "PATTERN SEQ(A a, B b) WITHIN 5 AGG COUNT AS n",
        "three": "PATTERN SEQ(A a, B b, C c) WITHIN 5 AGG COUNT AS n HAVING n > 0",
    }
    named = queries | {"after": "PATTERN SEQ(three t, D d) WITHIN 9 RETURN t.n AS n, d.x AS x"}
    plan = cepheid.workload(named).plan(bind(COLUMNS, **ONE_STREAM))
    assert [len(share.members) for share in plan.shares] == [2, 1]
    found, alone = run(named, EVENTS), run(queries, EVENTS)
    assert {name: found[name] for name in queries} == alone
    assert found["after"]
    for sharing in ("none", "algebra", "prefix_tree", "chop_connect"):
        again = cepheid.workload(named).using(sharing).run(EVENTS, **ONE_STREAM)
        assert again["after"].table.equals(cepheid.workload(named).run(EVENTS, **ONE_STREAM)["after"].table)


@pytest.mark.parametrize(
    ("counted", "message"),
    [
        ("AGG COUNT AS k", "'one' has a column 'k', which is the type of events"),
        ("AGG COUNT AS p", "'one' has a column 'p', which is a tie-breaker of events"),
        ("AGG COUNT GROUP BY k", "which is the type of events\nleave it out of GROUP BY"),
        ("AGG MAX(a.k) AS x", "returns 'x' as string, which is int64 elsewhere"),
    ],
)
def test_columns_of_rows_that_would_mean_two_things_are_refused(counted: str, message: str) -> None:
    workload = cepheid.workload({"one": f"PATTERN A a {counted}", "two": "PATTERN one o"})
    with pytest.raises(QueryError) as error:
        workload.plan(bind(COLUMNS, **ONE_STREAM, order=["p"]))
    assert message in str(error.value)


def test_rows_are_divided_by_the_keys_of_their_groups() -> None:
    def way(counted: str) -> Any:
        queries = {
            "many": f"PATTERN A a WHERE [p] WITHIN 5 AGG COUNT AS n {counted}",
            "then": "PATTERN SEQ(many m, B b) WHERE m.n > 2 WITHIN 5",
        }
        if "GROUP" in counted:
            queries["then"] = queries["then"].replace("WHERE", "WHERE [p] AND")
        return divided(cepheid.workload(queries).plan(bind(COLUMNS, **ONE_STREAM)))

    assert way("GROUP BY p").keys == ("p",)
    assert way("").by is By.NOTHING, "the total over all partitions"
    assert way("GROUP BY p EMIT EVERY 5").by is By.NOTHING
