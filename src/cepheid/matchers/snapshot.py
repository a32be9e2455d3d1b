"""A matcher's or a session's whole state as named arrays and tables, in bytes that outlive the process."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from cepheid.errors import SnapshotError

FORMAT = 5
_MAGIC = b"CEPHEID1"
_FINGERPRINT = "fingerprint of the part"
_SCHEMA = pa.schema(
    [
        ("name", pa.string()),
        ("kind", pa.string()),
        ("shape", pa.list_(pa.int64())),
        ("data", pa.large_binary()),
    ]
)


@dataclass(slots=True)
class Snapshot:
    """Everything needed to go on elsewhere."""

    fingerprint: str
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    tables: dict[str, pa.Table] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)  # what JSON can hold

    def to_bytes(self) -> bytes:
        """The snapshot as bytes: a checksum, then one Arrow IPC stream."""
        rows = [_array_row(name, array) for name, array in self.arrays.items()]
        rows += [_table_row(name, table) for name, table in self.tables.items()]
        about = {"format": FORMAT, "fingerprint": self.fingerprint, "values": self.values}
        schema = _SCHEMA.with_metadata({"cepheid": json.dumps(about)})
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, schema) as writer:
            writer.write_batch(pa.RecordBatch.from_pylist(rows, schema=schema))
        body: bytes = sink.getvalue().to_pybytes()
        return _MAGIC + zlib.crc32(body).to_bytes(4, "big") + body

    @staticmethod
    def from_bytes(data: bytes) -> Snapshot:
        """The snapshot that `to_bytes` wrote."""
        body = data[len(_MAGIC) + 4 :]
        if data[: len(_MAGIC)] != _MAGIC:
            raise SnapshotError("these bytes are not a Cepheid snapshot")
        if zlib.crc32(body) != int.from_bytes(data[len(_MAGIC) : len(_MAGIC) + 4], "big"):
            raise SnapshotError("the snapshot is damaged: its checksum does not match; take an earlier one")
        try:
            return _parsed(body)
        except (pa.ArrowException, KeyError, TypeError, ValueError) as error:
            raise SnapshotError(f"the snapshot cannot be read: {error}; take an earlier one") from error

    def merge(self, prefix: str, other: Snapshot) -> None:
        """Take in another part's state under a prefix."""
        self.arrays |= {f"{prefix}.{name}": array for name, array in other.arrays.items()}
        self.tables |= {f"{prefix}.{name}": table for name, table in other.tables.items()}
        self.values |= {f"{prefix}.{name}": value for name, value in other.values.items()}
        self.values[f"{prefix}.{_FINGERPRINT}"] = other.fingerprint

    def part(self, prefix: str) -> Snapshot:
        """The state that was taken in under a prefix."""
        start = f"{prefix}."
        cut = len(start)
        values = {name[cut:]: v for name, v in self.values.items() if name.startswith(start)}
        return Snapshot(
            values.pop(_FINGERPRINT, self.fingerprint),
            {name[cut:]: a for name, a in self.arrays.items() if name.startswith(start)},
            {name[cut:]: t for name, t in self.tables.items() if name.startswith(start)},
            values,
        )


def _parsed(body: bytes) -> Snapshot:
    with pa.ipc.open_stream(pa.BufferReader(body)) as reader:
        about = json.loads(reader.schema.metadata[b"cepheid"])
        rows = reader.read_all().to_pylist()
    if about["format"] != FORMAT:
        raise SnapshotError(
            f"the snapshot has format {about['format']}, this version reads format {FORMAT}: "
            "resume it with the version that wrote it"
        )
    snapshot = Snapshot(about["fingerprint"], values=about["values"])
    for row in rows:
        if row["kind"] == "table":
            snapshot.tables[row["name"]] = pa.ipc.open_stream(pa.BufferReader(row["data"])).read_all()
        else:
            array = np.frombuffer(row["data"], np.dtype(row["kind"])).reshape(row["shape"])
            snapshot.arrays[row["name"]] = array.copy()
    return snapshot


def _array_row(name: str, array: np.ndarray) -> dict[str, object]:
    return {
        "name": name,
        "kind": array.dtype.str,
        "shape": list(array.shape),
        "data": np.ascontiguousarray(array).tobytes(),
    }


def _table_row(name: str, table: pa.Table) -> dict[str, object]:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table.unify_dictionaries())
    return {"name": name, "kind": "table", "shape": [], "data": sink.getvalue().to_pybytes()}
