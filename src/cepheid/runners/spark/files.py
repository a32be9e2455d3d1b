"""Parquet read by the workers themselves: rows never pass through the JVM, only packed tables do."""

import pickle
from collections.abc import Sequence
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cepheid.plan.events.division import By, divided
from cepheid.plan.events.pushdown import pushed
from cepheid.plan.plan import QueryPlan
from cepheid.runners.spark.assignment import Assignment
from cepheid.runners.spark.filters import arrow_filter
from cepheid.runners.spark.lookout import watched
from cepheid.runners.spark.needed import needed_of
from cepheid.runners.spark.parquet import ParquetFiles, RowGroup
from cepheid.runners.spark.ranges import ranges_for
from cepheid.runners.spark.reading import PackedTask, Reading
from cepheid.runners.spark.schema import spark_schema
from cepheid.runners.spark.spread import spread
from cepheid.runners.stream.terms import Terms, checked_limit

SHARD_ROWS = 1 << 19
"""How many events a shard has, if no number of shards is asked for."""

_BLOBS = "key int, blob binary, seen long"


def match_parquet(
    spark: SparkSession,
    files: ParquetFiles,
    plan: QueryPlan,
    terms: Terms,
    *,
    shards: int | None,
    divide: str | None,
    side: bool,
) -> DataFrame:
    """The matches of a plan in Parquet files that every worker can read."""
    assigned = Assignment(plan, terms, side)
    wanted = pushed(plan).filter
    kept = None if wanted is None else arrow_filter(wanted, plan.schema)
    groups = files.row_groups(kept)
    asked = _default_shards(groups) if shards is None else checked_limit("shards", shards)
    way = divided(plan, divide)
    ranges = ranges_for(way, asked) if way.by is By.TIME else None
    count = asked if way.by is By.KEYS or ranges is not None else 1
    tasks = _tasks(groups, max(asked, 2))
    needed = needed_of(plan)
    keys = tuple(spread(count, count))
    read = Reading(assigned, tasks, files.dataset.schema, kept, way, ranges, keys, needed)
    blobs = spark.range(0, len(tasks), 1, len(tasks)).mapInArrow(read, _BLOBS)
    packed = watched(blobs, needed, F.bit_or("seen"), "spark.read.parquet(…)").repartition(count, "key")
    return packed.mapInArrow(PackedTask(assigned, ranges), spark_schema(assigned.results))


def coded_columns(plan: QueryPlan) -> list[str]:
    """The columns of types and keys, which are best read as codes."""
    keys = [plan.schema.column_of(key) for key in plan.query.keys]
    return [name for name in (plan.schema.type, *keys) if name is not None]


def _default_shards(groups: Sequence[RowGroup]) -> int:
    return max(2, -(-sum(group.rows for group in groups) // SHARD_ROWS))


def _tasks(groups: Sequence[RowGroup], count: int) -> tuple[bytes, ...]:
    """Row groups in their order, about as many rows to a task."""
    total = sum(group.rows for group in groups)
    tasks: list[list[Any]] = [[] for _ in range(max(1, min(count, len(groups))))]
    done = 0
    for group in groups:
        tasks[min(done * len(tasks) // max(total, 1), len(tasks) - 1)].append(group.fragment)
        done += group.rows
    return tuple(pickle.dumps(task) for task in tasks)
