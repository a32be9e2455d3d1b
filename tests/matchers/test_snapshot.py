"""State as bytes: whole or refused."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import SnapshotError
from cepheid.matchers import snapshot as module
from cepheid.matchers.snapshot import Snapshot

SCHEMA = pa.schema([("time", pa.int64()), ("type", pa.string()), ("s", pa.string())])
QUERY = cepheid.query("PATTERN SEQ(A a, B b) WHERE a.s != b.s WITHIN 10")


def taken() -> bytes:
    session = QUERY.session(SCHEMA, time="time", type="type")
    session.push([{"time": 1, "type": "A", "s": "x"}])
    return session.snapshot()


def test_what_goes_in_comes_out() -> None:
    given = Snapshot("abc")
    given.arrays = {
        "whole": np.arange(6).reshape(2, 3),
        "none": np.zeros((0, 4), np.int64),
        "bytes": np.array([1, 2], np.uint8),
        "reals": np.array([np.inf, np.nan]),
    }
    given.tables = {"t": pa.table({"d": pa.array(["a", None]).dictionary_encode(), "l": [[1], None]})}
    given.values = {"n": 2**70, "text": "é🦀", "list": [None, True, 1.5]}
    found = Snapshot.from_bytes(given.to_bytes())
    assert found.fingerprint == "abc"
    for name, array in given.arrays.items():
        assert found.arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(found.arrays[name], array)
        assert found.arrays[name].flags.writeable
    assert found.tables["t"].equals(given.tables["t"])
    assert found.values == given.values


def test_parts_are_kept_apart() -> None:
    whole, part = Snapshot("f"), Snapshot("f", values={"n": 1})
    whole.values["n"] = 2
    whole.merge("inner", part)
    assert whole.part("inner").values == {"n": 1}


def test_damage_anywhere_is_noticed() -> None:
    whole = taken()
    for place in range(0, len(whole), max(1, len(whole) // 200)):
        damaged = bytearray(whole)
        damaged[place] ^= 0x10
        with pytest.raises(SnapshotError):
            cepheid.resume(QUERY, bytes(damaged))
    for length in (0, 1, 8, 11, 12, 13, len(whole) // 2, len(whole) - 1):
        with pytest.raises(SnapshotError):
            cepheid.resume(QUERY, whole[:length])


def test_another_format_is_refused_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = taken()
    monkeypatch.setattr(module, "FORMAT", module.FORMAT + 1)
    with pytest.raises(SnapshotError, match=r"has format \d+, this version reads format \d+"):
        cepheid.resume(QUERY, whole)


OTHERS = {
    "another condition": "PATTERN SEQ(A a, B b) WHERE a.s = b.s WITHIN 10",
    "another window": "PATTERN SEQ(A a, B b) WHERE a.s != b.s WITHIN 11",
    "an unknown attribute": "PATTERN SEQ(A a, B b) WHERE a.q != b.s WITHIN 10",
}


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS.keys())
def test_another_query_is_refused(text: str) -> None:
    with pytest.raises(SnapshotError, match="another query"):
        cepheid.resume(cepheid.query(text), taken())


@pytest.mark.parametrize("given", [None, "text", 5, b"", b"CEPHEID1", b"CEPHEID1\0\0\0\0", b"\0" * 100])
def test_what_is_no_snapshot_is_refused(given: object) -> None:
    with pytest.raises(SnapshotError):
        cepheid.resume(QUERY, given)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["watermark", "counts", "terms", "matcher.position", "stream"])
def test_a_missing_part_is_noticed(name: str) -> None:
    whole = Snapshot.from_bytes(taken())
    del whole.values[name]
    with pytest.raises(SnapshotError):
        cepheid.resume(QUERY, whole.to_bytes())


@pytest.mark.parametrize("name", ["matcher.cursor", "matcher.tied_time"])
def test_a_missing_array_is_noticed(name: str) -> None:
    whole = Snapshot.from_bytes(taken())
    del whole.arrays[name]
    with pytest.raises(SnapshotError):
        cepheid.resume(QUERY, whole.to_bytes())


def test_other_views_of_bytes_are_bytes() -> None:
    for view in (bytearray(taken()), memoryview(taken())):
        assert cepheid.resume(QUERY, view).stats["events"] == 1  # type: ignore[arg-type]
