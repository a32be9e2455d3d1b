"""The jobs of the agreement on profiles: many sets in one batch, or in one streaming query."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession
from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle

from cepheid.runners.spark.assignment import Assignment
from cepheid.runners.spark.frames import MATCHES
from cepheid.runners.spark.pack import pack, unpack
from cepheid.runners.spark.profile_streams import PackTask
from cepheid.runners.spark.profile_visits import KEPT, ProfileVisits
from cepheid.runners.spark.profiles import SHARD, WANTED, InterestTask, ProfileShards, ProfileTask
from cepheid.runners.spark.route import GUARD, KNOWN, PROFILES, SHARDS, Route, routed
from cepheid.runners.spark.schema import as_rows, row_schema, spark_schema
from cepheid.runners.spark.stamp import Stamp
from cepheid.runners.spark.visits import ShardVisits
from tests.spark.agreement_pipeline import (
    FILE,
    MICRO_BATCHES,
    PACKED,
    STRIDE,
    AllVisits,
    Numbered,
    Stages,
    found_in_stream,
    in_file,
    with_number,
    write_arrivals,
)
from tests.spark.agreement_profiles import Outcome, SetTrial, Told, expected
from tests.spark.agreement_stream import Arrival, arrival_of

FOUND = pa.schema([("trial", pa.int32()), ("profile", pa.string()), ("match_id", pa.string())])


@dataclass(frozen=True)
class SetJob:
    """What `match_profiles` puts into a DataFrame's plan, for one trial."""

    trial: SetTrial
    lateness: Any

    def prepared(self) -> SetJob:
        """The same job with all that workers would have to find out again for each micro-batch."""
        assert self.profiles.num_rows and self.interest is not None and self.assigned is not None
        return self

    @cached_property
    def assigned(self) -> Assignment:
        return Assignment(self.known.planned([], self.known.stream), self.known.terms, side=False)

    @cached_property
    def known(self) -> ProfileShards:
        return self.trial.known(self.lateness)

    @cached_property
    def profiles(self) -> pa.Table:
        return self.trial.profile_rows(self.known.profiles)

    @cached_property
    def interest(self) -> list[tuple[int, str | None]]:
        found = InterestTask(self.known)(spark_rows(self.profiles))
        rows = [row for batch in found for row in batch.to_pylist()]
        return [(row[SHARD], row[WANTED]) for row in rows]

    def wanting(self, events: pa.Table) -> list[list[int]]:
        """The shards that want each event."""
        kind = self.known.stream.type
        types = [None] * len(events) if kind is None else events.column(kind).to_pylist()
        return [[shard for shard, wanted in self.interest if wanted in (None, each)] for each in types]


def spark_rows(table: pa.Table) -> list[pa.RecordBatch]:
    """Rows as Spark gives them to a worker."""
    return list(as_rows(table, row_schema(table.schema)))


# -- batch -----------------------------------------------------------------------------------------


def run_batch(spark: SparkSession, trials: Sequence[SetTrial], folder: Path, seed: int) -> Outcome:
    """What each set tells of its table."""
    jobs = [SetJob(trial, 0) for trial in trials]
    rows = [{"trial": number, "what": "", "blob": b""} for number in range(len(jobs))]
    folder.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows, schema=FILE), folder / "trials.parquet", row_group_size=8)
    given = spark.read.schema(spark_schema(FILE)).parquet(str(folder)).repartition(4)
    return _outcome(given.mapInArrow(BatchTask(jobs, seed), spark_schema(FOUND)).collect(), jobs)


@dataclass(frozen=True)
class BatchTask:
    """All shards of some sets, each in a worker of Spark."""

    jobs: list[SetJob]
    seed: int

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column("trial").to_pylist():
                both = _both(self.jobs[number], random.Random(self.seed + number))
                for rows in ProfileTask(self.jobs[number].known)(spark_rows(both)):
                    yield _found(number, rows)


def _both(job: SetJob, rng: random.Random) -> pa.Table:
    """Copies of the events for each shard that wants them, and the profiles, in any order."""
    events = job.trial.table
    copies = [(place, shard) for place, shards in enumerate(job.wanting(events)) for shard in shards]
    copied = events.take(pa.array([place for place, _ in copies], pa.int64()))
    copied = copied.append_column(SHARD, pa.array([shard for _, shard in copies], pa.int32()))
    rows = [_widened(copied, job.known.both), _widened(job.profiles, job.known.both)]
    both = pa.concat_tables(rows)
    return both.take(pa.array(rng.sample(range(len(both)), len(both)), pa.int64()))


def _widened(table: pa.Table, schema: pa.Schema) -> pa.Table:
    columns = [
        table.column(f.name) if f.name in table.column_names else pa.nulls(len(table), f.type) for f in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)


# -- streaming -------------------------------------------------------------------------------------


def run_stream(spark: SparkSession, trials: Sequence[SetTrial], folder: Path, seed: int) -> Outcome:
    """What each set tells of its events as they arrive."""
    rng = random.Random(seed)
    arrivals = [arrival_of(trial, rng) for trial in trials]  # type: ignore[arg-type]
    jobs = [
        SetJob(trial, arrival.lateness).prepared() for trial, arrival in zip(trials, arrivals, strict=True)
    ]
    write_arrivals(_pieces(jobs, arrivals), folder / "events")
    known = in_file(jobs, folder / "jobs")
    stages = Stages(SetRoutes(known), SetVisits(known), SetResults(), FOUND)
    return _outcome(found_in_stream(spark, stages, folder, f"sets_{seed}"), jobs)


def _pieces(jobs: Sequence[SetJob], arrivals: Sequence[Arrival]) -> Iterator[list[dict[str, Any]]]:
    """By micro-batch, what arrives; the profiles come with the first, and once more, as at another start."""
    for place in range(MICRO_BATCHES):
        rows = [
            {"trial": number, "what": "events", "blob": pack(arrival.batches[place].combine_chunks())}
            for number, arrival in enumerate(arrivals)
            if len(arrival.batches[place])
        ]
        if place in (0, 2):
            rows += [{"trial": n, "what": PROFILES, "blob": pack(job.profiles)} for n, job in enumerate(jobs)]
        yield rows


@dataclass(frozen=True)
class SetRoutes:
    """The rows of all trials to their shards."""

    jobs: Numbered[SetJob]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for row in batch.to_pylist():
                number, job, table = row["trial"], self.jobs[row["trial"]], unpack(row["blob"])
                way = self._profiles if row["what"] == PROFILES else self._events
                for rows in way(job, table):
                    yield with_number(rows, number)

    def _profiles(self, job: SetJob, table: pa.Table) -> Iterator[pa.RecordBatch]:
        yield from PackTask(job.known, job.trial.shards)(spark_rows(table))
        yield routed([GUARD], PROFILES, b"these")

    def _events(self, job: SetJob, table: pa.Table) -> Iterator[pa.RecordBatch]:
        wanting = pa.array(job.wanting(table), pa.list_(pa.int32()))
        table = table.append_column(SHARDS, wanting)
        table = table.append_column(KNOWN, pa.array(["these"] * len(table), pa.string()))
        route = Route(job.assigned.plan, job.known.terms, table.schema, job.trial.shards, ())
        yield from route(spark_rows(table))


class SetVisits(AllVisits):
    """The shards of all trials."""

    def __init__(self, jobs: Numbered[SetJob]) -> None:
        self.jobs = jobs

    def init(self, handle: StatefulProcessorHandle) -> None:
        super().init(handle)
        self.profiles = handle.getValueState("profiles", KEPT)

    def visits(self, number: int) -> ShardVisits:
        job = self.jobs[number]
        stamp = Stamp("profiles", job.assigned.plan.fingerprint, job.trial.shards)
        visits = ProfileVisits(job.known, job.assigned, stamp, PACKED)
        visits.keep_in(self.profiles)
        return visits


class SetResults:
    """What all trials tell."""

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for row in batch.to_pylist():
                if row["what"] == MATCHES:
                    for rows in unpack(row["blob"]).to_batches():
                        yield _found(row["shard"] // STRIDE, rows)


def _found(number: int, rows: pa.RecordBatch) -> pa.RecordBatch:
    numbers = pa.array([number] * len(rows), pa.int32())
    return pa.RecordBatch.from_arrays(
        [numbers, rows.column("profile"), rows.column("match_id")], schema=FOUND
    )


def _outcome(rows: Sequence[Any], jobs: Sequence[SetJob]) -> Outcome:
    found: dict[int, Told] = defaultdict(Counter)
    for row in rows:
        found[row.trial][row.profile, row.match_id] += 1
    return [(found[number], expected(job.trial, job.lateness)) for number, job in enumerate(jobs)]
