"""Rows that are kept for later, whatever their dictionaries."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from cepheid.matchers.joining import join_arrays
from cepheid.matchers.store import WORTH_A_KERNEL, EventStore, _gather, gather

DICTIONARY = pa.dictionary(pa.int32(), pa.string())


def batch_of(*texts: str | None) -> pa.RecordBatch:
    encoded = pa.array(texts, pa.string()).dictionary_encode()
    return pa.RecordBatch.from_arrays([encoded, pa.array(range(len(texts)))], names=["s", "n"])


SCHEMA = batch_of("a").schema


@pytest.mark.parametrize("batches", [3, 40])
def test_rows_of_batches_with_other_dictionaries(batches: int) -> None:
    store = EventStore(SCHEMA)
    expected: list[str | None] = []
    for number in range(batches):
        store.look_at(batch_of(f"s{number}", None, f"t{number}"))
        assert store.column("s", np.array([store.kept, -1])).to_pylist() == [f"s{number}", None]
        store.keep(np.array([0, 2]))
        expected += [f"s{number}", f"t{number}"]
    store.look_at(batch_of("last"))
    assert store.kept == len(expected)
    everything = np.arange(store.kept + 1)
    assert store.column("s", everything).to_pylist() == [*expected, "last"]
    few = np.array([store.kept, 1, -1])
    assert store.column("s", few).to_pylist() == ["last", "t0", None]


def test_rows_are_numbered_anew() -> None:
    store = EventStore(SCHEMA)
    store.look_at(batch_of("a", "b", "c"))
    store.keep(np.arange(3))
    store.keep_only(np.array([0, 2]))
    saved = store.saved()
    assert saved.column("s").to_pylist() == ["a", "c"]
    other = EventStore(SCHEMA)
    other.restore(saved)
    other.look_at(batch_of("d"))
    assert other.column("s", np.array([1, 2, 0])).to_pylist() == ["c", "d", "a"]
    assert other.bytes > 0


def test_dictionaries_with_a_null_in_them_are_joined() -> None:
    odd = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int32()), pa.array(["a", None]))
    assert join_arrays([odd, pa.array(["b"]).dictionary_encode()]).to_pylist() == ["a", None, "b"]


def test_arrays_of_one_type_are_joined() -> None:
    assert join_arrays([pa.array([1]), pa.array([2])]).to_pylist() == [1, 2]
    only = pa.array([1])
    assert join_arrays([only]) is only


@pytest.mark.compiled
def test_one_kernel_gathers_numbers_from_any_address() -> None:
    numbers = np.arange(WORTH_A_KERNEL, dtype=np.int32)
    shifted = pa.py_buffer(b"\0" + numbers.tobytes())[1:]
    odd = pa.Array.from_buffers(pa.int32(), numbers.size, [None, shifted])
    rows = numbers[::-1].astype(np.int64)
    wanted = gather(pa.array(numbers), rows)
    known = len(_gather.overloads)  # type: ignore[attr-defined]
    assert gather(odd, rows) == wanted
    assert gather(odd, np.repeat(rows, 2)[::2]) == wanted
    assert len(_gather.overloads) == known  # type: ignore[attr-defined]
