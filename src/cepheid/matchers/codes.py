"""Text and keys as integers that stay the same from batch to batch and through a snapshot."""

# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cepheid.events import Column
from cepheid.matchers.jit import kernel
from cepheid.matchers.snapshot import Snapshot
from cepheid.matchers.text import of_one_text

_EMPTY = -1
_REAL, _WORD = struct.Struct("=d"), struct.Struct("=q")
_FEW_TEXTS = 64
"""So many new texts are put among the others one by one; of more, all texts are put in order anew."""
_GAP = 1 << 32
"""Between the ranks of two texts, so that others find a place there."""


class TextCodes:
    """Every distinct text seen so far, numbered in the order of appearance."""

    def __init__(self, texts: list[str] | None = None) -> None:
        self.texts: list[str] = []
        self._codes: dict[str, int] = {}
        self.functions: list[Callable[[str], int]] = []
        self._forget_tables()
        for text in texts or []:
            self.code(text)

    def code(self, text: str) -> int:
        """The number of one text."""
        known = self._codes.get(text)
        if known is None:
            known = len(self.texts)
            self._codes[text] = known
            self.texts.append(text)
        return known

    def encode(self, values: pa.Array) -> np.ndarray:
        """The numbers of an array of texts; nulls get 0."""
        if not pa.types.is_dictionary(values.type):
            values = values.dictionary_encode()
        known = np.array(
            [self.code(t) if t is not None else 0 for t in values.dictionary.to_pylist()], np.int64
        )
        indices = values.indices.fill_null(0) if values.null_count else values.indices
        if known.size == 0:
            return np.zeros(len(values), np.int64)
        codes: np.ndarray = known[indices.to_numpy(zero_copy_only=False)]
        return codes

    def keep_only(self, kept: np.ndarray) -> None:
        """Drop all texts but these; they are numbered anew, in their order."""
        self.texts = [self.texts[code] for code in kept]
        self._codes = {text: code for code, text in enumerate(self.texts)}
        self._forget_tables()

    def _forget_tables(self) -> None:
        self._tables = np.zeros((1 + len(self.functions), 0), np.int64)
        self._listed = 0  # how many texts the tables have
        self._values: list[list[int]] = []
        self._order: list[str] | None = None  # the texts that have a rank, in order, and their ranks
        self._ranks: list[int] = []

    def add_function(self, name: str, arguments: Sequence[str | int]) -> None:
        """Keep a table of a function's value for each text."""
        value = of_one_text(name, arguments)
        self.functions.append(lambda text: self._number(value(text)))

    def _number(self, value: str | int) -> int:
        return self.code(value) if isinstance(value, str) else int(value)

    def tables(self) -> np.ndarray:
        """Row 0: by code, a number that stands in the order of code points; then a row for each function.
        There may be room for codes to come."""
        known = self._listed
        if known == len(self.texts):
            return self._tables
        while self._listed < len(self.texts):  # a function may add texts of its own
            self._values.append([function(self.texts[self._listed]) for function in self.functions])
            self._listed += 1
        if self._listed > self._tables.shape[1]:
            tables = np.zeros((1 + len(self.functions), max(16, 2 * self._listed)), np.int64)
            tables[:, :known] = self._tables[:, :known]
            self._tables = tables
        if self.functions:
            self._tables[1:, known : self._listed] = np.array(self._values, np.int64).T
        self._values = []
        if self._listed - known > _FEW_TEXTS or not all(map(self._rank, range(known, self._listed))):
            self._rank_all()
        return self._tables

    def _rank(self, code: int) -> bool:
        """Put a text among those that have a rank; whether there was room between its neighbours."""
        if self._order is None:
            places = np.argsort(self._tables[0, :code])
            self._order = [self.texts[place] for place in places]
            self._ranks = self._tables[0, places].tolist()
        text, place = self.texts[code], bisect_left(self._order, self.texts[code])
        low = self._ranks[place - 1] if place > 0 else (self._ranks[0] if self._ranks else 0) - 2 * _GAP
        high = self._ranks[place] if place < len(self._ranks) else low + 2 * _GAP
        rank = (low + high) // 2
        if not low < rank < high or abs(rank) >= 2**62:
            return False
        self._order.insert(place, text)
        self._ranks.insert(place, rank)
        self._tables[0, code] = rank
        return True

    def _rank_all(self) -> None:
        order = np.array(pc.sort_indices(pa.array(self.texts, pa.large_string())))
        self._tables[0, order] = np.arange(order.size) * _GAP
        self._order = None


class NumberCodes:
    """Every distinct int64 seen so far, numbered in the order of appearance."""

    def __init__(self, numbers: np.ndarray | None = None) -> None:
        self._slots = np.full((1024, 2), _EMPTY, np.int64)  # number, code
        self._numbers = np.zeros(1024, np.int64)
        self.count = 0
        if numbers is not None:
            self.encode(numbers, np.ones(numbers.size, np.uint8))

    @property
    def numbers(self) -> np.ndarray:
        """The numbers by their code."""
        return self._numbers[: self.count]

    def encode(self, numbers: np.ndarray, valid: np.ndarray) -> np.ndarray:
        """The codes of an array of numbers; -1 where it is not valid."""
        codes = np.empty(numbers.size, np.int64)
        done = 0
        while True:
            done, self.count = _encode(numbers, valid, codes, done, self._slots, self._numbers, self.count)
            if done == numbers.size:
                return codes
            self._grow()

    def _grow(self) -> None:
        known = self.numbers.copy()
        size = 2 * self._slots.shape[0]
        self._slots = np.full((size, 2), _EMPTY, np.int64)
        self._numbers = np.zeros(size, np.int64)
        everything = np.ones(known.size, np.uint8)
        codes = np.empty(known.size, np.int64)
        _, self.count = _encode(known, everything, codes, 0, self._slots, self._numbers, 0)


@kernel
def _encode(numbers, valid, codes, start, slots, known, count):
    """Look up or add each number, by open addressing; stops before the table is half full."""
    mask = np.uint64(slots.shape[0] - 1)
    for i in range(start, numbers.size):
        if valid[i] == 0:
            codes[i] = -1
            continue
        if 2 * count >= slots.shape[0]:
            return i, count
        number = numbers[i]
        mixed = np.uint64(number) ^ (np.uint64(number) >> np.uint64(32))  # the bits of reals are high ones
        mixed *= np.uint64(0x9E3779B97F4A7C15)
        place = np.int64((mixed ^ (mixed >> np.uint64(32))) & mask)
        while slots[place, 1] != -1 and slots[place, 0] != number:
            place = (place + 1) & np.int64(mask)
        if slots[place, 1] == -1:
            slots[place, 0] = number
            slots[place, 1] = count
            known[count] = number
            count += 1
        codes[i] = slots[place, 1]
    return numbers.size, count


class KeyCodes:
    """Partitions: a number for each distinct value of the equivalence keys; -1 if a key is null."""

    def __init__(self, keys: int) -> None:
        self.texts = [TextCodes() for _ in range(keys)]
        self.parts = [NumberCodes() for _ in range(keys)]  # each key's values
        self.joined = [NumberCodes() for _ in range(keys - 1)]  # pairs of codes, left to right

    @property
    def count(self) -> int:
        """How many partitions there are."""
        if not self.parts:
            return 1
        return self.joined[-1].count if self.joined else self.parts[0].count

    def encode(self, columns: list[Column], length: int) -> np.ndarray:
        """The partition of each event."""
        if not columns:
            return np.zeros(length, np.int64)
        return self._join([part.encode(*self._numbers(k, columns[k])) for k, part in enumerate(self.parts)])

    def only(self, kept: np.ndarray) -> KeyCodes:
        """Codes for just these partitions, numbered anew, in their order."""
        fresh = KeyCodes(len(self.parts))
        codes = kept
        columns: list[np.ndarray] = []
        for table in reversed(self.joined):
            pairs = table.numbers[codes]
            columns.append(pairs & 0xFFFFFFFF)
            codes = pairs >> 32
        columns.append(codes)
        values = [part.numbers[column] for part, column in zip(self.parts, reversed(columns), strict=True)]
        for k, texts in enumerate(self.texts):
            if texts.texts:
                values[k] = np.array([fresh.texts[k].code(texts.texts[code]) for code in values[k]], np.int64)
        fresh._join(
            [part.encode(v, np.ones(v.size, np.uint8)) for part, v in zip(fresh.parts, values, strict=True)]
        )
        return fresh

    def save(self, snapshot: Snapshot, name: str = "key") -> None:
        """Into a snapshot, with the rest of a matcher."""
        snapshot.arrays |= {f"{name}{k}": part.numbers for k, part in enumerate(self.parts)}
        snapshot.arrays |= {f"joined_{name}{k}": part.numbers for k, part in enumerate(self.joined)}
        snapshot.values[f"{name}_texts"] = [codes.texts for codes in self.texts]

    def restore(self, snapshot: Snapshot, name: str = "key") -> None:
        """From a snapshot."""
        self.parts = [NumberCodes(snapshot.arrays[f"{name}{k}"]) for k in range(len(self.parts))]
        self.joined = [NumberCodes(snapshot.arrays[f"joined_{name}{k}"]) for k in range(len(self.joined))]
        self.texts = [TextCodes(texts) for texts in snapshot.values[f"{name}_texts"]]

    def _join(self, codes: list[np.ndarray]) -> np.ndarray:
        result = codes[0]
        for table, code in zip(self.joined, codes[1:], strict=True):
            valid = ((result >= 0) & (code >= 0)).view(np.uint8)
            result = table.encode((result << 32) | np.maximum(code, 0), valid)
        return result

    def _numbers(self, k: int, column: Column) -> tuple[np.ndarray, np.ndarray]:
        if isinstance(column, list):
            numbers = [_number(value, self.texts[k]) for value in column]
            known = np.array([number is not None for number in numbers], np.uint8)
            return np.array([number or 0 for number in numbers], np.int64), known
        valid = np.asarray(column.is_valid()).view(np.uint8)
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
            return self.texts[k].encode(column), valid
        if column.type != kind:
            column = column.dictionary_decode()
        if pa.types.is_floating(kind):
            filled = column.cast(pa.float64()).fill_null(0.0)
            reals = filled.to_numpy(zero_copy_only=False) + 0.0  # -0.0 is the same key as 0.0
            return reals.view(np.int64), valid & ~np.isnan(reals).view(np.uint8)
        if pa.types.is_integer(kind) or pa.types.is_boolean(kind) or _is_time(kind):
            return _as_int64(column), valid
        return self.texts[k].encode(_as_text(column)), valid


def _number(value: Any, texts: TextCodes) -> int | None:
    """One value of a key as int64, the same as in a column; None if it is null, or no number."""
    if type(value) is float:
        word: int = _WORD.unpack(_REAL.pack(value + 0.0))[0]
        return None if value != value else word
    if type(value) is str:
        return texts.code(value)
    if type(value) is dict or type(value) is list:
        return texts.code(repr(value))
    return None if value is None else int(value)


def _as_int64(column: pa.Array) -> np.ndarray:
    """Whole numbers, truth values and times as int64, one for each value."""
    if pa.types.is_date32(column.type) or pa.types.is_time32(column.type):
        column = column.cast(pa.int32())
    filled = column.fill_null(0) if pa.types.is_uint64(column.type) else column.cast(pa.int64()).fill_null(0)
    numbers: np.ndarray = filled.to_numpy(zero_copy_only=False).view(np.int64)
    return numbers


def _as_text(column: pa.Array) -> pa.Array:
    """Values of other types, such as decimals and bytes, as texts that differ where the values do."""
    return pa.array([None if value is None else repr(value) for value in column.to_pylist()], pa.string())


def _is_time(kind: pa.DataType) -> bool:
    return bool(pa.types.is_temporal(kind) and not pa.types.is_interval(kind))
