"""Reading events: every format gives the same events, and what cannot be read is told."""

from __future__ import annotations

import bz2
import datetime as dt
import gzip
import io
import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cepheid.errors import SourceError
from cepheid.sources.files import open_events, write_table

TABLE = pa.table(
    {
        "ts": pa.array([dt.datetime(2024, 1, 1, 9, 0, second) for second in range(4)], pa.timestamp("us")),
        "symbol": ["A", "B", None, "A"],
        "price": [1.5, 2.0, 3.25, None],
        "volume": [10, 20, 30, 40],
    }
)
ENDINGS = [
    "parquet",
    "csv",
    "tsv",
    "jsonl",
    "ndjson",
    "arrow",
    "feather",
    "arrows",
    "csv.gz",
    "jsonl.bz2",
    "jsonl.zst",
]


def written(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_written_is_read_again(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"events.{ending}"
    assert write_table(TABLE, path) == 4
    files = open_events([path])
    assert files.to_table().equals(TABLE)
    assert files.schema == TABLE.schema
    assert files.bytes == path.stat().st_size
    assert files.rows in (4, None)
    assert files.bad == []


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl", "arrow", "arrows"])
def test_only_the_asked_columns_are_given(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"events.{ending}"
    write_table(TABLE, path)
    assert open_events([path], columns=["volume", "ts"]).to_table().equals(TABLE.select(["volume", "ts"]))
    with pytest.raises(SourceError, match="no column 'volum'"):
        open_events([path], columns=["volum"])


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl", "arrow", "arrows"])
def test_a_table_without_rows(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"none.{ending}"
    write_table(TABLE.slice(0, 0), path)
    if ending == "jsonl":
        with pytest.raises(SourceError, match="is empty"):
            open_events([path])
        return
    files = open_events([path])
    assert files.schema.names == TABLE.schema.names
    assert list(files) == []


def test_a_reading_can_be_repeated(tmp_path: Path) -> None:
    files = open_events([written(tmp_path, "a.csv", "a,b\n1,2\n3\n")])
    assert files.to_table() == files.to_table()
    assert len(files.bad) == 1


def test_batches_are_of_bounded_size(tmp_path: Path) -> None:
    path = tmp_path / "many.parquet"
    pq.write_table(pa.table({"n": range(200_000)}), path)
    sizes = [batch.num_rows for batch in open_events([path])]
    assert sum(sizes) == 200_000
    assert max(sizes) <= 65_536


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "-2", ""], pa.int64()),
        (["1", " 2.5 "], pa.float64()),
        (["true", "False"], pa.bool_()),
        (["1", "true"], pa.bool_()),
        (["2024-01-01", "2024-02-29"], pa.date32()),
        (["2024-01-01", "2024-02-29 10:00"], pa.timestamp("us")),
        (["2024-01-01T10:00:00.123456"], pa.timestamp("us")),
        (["2024-01-01T10:00:00.123456789", "2024-01-01T10:00"], pa.timestamp("ns")),
        (["2024-01-01T10:00:00Z", "2024-01-01T10:00:00+02:00"], pa.timestamp("us", "UTC")),
        (["2024-01-01T10:00:00Z", "2024-01-01T10:00:00"], pa.string()),
        (["1", "one"], pa.string()),
        (["123456789012345678901234567890", "1"], pa.string()),
        (["", "null"], pa.null()),
    ],
)
def test_a_csv_column_has_the_narrowest_type(tmp_path: Path, values: list[str], kind: pa.DataType) -> None:
    rows = "".join(f"{value},x\n" for value in values)
    assert open_events([written(tmp_path, "a.csv", f"a,b\n{rows}")]).schema.field("a").type == kind


def test_a_type_is_that_of_the_whole_file(tmp_path: Path) -> None:
    many = "1\n" * 3_000_000  # more than one block
    files = open_events([written(tmp_path, "a.csv", f"a\n{many}2.5\n")])
    assert files.schema.field("a").type == pa.float64()
    assert sum(batch.num_rows for batch in files) == files.rows == 3_000_001


def test_quoted_csv(tmp_path: Path) -> None:
    text = '\ufeffname, note\n"a,b","two\nlines"\n"",plain\n'
    table = open_events([written(tmp_path, "a.csv", text)]).to_table()
    assert table.to_pylist() == [{"name": "a,b", "note": "two\nlines"}, {"name": "", "note": "plain"}]


def test_csv_rows_with_the_wrong_number_of_fields_are_bad(tmp_path: Path) -> None:
    files = open_events([written(tmp_path, "a.csv", "a,b\n1,2\n3\n4,5\n6,7,8\n")])
    assert files.to_table().to_pylist() == [{"a": 1, "b": 2}, {"a": 4, "b": 5}]
    assert [(row.line, row.text, row.reason) for row in files.bad] == [
        (3, "3", "1 fields where the header has 2"),
        (5, "6,7,8", "3 fields where the header has 2"),
    ]


def test_json_lines_that_do_not_fit_are_bad(tmp_path: Path) -> None:
    lines = ['{"a": 1, "b": "x"}', "", "nonsense", "[1, 2]", '{"a": "one"}', '{"a": 2.5}', '{"c": true}', "{"]
    files = open_events([written(tmp_path, "a.jsonl", "\n".join(lines))])
    assert files.to_table().to_pylist() == [
        {"a": 1.0, "b": "x", "c": None},
        {"a": 2.5, "b": None, "c": None},
        {"a": None, "b": None, "c": True},
    ]
    assert [row.line for row in files.bad] == [3, 4, 5, 8]
    assert files.bad[0].reason.startswith("not JSON")
    assert files.bad[1].reason == "a JSON list, not an object"
    assert "/a" in files.bad[2].reason


def test_json_times_keep_their_zone(tmp_path: Path) -> None:
    text = '{"z": "2024-01-01T10:00:00+02:00", "n": "2024-01-01 10:00:00.5", "s": "2024"}\n'
    table = open_events([written(tmp_path, "a.jsonl", text)]).to_table()
    assert [field.type for field in table.schema] == [
        pa.timestamp("us", "UTC"),
        pa.timestamp("us"),
        pa.string(),
    ]
    assert table["z"][0].as_py() == dt.datetime(2024, 1, 1, 8, tzinfo=dt.UTC)


def test_nested_json_is_kept(tmp_path: Path) -> None:
    rows = [{"a": {"b": [1, 2]}, "t": "2024-01-01T00:00:00"}, {"a": {"b": [3]}, "t": None}]
    path = written(tmp_path, "a.jsonl", "\n".join(map(json.dumps, rows)))
    assert [row["a"] for row in open_events([path]).to_table().to_pylist()] == [row["a"] for row in rows]


def test_standard_input_is_json_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'{"a": 1}\n{"a": 2}\n')))
    assert open_events(["-"]).to_table().to_pylist() == [{"a": 1}, {"a": 2}]


def test_files_folders_and_globs_follow_one_another(tmp_path: Path) -> None:
    folder = tmp_path / "days"
    folder.mkdir()
    for day in (2, 1, 3):
        pq.write_table(pa.table({"day": [day]}), folder / f"{day}.parquet")
    (folder / "_SUCCESS.parquet").touch()
    days = [1, 2, 3]
    assert open_events([folder]).to_table()["day"].to_pylist() == days
    assert open_events([str(folder / "[12].parquet")]).to_table()["day"].to_pylist() == [1, 2]
    assert open_events([folder, folder / "1.parquet"]).to_table()["day"].to_pylist() == [*days, 1]


def test_types_widen_over_files(tmp_path: Path) -> None:
    first, second = written(tmp_path, "1.csv", "a,b\n1,2\n"), written(tmp_path, "2.csv", "b,a\n,2.5\n")
    assert open_events([first, second]).to_table().to_pylist() == [{"a": 1.0, "b": 2}, {"a": 2.5, "b": None}]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"", "is empty"),
        ("a.csv", b"\n\n", "is empty"),
        ("a.csv", b"a,a\n1,2\n", "two columns named 'a'"),
        ("a.csv", b"a,b\n\xff\xfe,1\n", "cannot be read as CSV"),
        ("a.csv", b"\xff\xfe\x00,1\n", "cannot be read as CSV"),
        ("a.jsonl", b"  \n", "is empty"),
        ("a.jsonl", b'[{"a": 1}]', "JSON array"),
        ("a.jsonl", b"a,b\n1,2\n", "is not JSON lines"),
        ("a.parquet", b"not at all", "cannot be read as Parquet"),
        ("a.arrow", b"not at all", "cannot be read as Arrow"),
        ("a.arrow", b"ARROW1 and then nonsense", "cannot be read as Arrow"),
        ("a.csv.gz", b"not packed", "cannot be read"),
        ("a.parquet.gz", gzip.compress(b"PAR1", mtime=0), "unpack it first"),
        ("a.jsonl.bz2", bz2.compress(b'{"a": 1}\n')[:-8], "cannot be read"),
        ("a.xlsx", b"PK", "the ending, which is one of .parquet"),
        ("a.parquett", b"PK", "did you mean '.parquet'"),
        ("plain", b"PK", "the ending"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = written(tmp_path, name, content)
    with pytest.raises(SourceError, match=message) as caught:
        open_events([path]).to_table()
    assert str(path) in str(caught.value)


def test_missing_files_are_said(tmp_path: Path) -> None:
    written(tmp_path, "trades.csv", "a\n1\n")
    with pytest.raises(SourceError, match=r"does not exist; did you mean .*trades\.csv"):
        open_events([tmp_path / "trade.csv"])
    with pytest.raises(SourceError, match="there is no folder"):
        open_events([tmp_path / "nowhere" / "trade.csv"])
    with pytest.raises(SourceError, match="no file matches"):
        open_events([str(tmp_path / "*.parquet")])
    with pytest.raises(SourceError, match="no Parquet file"):
        open_events([tmp_path])
    with pytest.raises(SourceError, match="no file was given"):
        open_events([])


@pytest.mark.skipif(os.geteuid() == 0, reason="everything is readable to root")
def test_forbidden_files_are_said(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", "a\n1\n")
    path.chmod(0)
    with pytest.raises(SourceError, match="permission denied"):
        open_events([path])


def test_files_of_other_schemas_are_refused(tmp_path: Path) -> None:
    first = written(tmp_path, "1.csv", "a,b\n1,2\n")
    with pytest.raises(SourceError, match="no column 'b'"):
        open_events([first, written(tmp_path, "2.csv", "a\n1\n")])
    with pytest.raises(SourceError, match="a column 'c'"):
        open_events([first, written(tmp_path, "3.csv", "a,b,c\n1,2,3\n")])
    with pytest.raises(SourceError, match="'b' is string, but int64"):
        open_events([first, written(tmp_path, "4.csv", "a,b\n1,x\n")])
