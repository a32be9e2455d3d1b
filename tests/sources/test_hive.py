"""Folders that hold columns in their names."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cepheid.errors import SourceError
from cepheid.sources.files import open_events


def write(path: Path, **columns: list[object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)


@pytest.fixture
def days(tmp_path: Path) -> Path:
    for number, day in enumerate(("2024-01-01", "2024-01-02")):
        for hour in (9, 10):
            write(tmp_path / "all" / f"day={day}" / f"hour={hour}" / "a.parquet", ts=[number * 100 + hour])
    return tmp_path / "all"


EXPECTED = [
    {"ts": 10, "day": "2024-01-01", "hour": 10},
    {"ts": 9, "day": "2024-01-01", "hour": 9},
    {"ts": 110, "day": "2024-01-02", "hour": 10},
    {"ts": 109, "day": "2024-01-02", "hour": 9},
]


def test_folders_add_columns(days: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = open_events([days])
    assert found.schema == pa.schema([("ts", pa.int64()), ("day", pa.string()), ("hour", pa.int32())])
    assert found.to_table().to_pylist() == EXPECTED
    assert found.select(["hour"]).to_table().column("hour").to_pylist() == [10, 9, 10, 9]
    assert found.select(["ts"]).to_table().column_names == ["ts"]
    assert open_events([str(days / "*" / "*" / "a.parquet")]).to_table().to_pylist() == EXPECTED
    assert (
        open_events([days / "day=2024-01-02" / "hour=9" / "a.parquet"]).to_table().to_pylist() == EXPECTED[3:]
    )
    monkeypatch.chdir(days)
    assert open_events(["day=2024-01-01", "day=2024-01-02"]).to_table().to_pylist() == EXPECTED


def test_a_folder_without_a_value(days: Path) -> None:
    write(days / "day=__HIVE_DEFAULT_PARTITION__" / "hour=11" / "a.parquet", ts=[11])
    write(days / "day=a%2Fb" / "hour=12" / "a.parquet", ts=[12])
    table = open_events([days]).to_table()
    assert {"ts": 11, "day": None, "hour": 11} in table.to_pylist()
    assert {"ts": 12, "day": "a/b", "hour": 12} in table.to_pylist()


def test_what_the_file_says_counts(tmp_path: Path) -> None:
    write(tmp_path / "day=1" / "a.parquet", ts=[1], day=["one"])
    assert open_events([tmp_path]).to_table().to_pylist() == [{"ts": 1, "day": "one"}]


def test_folders_that_are_not_divided_alike(tmp_path: Path) -> None:
    write(tmp_path / "day=1" / "a.parquet", ts=[1])
    write(tmp_path / "hour=1" / "a.parquet", ts=[1])
    with pytest.raises(SourceError, match="has no column 'day'"):
        open_events([tmp_path])
