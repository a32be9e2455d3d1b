"""Events as they come: watermarks, snapshots, the end."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import BindingError, CepheidError, LimitError, QueryCheckError
from tests.runners.streams import BINDING, FOUND, QUERY, ROWS, TABLE, found

SCHEMA = {"time": "int64", "type": "string"}
STAMPED = {"time": pa.timestamp("s"), "type": pa.string()}
QUIET = cepheid.query("PATTERN SEQ(A a, ~B b) WITHIN 5 RETURN a.time")
QUIET_STAMPED = cepheid.query("PATTERN SEQ(A a, ~B b) WITHIN 5 s RETURN a.time")


def event(time: Any, kind: str = "A") -> dict[str, Any]:
    return {"time": time, "type": kind}


# -- time ------------------------------------------------------------------------------------------


def test_the_watermark_follows_the_newest_event() -> None:
    session = QUIET.session(SCHEMA, **BINDING, lateness=3)
    assert session.watermark == float("-inf")
    session.push([event(10), event(8), event(9)])
    assert session.watermark == 7
    session.advance(9)
    assert session.watermark == 9
    session.advance(2)
    assert session.watermark == 9
    session.push([event(20)])
    assert session.watermark == 17


def test_events_wait_for_the_watermark() -> None:
    session = QUERY.session(TABLE.schema, **BINDING, lateness=2)
    assert found(session.push([ROWS[1], ROWS[0]])) == []
    assert session.stats["waiting"] == 2
    assert found(session.push([ROWS[3], ROWS[2]])) == FOUND[:1]
    assert found(session.close()) == FOUND[1:]
    assert session.stats["late"] == 0


def test_advance_closes_windows() -> None:
    session = QUIET.session(SCHEMA, **BINDING)
    assert found(session.push(event(1))) == []
    assert found(session.advance(6)) == []
    assert found(session.advance(7)) == [(1,)]
    assert found(session.advance(7)) == []


MOMENTS: list[Any] = [
    datetime(1970, 1, 1, 0, 0, 7),
    datetime(1970, 1, 1, 0, 0, 7, tzinfo=UTC),
    "1970-01-01 00:00:07",
    "1970-01-01T00:00:06.5",
    date(1970, 1, 2),
    pd.Timestamp("1970-01-01 00:00:07"),
    datetime.max,
]


@pytest.mark.parametrize("moment", MOMENTS, ids=str)
def test_moments_as_users_write_them(moment: Any) -> None:
    session = QUIET_STAMPED.session(STAMPED, **BINDING)
    assert found(session.push(event(datetime(1970, 1, 1, 0, 0, 1)))) == []
    assert len(session.advance(moment)) == 1


def test_a_moment_without_a_zone_is_in_that_of_the_column() -> None:
    schema = {**STAMPED, "time": pa.timestamp("s", "Europe/Berlin")}
    session = QUIET_STAMPED.session(schema, **BINDING)
    session.push(event(datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)))
    assert len(session.advance("1970-01-01 00:59:59")) == 0
    assert len(session.advance(datetime(1970, 1, 1, 1, 0, 7))) == 1


@pytest.mark.parametrize("moment", [7, 6.5, np.int64(7), np.float64(7), float("inf")], ids=repr)
def test_numbers_as_moments(moment: Any) -> None:
    session = QUIET.session(SCHEMA, **BINDING)
    session.push(event(1))
    assert found(session.advance(moment)) == [(1,)]


@pytest.mark.parametrize(
    "moment", [None, "7", True, float("nan"), 2**64, -(2**64), datetime(2024, 1, 1), [7]], ids=repr
)
def test_no_moment_of_a_numeric_time(moment: Any) -> None:
    with pytest.raises(BindingError):
        QUIET.session(SCHEMA, **BINDING).advance(moment)


@pytest.mark.parametrize(
    "moment", [None, 7, "noon", float("inf"), np.datetime64("2024-01-01"), pd.NaT], ids=repr
)
def test_no_moment_of_a_timestamp(moment: Any) -> None:
    with pytest.raises(BindingError):
        QUIET_STAMPED.session(STAMPED, **BINDING).advance(moment)


def test_a_moment_that_the_column_cannot_hold() -> None:
    fine = {"time": pa.timestamp("ns"), "type": pa.string()}
    with pytest.raises(BindingError, match="beyond"):
        QUIET_STAMPED.session(fine, **BINDING).advance(datetime.max)


LATENESS: list[tuple[Any, Any]] = [(0, 0), (5, 5), ("5", 5), (2.5, 2), (2**80, 2**80)]


@pytest.mark.parametrize(("given", "expected"), LATENESS)
def test_lateness_in_ticks(given: Any, expected: int) -> None:
    assert QUIET.session(SCHEMA, **BINDING, lateness=given).lateness == expected


@pytest.mark.parametrize("given", ["5 min", timedelta(minutes=5), "300 s", "300000 ms"])
def test_lateness_with_a_unit(given: Any) -> None:
    assert QUIET_STAMPED.session(STAMPED, **BINDING, lateness=given).lateness == 300
    assert QUIET.session(SCHEMA, **BINDING, time_unit="s", lateness=given).lateness == 300


@pytest.mark.parametrize("given", [None, -1, "soon", float("nan"), float("inf"), [1], "5 parsecs"])
def test_no_lateness(given: Any) -> None:
    with pytest.raises(BindingError, match="lateness"):
        QUIET.session(SCHEMA, **BINDING, lateness=given)
    with pytest.raises(BindingError, match="lateness"):
        QUIET_STAMPED.session(STAMPED, **BINDING, lateness=given)


def test_lateness_without_a_unit_on_timestamps() -> None:
    with pytest.raises(BindingError, match="needs a unit"):
        QUIET_STAMPED.session(STAMPED, **BINDING, lateness=5)
    with pytest.raises(BindingError, match="time_unit="):
        QUIET.session(SCHEMA, **BINDING, lateness="5 min")


def test_any_lateness_and_any_time_can_be_subtracted() -> None:
    session = QUIET.session(SCHEMA, **BINDING, lateness=2**70)
    session.push([event(2**62), event(-(2**62))])
    assert session.stats["late"] == 0
    session = QUIET.session(SCHEMA, **BINDING, lateness=100)
    session.push([event(-(2**63)), event(2**63 - 1), event(-(2**63))])
    assert session.stats["late"] == 1


# -- snapshots -------------------------------------------------------------------------------------


def test_a_resumed_session_goes_on() -> None:
    session = QUERY.session(TABLE.schema, **BINDING, lateness=1, max_matches=7, max_state=10**8)
    outputs = []
    for row in ROWS:
        outputs += found(session.push(row))
        session = cepheid.resume(QUERY, session.snapshot())
    session.push([{"time": 1, "type": "A"}, {"time": None, "type": "A"}])
    session = cepheid.resume(QUERY, session.snapshot())
    assert outputs + found(session.close()) == FOUND
    assert (session.late.num_rows, session.bad.num_rows) == (1, 1)
    stats = session.stats
    assert (stats["late"], stats["bad"], stats["events"], stats["matches"]) == (1, 1, 4, 2)
    assert (stats["max_matches"], stats["max_state"], session.lateness) == (7, 10**8, 1)


@pytest.mark.parametrize("choice", ["side", "drop", "fail"])
def test_what_was_asked_about_late_and_bad_events_is_kept(choice: str) -> None:
    session = QUERY.session(TABLE.schema, **BINDING, on_late=choice, on_bad=choice)
    session.push(ROWS[3])
    session = cepheid.resume(QUERY, session.snapshot())
    if choice == "fail":
        with pytest.raises(CepheidError, match="late"):
            session.push(ROWS[0])
        return
    session.push([ROWS[0], {"time": None}])
    assert (session.stats["late"], session.stats["bad"]) == (1, 1)
    assert session.late.num_rows == session.bad.num_rows == (1 if choice == "side" else 0)


def test_a_snapshot_before_anything() -> None:
    session = cepheid.resume(QUERY, QUERY.session(TABLE.schema, **BINDING).snapshot())
    assert found(session.push(TABLE)) == FOUND


def test_a_snapshot_is_of_its_moment() -> None:
    session = QUERY.session(TABLE.schema, **BINDING)
    session.push(TABLE.slice(0, 1))
    saved = session.snapshot()
    for _ in range(2):
        assert found(cepheid.resume(QUERY, saved).push(TABLE.slice(1, 1))) == FOUND[:1]
    assert found(session.push(TABLE.slice(1, 1))) == FOUND[:1]


def test_a_query_built_anew_resumes() -> None:
    session = QUERY.session(TABLE.schema, **BINDING)
    session.push(TABLE.slice(0, 1))
    again = cepheid.query(QUERY.text)
    assert found(cepheid.resume(again, session.snapshot()).push(TABLE.slice(1, 1))) == FOUND[:1]


# -- the end ---------------------------------------------------------------------------------------

AFTER: dict[str, Callable[[Any], Any]] = {
    "close": lambda session: session.close(),
    "push": lambda session: session.push(ROWS),
    "advance": lambda session: session.advance(9),
    "snapshot": lambda session: session.snapshot(),
}


@pytest.mark.parametrize("call", AFTER.values(), ids=AFTER.keys())
def test_after_the_end(call: Callable[[Any], Any]) -> None:
    session = QUERY.session(TABLE.schema, **BINDING)
    session.close()
    with pytest.raises(CepheidError, match="the session is closed"):
        call(session)
    assert session.stats["events"] == 0


def test_after_a_limit_the_session_is_stopped() -> None:
    session = QUERY.session(TABLE.schema, **BINDING, max_matches=1)
    with pytest.raises(LimitError):
        session.push(TABLE)
    with pytest.raises(CepheidError, match="an error has stopped it"):
        session.push(TABLE)


# -- what a session may not be ---------------------------------------------------------------------

UNBOUNDED = [
    "PATTERN SEQ(A a, B b)",
    "PATTERN A+ a[] WHERE strict_contiguity {}",
    "PATTERN SEQ(A a, ~B b)",
    "PATTERN SEQ(A a, B b) WHERE partition_contiguity { [type] }",
]


@pytest.mark.parametrize("text", UNBOUNDED)
def test_state_without_bounds_is_refused(text: str) -> None:
    with pytest.raises(QueryCheckError, match="remember events for ever") as caught:
        cepheid.query(text).session(SCHEMA, **BINDING)
    assert "WITHIN" in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "PATTERN A a",
        "PATTERN SEQ(A a, B b) WHERE strict_contiguity {}",
        "PATTERN SEQ(A a, B? b) WHERE partition_contiguity {}",
    ],
)
def test_bounded_state_needs_no_window(text: str) -> None:
    session = cepheid.query(text).session(SCHEMA, **BINDING)
    assert len(session.push([event(1), event(2, "B")])) >= 1


def test_schemas_as_users_write_them() -> None:
    for schema in (
        TABLE.schema,
        TABLE,
        TABLE.to_pandas(),
        ROWS,
        dict(zip(TABLE.schema.names, TABLE.schema.types, strict=True)),
    ):
        assert found(QUERY.session(schema, **BINDING).push(TABLE)) == FOUND


@pytest.mark.parametrize(
    "schema", [None, 5, {"time": int}, {"time": "int6"}, [("time", pa.int64())]], ids=repr
)
def test_no_schema(schema: Any) -> None:
    with pytest.raises(BindingError):
        QUERY.session(schema, time="time")


def test_a_failed_push_leaves_the_watermark() -> None:
    session = QUERY.session(TABLE.schema, **BINDING, on_late="fail")
    session.push(ROWS[1])
    with pytest.raises(CepheidError, match="late"):
        session.push([ROWS[3], ROWS[0]])
    assert session.watermark == 2
