"""The streaming side of the agreement by the public door: each case a `match` of its own, so it is slow."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cepheid.runners.spark.pack import unpack
from cepheid.runners.spark.schema import as_rows, row_schema, spark_schema
from cepheid.spark import match
from tests.spark.agreement import Outcome, Trial
from tests.spark.agreement_pipeline import arriving, collected, write_arrivals
from tests.spark.agreement_stream import Arrival, arrival_of, expected_ids, pieces_of


def run_whole_streams(spark: SparkSession, trials: Sequence[Trial], folder: Path, seed: int) -> Outcome:
    """What each trial finds as a stream, and what it should by then; one that has no bounds is left out."""
    rng = random.Random(seed)
    refused = [trial for trial in trials if trial.plan.engine.stream_refusal(trial.plan) is not None]
    outcome: Outcome = {trial.name: ([], []) for trial in refused}
    trials = [trial for trial in trials if trial.name not in outcome]
    if not trials:
        return outcome
    arrivals = [arrival_of(trial, rng) for trial in trials]
    write_arrivals(pieces_of([arrival.batches for arrival in arrivals]), folder / "events")
    stream = arriving(spark, folder)
    parts = [
        _found(stream, number, *pair, rng) for number, pair in enumerate(zip(trials, arrivals, strict=True))
    ]
    found: dict[int, list[str]] = defaultdict(list)
    for row in collected(spark, reduce(DataFrame.union, parts), folder, f"whole_{seed}"):
        found[row.trial].append(row.match_id)
    for number, (trial, arrival) in enumerate(zip(trials, arrivals, strict=True)):
        outcome[trial.name] = sorted(found[number]), expected_ids(trial, arrival)
    return outcome


def _found(stream: DataFrame, number: int, trial: Trial, arrival: Arrival, rng: random.Random) -> DataFrame:
    columns = pa.schema([trial.table.schema.field(name) for name in trial.plan.needed])
    events = stream.where(F.col("trial") == number).mapInArrow(Unpacked(columns), spark_schema(columns))
    shards = rng.choice((1, 2, 3))
    matches = match(events, trial.query, shards=shards, lateness=_written(trial, arrival), **trial.binding)
    return matches.select(F.lit(number).alias("trial"), "match_id")


def _written(trial: Trial, arrival: Arrival) -> Any:
    """A lateness as a user writes it."""
    kind = trial.table.schema.field(trial.binding["time"]).type
    return f"{arrival.lateness} us" if pa.types.is_timestamp(kind) and arrival.lateness else arrival.lateness


@dataclass(frozen=True)
class Unpacked:
    """A trial's rows, out of the blobs that carry them."""

    columns: pa.Schema

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for blob in batch.column("blob"):
                yield from as_rows(unpack(blob.as_buffer()), row_schema(self.columns))
