"""Streams for the tests: files that arrive one after the other, and sinks that a test can look into."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from cepheid.runners.spark.schema import spark_schema


class Arrivals:
    """A folder into which micro-batches are put: each file is one."""

    def __init__(self, spark: SparkSession, folder: Path, schema: pa.Schema) -> None:
        self.spark, self.folder, self.schema = spark, folder / "events", schema
        self.folder.mkdir(parents=True)

    def put(self, *batches: pa.Table | Sequence[dict[str, Any]]) -> None:
        """Some micro-batches more."""
        for batch in batches:
            rows = (
                batch
                if isinstance(batch, pa.Table)
                else pa.Table.from_pylist(list(batch), schema=self.schema)
            )
            number = len(list(self.folder.iterdir()))
            path = self.folder / f"{number:05}.parquet"
            hidden = path.with_name(f".{path.name}")
            pq.write_table(rows, hidden)
            os.utime(hidden, (1e9 + number, 1e9 + number))  # files are taken in the order of their age
            hidden.rename(path)

    def stream(self) -> DataFrame:
        """The folder as a stream."""
        reader = self.spark.readStream.schema(spark_schema(self.schema)).option("maxFilesPerTrigger", 1)
        return reader.parquet(str(self.folder))


def run(out: DataFrame, checkpoint: Path) -> tuple[list[Row], StreamingQuery]:
    """All rows that a stream gives for what has arrived, and the query that gave them."""
    rows: list[Row] = []
    query = (
        out.writeStream.foreachBatch(lambda frame, number: rows.extend(frame.collect()))
        .option("checkpointLocation", str(checkpoint))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return rows, query


def pieces(table: pa.Table, count: int) -> list[pa.Table]:
    """A table in so many parts."""
    edges = [table.num_rows * place // count for place in range(count + 1)]
    return [table.slice(start, stop - start) for start, stop in itertools.pairwise(edges)]


def metrics(query: StreamingQuery) -> list[dict[str, Any]]:
    """What Cepheid told of each micro-batch, summed over the queries in it."""
    return [
        row.asDict()
        for progress in query.recentProgress
        for name, row in progress.observedMetrics.items()
        if name.startswith("cepheid")
    ]
