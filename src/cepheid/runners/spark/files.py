"""Parquet read by the workers themselves: rows never pass through the JVM, only packed tables do."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from cepheid.plan.events.division import By, divided
from cepheid.plan.events.pushdown import pushed
from cepheid.plan.plan import QueryPlan
from cepheid.query import Query
from cepheid.runners.spark.filters import arrow_filter
from cepheid.runners.spark.match import asked_work, planned
from cepheid.runners.spark.parquet import ParquetFiles, RowGroup, open_parquet
from cepheid.runners.spark.ranges import ranges_for
from cepheid.runners.spark.reading import PackedTask, Reading
from cepheid.runners.spark.schema import spark_schema
from cepheid.runners.spark.spread import spread
from cepheid.runners.stream.limits import checked_limit

SHARD_ROWS = 1 << 19
"""How many events a shard has, if no number of shards is asked for."""

_BLOBS = "key int, blob binary"


def match_files(
    spark: SparkSession,
    paths: str | Path | Sequence[str | Path],
    q: Query | str,
    *,
    time: str,
    type: str | None = None,
    order: Sequence[str] = (),
    time_unit: str | None = None,
    shards: int | None = None,
    divide: str | None = None,
    on_bad: str = "side",
    side: bool = False,
    max_matches: int | None = None,
    max_state: int | None = None,
) -> DataFrame:
    """The matches of a query in Parquet files and folders that every worker can read."""
    files, plan = _planned(paths, q, time, type, order, time_unit)
    work = asked_work(plan, on_bad, side, max_matches, max_state)
    wanted = pushed(plan).filter
    kept = None if wanted is None else arrow_filter(wanted, plan.schema)
    groups = files.row_groups(kept)
    asked = checked_limit("shards", shards, _default_shards(groups))
    way = divided(plan, divide)
    ranges = ranges_for(way, asked) if way.by is By.TIME else None
    count = asked if way.by is By.KEYS or ranges is not None else 1
    tasks = _tasks(groups, max(asked, 2))
    read = Reading(work, tasks, files.dataset.schema, kept, way, ranges, tuple(spread(count, count)))
    packed = spark.range(0, len(tasks), 1, len(tasks)).mapInArrow(read, _BLOBS).repartition(count, "key")
    return packed.mapInArrow(PackedTask(work, ranges), spark_schema(work.results))


def _planned(
    paths: str | Path | Sequence[str | Path],
    q: Query | str,
    time: str,
    type: str | None,
    order: Sequence[str],
    time_unit: str | None,
) -> tuple[ParquetFiles, QueryPlan]:
    """The plan over files whose types and keys are read as codes."""
    files = open_parquet(paths)
    plan = planned(q, files.schema, time, type, order, time_unit)
    keys = [plan.schema.column_of(key) for key in plan.query.keys]
    coded = files.coded([name for name in (type, *keys) if name is not None])
    return coded, planned(q, coded.schema, time, type, order, time_unit)


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
