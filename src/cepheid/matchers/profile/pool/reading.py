"""A batch of events as the arrays that the pool's kernels read: columns as keys, texts once each."""

# mypy: allow-untyped-calls
from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cepheid.events import EventBatch, EventSchema
from cepheid.matchers.evaluate import evaluate, numbers
from cepheid.matchers.masks import BatchRows
from cepheid.matchers.profile.pool import layout as at
from cepheid.matchers.profile.pool.grams import search_texts
from cepheid.matchers.profile.pool.hashing import read_codes
from cepheid.matchers.profile.pool.keys import float_keys
from cepheid.matchers.profile.pool.layout import PoolEvents, PoolTables
from cepheid.matchers.profile.pool.placing import place_events
from cepheid.matchers.profile.pool.programs import Words
from cepheid.pattern.types import ValueType

Stretch = tuple[int, int]
"""The number of the first text of a column, and that behind the last."""


class BatchTexts:
    """The texts of a batch: those of each column once, one column after the other."""

    def __init__(self) -> None:
        self.of_column: dict[int, Stretch] = {}
        self.starts: list[np.ndarray] = [np.zeros(1, np.int64)]
        self.pieces: list[np.ndarray] = []
        self.count = 0
        self._end = 0

    def add(self, column: int, values: pa.Array) -> np.ndarray:
        """The number of each value's text; nulls get that of the first."""
        if not pa.types.is_dictionary(values.type):
            values = values.dictionary_encode()
        known = values.dictionary.cast(pa.large_string())
        _, offsets, data = known.buffers()
        first, size = known.offset, len(known)
        cut = np.frombuffer(offsets, np.int64)[first : first + size + 1] if size else np.zeros(1, np.int64)
        blob = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
        self.pieces.append(blob[cut[0] : cut[-1]])
        self.starts.append(cut[1:] - cut[0] + self._end)
        indices = values.indices.fill_null(0) if values.null_count else values.indices
        numbered: np.ndarray = indices.to_numpy(zero_copy_only=False).astype(np.int64) + self.count
        self._end += int(cut[-1] - cut[0])
        self.of_column[column] = (self.count, self.count + size)
        self.count += size
        return numbered

    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """Where each text starts, and the bytes of all."""
        data = np.concatenate(self.pieces) if self.pieces else np.zeros(0, np.uint8)
        return np.concatenate(self.starts), data


class BatchReader:
    """Reads batches; it has some room that only its kernels use."""

    def __init__(self) -> None:
        self._spare: list[
            tuple[np.ndarray, np.ndarray]
        ] = []  # of readers in several threads each has its own

    def read(
        self, batch: EventBatch, tables: PoolTables, words: Words, types: dict[str | None, int]
    ) -> tuple[PoolEvents, dict[int, Stretch]]:
        """A batch as kernels read it, and which texts are those of which column."""
        keys, states, texts = read_columns(batch, words)
        starts, data = texts.arrays()
        codes = np.empty(texts.count, np.int32)
        read_codes(tables, starts, data, codes)
        events = PoolEvents(
            types=type_codes(batch, words.schema, types),
            keys=keys,
            states=states,
            text_starts=starts,
            text_bytes=data,
            text_codes=codes,
            like_starts=np.zeros(texts.count + 1, np.int64),
            likes=np.zeros(16 + texts.count, np.int32),
            found_starts=np.zeros(batch.count + 1, np.int64),
            found=np.zeros(16 + 2 * batch.count, np.int32),
        )
        return _placed(tables, self._searched(tables, events, texts.of_column)), texts.of_column

    def _searched(self, tables: PoolTables, events: PoolEvents, columns: dict[int, Stretch]) -> PoolEvents:
        """With the patterns that texts are like."""
        watched = [column for column in columns if tables.gram_sizes[column, 0]]
        if not watched:
            return events
        cursor, seen = self._spare.pop() if self._spare else _scratch(0)
        if seen.size < tables.watches.shape[0]:
            cursor, seen = _scratch(tables.watches.shape[0])
        cursor[at.LISTED] = 0
        for column, (first, last) in columns.items():
            cursor[at.TEXT], cursor[at.LAST_TEXT] = first, last
            if column not in watched:
                events.like_starts[first:last] = cursor[at.LISTED]
                continue
            search_texts(tables, events, column, cursor, seen)
            while cursor[at.TEXT] < last:
                events = events._replace(likes=_doubled(events.likes))
                search_texts(tables, events, column, cursor, seen)
        events.like_starts[-1] = cursor[at.LISTED]
        self._spare.append((cursor, seen))
        return events


def _scratch(watches: int) -> tuple[np.ndarray, np.ndarray]:
    return np.zeros(at.SEARCH_WIDTH, np.int64), np.zeros(watches, np.int64)


def _doubled(array: np.ndarray) -> np.ndarray:
    longer = np.zeros(2 * array.size, array.dtype)
    longer[: array.size] = array
    return longer


def _placed(tables: PoolTables, events: PoolEvents) -> PoolEvents:
    """With the slots of all events."""
    done, listed = place_events(tables, events, 0, 0)
    while done < events.types.size:
        events = events._replace(found=_doubled(events.found))
        done, listed = place_events(tables, events, done, listed)
    return events


def read_columns(batch: EventBatch, words: Words) -> tuple[np.ndarray, np.ndarray, BatchTexts]:
    """The keys and the states of all columns, and the texts that keys of text columns are numbers of."""
    rows, texts = BatchRows(batch.data, words.schema, words.unit), BatchTexts()
    columns = words.expressions
    keys = np.zeros((len(columns), rows.length), np.int64)
    states = np.zeros((len(columns), rows.length), np.uint8)
    for k, column in enumerate(columns):
        values = evaluate(column.expression, rows)
        if pa.types.is_null(values.type):
            continue
        if column.type is ValueType.STRING:
            keys[k] = texts.add(k, values)
            states[k] = np.asarray(values.is_valid()).view(np.uint8)
        elif column.type is ValueType.FLOAT:
            keys[k], states[k] = _reals(values)
        else:
            keys[k], states[k] = numbers(values)
    return keys, states, texts


def _reals(values: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    if values.type != pa.float64():
        values = values.cast(pa.float64(), safe=False)
    filled = pc.fill_null(values, 0.0).to_numpy(zero_copy_only=False)
    states = np.where(np.isnan(filled), at.NAN, at.VALUE).astype(np.uint8)
    if values.null_count:
        states[np.asarray(values.is_null())] = at.NULL
    return float_keys(filled), states


def type_codes(batch: EventBatch, schema: EventSchema, known: dict[str | None, int]) -> np.ndarray:
    """The number of each event's type among the known ones; -1 if it is another, or null."""
    if schema.type is None or not batch.count:
        return np.full(batch.count, at.NONE, np.int32)
    column = batch.data.column(schema.type)
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    codes = [
        known.get(name, at.NONE) if name is not None else at.NONE for name in column.dictionary.to_pylist()
    ]
    indices = column.indices.cast(pa.int64())
    indices = indices.fill_null(len(codes)) if column.null_count else indices
    table = np.array([*codes, at.NONE], np.int32)
    found: np.ndarray = table[indices.to_numpy(zero_copy_only=False)]
    return found
