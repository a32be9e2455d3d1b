"""Who an event is, and who a match: hashes of content, so that a replay, another cut of the stream or another
runner gives a match the same `match_id`.

Identical events of one time are numbered. The identity of a match is a sum over its events, so it does not
matter in which order an engine finds them.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from cepheid.matchers.jit import inlined, kernel

LANES = 2
MIX, MIX_TOO = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_SEEDS = np.array([0x243F6A8885A308D3, 0x13198A2E03707344], np.uint64)


class EventIdentities:
    """Hashes the events of a stream, batch by batch."""

    def __init__(self, columns: tuple[str, ...]) -> None:
        self.columns = tuple(sorted(columns))
        self.tied_time: np.ndarray = np.zeros(0, np.int64)  # of the newest time's events
        self.tied_hashes: np.ndarray = np.zeros((0, LANES), np.uint64)

    def hashes(self, batch: pa.RecordBatch, time: np.ndarray) -> np.ndarray:
        """Two 64-bit hashes an event, distinct for repeated events."""
        result = np.tile(_SEEDS, (batch.num_rows, 1))
        for name in self.columns:
            _mix_column(result, batch.column(name))
        return self._number_repeats(result, time)

    def saved(self) -> dict[str, np.ndarray]:
        """What later events of the newest time are told apart from."""
        return {"tied_time": self.tied_time, "tied_hashes": self.tied_hashes}

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Go on from what was saved."""
        self.tied_time, self.tied_hashes = arrays["tied_time"], arrays["tied_hashes"]

    def _number_repeats(self, hashes: np.ndarray, time: np.ndarray) -> np.ndarray:
        before = self.tied_time.size if time.size and self._continues(time) else 0
        times = np.concatenate([self.tied_time[:before].view(time.dtype), time])
        plain = np.concatenate([self.tied_hashes[:before], hashes])
        if time.size:
            newest = times == times[-1]
            self.tied_time, self.tied_hashes = times[newest].view(np.int64), plain[newest]
        tied = np.zeros(times.size, np.bool_)
        same = times[1:] == times[:-1]
        if not same.any():
            return hashes
        tied[1:] |= same
        tied[:-1] |= same
        rows = np.flatnonzero(tied)
        order = rows[np.lexsort((plain[rows, 1], plain[rows, 0], times[rows]))]
        repeats = np.zeros(order.size, np.bool_)
        repeats[1:] = (times[order[1:]] == times[order[:-1]]) & (plain[order[1:]] == plain[order[:-1]]).all(1)
        if not repeats.any():
            return hashes
        numbered = plain.copy()
        index = np.arange(order.size)
        start = np.maximum.accumulate(np.where(repeats, 0, index))
        _mix_numbers(numbered, order[repeats], (index - start)[repeats].astype(np.uint64))
        return numbered[before:]

    def _continues(self, time: np.ndarray) -> bool:
        return self.tied_time.size > 0 and bool(self.tied_time.view(time.dtype)[0] == time[0])


def _mix_column(hashes: np.ndarray, column: pa.Array) -> None:
    valid = np.asarray(column.is_valid()).view(np.uint8)
    if pa.types.is_dictionary(column.type) and _is_text(column.type.value_type):
        distinct = _text_hashes(column.dictionary)
        indices = column.indices.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
        _mix_lanes(hashes, distinct, indices, valid)
        return
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    words = _as_words(column)
    if words is not None:
        for part in words:
            _mix_words(hashes, part, valid)
    else:
        text = column if _is_text(column.type) else _as_text(column)
        _mix_lanes(hashes, _text_hashes(text), np.arange(len(text)), valid)


def _text_hashes(column: pa.Array) -> np.ndarray:
    result = np.empty((len(column), LANES), np.uint64)
    _hash_text(result, *_text_buffers(column.cast(pa.large_string())))
    return result


def _as_words(column: pa.Array) -> list[np.ndarray] | None:
    """A column of numbers or times as int64, the same whatever its width or unit."""
    kind = column.type
    if pa.types.is_timestamp(kind):
        ticks = column.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
        if kind.unit == "ns":
            return [ticks // 1000, *([ticks % 1000] if (ticks % 1000).any() else [])]
        return [ticks * {"s": 1_000_000, "ms": 1000, "us": 1}[kind.unit]]
    if pa.types.is_date32(kind) or pa.types.is_time32(kind):
        column = column.cast(pa.int32())
    if pa.types.is_floating(kind):
        reals = column.cast(pa.float64()).fill_null(0.0).to_numpy(zero_copy_only=False) + 0.0
        return [np.where(np.isnan(reals), np.nan, reals).view(np.int64)]
    if pa.types.is_uint64(kind):
        return [column.fill_null(0).to_numpy(zero_copy_only=False).view(np.int64)]
    if pa.types.is_integer(column.type) or pa.types.is_boolean(kind):
        return [column.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)]
    if pa.types.is_temporal(kind) and not pa.types.is_interval(kind):
        return [column.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)]
    return None


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _as_text(column: pa.Array) -> pa.Array:
    return pa.array(
        [None if value is None else repr(value) for value in column.to_pylist()], pa.large_string()
    )


def _text_buffers(column: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    _, offsets, data = column.buffers()
    edges = np.frombuffer(offsets, np.int64)[column.offset : column.offset + len(column) + 1]
    if len(column) == 0:
        edges = np.zeros(1, np.int64)
    letters = np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(0, np.uint8)
    return edges.copy(), letters.copy()


@kernel
def _finish(word):
    word ^= word >> np.uint64(31)
    word *= np.uint64(0x7FB5D329728EA185)
    word ^= word >> np.uint64(27)
    word *= np.uint64(0x81DADEF4BC2DD44D)
    return word ^ (word >> np.uint64(33))


@kernel
def _mix_words(hashes, words, valid):
    """Mix a column of numbers into the hashes; a null is a number of its own."""
    for i in range(words.size):
        word = np.uint64(words[i]) if valid[i] != 0 else np.uint64(0xA5A5A5A5A5A5A5A5)
        flag = np.uint64(valid[i] == 0)
        hashes[i, 0] = _finish(hashes[i, 0] * np.uint64(0x9E3779B97F4A7C15) + word + flag)
        hashes[i, 1] = _finish(hashes[i, 1] * np.uint64(0xC2B2AE3D27D4EB4F) ^ (word + flag))


@kernel
def _mix_lanes(hashes, distinct, indices, valid):
    """Mix the hashes of dictionary values into the hashes of the events that have them."""
    for i in range(indices.size):
        for lane in range(2):
            word = np.uint64(0xA5A5A5A5A5A5A5A5)
            if valid[i] != 0:
                word = distinct[indices[i], lane]
            hashes[i, lane] = _finish(hashes[i, lane] * np.uint64(0x9E3779B97F4A7C15) + word)


@kernel
def _hash_text(hashes, edges, letters):
    """The two hashes of each text, byte by byte."""
    for i in range(edges.size - 1):
        first, second = np.uint64(0x243F6A8885A308D3), np.uint64(0x13198A2E03707344)
        for k in range(edges[i], edges[i + 1]):
            first = (first ^ np.uint64(letters[k])) * np.uint64(0x100000001B3)
            second = (second + np.uint64(letters[k])) * np.uint64(0x9E3779B97F4A7C15)
            second ^= second >> np.uint64(32)
        length = np.uint64(edges[i + 1] - edges[i])
        hashes[i, 0], hashes[i, 1] = _finish(first + length), _finish(second + length)


@kernel
def _mix_numbers(hashes, rows, numbers):
    """Tell repeated events apart by their number among the identical ones."""
    for i in range(rows.size):
        for lane in range(2):
            hashes[rows[i], lane] = _finish(hashes[rows[i], lane] + (numbers[i] << np.uint64(1)))


@inlined
def at_variable(identity, variable):
    """What an event adds to one lane of a match's identity if it is bound to a variable, by its number."""
    known = np.uint64(identity) ^ (np.uint64(variable + 1) * MIX_TOO)
    known = (known ^ (known >> np.uint64(31))) * MIX
    return known ^ (known >> np.uint64(29))


def match_identities(events: Sequence[np.ndarray]) -> np.ndarray:
    """Who matches are that have one event a variable, from the identities of these: match, lane."""
    total = np.zeros_like(events[0])
    for variable, known in enumerate(events):
        known = known ^ (np.uint64(variable + 1) * MIX_TOO)
        known = (known ^ (known >> np.uint64(31))) * MIX
        total += known ^ (known >> np.uint64(29))
    return total


def match_ids(identity: str, hashes: np.ndarray) -> pa.Array:
    """The ids of matches as 32 hexadecimal digits."""
    seed = np.array([int(identity[:16], 16), int(identity[16:32], 16)], np.uint64)
    mixed = (hashes ^ seed) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(32)
    digits = np.frombuffer(b"0123456789abcdef", np.uint8)
    octets = np.ascontiguousarray(mixed.astype(">u8")).view(np.uint8).reshape(-1, 16)
    text = np.empty((octets.shape[0], 32), np.uint8)
    text[:, 0::2] = digits[octets >> 4]
    text[:, 1::2] = digits[octets & 15]
    offsets = np.arange(octets.shape[0] + 1, dtype=np.int32) * 32
    return pa.StringArray.from_buffers(
        octets.shape[0], pa.py_buffer(offsets.tobytes()), pa.py_buffer(text.tobytes())
    )
