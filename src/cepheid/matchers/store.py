"""The events that matches may still need, kept as Arrow rows: those of earlier batches, then the batch
at hand, numbered from 0."""

# mypy: allow-untyped-defs, no-check-untyped-defs
import itertools
from bisect import bisect_right
from functools import cached_property

import numpy as np
import pyarrow as pa

from cepheid.events import FewEvents, Row
from cepheid.matchers.jit import kernel
from cepheid.matchers.joining import join_arrays

WORTH_A_KERNEL = 4096
ROW_NUMBERS = (np.int32, np.int64)
"""The kinds of numbers that rows may have: small tables are numbered by small ones."""
_FEW_ROWS = 64
"""So many values are fetched one by one."""
_TAIL = 8192
"""So many rows are kept as Python values at most."""


class EventStore:
    """Rows of earlier batches that are still needed, and the batch at hand.

    Events that came a few at a time are kept as Python values at first: most of them are dropped again
    before it is worth making Arrow columns of them.
    """

    def __init__(self, schema: pa.Schema) -> None:
        self.schema = schema
        self._names = tuple(schema.names)
        self._chunks = [pa.RecordBatch.from_pylist([], schema=schema)]
        self._ends = [0]  # the number of rows up to the end of each chunk
        self._tail: list[Row] = []  # rows after those of the chunks
        self._batch: pa.RecordBatch | FewEvents = self._chunks[0]
        self._joined: dict[str, pa.Array] = {}
        self._columns: dict[int, list[pa.Array]] = {}  # of chunks that single rows were asked of
        self._fields: dict[str, dict[str, int]] = {}  # of a column of structs, and where their values are
        self._fetched: dict[int, Row] = {}  # single rows of chunks, while the batch is at hand

    @property
    def kept(self) -> int:
        """How many rows of earlier batches are kept; the batch at hand begins at this row."""
        return self._ends[-1] + len(self._tail)

    @property
    def bytes(self) -> int:
        """How much the kept rows take."""
        self._store_tail()
        return sum(chunk.nbytes for chunk in self._chunks)

    def look_at(self, batch: pa.RecordBatch | FewEvents) -> None:
        """The batch at hand."""
        self._batch = batch
        if self._joined or self._fetched:
            self._joined, self._fetched = {}, {}

    def keep(self, rows: np.ndarray) -> None:
        """Keep these rows of the batch at hand, numbered within it, for later batches."""
        batch = self._batch
        if not isinstance(batch, FewEvents):
            self._keep_chunk(batch, rows)
        elif rows.size:
            few = batch.select(self._names).rows
            self._tail += [few[row] for row in rows.tolist()]
            if len(self._tail) >= _TAIL:
                self._store_tail()
        if len(self._chunks) > 32:
            self._set_chunks([self._merged()])
        self.look_at(self._nothing)

    def _keep_chunk(self, batch: pa.RecordBatch, rows: np.ndarray) -> None:
        if rows.size:
            self._store_tail()
            self._add_chunk(batch.take(pa.array(rows)))

    @cached_property
    def _nothing(self) -> pa.RecordBatch:
        return pa.RecordBatch.from_pylist([], schema=self.schema)

    def _store_tail(self) -> None:
        """Rows that came a few at a time as a chunk."""
        if self._tail:
            self._add_chunk(FewEvents(self._tail, self._names, tuple(self.schema.types)).record_batch())
            self._tail = []

    def _add_chunk(self, chunk: pa.RecordBatch) -> None:
        self._chunks.append(chunk)
        self._ends.append(self._ends[-1] + chunk.num_rows)

    def _set_chunks(self, chunks: list[pa.RecordBatch]) -> None:
        self._chunks = chunks
        self._columns, self._fetched = {}, {}
        self._ends = list(itertools.accumulate(chunk.num_rows for chunk in chunks))

    def keep_only(self, rows: np.ndarray) -> None:
        """Drop every kept row but these; they are numbered anew, in their order."""
        self._set_chunks([self._merged().take(pa.array(rows))])

    def saved(self) -> pa.Table:
        """The kept rows."""
        self._set_chunks([self._merged()])
        return pa.Table.from_batches(self._chunks)

    def restore(self, rows: pa.Table) -> None:
        """Go on from saved rows."""
        columns = [
            join_arrays(column.chunks) if column.num_chunks else column.combine_chunks() for column in rows
        ]
        self._tail = []
        self._set_chunks([pa.RecordBatch.from_arrays(columns, schema=self.schema)])
        self.look_at(self._chunks[0].slice(0, 0))

    def column(self, name: str, rows: np.ndarray) -> pa.Array:
        """A column's values at these rows; a row of -1 gives null."""
        kept = self.kept
        if rows.size <= _FEW_ROWS and isinstance(self._batch, FewEvents):
            place = self._names.index(name)
            values = [None if row < 0 else self._row(row)[place] for row in rows.tolist()]
            return pa.array(values, self.schema.types[place])
        if kept == 0:
            source, indices = self._at_hand(name), rows
        elif 4 * rows.size < kept:
            source, indices = self._gathered(name, rows, kept)
        else:
            source, indices = self._all(name), rows
        return gather(source, indices)

    def structs(self, column: str, kind: pa.DataType, rows: np.ndarray) -> pa.Array | None:
        """Whole events at these rows as structs for a column of matches, null at a row of -1; None if it is
        better to gather their fields one by one."""
        if rows.size > _FEW_ROWS or not isinstance(self._batch, FewEvents):
            return None
        if column not in self._fields:
            self._fields[column] = {field.name: self._names.index(field.name) for field in kind}
        fields = self._fields[column].items()
        found = [None if row < 0 else self._row(row) for row in rows.tolist()]
        return pa.array(
            [None if row is None else {name: row[place] for name, place in fields} for row in found],
            kind,
        )

    def _row(self, row: int) -> Row:
        """The values of one event, as `FewEvents` has them."""
        tail, kept = self._ends[-1], self.kept
        if row >= kept:
            assert isinstance(self._batch, FewEvents)
            return self._batch.select(self._names).rows[row - kept]
        if row >= tail:
            return self._tail[row - tail]
        if row not in self._fetched:
            self._fetched[row] = self._of_chunk(row)
        return self._fetched[row]

    def _of_chunk(self, row: int) -> Row:
        number = bisect_right(self._ends, row)
        chunk, place = self._chunks[number], row - self._ends[number]  # from the end of the chunk
        if number not in self._columns:
            self._columns[number] = chunk.columns
        values = [column[place] for column in self._columns[number]]
        return tuple(
            [each.value if isinstance(each, pa.TimestampScalar) else each.as_py() for each in values]
        )

    def _at_hand(self, name: str) -> pa.Array:
        batch = self._batch
        return (batch.record_batch() if isinstance(batch, FewEvents) else batch).column(name)

    def _gathered(self, name: str, rows: np.ndarray, kept: int) -> tuple[pa.Array, np.ndarray]:
        """Just the rows asked for, each once, and where they are among them: less than all that is kept."""
        wanted, indices = np.unique(rows[rows >= 0], return_inverse=True)
        self._store_tail()
        earlier = wanted[wanted < kept]
        parts = [pa.chunked_array([chunk.column(name) for chunk in self._chunks]).take(pa.array(earlier))]
        parts.append(pa.chunked_array([self._at_hand(name).take(pa.array(wanted[earlier.size :] - kept))]))
        result = np.full(rows.size, -1, np.int64)
        result[rows >= 0] = indices
        return join_arrays([chunk for part in parts for chunk in part.chunks]), result

    def _all(self, name: str) -> pa.Array:
        if name not in self._joined:
            self._store_tail()
            parts = [*(chunk.column(name) for chunk in self._chunks), self._at_hand(name)]
            self._joined[name] = join_arrays([part for part in parts if len(part)] or parts[:1])
        return self._joined[name]

    def _merged(self) -> pa.RecordBatch:
        self._store_tail()
        if len(self._chunks) == 1:
            return self._chunks[0]
        columns = [join_arrays([chunk.column(k) for chunk in self._chunks]) for k in range(len(self.schema))]
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)


def gather(values: pa.Array, rows: np.ndarray) -> pa.Array:
    """The values at these rows, null at a row of -1; plain numbers by a kernel, for speed."""
    if rows.size and rows.min() < 0:
        return values.take(pa.array(rows, mask=rows < 0))
    if pa.types.is_dictionary(values.type):
        indices = gather(values.indices, rows)
        return pa.DictionaryArray.from_arrays(indices, values.dictionary, ordered=values.type.ordered)
    if values.null_count or not _is_plain(values.type) or rows.size < WORTH_A_KERNEL:
        return values.take(pa.array(rows))
    word = np.dtype(f"u{values.type.byte_width}")
    source = np.frombuffer(values.buffers()[1], word)[values.offset : values.offset + len(values)]
    result = pa.allocate_buffer(rows.size * word.itemsize)
    _gather(_only_read(source), _only_read(rows), np.frombuffer(result, word))
    return pa.Array.from_buffers(values.type, rows.size, [None, result])


def _only_read(numbers: np.ndarray) -> np.ndarray:
    """The same numbers as one kind of array, wherever they come from: another process may have sent them, at
    any address. So the kernel is compiled once for each size of word and of row numbers."""
    same = np.require(numbers, requirements=("C", "ALIGNED")).view()
    same.setflags(write=False)
    return same


def _is_plain(kind: pa.DataType) -> bool:
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_temporal(kind)
    return bool(number and kind.byte_width in (1, 2, 4, 8))


@kernel
def _gather(source, rows, result):
    for i in range(rows.size):
        result[i] = source[rows[i]]


def number_anew(rows: np.ndarray, first: int) -> np.ndarray:
    """Number rows without gaps from `first` on, which none is before; those that there are, ascending."""
    used = np.zeros(int(rows.max(initial=first)) + 1 - first, np.bool_)
    used[rows - first] = True
    there = np.flatnonzero(used)
    rows[:] = first + (np.cumsum(used) - 1)[rows - first]
    return there + first
