"""Profiles over a streaming DataFrame: each shard has a share of them, and events go where they are wanted.

The profiles come as rows at every start of the streaming query. The first time they go into Spark's state
store; later ones must be the same. Which shards want an event is looked up ahead of the shuffle, in a small
table that is made of the profiles in the same job. All shards see the same clock, whoever wants the events.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cepheid.runners.spark.assignment import Assignment
from cepheid.runners.spark.frames import MATCHES, Frames
from cepheid.runners.spark.pack import pack
from cepheid.runners.spark.profile_visits import ProfileVisits
from cepheid.runners.spark.profiles import (
    GIVEN,
    INTEREST,
    SHARDS,
    WANTED,
    InterestTask,
    ProfileShards,
    by_shard,
    given_column,
    placed_profiles,
)
from cepheid.runners.spark.progress import observed
from cepheid.runners.spark.route import GUARD, KNOWN, PROFILES, ROUTED, SHARD, Route, routed, shard_keys
from cepheid.runners.spark.route import SHARDS as WANTING
from cepheid.runners.spark.schema import spark_schema
from cepheid.runners.spark.stamp import Stamp
from cepheid.runners.spark.starts import STARTED, starts
from cepheid.runners.spark.streaming import refuse_other_stores
from cepheid.runners.spark.ticks import quoted

_INTERESTS = "cepheid interests"


def match_profile_stream(
    df: DataFrame, profiles: DataFrame, shards: ProfileShards, count: int | None
) -> DataFrame:
    """What all profiles tell in a streaming DataFrame, as it becomes certain."""
    refuse_other_stores(df)
    number = count or SHARDS
    placed = placed_profiles(profiles, number)
    assigned = Assignment(shards.planned([], shards.stream), shards.terms, side=False)
    columns = pa.schema(
        [*shards.stream.columns, (WANTING, pa.list_(pa.int32())), (KNOWN, pa.string())],
    )
    route = Route(assigned.plan, shards.terms, columns, number, ())
    frames = Frames.of(assigned.results)
    visits = ProfileVisits(shards, assigned, Stamp("profiles", assigned.plan.fingerprint, number), frames)
    events = _wanted_events(df, placed, shards, number).mapInArrow(route, spark_schema(ROUTED))
    visited = (
        events.unionAll(_arriving(placed, shards, number))
        .groupBy("key")
        .transformWithStateInPandas(visits, frames.schema, "Append", "None")
    )
    told = observed(visited, assigned.plan, ())
    return told.where(F.col("what") == MATCHES).select(*frames.columns)


def _known() -> Column:
    """What tells a set of profiles from others, whatever their order: as text, which pandas leaves whole."""
    every = F.xxhash64(*(F.col(quoted(given_column(name))) for name in GIVEN))
    return F.coalesce(F.bit_xor(every), F.lit(0).cast("long")).cast("string")


def _arriving(placed: DataFrame, shards: ProfileShards, number: int) -> DataFrame:
    """At every start, the profiles of each shard, packed; and for the guard, which profiles there are."""
    start = F.broadcast(starts(placed.sparkSession))
    packed = placed.crossJoin(start).drop(STARTED).mapInArrow(PackTask(shards, number), spark_schema(ROUTED))
    known = placed.agg(_known().cast("binary").alias("blob")).crossJoin(start)
    guard = (F.lit(GUARD).cast("int").alias("key"), F.lit(PROFILES).alias("what"), "blob")
    return packed.unionAll(known.select(*guard))


def _wanted_events(df: DataFrame, placed: DataFrame, shards: ProfileShards, number: int) -> DataFrame:
    """The events with the shards that want them; of one that nobody wants, only its time is of use."""
    stream = shards.stream
    interest = placed.repartition(number, F.col(quoted(SHARD))).mapInArrow(
        InterestTask(shards), spark_schema(INTEREST)
    )
    pairs = F.collect_list(F.struct(F.col(quoted(SHARD)).alias("shard"), F.col(quoted(WANTED)).alias("type")))
    table = interest.agg(pairs.alias(_INTERESTS)).crossJoin(placed.agg(_known().alias(KNOWN)))
    wanting = F.transform(
        F.filter(F.col(quoted(_INTERESTS)), lambda pair: _wants(pair, stream.type)),
        lambda pair: pair["shard"],
    )
    if shards.terms.on_late == "fail":  # somebody has to see that an event is late
        first = F.array(F.lit(0).cast("int"))
        wanting = F.when(F.size(wanting) == 0, first).otherwise(wanting)
    return df.crossJoin(F.broadcast(table)).select(
        *(F.col(quoted(name)) for name in stream.columns.names),
        wanting.alias(WANTING),
        F.col(quoted(KNOWN)),
    )


def _wants(pair: Column, kind: str | None) -> Column:
    """Whether a shard wants an event: one that wants no type in particular wants all."""
    anything = pair["type"].isNull()
    return (
        anything if kind is None else anything | F.coalesce(pair["type"] == F.col(quoted(kind)), F.lit(False))
    )


@dataclass(frozen=True, slots=True)
class PackTask:
    """Packs the profiles of each shard."""

    shards: ProfileShards
    number: int

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Rows for shards."""
        keys = shard_keys(self.number)
        for shard, rows in by_shard(batches, self.shards.profiles):
            yield routed([keys[shard]], PROFILES, pack(rows.combine_chunks()))
