"""What a visit to a shard hands out, as frames for Spark: matches, what was not used, and progress.

Matches of plain columns travel as such. Where a column is nested, pandas would take its values apart:
then matches travel packed, and one more step of workers unpacks them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import pandas as pd
import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as st

from cepheid.runners.spark.pack import pack
from cepheid.runners.spark.schema import as_rows, row_schema, spark_schema

MATCHES, LATE, PROGRESS = "matches", "late", "progress"
"""What a frame's rows hold, besides bad events."""

COUNTS = ("events", "matches", "late", "bad", "waiting", "state_bytes")
"""What is counted at each visit; `waiting` and `state_bytes` are as the visit left them."""

BLOB_BYTES = 1 << 23
"""How many bytes of matches travel together."""


@dataclass(frozen=True)
class Frames:
    """The frames of one stream. `plain` has the columns of its matches, unless one of them is nested."""

    plain: pa.Schema | None

    @classmethod
    def of(cls, results: pa.Schema) -> Frames:
        """For results of these columns."""
        return cls(None if any(pa.types.is_nested(field.type) for field in results) else results)

    @property
    def schema(self) -> st.StructType:
        """The columns of every frame; a match's own are numbered, since their names are the user's."""
        matched = () if self.plain is None else spark_schema(self.plain)
        return st.StructType(
            [
                st.StructField("what", st.StringType()),
                st.StructField("blob", st.BinaryType()),
                st.StructField("shard", st.IntegerType()),
                *(st.StructField(name, st.LongType()) for name in COUNTS),
                st.StructField("seen", st.LongType()),
                st.StructField("watermark", st.StringType()),
                *(st.StructField(_numbered(k), field.dataType) for k, field in enumerate(matched)),
            ]
        )

    @property
    def columns(self) -> list[Column]:
        """The columns of a match, by their own names."""
        assert self.plain is not None
        return [F.col(_numbered(k)).alias(name) for k, name in enumerate(self.plain.names)]

    def matches(self, number: int, found: pa.Table) -> Iterator[pd.DataFrame]:
        """The matches of a shard."""
        count = max(1, BLOB_BYTES * found.num_rows // max(1, found.nbytes))
        for start in range(0, found.num_rows, count):
            piece = found.slice(start, count)
            if self.plain is None:
                yield self.blob(number, MATCHES, pack(piece))
                continue
            for rows in as_rows(piece, self._rows):
                numbered = rows.rename_columns([_numbered(k) for k in range(rows.num_columns)])
                frame = numbered.to_pandas(types_mapper=pd.ArrowDtype)
                yield frame.assign(**self._beside(number, MATCHES))

    def blob(self, number: int, what: str, blob: bytes) -> pd.DataFrame:
        """What travels packed."""
        return self._frame({**self._beside(number, what), "blob": blob})

    def progress(self, number: int, watermark: str | None, counts: dict[str, int]) -> pd.DataFrame:
        """What a visit counted."""
        return self._frame({**self._beside(number, PROGRESS), **counts, "watermark": watermark})

    @cached_property
    def _rows(self) -> pa.Schema:
        assert self.plain is not None
        return row_schema(self.plain)

    def _beside(self, number: int, what: str) -> dict[str, str | int | bytes | None]:
        """The columns beside those of a match, with counts of zero."""
        counts = dict.fromkeys([*COUNTS, "seen"], 0)
        return {"what": what, "blob": None, "shard": number, **counts, "watermark": None}

    def _frame(self, row: dict[str, str | int | bytes | None]) -> pd.DataFrame:
        unmatched = {_numbered(k): None for k in range(len(self.plain or ()))}
        return pd.DataFrame([{**row, **unmatched}])


def _numbered(column: int) -> str:
    return f"column {column}"
