"""The events that matches may still need, kept as Arrow rows: those of earlier batches, then the batch
at hand, numbered from 0."""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np
import pyarrow as pa

from cepheid.matchers.jit import kernel

_WORTH_A_KERNEL = 4096


class EventStore:
    """Rows of earlier batches that are still needed, and the batch at hand."""

    def __init__(self, schema: pa.Schema) -> None:
        self.schema = schema
        self._chunks = [pa.RecordBatch.from_pylist([], schema=schema)]
        self._batch = self._chunks[0]
        self._joined: dict[str, pa.Array] = {}

    @property
    def kept(self) -> int:
        """How many rows of earlier batches are kept; the batch at hand begins at this row."""
        return sum(chunk.num_rows for chunk in self._chunks)

    @property
    def bytes(self) -> int:
        """How much the kept rows take."""
        return sum(chunk.nbytes for chunk in self._chunks)

    def look_at(self, batch: pa.RecordBatch) -> None:
        """The batch at hand."""
        self._batch = batch
        self._joined = {}

    def keep(self, rows: np.ndarray) -> None:
        """Keep these rows of the batch at hand, numbered within it, for later batches."""
        if rows.size:
            self._chunks.append(self._batch.take(pa.array(rows)))
        if len(self._chunks) > 32:
            self._chunks = [self._merged()]
        self.look_at(self._batch.slice(0, 0))

    def keep_only(self, rows: np.ndarray) -> None:
        """Drop every kept row but these; they are numbered anew, in their order."""
        self._chunks = [self._merged().take(pa.array(rows))]

    def saved(self) -> pa.Table:
        """The kept rows."""
        self._chunks = [self._merged()]
        return pa.Table.from_batches(self._chunks)

    def restore(self, rows: pa.Table) -> None:
        """Go on from saved rows."""
        columns = [
            join_arrays(column.chunks) if column.num_chunks else column.combine_chunks() for column in rows
        ]
        self._chunks = [pa.RecordBatch.from_arrays(columns, schema=self.schema)]
        self.look_at(self._chunks[0].slice(0, 0))

    def column(self, name: str, rows: np.ndarray) -> pa.Array:
        """A column's values at these rows; a row of -1 gives null."""
        kept = self.kept
        if kept == 0:
            source, indices = self._batch.column(name), rows
        elif 4 * rows.size < kept:
            source, indices = self._gathered(name, rows, kept)
        else:
            source, indices = self._all(name), rows
        return gather(source, indices)

    def _gathered(self, name: str, rows: np.ndarray, kept: int) -> tuple[pa.Array, np.ndarray]:
        """Just the rows asked for, each once, and where they are among them: less than all that is kept."""
        wanted, indices = np.unique(rows[rows >= 0], return_inverse=True)
        earlier = wanted[wanted < kept]
        parts = [pa.chunked_array([chunk.column(name) for chunk in self._chunks]).take(pa.array(earlier))]
        parts.append(
            pa.chunked_array([self._batch.column(name).take(pa.array(wanted[earlier.size :] - kept))])
        )
        result = np.full(rows.size, -1, np.int64)
        result[rows >= 0] = indices
        return join_arrays([chunk for part in parts for chunk in part.chunks]), result

    def _all(self, name: str) -> pa.Array:
        if name not in self._joined:
            parts = [*(chunk.column(name) for chunk in self._chunks), self._batch.column(name)]
            self._joined[name] = join_arrays([part for part in parts if len(part)] or parts[:1])
        return self._joined[name]

    def _merged(self) -> pa.RecordBatch:
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
    if values.null_count or not _is_plain(values.type) or rows.size < _WORTH_A_KERNEL:
        return values.take(pa.array(rows))
    word = np.dtype(f"u{values.type.byte_width}")
    source = np.frombuffer(values.buffers()[1], word)[values.offset : values.offset + len(values)]
    result = pa.allocate_buffer(rows.size * word.itemsize)
    _gather(source, rows, np.frombuffer(result, word))
    return pa.Array.from_buffers(values.type, rows.size, [None, result])


def _is_plain(kind: pa.DataType) -> bool:
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_temporal(kind)
    return bool(number and kind.byte_width in (1, 2, 4, 8))


@kernel
def _gather(source, rows, result):
    for i in range(rows.size):
        result[i] = source[rows[i]]


def join_arrays(arrays: list[pa.Array]) -> pa.Array:
    """One array; dictionaries are made one first."""
    if len(arrays) == 1:
        return arrays[0]
    if pa.types.is_dictionary(arrays[0].type):
        if any(array.dictionary.null_count for array in arrays):  # Arrow does not unify those
            arrays = [array.cast(array.type.value_type).cast(array.type) for array in arrays]
        chunked = pa.chunked_array(arrays).unify_dictionaries()
        return pa.concat_arrays(chunked.chunks)
    return pa.concat_arrays(arrays)


def number_anew(rows: np.ndarray, first: int) -> np.ndarray:
    """Number rows without gaps from `first` on, which none is before; those that there are, ascending."""
    used = np.zeros(int(rows.max(initial=first)) + 1 - first, np.bool_)
    used[rows - first] = True
    there = np.flatnonzero(used)
    rows[:] = first + (np.cumsum(used) - 1)[rows - first]
    return there + first
