"""Parquet and Arrow files: typed already, read batch by batch."""

from collections.abc import Iterator

import pyarrow as pa

from cepheid.errors import SourceError
from cepheid.sources.opened import BATCH_ROWS, BadRow, Location, OpenFile, reading, stream

ARROW_FILE_MAGIC = b"ARROW1"


def open_parquet(location: Location) -> OpenFile:
    """A Parquet file; only the columns that are asked for are read."""
    import pyarrow.parquet as pq

    _refuse_packed(location, "Parquet")
    with reading(location, "Parquet"), pq.ParquetFile(location.path) as file:
        schema, rows = file.schema_arrow.remove_metadata(), file.metadata.num_rows

    def batches(columns: list[str], bad: list[BadRow]) -> Iterator[pa.RecordBatch]:
        with reading(location, "Parquet"), pq.ParquetFile(location.path, memory_map=True) as file:
            yield from file.iter_batches(batch_size=BATCH_ROWS, columns=columns)

    return OpenFile(location.name, schema, rows, batches)


def open_arrow(location: Location) -> OpenFile:
    """An Arrow IPC file (Feather 2) or stream, told apart by its first bytes."""
    with reading(location, "Arrow"), stream(location) as file:
        is_stream = file.read(len(ARROW_FILE_MAGIC)) != ARROW_FILE_MAGIC
    return _open_arrow_stream(location) if is_stream else _open_arrow_file(location)


def _open_arrow_file(location: Location) -> OpenFile:
    _refuse_packed(location, "an Arrow file")
    with reading(location, "Arrow"), pa.memory_map(location.path) as source:
        file = pa.ipc.open_file(source)
        schema = file.schema.remove_metadata()

    def batches(columns: list[str], bad: list[BadRow]) -> Iterator[pa.RecordBatch]:
        with reading(location, "Arrow"), pa.memory_map(location.path) as source:
            file = pa.ipc.open_file(source)
            for index in range(file.num_record_batches):
                yield from _small(file.get_batch(index).select(columns))

    return OpenFile(location.name, schema, None, batches)


def _open_arrow_stream(location: Location) -> OpenFile:
    with reading(location, "Arrow"), stream(location) as source:
        schema = pa.ipc.open_stream(source).schema.remove_metadata()

    def batches(columns: list[str], bad: list[BadRow]) -> Iterator[pa.RecordBatch]:
        with reading(location, "Arrow"), stream(location) as source:
            for batch in pa.ipc.open_stream(source):
                yield from _small(batch.select(columns))

    return OpenFile(location.name, schema, None, batches)


def _small(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    for start in range(0, batch.num_rows, BATCH_ROWS):
        yield batch.slice(start, BATCH_ROWS)


def _refuse_packed(location: Location, kind: str) -> None:
    if location.packed:
        raise SourceError(
            f"{location.name}: {kind} cannot be read piece by piece from inside a packed file; "
            "unpack it first (it is compressed inside already)"
        )
