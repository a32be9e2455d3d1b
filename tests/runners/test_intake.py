"""Events in every form that users have them in, and one answer."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import cepheid
from cepheid.errors import BindingError
from cepheid.sources.files import open_events, write_table
from tests.runners.streams import BINDING, FOUND, QUERY, ROWS, TABLE, found

VIEWS = pa.schema(
    [("time", pa.int64()), ("type", pa.string_view()), ("x", pa.int64()), ("s", pa.string_view())]
)

INDEX = pa.int32()


class Exported:
    """What other libraries of the Arrow family look like."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return TABLE.__arrow_c_stream__(requested_schema)


def _encoded(table: pa.Table, index: pa.DataType = INDEX) -> pa.Table:
    for place, name in ((1, "type"), (3, "s")):
        kind = pa.dictionary(index, pa.string())
        table = table.set_column(place, name, table.column(name).dictionary_encode().cast(kind))
    return table


def _run_ends(table: pa.Table) -> pa.Table:
    ends = pa.array(range(1, len(table) + 1), pa.int32())
    return table.set_column(
        1, "type", pa.RunEndEncodedArray.from_arrays(ends, table.column("type").combine_chunks())
    )


FORMS: dict[str, Callable[[], Any]] = {
    "a table": lambda: TABLE,
    "a batch": lambda: TABLE.to_batches()[0],
    "a reader": lambda: TABLE.to_reader(),
    "a chunked table": lambda: pa.concat_tables([TABLE.slice(i, 1) for i in range(4)]),
    "a table with empty chunks": lambda: pa.concat_tables([TABLE.slice(0, 0), TABLE, TABLE.slice(0, 0)]),
    "a slice": lambda: pa.concat_tables([TABLE, TABLE]).combine_chunks().slice(0, 4),
    "dictionaries": lambda: _encoded(TABLE),
    "dictionaries of small indices": lambda: _encoded(TABLE, pa.uint8()),
    "chunks of other dictionaries": lambda: pa.concat_tables([_encoded(TABLE.slice(i, 1)) for i in range(4)]),
    "string views": lambda: TABLE.cast(VIEWS),
    "large strings": lambda: TABLE.set_column(1, "type", TABLE.column("type").cast(pa.large_string())),
    "run ends": lambda: _run_ends(TABLE),
    "columns that are never null": lambda: TABLE.set_column(
        0, pa.field("time", pa.int64(), nullable=False), TABLE.column("time")
    ),
    "metadata": lambda: TABLE.replace_schema_metadata({"a": "b"}),
    "pandas": lambda: TABLE.to_pandas(),
    "pandas with an index": lambda: TABLE.to_pandas().set_index(pd.Index([7, 5, 3, 1])),
    "pandas with categories": lambda: TABLE.to_pandas().astype({"type": "category"}),
    "pandas with Arrow types": lambda: TABLE.to_pandas(types_mapper=pd.ArrowDtype),
    "Polars": lambda: pl.from_arrow(TABLE),
    "lazy Polars": lambda: pl.from_arrow(TABLE).lazy(),  # type: ignore[union-attr]
    "Polars with categories": lambda: pl.from_arrow(TABLE).with_columns(  # type: ignore[union-attr]
        pl.col("type").cast(pl.Categorical), pl.col("s").cast(pl.Enum(["p", "q"]))
    ),
    "Polars, newest strings": lambda: pl.from_arrow(TABLE).to_arrow(compat_level=pl.CompatLevel.newest()),  # type: ignore[union-attr]
    "dicts": lambda: ROWS,
    "a generator of dicts": lambda: (row for row in ROWS),
    "a tuple of dicts": lambda: tuple(ROWS),
    "dicts without what is null": lambda: [{k: v for k, v in row.items() if v is not None} for row in ROWS],
    "an iterator of batches": lambda: iter(
        pa.concat_tables([TABLE.slice(0, 3), TABLE.slice(3)]).to_batches()
    ),
    "a list of tables": lambda: [TABLE.slice(0, 1), TABLE.slice(1)],
    "tables of another order": lambda: [TABLE.slice(0, 1), TABLE.slice(1).select(["s", "x", "type", "time"])],
    "a generator of frames": lambda: (TABLE.slice(i, 2).to_pandas() for i in (0, 2)),
    "a stream of another library": Exported,
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_forms_in_memory(form: Callable[[], Any]) -> None:
    result = QUERY.run(form(), **BINDING)
    assert found(result) == FOUND
    assert (result.stats["events"], result.stats["bad"], result.stats["late"]) == (4, 0, 0)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_forms_pushed_to_a_session(form: Callable[[], Any]) -> None:
    session = QUERY.session(TABLE.schema, **BINDING)
    assert found(session.push(form())) == FOUND
    assert session.bad.num_rows == session.late.num_rows == 0


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_forms_as_the_schema_of_a_session(form: Callable[[], Any]) -> None:
    session = QUERY.session(form(), **BINDING)
    halves = found(session.push(TABLE.slice(0, 3)))
    session = cepheid.resume(QUERY, session.snapshot())
    assert halves + found(session.push(TABLE.slice(3))) + found(session.close()) == FOUND


def _write(folder: Path) -> dict[str, Path]:
    paths = {kind: folder / f"events.{kind}" for kind in ("parquet", "csv", "jsonl", "arrow")}
    pyarrow.parquet.write_table(TABLE, paths["parquet"])
    pyarrow.csv.write_csv(TABLE, paths["csv"])
    paths["jsonl"].write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    with pa.OSFile(str(paths["arrow"]), "wb") as sink, pa.ipc.new_file(sink, TABLE.schema) as writer:
        writer.write_table(TABLE)
    return paths


@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl", "arrow"])
@pytest.mark.parametrize("as_text", [True, False])
def test_a_path(tmp_path: Path, kind: str, as_text: bool) -> None:
    path = _write(tmp_path)[kind]
    assert found(QUERY.run(str(path) if as_text else path, **BINDING)) == FOUND
    assert found(QUERY.run([path], **BINDING)) == FOUND
    assert found(QUERY.run(open_events([path]), **BINDING)) == FOUND


def test_several_paths(tmp_path: Path) -> None:
    first, second = tmp_path / "1.parquet", tmp_path / "2.parquet"
    pyarrow.parquet.write_table(TABLE.slice(0, 3), first)
    pyarrow.parquet.write_table(TABLE.slice(3), second)
    assert found(QUERY.run([first, second], **BINDING)) == FOUND
    assert found(QUERY.run([str(second), first], **BINDING)) == FOUND
    assert found(QUERY.run(str(tmp_path / "*.parquet"), **BINDING)) == FOUND


def test_lines_that_cannot_be_read_are_bad(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    lines = [json.dumps(row) for row in ROWS]
    path.write_text("\n".join([*lines[:2], "{nonsense", *lines[2:]]), encoding="utf-8")
    result = QUERY.run(path, **BINDING)
    assert found(result) == FOUND
    (bad,) = result.bad.to_pylist()
    assert "events.jsonl, line 3" in bad["reason"] and "{nonsense" in bad["reason"]


def test_a_table_is_put_in_order() -> None:
    assert found(QUERY.run(TABLE.take([3, 1, 0, 2]), **BINDING)) == FOUND


def test_nothing_is_no_match() -> None:
    for nothing in (
        [],
        iter([]),
        pa.table({}),
        TABLE.slice(0, 0),
        pd.DataFrame(),
        pl.DataFrame(),
        TABLE.schema.empty_table(),
    ):
        plain = cepheid.query("PATTERN SEQ(A a, B b) WITHIN 10")
        result = plain.run(nothing, **BINDING)
        assert len(result) == result.stats["events"] == 0
        assert result.table.column_names == ["a", "b", "match_id"]


def test_dicts_that_do_not_fit_their_columns_are_bad() -> None:
    rows: list[Any] = [*ROWS, {"time": 6, "type": "A", "x": "no"}, 5, {}, {"time": "late", "type": "A"}]
    result = QUERY.run(rows, **BINDING)
    assert found(result) == FOUND
    reasons = sorted(row["reason"].split(":")[0] for row in result.bad.to_pylist())
    assert reasons == ["event 5 is not a dict", "event 6 is empty", "time", "x"]
    assert result.stats["bad"] == 4


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "nothing": (lambda: None, "cannot be read from NoneType"),
    "a number": (lambda: 5, "cannot be read from int"),
    "columns as a dict": (lambda: {"time": [1]}, "cannot be read from dict"),
    "numbers": (lambda: [1, 2], "cannot be read from items of int"),
    "bytes": (lambda: b"time,type", "cannot be read from bytes"),
    "a column": (lambda: pl.Series([1]), "cannot be read from Series"),
    "an array": (lambda: pa.chunked_array([[1]]), "cannot be read from items"),
    "a table without the columns": (lambda: [TABLE, TABLE.select(["time"])], "batch 1 has the columns time"),
    "a table of other types": (
        lambda: [TABLE, TABLE.set_column(2, "x", pa.array(["a"] * 4))],
        "batch 1 has other types",
    ),
    "a table and a dict": (lambda: [TABLE, {}], "should be a table"),
    "a frame with a time of two kinds": (
        lambda: pd.DataFrame({"time": [1, "2"]}),
        r"'time' does not convert to Arrow, since it holds int and str: make it one kind .* df\['time'\]",
    ),
    "a frame with an asked column of two kinds": (
        lambda: pd.DataFrame({"time": [1, 2], "type": ["A", "B"], "x": [1, "2"]}),
        "'x' does not convert to Arrow, since it holds int and str",
    ),
    "a frame of complex numbers": (lambda: pd.DataFrame({"time": [1j]}), "does not convert to Arrow"),
    "a frame with a column twice": (lambda: pd.DataFrame([[1, 1]], columns=["a", "a"]), "does not convert"),
    "Polars objects": (lambda: pl.DataFrame({"time": [object()]}), "'time' holds Python objects"),
    "Polars' 128 bits": (
        lambda: pl.DataFrame({"time": pl.Series([1], dtype=pl.Int128)}),
        "does not convert to Arrow",
    ),
}


@pytest.mark.parametrize(("form", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_refused(form: Callable[[], Any], message: str) -> None:
    with pytest.raises(BindingError, match=message):
        QUERY.run(form(), **BINDING)


def test_a_reader_that_fails() -> None:
    def batches() -> Any:
        yield TABLE.to_batches()[0]
        raise pa.ArrowInvalid("the line went dead")

    reader = pa.RecordBatchReader.from_batches(TABLE.schema, batches())
    with pytest.raises(BindingError, match="the line went dead"):
        QUERY.run(reader, **BINDING)


def test_errors_of_the_user_stay_their_own() -> None:
    def rows() -> Any:
        yield ROWS[0]
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        QUERY.run(rows(), **BINDING)


@pytest.mark.parametrize(
    "odd", [[1, "2", None, 4.5], [object()] * 4, [{"a": 1}, "b", 3, None]], ids=["kinds", "objects", "nested"]
)
def test_a_column_that_no_one_asks_for_may_hold_anything(odd: list[Any]) -> None:
    """It is missed only where whole events are given back, and then that is said."""
    frame = TABLE.to_pandas().assign(odd=odd)
    alone = cepheid.query("PATTERN SEQ(A a, B b) WITHIN 10 RETURN a.x AS x")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert found(alone.run(frame, **BINDING)) == found(alone.run(TABLE, **BINDING)) != []
        session = alone.session(TABLE.schema, **BINDING)
        session.push(frame)
    with pytest.warns(UserWarning, match="'odd' does not convert to Arrow.*; it is missing from the matches"):
        assert found(cepheid.query("PATTERN SEQ(A a, B b)").run(frame, **BINDING)) != []


def test_an_empty_file_among_others_changes_nothing(tmp_path: Path) -> None:
    """Whether it has no bytes, only white space, only a header, or columns of other types."""
    untyped = pa.table(
        {"time": pa.array([], pa.float64()), "type": pa.nulls(0), "o": pa.array([], pa.string())}
    )
    empty: dict[str, list[bytes]] = {
        "csv": [b"", b"\n", b"time,type,x,s\n"],
        "jsonl": [b"", b" \n\n"],
        "parquet": [b"", _parquet(untyped), _parquet(pa.table({}))],
    }
    for ending, contents in empty.items():
        folder = tmp_path / ending
        folder.mkdir()
        write_table(TABLE, folder / f"m.{ending}")
        for number, content in enumerate(contents):
            for place in "az":  # before and behind the others
                (folder / f"{place}{number}.{ending}").write_bytes(content)
        assert found(QUERY.run(str(folder / f"*.{ending}"), **BINDING)) == FOUND, ending


def _parquet(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    pyarrow.parquet.write_table(table, sink)
    return bytes(sink.getvalue())
