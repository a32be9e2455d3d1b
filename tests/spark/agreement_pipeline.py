"""One streaming query for many cases: what arrives for each is a packed row, and keys carry its number."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark import cloudpickle
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from cepheid.runners.spark.frames import Frames
from cepheid.runners.spark.route import ROUTED
from cepheid.runners.spark.schema import spark_schema
from cepheid.runners.spark.visits import ShardVisits, SparkStore

MICRO_BATCHES = 4
PACKED = Frames(None)
"""Cases have their own columns, and one schema to travel in."""

STRIDE = 1 << 16
"""Keys of one case are less than this apart; the guard's, -1, is the last of them."""

FILE = pa.schema([("trial", pa.int32()), ("what", pa.string()), ("blob", pa.binary())])
"""What arrives for a case: its number, what it is, and the rows themselves."""

Item = TypeVar("Item", covariant=True)

Stage = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]


@dataclass(frozen=True)
class Stages:
    """What `match_stream` puts into a DataFrame's plan, for many cases."""

    routes: Stage
    visits: AllVisits
    results: Stage
    found: pa.Schema  # of what the results are


def write_arrivals(batches: Iterable[list[dict[str, Any]]], folder: Path) -> None:
    """One file for each micro-batch, in their order; each is some rows of `FILE`."""
    folder.mkdir(parents=True)
    for place, rows in enumerate(batches):
        path = folder / f"{place}.parquet"
        pq.write_table(pa.Table.from_pylist(rows, schema=FILE), path)
        os.utime(path, (1e9 + place, 1e9 + place))


def arriving(spark: SparkSession, folder: Path) -> DataFrame:
    """The rows that were written, a file in each micro-batch."""
    source = spark.readStream.schema(spark_schema(FILE)).option("maxFilesPerTrigger", 1)
    return source.parquet(str(folder / "events"))


def found_in_stream(spark: SparkSession, stages: Stages, folder: Path, name: str) -> list[Any]:
    """All results for what arrives."""
    found = (
        arriving(spark, folder)
        .repartition(2)
        .mapInArrow(stages.routes, spark_schema(ROUTED))
        .groupBy("key")
        .transformWithStateInPandas(stages.visits, PACKED.schema, "Append", "None")
        .mapInArrow(stages.results, spark_schema(stages.found))
    )
    return collected(spark, found, folder, name)


def collected(spark: SparkSession, found: DataFrame, folder: Path, name: str) -> list[Any]:
    """The rows of a streaming DataFrame when all that was written has arrived."""
    writer = found.writeStream.format("memory").queryName(name).trigger(availableNow=True)
    writer.option("checkpointLocation", str(folder / "checkpoint")).start().awaitTermination()
    rows = spark.table(name).collect()
    spark.catalog.dropTempView(name)
    return rows


def with_number(routed: pa.RecordBatch, number: int) -> pa.RecordBatch:
    """Routed rows of one case, with keys that no other case has."""
    keys = pc.add(routed.column("key"), pa.scalar(number * STRIDE, pa.int32()))
    return routed.set_column(0, "key", keys)


class Numbered(Protocol[Item]):
    """Things by their numbers."""

    def __getitem__(self, number: int, /) -> Item: ...


@dataclass(frozen=True)
class InFile(Generic[Item]):
    """What cases have, in a file that each worker reads once. Spark hands a large closure to workers by a
    broadcast, and what starts a stateful processor cannot read one."""

    path: str

    def __getitem__(self, number: int, /) -> Item:
        item: Item = _read(self.path)[number]
        return item


def in_file(items: Sequence[Item], path: Path) -> InFile[Item]:
    """The same things, for workers."""
    path.write_bytes(cloudpickle.dumps(list(items)))
    return InFile(str(path))


@lru_cache(maxsize=1)
def _read(path: str) -> list[Any]:
    items: list[Any] = cloudpickle.loads(Path(path).read_bytes())
    return items


class AllVisits(StatefulProcessor):
    """The shards of all cases."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.store = SparkStore(handle)

    @abstractmethod
    def visits(self, number: int) -> ShardVisits:
        """What visits the shards of one case."""

    def handleInputRows(
        self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any
    ) -> Iterator[pd.DataFrame]:
        number, own = divmod(key[0] + 1, STRIDE)  # the guard's key is the one before a case's first
        visits = self.visits(number)
        visits.open(self.store)
        for frame in visits.handleInputRows((own - 1,), rows, timerValues):
            frame["shard"] += number * STRIDE
            yield frame

    def close(self) -> None:
        pass
