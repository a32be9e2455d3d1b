"""Lines as they arrive, and what the first of them say of their columns."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from cepheid.errors import SourceError
from cepheid.sources.arrivals import followed, piped
from cepheid.sources.lines import Block, blocks_of
from cepheid.sources.live import LiveStream, live_stream


class Ended(Exception):
    """Nothing more comes."""


def test_lines_are_whole() -> None:
    blocks = list(blocks_of([b"\xef\xbb\xbfa\nb", b"b\n", b"", b"c\n\nd"], "x"))
    assert [(block.lines, block.first) for block in blocks] == [
        ([b"a"], 1),
        ([b"bb"], 2),
        ([b"c", b""], 3),
        ([b"d"], 5),
    ]


def test_another_file_begins() -> None:
    blocks = list(blocks_of([b"a\nb", None, b"c\n", None], "x"))
    assert [(block.lines, block.first) for block in blocks] == [([b"a"], 1), ([b"b"], 2), ([b"c"], 1)]


def test_what_has_arrived_is_read_at_once() -> None:
    reading, writing = os.pipe()

    def wait(descriptor: int | None, seconds: float | None) -> bool:
        return seconds is None  # nothing more comes without waiting

    with os.fdopen(reading), os.fdopen(writing, "wb", buffering=0) as sink:
        chunks = piped(reading, wait)
        for text in (b"a", b"b\nc"):
            sink.write(text)
            assert next(chunks) == text
        sink.close()
        assert list(chunks) == [b""]


def test_a_file_that_grows_is_cut_off_and_replaced(tmp_path: Path) -> None:
    path, told = tmp_path / "log", list[str]()
    steps: Iterator[object] = iter(
        [
            lambda: path.open("ab").write(b"cd"),
            lambda: path.write_bytes(b"e"),
            lambda: path.rename(tmp_path / "log.1"),
            lambda: path.write_bytes(b"f"),
        ]
    )

    def wait(descriptor: int | None, seconds: float | None) -> bool:
        if seconds:
            step = next(steps, None)
            if not callable(step):
                raise Ended
            step()
        return False

    path.write_bytes(b"ab")
    chunks: list[bytes | None] = []
    with pytest.raises(Ended):
        for chunk in followed(str(path), wait, told.append):
            chunks.append(chunk)
    assert chunks == [b"ab", b"cd", None, b"e", None, b"f"]
    assert ["cut off" in text for text in told] == [True, False]


def stream(form: str, text: bytes, **told: pa.DataType) -> LiveStream:
    found = live_stream(form, "x", Block(text.split(b"\n"), 1), told)
    assert found is not None
    return found


def read(live: LiveStream, text: bytes, first: int = 10) -> tuple[list[dict[str, object]], list[str]]:
    events = live.events(Block(text.split(b"\n"), first), live.schema.names)
    return events.to_table().to_pylist(), [bad.reason for bad in events.bad]


def test_the_first_lines_of_json_say_the_types() -> None:
    live = stream(".jsonl", b'{"t": "2024-01-01T09:00", "x": 1, "n": null}\n{"t": null, "s": "a"}')
    assert live.schema == pa.schema([("t", pa.timestamp("us")), ("x", pa.int64()), ("s", pa.string())])
    rows, reasons = read(
        live, b'{"t": "2024-01-02", "x": 2, "new": 1}\n{"t": "soon"}\n{"x": 2.5}\n{"x": 3}\n7'
    )
    assert [row["x"] for row in rows] == [2, 3]
    assert reasons == [
        "t: 'soon' does not fit timestamp[us], which the first events had",
        "x: 2.5 does not fit int64, which the first events had",
        "a JSON int, not an object",
    ]


def test_the_first_lines_of_csv_say_the_types() -> None:
    live = stream(".csv", b"t,x,n\n2024-01-01,1,\n")
    assert live.schema == pa.schema([("t", pa.date32()), ("x", pa.int64())])
    rows, reasons = read(live, b"2024-01-02,2,a\n2024-01-02\n2024-01-02,2.5,\n2024-01-02,3,b")
    assert [row["x"] for row in rows] == [2, 3]
    assert reasons == [
        "1 fields where the header has 3",
        "x: '2.5' does not fit int64, which the first events had",
    ]


def test_a_csv_that_begins_again() -> None:
    live = stream(".csv", b"t,x\n2024-01-01,1\n")
    assert [row["x"] for row in read(live, b"t,x\n2024-01-02,2", first=1)[0]] == [2]
    assert [row["x"] for row in read(live, b"2024-01-02,2\n2024-01-02,3", first=1)[0]] == [2, 3]
    with pytest.raises(SourceError, match="x has other columns now: x, t"):
        read(live, b"x,t\n2,2024-01-02", first=1)


def test_types_that_are_told() -> None:
    live = stream(".jsonl", b'{"x": 1}', x=pa.float64(), t=pa.timestamp("us", "UTC"))
    rows, reasons = read(live, b'{"x": 2, "t": "2024-01-01T09:00+01:00"}\n{"x": 2.5}')
    assert ([row["x"] for row in rows], reasons) == ([2.0, 2.5], [])
    assert str(rows[0]["t"]) == "2024-01-01 08:00:00+00:00"
    assert stream(".tsv", b"x\ty\n1\t2", y=pa.string()).schema.field("y").type == pa.string()
    with pytest.raises(SourceError, match="x has no column 'z', but x, y"):
        stream(".csv", b"x,y\n1,2", z=pa.string())


def test_a_stream_that_has_said_nothing_yet() -> None:
    assert live_stream(".jsonl", "x", Block([b""], 1), {}, whole=True) is None
    assert live_stream(".jsonl", "x", Block([b"[INFO] starting"], 1), {}) is None
    with pytest.raises(SourceError, match="no line of it is an object"):
        live_stream(".jsonl", "x", Block([b"hello"], 1), {}, whole=True)
    with pytest.raises(SourceError, match="no JSON object in its first lines"):
        live_stream(".jsonl", "x", Block([b"hello"] * 100, 1), {})
    nulls = live_stream(".jsonl", "x", Block([b'{"x": null}'], 1), {}, whole=True)
    assert nulls is not None
    assert nulls.schema == pa.schema([("x", pa.null())])
