"""Streams of files through Structured Streaming, one file to a micro-batch, and what their progress tells."""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from cepheid.bench.processes import family_seconds
from cepheid.bench.spark.ground import Ground
from cepheid.runners.spark.pack import pack, unpack
from cepheid.runners.spark.spread import spread

Asked = Callable[[DataFrame], DataFrame]


@dataclass(frozen=True, slots=True)
class MicroBatch:
    """What Spark tells of one micro-batch."""

    events: int
    seconds: float
    shard_bytes: tuple[int, ...]  # the state of each shard after it, where the stream tells


@dataclass(frozen=True, slots=True)
class Streamed:
    """A whole stream, run until its files were read."""

    batches: tuple[MicroBatch, ...]
    cpu: float

    @property
    def seconds(self) -> float:
        """The processing time of all batches but the first, which opens files and state."""
        return sum(batch.seconds for batch in self.batches[1:])


def streamed(ground: Ground, path: str, asked: Asked, *, shards: int) -> Streamed:
    """Run a stream over the files of a folder, from a new checkpoint."""
    with tempfile.TemporaryDirectory(dir=ground.folder) as checkpoint, ground.shuffled_into(shards):
        files = ground.spark.readStream.schema(ground.read(path).schema).option("maxFilesPerTrigger", 1)
        writer = asked(files.parquet(path)).writeStream.format("noop").outputMode("append")
        used = family_seconds()
        query = writer.option("checkpointLocation", checkpoint).trigger(availableNow=True).start()
        query.awaitTermination()
        used = family_seconds() - used
        return Streamed(tuple(_micro_batches(query)), used)


def _micro_batches(query: StreamingQuery) -> Iterator[MicroBatch]:
    for progress in query.recentProgress:
        if progress["numInputRows"]:
            yield MicroBatch(
                progress["numInputRows"],
                progress["durationMs"]["triggerExecution"] / 1000,
                tuple(_shard_bytes(progress["observedMetrics"])),
            )


def _shard_bytes(metrics: dict[str, Any]) -> Iterator[int]:
    for told in metrics.values():
        for entry in told["state_bytes_by_shard"]:
            yield entry["value"]


def counting(events: DataFrame, columns: tuple[str, ...], shards: int) -> DataFrame:
    """A stateful job that moves rows as `match` does, packed by shard, and only counts them."""
    place = F.pmod(F.hash("symbol"), F.lit(shards)).alias("shard")
    packed = events.select(*columns, place).mapInArrow(Packing(shards), "key int, blob binary")
    return packed.groupBy("key").transformWithStateInPandas(RowCounter(), "rows long", "Append", "None")


@dataclass(frozen=True, slots=True)
class Packing:
    """The rows of an input partition as one blob to a shard."""

    shards: int

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """A row for each shard that has events."""
        given = list(batches)
        if not given:
            return
        table = pa.Table.from_batches(given)
        shard = table.column("shard").to_numpy()
        table = table.drop_columns(["shard"]).take(pa.array(np.argsort(shard, kind="stable")))
        edges = np.concatenate([[0], np.cumsum(np.bincount(shard, minlength=self.shards))])
        blobs = [pack(table.slice(start, end - start)) for start, end in pairwise(edges)]
        keys = pa.array(spread(self.shards, self.shards), pa.int32())
        yield pa.RecordBatch.from_arrays([keys, pa.array(blobs, pa.binary())], ["key", "blob"])


class RowCounter(StatefulProcessor):
    """The number of rows so far, as one value in the state store."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._counted = handle.getValueState("counted", "data binary")

    def handleInputRows(
        self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any
    ) -> Iterator[pd.DataFrame]:
        """The blobs of one shard."""
        before = self._counted.get()
        counted = 0 if before is None else int.from_bytes(bytes(before[0]), "big")
        counted += sum(unpack(blob).num_rows for frame in rows for blob in frame["blob"])
        self._counted.update((counted.to_bytes(8, "big"),))
        yield pd.DataFrame({"rows": [counted]})

    def close(self) -> None:
        """Nothing is held open."""


class StateWriter(StatefulProcessor):
    """Writes a new value of so many bytes at each visit."""

    def __init__(self, size: int) -> None:
        self._size = size

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._stored = handle.getValueState("stored", "data binary")

    def handleInputRows(
        self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any
    ) -> Iterator[pd.DataFrame]:
        """Bytes that do not compress."""
        for _ in rows:
            pass
        self._stored.update((np.random.default_rng().bytes(self._size),))
        yield pd.DataFrame({"rows": [1]})

    def close(self) -> None:
        """Nothing is held open."""


def storing(events: DataFrame, columns: tuple[str, ...], size: int) -> DataFrame:
    """A stateful job with one shard: each micro-batch writes its whole state, of so many bytes, anew."""
    packed = events.select(*columns, F.lit(0).alias("shard")).mapInArrow(Packing(1), "key int, blob binary")
    return packed.groupBy("key").transformWithStateInPandas(StateWriter(size), "rows long", "Append", "None")
