"""Tables as bytes: many events cross a shuffle, or rest in a state store, as one row."""

import pyarrow as pa
import pyarrow.ipc as ipc

_OPTIONS = ipc.IpcWriteOptions(compression="lz4")


def pack(table: pa.Table | pa.RecordBatch) -> bytes:
    """A table as one Arrow stream."""
    sink = pa.BufferOutputStream()
    with ipc.new_stream(sink, table.schema, options=_OPTIONS) as stream:
        stream.write(table)
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


def unpack(blob: bytes) -> pa.Table:
    """The table that was packed."""
    with ipc.open_stream(pa.py_buffer(blob)) as stream:
        return stream.read_all()
