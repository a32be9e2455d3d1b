"""Writing results: by ending, whole or not at all."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

from cepheid.errors import SourceError
from cepheid.sources.files import open_events, write_table

MOMENT = dt.datetime(2024, 1, 1, 9, 30, 0, 250_000)
NESTED = pa.table(
    {
        "a": pa.array(
            [{"t": MOMENT, "x": 1}, None], pa.struct([("t", pa.timestamp("us")), ("x", pa.int64())])
        ),
        "b": pa.array([[MOMENT], None], pa.list_(pa.timestamp("us"))),
        "d": pa.array([dt.timedelta(seconds=90), dt.timedelta(milliseconds=-1)], pa.duration("us")),
        "f": [float("nan"), 1.5],
        "k": pa.array(["u", "v"]).dictionary_encode(),
        "n": pa.array([Decimal("12345678901234567890123"), None], pa.decimal128(38, 0)),
    }
)


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_json_lines_hold_every_type(tmp_path: Path) -> None:
    write_table(NESTED, tmp_path / "a.jsonl")
    assert lines(tmp_path / "a.jsonl") == [
        {
            "a": {"t": "2024-01-01T09:30:00.250000", "x": 1},
            "b": ["2024-01-01T09:30:00.250000"],
            "d": "PT90S",
            "f": None,
            "k": "u",
            "n": "12345678901234567890123",
        },
        {"a": None, "b": None, "d": "-PT0.001S", "f": 1.5, "k": "v", "n": None},
    ]


def test_slices_of_lists_are_written_rightly(tmp_path: Path) -> None:
    table = pa.table({"b": pa.array([[MOMENT], None, [MOMENT, None], []], pa.list_(pa.timestamp("us")))})
    write_table(table.slice(1), tmp_path / "a.jsonl")
    text = "2024-01-01T09:30:00.250000"
    assert lines(tmp_path / "a.jsonl") == [{"b": None}, {"b": [text, None]}, {"b": []}]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (pa.timestamp("s"), "1970-01-01T00:00:01"),
        (pa.timestamp("ms", "UTC"), "1970-01-01T00:00:01Z"),
        (pa.timestamp("ns", "Europe/Paris"), "1970-01-01T01:00:01+01:00"),
    ],
)
def test_timestamps_are_iso_8601(tmp_path: Path, kind: pa.TimestampType, text: str) -> None:
    second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[kind.unit]
    write_table(pa.table({"t": pa.array([second], kind)}), tmp_path / "a.jsonl")
    assert lines(tmp_path / "a.jsonl") == [{"t": text}]


def test_csv_keeps_nested_values_as_json(tmp_path: Path) -> None:
    write_table(NESTED, tmp_path / "a.csv")
    row = open_events([tmp_path / "a.csv"]).to_table().to_pylist()[0]
    assert json.loads(row["a"]) == {"t": "2024-01-01T09:30:00.250000", "x": 1}
    assert row["d"] == "PT90S"


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_columnar_files_keep_every_type(tmp_path: Path, ending: str) -> None:
    write_table(NESTED, tmp_path / f"a.{ending}")
    assert open_events([tmp_path / f"a.{ending}"]).to_table().drop(["f"]).equals(NESTED.drop(["f"]))


def test_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert write_table(pa.table({"a": [1, 2]}), "-") == 2
    assert capsys.readouterr().out == '{"a": 1}\n{"a": 2}\n'


def test_batches_are_written_as_they_come(tmp_path: Path) -> None:
    batches = (pa.record_batch({"a": [number]}) for number in range(3))
    assert write_table(batches, tmp_path / "a.parquet") == 3
    with pytest.raises(ValueError, match="no batch"):
        write_table(iter([]), tmp_path / "b.parquet")


def test_a_failed_file_does_not_appear(tmp_path: Path) -> None:
    def failing() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"a": [1]})
        raise KeyboardInterrupt

    (tmp_path / "a.csv").write_text("old")
    with pytest.raises(KeyboardInterrupt):
        write_table(failing(), tmp_path / "a.csv")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a.csv", "old")]


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    table = pa.table({"a": [1]})
    with pytest.raises(SourceError, match="there is no folder"):
        write_table(table, tmp_path / "nowhere" / "a.csv")
    with pytest.raises(SourceError, match="is a folder"):
        write_table(table, (tmp_path / "folder.csv").mkdir() or tmp_path / "folder.csv")
    with pytest.raises(SourceError, match="the ending"):
        write_table(table, tmp_path / "a.doc")
    with pytest.raises(SourceError, match="compressed inside"):
        write_table(table, tmp_path / "a.parquet.gz")
