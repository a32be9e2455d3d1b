"""A streaming DataFrame: rows packed per shard, shards in the state store, matches unpacked again."""

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cepheid.errors import CepheidError
from cepheid.plan.events.division import By, divided
from cepheid.plan.plan import Plan
from cepheid.runners.spark.assignment import Assignment, side_rows, with_side
from cepheid.runners.spark.frames import LATE, MATCHES, Frames
from cepheid.runners.spark.needed import needed_of
from cepheid.runners.spark.pack import unpack
from cepheid.runners.spark.progress import observed
from cepheid.runners.spark.route import BAD, MATTERS, ROUTED, SHARD, Route
from cepheid.runners.spark.schema import as_rows, row_schema, spark_schema
from cepheid.runners.spark.stamp import Stamp
from cepheid.runners.spark.starts import with_starts
from cepheid.runners.spark.ticks import quoted
from cepheid.runners.spark.visits import ShardVisits

PROVIDER = "spark.sql.streaming.stateStore.providerClass"
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
PARTITIONS = "spark.sql.shuffle.partitions"


def match_stream(
    df: DataFrame, assigned: Assignment, shards: int | None, matters: Column | None = None
) -> DataFrame:
    """The matches in a streaming DataFrame, as they become certain.

    Events for which `matters` does not hold only move the clock, unless late ones are asked for.
    """
    plan = assigned.plan
    if assigned.side or assigned.terms.on_late == "fail":
        matters = None
    keys = divided(plan).keys if divided(plan).by is By.KEYS else ()
    refuse_other_stores(df)
    count = _shard_count(df, shards, bool(keys))
    events = with_starts(_travelling(df, plan, keys if count > 1 else (), count, matters))
    needed = needed_of(plan)
    route = Route(plan, assigned.terms, _columns(plan, events), count, needed)
    frames = Frames.of(assigned.results)
    visits = ShardVisits(assigned, Stamp(plan.text, plan.fingerprint, count), frames)
    visited = (
        events.mapInArrow(route, spark_schema(ROUTED))
        .groupBy("key")
        .transformWithStateInPandas(visits, frames.schema, "Append", "None")
    )
    told = observed(visited, plan, needed)
    if frames.plain is not None:
        return told.where(F.col("what") == MATCHES).select(*frames.columns)
    return told.select("what", "blob").mapInArrow(ResultRows(assigned), spark_schema(assigned.results))


def _travelling(
    df: DataFrame, plan: Plan, keys: tuple[str, ...], shards: int, matters: Column | None
) -> DataFrame:
    """The needed columns; of an event that does not matter, only its time."""
    chosen = [F.col(quoted(name)) for name in plan.needed]
    beside = []
    if keys:
        place = F.pmod(F.hash(*(F.col(quoted(name)) for name in keys)), F.lit(shards))
        beside.append(place.cast("int").alias(SHARD))
    if matters is not None:
        time = plan.schema.time
        kept = F.coalesce(matters, F.lit(False)) | _has_no_time(plan)
        chosen = [
            column if name == time else F.when(kept, column).alias(name)
            for name, column in zip(plan.needed, chosen, strict=True)
        ]
        beside.append(kept.alias(MATTERS))
    return df.select(*chosen, *beside)


def _has_no_time(plan: Plan) -> Column:
    """Bad events are to be seen whole."""
    time = F.col(quoted(plan.schema.time))
    if pa.types.is_floating(plan.schema.type_of(plan.schema.time)):
        return time.isNull() | F.isnan(time) | (F.abs(time) == float("inf"))
    return time.isNull()


def _columns(plan: Plan, events: DataFrame) -> pa.Schema:
    beside = [(SHARD, pa.int32()), (MATTERS, pa.bool_())]
    needed = [plan.schema.columns.field(name) for name in plan.needed]
    return pa.schema([*needed, *(field for field in beside if field[0] in events.columns)])


def _shard_count(df: DataFrame, asked: int | None, has_keys: bool) -> int:
    """What was asked for, or as many as the shuffle has partitions; one where all events belong together."""
    partitions = int(df.sparkSession.conf.get(PARTITIONS) or 200)
    shards = (asked or partitions) if has_keys else 1
    if partitions > 4 * shards:
        warnings.warn(
            f"each micro-batch runs {partitions} tasks for {shards} shards: set "
            f"spark.conf.set('{PARTITIONS}', {shards}) before the stream is first started",
            stacklevel=4,
        )
    return shards


def refuse_other_stores(df: DataFrame) -> None:
    """Refuse a session whose state store cannot hold our state."""
    provider = df.sparkSession.conf.get(PROVIDER)
    if "RocksDB" not in str(provider):
        raise CepheidError(
            f"matching a stream needs Spark's RocksDB state store: spark.conf.set('{PROVIDER}', '{ROCKSDB}')"
        )


@dataclass(frozen=True, slots=True)
class ResultRows:
    """Blobs of matches and of unused events in, rows out."""

    assigned: Assignment

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Rows in the columns of the result."""
        rows = row_schema(self.assigned.results)
        for batch in batches:
            for what, blob in zip(batch.column("what").to_pylist(), batch.column("blob"), strict=True):
                if what in (MATCHES, LATE, BAD):
                    yield from as_rows(self._table(what, unpack(blob.as_buffer())), rows)

    def _table(self, what: str, table: pa.Table) -> pa.Table:
        if what != MATCHES:
            return side_rows(what, table, self.assigned.results)
        return with_side(table, self.assigned.results) if self.assigned.side else table
