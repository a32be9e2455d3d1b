"""The batch side of the agreement: some cases in one job, rows in any order, divided in any way."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from functools import reduce
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import cepheid
from cepheid.runners.spark.schema import spark_schema
from cepheid.runners.stream.order import has_time, in_order
from cepheid.spark import match, match_files
from tests.spark.agreement import Outcome, Trial


def run_batches(spark: SparkSession, trials: Sequence[Trial], folder: Path, seed: int) -> Outcome:
    """What each trial finds on Spark, and in one process."""
    rng = random.Random(seed)
    folder.mkdir(parents=True)
    parts = [_found(spark, number, trial, folder, rng) for number, trial in enumerate(trials)]
    found: dict[int, list[str]] = defaultdict(list)
    for row in reduce(DataFrame.union, parts).collect():
        found[row.trial].append(row.match_id)
    return {trial.name: (sorted(found[number]), _expected(trial)) for number, trial in enumerate(trials)}


def _found(spark: SparkSession, number: int, trial: Trial, folder: Path, rng: random.Random) -> DataFrame:
    """By one of the two doors."""
    rows = trial.table.take(
        pa.array(rng.sample(range(trial.table.num_rows), trial.table.num_rows), pa.int64())
    )
    shards = rng.choice((None, 1, 2, 3, 4))
    if rng.random() < 0.4:
        path = folder / f"{number}.parquet"
        pq.write_table(rows, path, row_group_size=rng.randint(1, 10))
        matches = match_files(spark, path, trial.query, shards=shards, **trial.binding)
    else:
        matches = match(
            spark.createDataFrame(rows, spark_schema(rows.schema)),
            trial.query,
            shards=shards,
            **trial.binding,
        )
    return matches.select(F.lit(number).alias("trial"), "match_id")


def _expected(trial: Trial) -> list[str]:
    """One process over the same rows, put in the order that Spark gives them."""
    schema = trial.plan.schema
    timed = trial.table.filter(pa.array(has_time(trial.table.column(schema.time))))
    needed = in_order(timed.select(list(trial.plan.needed)), schema, ties="content")
    columns = [
        needed.column(field.name) if field.name in needed.column_names else pa.nulls(len(needed), field.type)
        for field in trial.table.schema
    ]
    ordered = pa.Table.from_arrays(columns, schema=trial.table.schema)
    found = cepheid.query(trial.text).run(ordered, **trial.binding)
    return sorted(found.table.column("match_id").to_pylist())
