"""Who an event is: a hash of its content, the same in a replay, another cut of the stream or another runner.

Identical events of one time are numbered.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import struct
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from cepheid.events import FewEvents
from cepheid.matchers.jit import inlined, kernel

LANES = 2
_SEEDS = np.array([0x243F6A8885A308D3, 0x13198A2E03707344], np.uint64)


class EventIdentities:
    """Hashes the events of a stream, batch by batch."""

    def __init__(self, columns: tuple[str, ...]) -> None:
        self.columns = tuple(sorted(columns))
        self.tied_time: np.ndarray = np.zeros(0, np.int64)  # of the newest time's events
        self.tied_hashes: np.ndarray = np.zeros((0, LANES), np.uint64)
        self._tied: Counter[bytes] | None = None  # the same, of events that came alone
        self._cells: tuple[tuple[str, ...], list[tuple[int, Cell]]] = ((), [])

    def hashes(self, batch: pa.RecordBatch | FewEvents, time: np.ndarray) -> np.ndarray:
        """Two 64-bit hashes an event, distinct for repeated events."""
        if isinstance(batch, FewEvents):
            result = self._few_hashes(batch)
            return self._number_one(result, time) if time.size == 1 else self._number_repeats(result, time)
        result = np.tile(_SEEDS, (batch.num_rows, 1))
        for name in self.columns:
            _mix_column(result, batch.column(name))
        return self._number_repeats(result, time)

    def _few_hashes(self, events: FewEvents) -> np.ndarray:
        """The same hashes, of events that are Python values."""
        if self._cells[0] != events.names:
            places = [events.names.index(name) for name in self.columns]
            cells = [(place, cell) for place in places for cell in _cells_of(events.types[place])]
            self._cells = events.names, cells
        letters = bytearray()
        words = [[cell(row[place], letters) for place, cell in self._cells[1]] for row in events.rows]
        result = np.empty((len(words), LANES), np.uint64)
        result[:] = _SEEDS
        if words and self.columns:
            _mix_cells(result, np.array(words, np.int64), np.array(letters, np.uint8))
        return result

    def _number_one(self, hashes: np.ndarray, time: np.ndarray) -> np.ndarray:
        """Number an event that came alone among the identical ones of its time."""
        known = hashes.tobytes()
        if not self._continues(time):
            self.tied_time, self.tied_hashes = time.view(np.int64), hashes.copy()
            self._tied = None
            return hashes
        if self._tied is None:
            self._tied = Counter(each.tobytes() for each in self.tied_hashes)
        repeats = self._tied[known]
        self._tied[known] += 1
        if repeats:
            _mix_numbers(hashes, np.zeros(1, np.int64), np.array([repeats], np.uint64))
        return hashes

    def _list_tied(self) -> None:
        """The events of the newest time as arrays, also those that came alone."""
        if self._tied is not None:
            listed = b"".join(self._tied.elements())
            self.tied_hashes = np.frombuffer(bytearray(listed), np.uint64).reshape(-1, LANES)
            self.tied_time = np.repeat(self.tied_time[:1], self.tied_hashes.shape[0])
            self._tied = None

    def saved(self) -> dict[str, np.ndarray]:
        """What later events of the newest time are told apart from."""
        self._list_tied()
        return {"tied_time": self.tied_time, "tied_hashes": self.tied_hashes}

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Go on from what was saved."""
        self.tied_time, self.tied_hashes = arrays["tied_time"], arrays["tied_hashes"]
        self._tied = None

    def _number_repeats(self, hashes: np.ndarray, time: np.ndarray) -> np.ndarray:
        self._list_tied()
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
        if not _has_equal(plain[rows, 0]):  # of most streams no two events are the same, which is soon seen
            return hashes
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


def _has_equal(values: np.ndarray) -> bool:
    """Whether a value is there more than once."""
    ordered = np.sort(values)
    return bool((ordered[1:] == ordered[:-1]).any())


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
        _mix_words(hashes, words, valid)
        _mix_nanoseconds(hashes, column)
    else:
        text = column if _is_text(column.type) else _as_text(column)
        _mix_lanes(hashes, _text_hashes(text), np.arange(len(text)), valid)


def _text_hashes(column: pa.Array) -> np.ndarray:
    result = np.empty((len(column), LANES), np.uint64)
    _hash_text(result, *_text_buffers(column.cast(pa.large_string())))
    return result


def _mix_nanoseconds(hashes: np.ndarray, column: pa.Array) -> None:
    """Mix in what a timestamp has beyond its microseconds, if it has something: one of another unit, or of
    another batch, is then the same."""
    if not pa.types.is_timestamp(column.type) or column.type.unit != "ns":
        return
    beyond = _whole(column) % 1000
    finer = np.flatnonzero(beyond)
    if finer.size:
        mixed = hashes[finer]
        _mix_words(mixed, beyond[finer], np.ones(finer.size, np.uint8))
        hashes[finer] = mixed


def _as_words(column: pa.Array) -> np.ndarray | None:
    """A column of numbers or times as int64, the same whatever its width or unit."""
    kind = column.type
    if pa.types.is_floating(kind):
        reals = column.cast(pa.float64()).fill_null(0.0).to_numpy(zero_copy_only=False) + 0.0
        return np.where(np.isnan(reals), np.nan, reals).view(np.int64)
    if pa.types.is_timestamp(kind):
        ticks = _whole(column)
        return ticks // 1000 if kind.unit == "ns" else ticks * _MICROSECONDS[kind.unit]
    if pa.types.is_uint64(kind):
        return np.asarray(column.fill_null(0).to_numpy(zero_copy_only=False)).view(np.int64)
    if pa.types.is_date32(kind) or pa.types.is_time32(kind):
        return _whole(column.cast(pa.int32()))
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return _whole(column)
    if pa.types.is_temporal(kind) and not pa.types.is_interval(kind):
        return _whole(column)
    return None


_MICROSECONDS = {"s": 1_000_000, "ms": 1000, "us": 1}


def _whole(column: pa.Array) -> np.ndarray:
    return np.asarray(column.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False))


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


Cell = Callable[[Any, bytearray], tuple[int, int]]
"""What a value adds to a hash: the kind of a cell and its word. The letters of texts stand in a row."""

WORD, NO_WORD, TEXT, NO_TEXT, NO_CELL = 0, 1, 2, 3, 4
_AS_REAL, _AS_WORD = struct.Struct("=d"), struct.Struct("=q")


def _cells_of(kind: pa.DataType) -> list[Cell]:
    """How values of a type are hashed, as `_mix_column` hashes a column of it."""
    if _is_text(kind):
        return [_text_cell]
    if pa.types.is_floating(kind):
        return [_real_cell]
    if pa.types.is_timestamp(kind):
        return _TICK_CELLS[kind.unit]
    return [_repr_cell if pa.types.is_nested(kind) else _whole_cell]


def _repr_cell(value: Any, letters: bytearray) -> tuple[int, int]:
    return _text_cell(None if value is None else repr(value), letters)


def _text_cell(value: Any, letters: bytearray) -> tuple[int, int]:
    if value is None:
        return NO_TEXT, 0
    encoded = value.encode()
    letters += encoded
    return TEXT, len(encoded)


def _real_cell(value: Any, letters: bytearray) -> tuple[int, int]:
    if value is None:
        return NO_WORD, 0
    return WORD, _AS_WORD.unpack(_AS_REAL.pack(value + 0.0 if value == value else np.nan))[0]


def _whole_cell(value: Any, letters: bytearray) -> tuple[int, int]:
    return (NO_WORD, 0) if value is None else (WORD, int(value))


def _microsecond_cell(value: Any, letters: bytearray) -> tuple[int, int]:
    return (NO_WORD, 0) if value is None else (WORD, value // 1000)


def _nanosecond_cell(value: Any, letters: bytearray) -> tuple[int, int]:
    return (WORD, value % 1000) if value is not None and value % 1000 else (NO_CELL, 0)


def _tick_cell(size: int) -> Cell:
    """Of a unit of so many microseconds; what leaves int64 comes in again at its other end."""

    def cell(value: Any, letters: bytearray) -> tuple[int, int]:
        return (NO_WORD, 0) if value is None else (WORD, (value * size + 2**63) % 2**64 - 2**63)

    return cell


_TICK_CELLS: dict[str, list[Cell]] = {
    "s": [_tick_cell(_MICROSECONDS["s"])],
    "ms": [_tick_cell(_MICROSECONDS["ms"])],
    "us": [_whole_cell],
    "ns": [_microsecond_cell, _nanosecond_cell],
}


@kernel
def _finish(word):
    word ^= word >> np.uint64(31)
    word *= np.uint64(0x7FB5D329728EA185)
    word ^= word >> np.uint64(27)
    word *= np.uint64(0x81DADEF4BC2DD44D)
    return word ^ (word >> np.uint64(33))


@inlined
def mix_word(hashes, i, word, is_null):
    """Mix a number into the hashes of event `i`; a null is a number of its own."""
    known = np.uint64(0xA5A5A5A5A5A5A5A5) + np.uint64(1) if is_null else word
    hashes[i, 0] = _finish(hashes[i, 0] * np.uint64(0x9E3779B97F4A7C15) + known)
    hashes[i, 1] = _finish(hashes[i, 1] * np.uint64(0xC2B2AE3D27D4EB4F) ^ known)


@inlined
def mix_lane(hashes, i, lane, word, is_null):
    """Mix one hash of a text into that of event `i`."""
    known = np.uint64(0xA5A5A5A5A5A5A5A5) if is_null else word
    hashes[i, lane] = _finish(hashes[i, lane] * np.uint64(0x9E3779B97F4A7C15) + known)


@inlined
def text_hashes(letters, begin, end):
    """The two hashes of a text, byte by byte."""
    first, second = np.uint64(0x243F6A8885A308D3), np.uint64(0x13198A2E03707344)
    for k in range(begin, end):
        first = (first ^ np.uint64(letters[k])) * np.uint64(0x100000001B3)
        second = (second + np.uint64(letters[k])) * np.uint64(0x9E3779B97F4A7C15)
        second ^= second >> np.uint64(32)
    length = np.uint64(end - begin)
    return _finish(first + length), _finish(second + length)


@kernel
def _mix_words(hashes, words, valid):
    """Mix a column of numbers into the hashes."""
    for i in range(words.size):
        mix_word(hashes, i, np.uint64(words[i]), valid[i] == 0)


@kernel
def _mix_lanes(hashes, distinct, indices, valid):
    """Mix the hashes of dictionary values into the hashes of the events that have them."""
    for i in range(indices.size):
        for lane in range(2):
            is_null = valid[i] == 0
            mix_lane(hashes, i, lane, np.uint64(0) if is_null else distinct[indices[i], lane], is_null)


@kernel
def _hash_text(hashes, edges, letters):
    """The two hashes of each text."""
    for i in range(edges.size - 1):
        hashes[i, 0], hashes[i, 1] = text_hashes(letters, edges[i], edges[i + 1])


@kernel
def _mix_cells(hashes, cells, letters):
    """Mix the values of a few events into their hashes: event, cell, its kind and its word, which is the
    length of a text."""
    begin = np.int64(0)
    for i in range(cells.shape[0]):
        for k in range(cells.shape[1]):
            kind, word = cells[i, k, 0], cells[i, k, 1]
            if kind == WORD or kind == NO_WORD:
                mix_word(hashes, i, np.uint64(word), kind == NO_WORD)
            elif kind != NO_CELL:
                first, second = text_hashes(letters, begin, begin + word)
                mix_lane(hashes, i, 0, first, kind == NO_TEXT)
                mix_lane(hashes, i, 1, second, kind == NO_TEXT)
                begin += word


@kernel
def _mix_numbers(hashes, rows, numbers):
    """Tell repeated events apart by their number among the identical ones."""
    for i in range(rows.size):
        for lane in range(2):
            hashes[rows[i], lane] = _finish(hashes[rows[i], lane] + (numbers[i] << np.uint64(1)))
