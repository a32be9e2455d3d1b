"""Which shard an event's key belongs to: the same in every process, whatever read the event."""

import zlib

import numpy as np
import pyarrow as pa

_MIX = np.uint64(0x9E3779B97F4A7C15)


def shards_of(events: pa.Table, keys: tuple[str, ...], shards: int) -> np.ndarray:
    """The shard of each event; events without a key match nothing and may go anywhere."""
    mixed = np.zeros(events.num_rows, np.uint64)
    for name in keys:
        mixed = (mixed ^ _hashes(events.column(name).combine_chunks())) * _MIX
        mixed ^= mixed >> np.uint64(32)
    return (mixed % np.uint64(shards)).astype(np.int32)


def _hashes(column: pa.Array) -> np.ndarray:
    """A number for each value, equal for equal values."""
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        whole = column.cast(pa.int64(), safe=False).fill_null(0)
        return np.asarray(whole.to_numpy(zero_copy_only=False)).view(np.uint64)
    if pa.types.is_floating(kind):
        reals = column.cast(pa.float64()).fill_null(0.0).to_numpy(zero_copy_only=False)
        plain: np.ndarray = reals + 0.0  # -0.0 equals 0.0
        return plain.view(np.uint64)
    distinct = column if pa.types.is_dictionary(kind) else column.dictionary_encode()
    known = np.array([_hash(value) for value in distinct.dictionary.to_pylist()] or [0], np.uint64)
    hashes: np.ndarray = known[distinct.indices.fill_null(0).to_numpy(zero_copy_only=False)]
    return hashes


def _hash(value: object) -> int:
    text = value if isinstance(value, str) else repr(value)
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))
