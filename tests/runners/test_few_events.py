"""Events that are pushed a few at a time: the same matches, late and bad events as on Arrow's way."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import cepheid
from cepheid.runners.stream.few import FEW, FewIntake

QUERY = cepheid.query(
    "PATTERN SEQ(A a, B b) WHERE [k] AND a.x > 1 AND b.s >= a.s AND b.x < a.x + 10 WITHIN 100 s"
)
COLUMNS = pa.schema(
    {
        "time": pa.timestamp("ms"),
        "type": pa.string(),
        "k": pa.int32(),
        "x": pa.float64(),
        "s": pa.string(),
        "big": pa.uint64(),
        "zoned": pa.timestamp("us", "Europe/Berlin"),
        "nested": pa.struct([("n", pa.int64()), ("tags", pa.list_(pa.string()))]),
    }
)
START = datetime(2026, 3, 29, 0, 59)


class Colour(enum.IntEnum):
    RED = 1


def event(second: float, kind: str = "A", **more: Any) -> dict[str, Any]:
    known = {"time": START + timedelta(seconds=second), "type": kind, "k": 1, "x": 2.5, "s": "b"}
    return known | {"big": 7, "zoned": datetime(2026, 3, 29, tzinfo=UTC), "nested": {"n": 1}} | more


@contextmanager
def by_arrow() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FewIntake, "taken", lambda self, batch: None)
        yield


def told(pushes: list[Any], **terms: Any) -> list[Any]:
    """All that a session says: matches push by push, what it did not use, and how far it is."""
    session = QUERY.session(COLUMNS, time="time", type="type", **terms)
    found = [session.push(batch).to_pylist() for batch in pushes]
    found.append(session.close().to_pylist())
    return [found, session.late.to_pylist(), session.bad.to_pylist(), session.watermark]


def check(pushes: list[Any], **terms: Any) -> list[Any]:
    found = told(pushes, **terms)
    with by_arrow():
        assert repr(told(pushes, **terms)) == repr(found)
    return found


def matches(found: list[Any]) -> list[Any]:
    return [row for pushed in found[0] for row in pushed]


ODD: dict[str, list[Any]] = {
    "k": [None, 2**31, -1, True, 1.0, 1.5, "1", Colour.RED, np.int64(1), Decimal(1)],
    "x": [None, 3, 2**53, 2**60, float("nan"), float("inf"), -0.0, True, "3", Decimal("2.5"), np.float32(2)],
    "s": [None, "", "é", "🦀", "\ud800", b"b", 5],
    "big": [None, 2**63 - 1, 2**63, 2**64, -1],
    "zoned": [None, START, START.replace(tzinfo=timezone(timedelta(hours=5))), date(2026, 1, 1), 5, "2026"],
    "nested": [None, {}, {"tags": ["a", None]}, {"n": "one"}, {"other": 1}, [("n", 2)], 5],
    "time": [None, START + timedelta(microseconds=5), START.replace(tzinfo=UTC), 5, datetime.max],
    "type": [None, "C", 5],
    "unknown": [1, None],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in ODD for value in ODD[name]])
def test_odd_values(name: str, value: Any) -> None:
    odd = event(1, "B") | {name: value}
    check([event(0), odd, event(2, "B")])
    check([event(0), [event(1), odd], event(2, "B")])


def test_forms_of_a_push() -> None:
    rows = [event(0), event(1), event(2, "B", x=4.0)]
    table = pa.Table.from_pylist(rows, schema=COLUMNS)
    pieces = [table.slice(number, 1) for number in range(3)]
    expected = told([table])
    (batch,) = table.to_batches()
    for pushes in (
        rows,
        [rows],
        [tuple(rows)],
        pieces,
        [piece.to_batches()[0] for piece in pieces],
        [batch],
        [pa.concat_tables(pieces)],
        [table.select(sorted(table.column_names))],
        [rows[0], pieces[1], [rows[2]]],
    ):
        found = check(pushes)
        assert repr([matches(found), *found[1:]]) == repr([matches(expected), *expected[1:]])


@pytest.mark.parametrize("lateness", ["0 s", "3 s", "1 hour"])
def test_late_events_and_those_that_wait(lateness: str) -> None:
    seconds = [0, 5, 4, 1, 5, 9, 3, 20, 12, 18]
    rows = [event(second, "AB"[number % 2], x=float(number)) for number, second in enumerate(seconds)]
    check(rows, lateness=lateness)
    check([rows[:4], rows[4], rows[5:]], lateness=lateness)
    many = [event(30 + number, "AB"[number % 2]) for number in range(FEW + 5)]
    check([*rows, many, event(60, "B")], lateness=lateness)


def test_identical_events_are_told_apart() -> None:
    rows = [event(0), event(0), event(0), event(0, "B"), event(0, "B")]
    found = check(rows)
    assert len({row["match_id"] for row in matches(found)}) == 6
    assert repr(matches(told([rows[:2], rows[2:3], rows[3:]]))) == repr(matches(found))


def test_a_snapshot_among_identical_events() -> None:
    rows = [event(0), event(0), event(0, "B"), event(0, "B")]
    expected = told([rows])[0][0]
    session = QUERY.session(COLUMNS, time="time", type="type")
    found = []
    for row in rows:
        found += session.push(row).to_pylist()
        session = cepheid.resume(QUERY, session.snapshot())
    assert repr(found) == repr(expected)


@pytest.mark.parametrize("lateness", ["0 s", "1 min"])
def test_ties_are_ordered_by_their_columns(lateness: str) -> None:
    rows = [event(0, x=x, s=s) for x in (3.0, float("nan"), None, 2.0) for s in ("b", None, "a")]
    rows += [event(1, "B", s="z", x=3.0)]
    check(rows, order=["x", "s"], lateness=lateness)
    check([rows[:5], rows[5:]], order=["x", "s"], lateness=lateness)


def test_many_texts_come_one_by_one() -> None:
    texts = [f"{number * 7919 % 1000:03}" for number in range(300)]
    rows = [event(number % 100, "AB"[number % 2], s=text) for number, text in enumerate(texts)]
    rows.sort(key=lambda row: row["time"])
    check(rows)


def test_good_events_do_not_take_arrows_way(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("a few good events were made a table")

    session = QUERY.session(COLUMNS, time="time", type="type", lateness="1 s")
    monkeypatch.setattr("cepheid.runners.embedded.session.fit_rows", refuse)
    for row in (event(0), [event(1, "B"), event(2, "B")]):
        session.push(row)
    session.push(pa.Table.from_pylist([event(3, "B")], schema=COLUMNS))
    assert session.close().num_rows >= 1


def test_a_text_that_is_not_utf8_makes_one_event_bad() -> None:
    schema = pa.schema([("t", pa.int64()), ("k", pa.string()), ("s", pa.string())])
    text = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0"), pa.py_buffer(b"\xff")]
    )
    stream = cepheid.query("PATTERN A a WHERE a.s = 'x' WITHIN 5").session(schema, time="t", type="k")
    stream.push(pa.RecordBatch.from_arrays([pa.array([1]), pa.array(["A"]), text], schema=schema))
    assert stream.bad.num_rows == 1
