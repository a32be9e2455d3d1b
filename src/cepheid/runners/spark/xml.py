"""Tree patterns over documents: those of a column, or files that every worker can read."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as st

from cepheid.errors import BindingError, CepheidError, SourceError
from cepheid.matchers.twig.rows import SCHEMA
from cepheid.runners.spark.schema import spark_schema
from cepheid.runners.spark.ticks import quoted

PATH = "path"
"""The column of the file that a row is from."""

AT_ONCE = 1 << 16
"""So many rows of documents go to Spark together."""

_DECLARED = re.compile(r"<\?xml[^>]*?encoding\s*=\s*[\"']([A-Za-z][A-Za-z0-9._-]*)[\"']")

Read = Callable[[Any], pa.Table]
"""From a path or the bytes of a document to its rows."""


def match_documents(df: DataFrame, read: Read, column: str, keys: Sequence[str]) -> DataFrame:
    """The rows of the documents in a column, each with the keys of its document."""
    _check_columns(df, column, keys)
    own = [field for field in df.schema if field.name in keys]
    columns = st.StructType([*sorted(own, key=lambda f: list(keys).index(f.name)), *spark_schema(SCHEMA)])
    wanted = dict.fromkeys((*keys, column))
    given = df.select(*(quoted(name) for name in wanted))
    return given.mapInArrow(DocumentTask(read, column, tuple(keys)), columns)


def match_document_files(spark: SparkSession, read: Read, paths: Sequence[str | Path]) -> DataFrame:
    """The rows of the documents in files, each with the path of its file."""
    files = [(name,) for path in paths for name in _files(os.fspath(path))]
    df = spark.createDataFrame(files, f"{PATH} string").repartition(len(files), PATH)
    return df.mapInArrow(
        DocumentTask(read, PATH, (PATH,), holds_paths=True),
        st.StructType([st.StructField(PATH, st.StringType()), *spark_schema(SCHEMA)]),
    )


def _check_columns(df: DataFrame, column: str, keys: Sequence[str]) -> None:
    types = {field.name: field.dataType for field in df.schema}
    for name in (column, *keys):
        if name not in types:
            raise BindingError(f"there is no column '{name}'; the columns are {', '.join(types)}")
    if not isinstance(types[column], st.StringType | st.BinaryType):
        raise BindingError(
            f"the column '{column}' is {types[column].simpleString()}: documents are texts or binary"
        )
    for name in keys:
        if name in SCHEMA.names:
            raise BindingError(
                f"the rows of documents have a column '{name}' of their own: rename that key, as in "
                f"df.withColumnRenamed('{name}', 'document_{name}')"
            )


def _files(path: str) -> list[str]:
    """The files that a path means: a folder has them in the order of names, and so has a glob."""
    if os.path.isdir(path):
        found = [
            each for each in sorted(glob.glob(os.path.join(glob.escape(path), "*"))) if os.path.isfile(each)
        ]
    elif os.path.exists(path):
        found = [path]
    else:
        found = sorted(each for each in glob.glob(path, recursive=True) if os.path.isfile(each))
    if not found:
        raise SourceError(
            f"there is no file {path!r} here; every worker must be able to read it by this path"
        )
    return [os.path.abspath(each) for each in found]


@dataclass(frozen=True, slots=True)
class DocumentTask:
    """Reads the documents that a worker is given."""

    read: Read
    column: str
    keys: tuple[str, ...]
    holds_paths: bool = False

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Rows, some documents at a time."""
        for batch in batches:
            found: list[tuple[int, pa.Table]] = []
            size = 0
            for number, document in enumerate(batch.column(self.column)):
                if document.is_valid:
                    found.append((number, self._rows(batch, number, document.as_py())))
                    size += found[-1][1].num_rows
                if size >= AT_ONCE:
                    yield from self._together(batch, found)
                    found, size = [], 0
            yield from self._together(batch, found)

    def _rows(self, batch: pa.RecordBatch, number: int, document: str | bytes) -> pa.Table:
        is_ready = self.holds_paths or isinstance(document, bytes)
        try:
            return self.read(document if is_ready else as_bytes(str(document)))
        except CepheidError as error:
            told = ", ".join(f"{name} {batch.column(name)[number].as_py()!r}" for name in self.keys)
            raise SourceError(f"in the document of {told}: {error}" if told else str(error)) from None

    def _together(self, batch: pa.RecordBatch, found: list[tuple[int, pa.Table]]) -> Iterator[pa.RecordBatch]:
        tables = [table for _, table in found if table.num_rows]
        if not tables:
            return
        rows = pa.concat_tables(tables)
        numbers = np.repeat([number for number, _ in found], [table.num_rows for _, table in found])
        keys = batch.select(list(self.keys)).take(pa.array(numbers))
        columns = {name: keys.column(name) for name in self.keys}
        told = pa.table(columns | {name: rows.column(name) for name in SCHEMA.names})
        yield from told.combine_chunks().to_batches()


def as_bytes(document: str) -> bytes:
    """A document that is a text, in the encoding that it says it has: it was decoded before."""
    text = document.lstrip("\ufeff")
    declared = _DECLARED.match(text)
    encoding = declared[1] if declared else "utf-8"
    try:
        return text.encode(encoding)
    except (LookupError, UnicodeEncodeError):
        raise SourceError(
            f"a text that says it is in {encoding} cannot be: read the document as binary"
        ) from None
