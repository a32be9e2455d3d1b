"""pandas frames: the index, periods, and texts that are no times yet."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import BindingError

TIMES = pd.date_range("2026-03-01", periods=4, freq="h", tz="Europe/Berlin")
FRAME = pd.DataFrame({"kind": ["A", "B", "A", "B"], "x": [1, 2, 3, 4]})
QUERY = cepheid.query("PATTERN SEQ(A a, B b) WITHIN 1 hour RETURN a.x, b.time AS at")
TEXTS = ["2026-03-01T00:00:00", "2026-03-01T01:00:00", "2026-03-01T02:00:00", "2026-03-01T03:00:00"]

INDEXED: dict[str, Any] = {
    "ts": FRAME.set_index(TIMES.rename("ts")),
    "index": FRAME.set_index(TIMES),
    "a level": FRAME.set_index([pd.Index([7, 7, 8, 8], name="day"), TIMES.rename("a level")]),
    "level_1": FRAME.set_index([pd.Index([7, 7, 8, 8]), TIMES]),
}


def found(matches: Any) -> list[tuple[int, datetime]]:
    table = matches if isinstance(matches, pa.Table) else matches.table
    return [(row["a_x"], row["at"]) for row in table.to_pylist()]


@pytest.mark.parametrize("name", INDEXED)
def test_an_index_of_times_is_a_time_column(name: str) -> None:
    frame = INDEXED[name]
    whole = found(QUERY.run(frame, time=name, type="kind"))
    assert whole == [(1, TIMES[1]), (3, TIMES[3])]
    session = QUERY.session(frame, time=name, type="kind")
    assert found(session.push(frame.iloc[:2])) + found(session.push(frame.iloc[2:])) == whole
    assert session.bad.num_rows == 0
    assert frame.index.nlevels + len(frame.columns) < 5, "the frame of the user is as it was"


def test_an_index_may_be_any_column_of_the_binding() -> None:
    frame = FRAME.assign(ts=TIMES).set_index("kind")
    assert len(QUERY.run(frame, time="ts", type="kind")) == 2


def test_a_column_hides_an_index_of_its_name() -> None:
    frame = FRAME.assign(ts=TIMES).set_index(pd.RangeIndex(4, name="ts"))
    assert found(QUERY.run(frame, time="ts", type="kind")) == [(1, TIMES[1]), (3, TIMES[3])]


@pytest.mark.parametrize("name", INDEXED)
def test_the_index_is_pointed_to(name: str) -> None:
    with pytest.raises(BindingError, match=f"no column 'when' for time=; the index .* say time='{name}'"):
        QUERY.run(INDEXED[name], time="when", type="kind")


def test_an_index_that_nobody_names_is_no_column() -> None:
    frame = FRAME.assign(ts=range(4)).set_index(TIMES)
    assert set(cepheid.query("PATTERN A a").run(frame, time="ts", type="kind")[0]["a"]) == {"kind", "x", "ts"}


# -- periods ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("as_index", [False, True])
def test_a_period_is_the_moment_at_which_it_begins(as_index: bool) -> None:
    periods = pd.period_range("2026-01", periods=4, freq="M", name="ts")
    frame = FRAME.set_index(periods) if as_index else FRAME.assign(ts=periods)
    query = cepheid.query("PATTERN SEQ(A a, B b) WITHIN 31 days RETURN a.x, b.time AS at")
    assert found(query.run(frame, time="ts", type="kind")) == [
        (1, datetime(2026, 2, 1)),
        (3, datetime(2026, 4, 1)),
    ]


def test_a_period_among_the_attributes() -> None:
    frame = FRAME.assign(ts=range(4), month=pd.period_range("2026-01", periods=4, freq="M"))
    frame.loc[1, "month"] = pd.NaT
    query = cepheid.query("PATTERN ANY e WHERE e.month >= '2026-03-01' RETURN e.ts AS at")
    assert query.run(frame, time="ts").table["at"].to_pylist() == [2, 3]


# -- texts -----------------------------------------------------------------------------------------


def converted(events: Any, line: str) -> Any:
    names: dict[str, Any] = {"df": events, "table": events, "events": events}
    exec(line, {"pd": pd, "pl": pl, "pa": pa, "datetime": datetime}, names)
    return names[line.split()[0].split("[")[0] if not line.startswith("for") else "events"]


@pytest.mark.parametrize(
    "events",
    [
        FRAME.assign(ts=TEXTS),
        pl.from_pandas(FRAME.assign(ts=TEXTS)),
        pa.Table.from_pandas(FRAME.assign(ts=TEXTS)),
        FRAME.assign(ts=TEXTS).to_dict("records"),
    ],
    ids=["pandas", "Polars", "Arrow", "dicts"],
)
def test_texts_are_refused_with_the_line_that_converts_them(events: Any) -> None:
    with pytest.raises(BindingError, match="turn it into times first: ") as caught:
        QUERY.run(events, time="ts", type="kind")
    line = str(caught.value).split("times first: ")[1]
    assert len(QUERY.run(converted(events, line), time="ts", type="kind")) == 2


def test_a_session_of_texts_is_refused() -> None:
    with pytest.raises(BindingError, match=r"say pa.timestamp\('us'\) in the schema"):
        QUERY.session(FRAME.assign(ts=TEXTS), time="ts", type="kind")
