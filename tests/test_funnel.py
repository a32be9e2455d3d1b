"""Funnels: against a plain loop, over every kind of events, and what is refused."""

from __future__ import annotations

import random
import warnings
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cepheid
from cepheid.errors import CepheidError, CepheidWarning
from tests.funnel_loop import looped

SHOP = [
    {"ts": 1, "kind": "view", "user": "ann", "page": "/"},
    {"ts": 2, "kind": "view", "user": "bob", "page": "/sale"},
    {"ts": 3, "kind": "view", "user": "ann", "page": "/sale"},
    {"ts": 5, "kind": "cart", "user": "ann", "page": "/"},
    {"ts": 6, "kind": "cart", "user": "cid", "page": "/"},
    {"ts": 8, "kind": "cart", "user": "bob", "page": "/"},
    {"ts": 9, "kind": "pay", "user": "ann", "page": "/"},
    {"ts": 30, "kind": "pay", "user": "bob", "page": "/"},
    {"ts": 31, "kind": "view", "user": None, "page": "/"},
    {"ts": 32, "kind": "cart", "user": None, "page": "/"},
]
STEPS = ["view", "cart", "pay"]
ROWS = [
    {"step": "view", "count": 2, "conversion": 1.0, "drop_off": 0.0, "median_time": None},
    {"step": "cart", "count": 2, "conversion": 1.0, "drop_off": 0.0, "median_time": 4.0},
    {"step": "pay", "count": 1, "conversion": 0.5, "drop_off": 0.5, "median_time": 4.0},
]


def run(events: Any = SHOP, steps: Any = STEPS, within: Any = 20, by: Any = "user", **terms: Any) -> Any:
    return cepheid.funnel(steps, within=within, by=by).run(events, **{"time": "ts", "type": "kind", **terms})


def test_it_counts_users_and_the_time_since_the_step_before() -> None:
    """Ann's cart is 2 after her latest view, Bob's 6; his payment came too late; Cid saw nothing."""
    found = run()
    assert list(found) == ROWS
    assert found.table.schema.names == ["step", "count", "conversion", "drop_off", "median_time"]
    assert found.stats["events"] == len(SHOP)


def test_any_source_gives_the_same(tmp_path: Path) -> None:
    table = pa.Table.from_pylist(SHOP)
    pq.write_table(table, tmp_path / "shop.parquet")
    sources = [table, pl.DataFrame(SHOP), pd.DataFrame(SHOP), table.to_reader(), tmp_path / "shop.parquet"]
    for source in sources:
        assert list(run(source)) == ROWS


def test_the_order_of_rows_does_not_matter() -> None:
    assert list(run(list(reversed(SHOP)))) == ROWS


@pytest.mark.parametrize("seed", range(60))
def test_as_a_plain_loop_counts(seed: int) -> None:
    """Each user is a random stream of a few events: some thousand in all."""
    rng = random.Random(seed)
    steps = [rng.choice("ABC") for _ in range(rng.randint(2, 4))]
    users = rng.randint(1, 40)
    size, span = rng.randint(0, 12 * users), rng.choice([5, 40, 200])
    events = [
        {
            "ts": rng.randint(0, span),
            "kind": rng.choice("ABCD"),
            "user": None if rng.random() < 0.05 else rng.randrange(users),
            "region": rng.choice(["n", "s"]),
            "x": rng.choice([None, 1, 2, 3]),
        }
        for _ in range(size)
    ]
    events = events or [{"ts": 0, "kind": "D", "user": 0, "region": "n", "x": 1}]
    limits = [rng.choice([None, 2]) for _ in steps]
    by = rng.choice([["user"], ["user", "region"]])
    length = rng.choice([1, 3, 10, 60])
    half_open = rng.random() < 0.3
    texts = [
        kind if limit is None else f"{kind} WHERE x >= {limit}"
        for kind, limit in zip(steps, limits, strict=True)
    ]
    table = pa.Table.from_pylist(events, schema=_SCHEMA)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CepheidWarning)
        found = run(table, texts, f"< {length}" if half_open else length, by)
    tests = [_test(kind, limit) for kind, limit in zip(steps, limits, strict=True)]
    wanted = looped(events, tests, lambda took: took < length if half_open else took <= length, by)
    assert [{name: row[name] for name in row if name != "step"} for row in found] == wanted


_SCHEMA = pa.schema(
    [
        ("ts", pa.int64()),
        ("kind", pa.string()),
        ("user", pa.int64()),
        ("region", pa.string()),
        ("x", pa.int64()),
    ]
)


def _test(kind: str, limit: int | None) -> Any:
    def holds(event: Any) -> bool:
        return event["kind"] == kind and (limit is None or (event["x"] is not None and event["x"] >= limit))

    return holds


def test_a_step_more_changes_nothing_before_it() -> None:
    assert list(run(steps=STEPS[:2])) == ROWS[:2]


def test_the_same_step_twice() -> None:
    found = run(steps=["view", "view"])
    assert [(row["count"], row["median_time"]) for row in found] == [(2, None), (1, 2.0)]


def test_steps_with_names_and_conditions() -> None:
    steps = {
        "Saw the sale": "view WHERE page = '/sale' -- not '/'",
        "Paid": "ANY where kind = 'pay' OR page IS NULL",
    }
    found = run(steps=steps, within=None)
    assert [(row["step"], row["count"]) for row in found] == [("Saw the sale", 2), ("Paid", 2)]


def test_without_a_type_column_steps_are_conditions() -> None:
    steps = ["WHERE page = '/sale'", "WHERE page = '/'"]
    assert [row["count"] for row in run(steps=steps, type=None, within=None)] == [2, 2]


@pytest.mark.parametrize("name", ["Product Viewed", "any", "where", "it's", "a`b", "s1"])
def test_types_of_any_name(name: str) -> None:
    events = [{"ts": 1, "kind": name, "user": 1}, {"ts": 2, "kind": "B", "user": 1}]
    step = f"`{name.replace('`', '``')}`"
    assert [row["count"] for row in run(events, [step, "B"])] == [1, 1]
    if name == "Product Viewed":
        assert [row["count"] for row in run(events, [name, "B"])] == [1, 1]
        assert [row["count"] for row in run(events, [f"{name} WHERE user = 1", "B"])] == [1, 1]


def test_columns_of_any_name() -> None:
    """A column `time` beside the time column, and keys with the names of our own columns."""
    events = [
        {"at": at, "kind": kind, "time": 0, "before": "u", "reached": 3, "query": "q"}
        for at, kind in ((1, "A"), (4, "B"))
    ]
    found = run(events, ["A", "B WHERE time = 0"], None, ["before", "reached", "query"], time="at")
    assert [(row["count"], row["median_time"]) for row in found] == [(1, None), (1, 3.0)]


@pytest.mark.parametrize(
    ("times", "median"),
    [
        ([datetime(2026, 1, 1), datetime(2026, 1, 1, 0, 20)], timedelta(minutes=20)),
        ([datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, 0, 20, tzinfo=UTC)], timedelta(minutes=20)),
        ([date(2026, 1, 1), date(2026, 1, 3)], timedelta(days=2)),
        ([0.5, 2.25], 1.75),
        ([1, 4], 3.0),
    ],
)
def test_the_median_is_in_the_measure_of_the_time_column(times: list[Any], median: Any) -> None:
    events = [{"ts": at, "kind": kind, "user": 1} for at, kind in zip(times, "AB", strict=True)]
    assert run(events, ["A", "B"], None).table["median_time"].to_pylist() == [None, median]


def test_events_at_one_time_count_in_their_order() -> None:
    tied = [{"ts": 1, "kind": "B", "user": 1, "n": 2}, {"ts": 1, "kind": "A", "user": 1, "n": 1}]
    assert [row["count"] for row in run(tied, ["A", "B"])] == [1, 0]
    assert [row["count"] for row in run(tied, ["A", "B"], order=["n"])] == [1, 1]


def test_a_window_of_events_and_no_events() -> None:
    assert [row["count"] for row in run(within="2 events")] == [2, 2, 0]
    empty = run(
        pa.table({name: pa.array([], kind) for name, kind in zip(_SCHEMA.names, _SCHEMA.types, strict=True)})
    )
    assert [(row["count"], row["conversion"]) for row in empty] == [(0, None)] * 3


def test_bad_events_are_told() -> None:
    found = run([*SHOP, {"ts": None, "kind": "pay", "user": "bob", "page": "/"}])
    assert list(found) == ROWS
    assert found.bad.num_rows == 1


def test_a_type_that_no_event_has_is_told_of() -> None:
    with pytest.warns(CepheidWarning, match="did you mean 'pay'"):
        found = run(steps=["view", "cart", "paay"])
    assert found.notes == ("no event has type 'paay'; did you mean 'pay'?",)
    assert "did you mean" in repr(found)


@pytest.mark.parametrize(
    ("asked", "part"),
    [
        ({"steps": ["view"]}, "at least two steps"),
        ({"steps": "view"}, "the steps are a list"),
        ({"steps": {}}, "at least two steps, and this one has 0"),
        ({"steps": ["view", 3]}, "a step is a text"),
        ({"steps": ["view", " "]}, "step 2 of the funnel is empty"),
        ({"steps": ["`view` x", "cart"]}, "WHERE should follow the type, not 'x'"),
        ({"steps": ["view", "cart WHERE page =="]}, "step 2 of the funnel: the text ends too early"),
        ({"steps": ["view", "cart WHERE [page]"]}, "no equivalence test"),
        ({"steps": ["view", "cart WHERE v[1].x = 1"]}, "no index"),
        ({"steps": ["view", "cart WHERE count(v) = 1"]}, "no aggregate"),
        ({"steps": ["view", "cart WHERE pge = '/'"]}, "query 'step 2, cart WHERE pge = '/'' of the funnel"),
        ({"by": None}, "by= is the column that tells users apart"),
        ({"by": []}, "by= is the column"),
        ({"by": "usr"}, "did you mean 'user'?"),
        ({"within": "30 m"}, "did you mean 'min'?"),
        ({"within": "soon"}, "is not a duration"),
        ({"within": -1}, "longer than nothing"),
        ({"within": True}, "within= is a time"),
        ({"within": float("nan")}, "within= is a time"),
        ({"within": "30 min"}, "time_unit"),
        ({"type": None}, "the step 'view' names a type of event: say type="),
        ({"time": "when"}, "no column 'when'"),
        ({"time": None}, "time= is the name"),
        ({"max_matches": 1}, "max_matches"),
    ],
)
def test_what_is_refused(asked: dict[str, Any], part: str) -> None:
    with pytest.raises(CepheidError) as told:
        run(**asked)
    assert part in str(told.value)


def test_its_text() -> None:
    asked = cepheid.funnel(STEPS, within="30 min", by="user")
    assert str(asked) == "view → cart → pay within 30 min, by user"
    assert "SEQ(view s1, cart s2)" in asked.query(2)
    for none in (0, 4):
        with pytest.raises(CepheidError, match="steps 1 to 3"):
            asked.query(none)
    assert repr(run()).splitlines()[-1].split() == ["pay", "1", "50", "%", "50", "%", "4"]
