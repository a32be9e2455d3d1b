"""The streaming side of the agreement: many cases share one streaming query, to start it once.

Each case has its own route, its own shards in Spark's state store and its own results, which are those of
`match_stream`; only the number of the case is added to keys on the way in, and taken off on the way out.
"""

from __future__ import annotations

import itertools
import random
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

from cepheid.events import event_times
from cepheid.pattern.render import render
from cepheid.plan.events.division import By, divided
from cepheid.runners.spark.assignment import Assignment
from cepheid.runners.spark.needed import needed_of
from cepheid.runners.spark.pack import pack, unpack
from cepheid.runners.spark.route import SHARD, Route
from cepheid.runners.spark.schema import as_rows, row_schema
from cepheid.runners.spark.stamp import Stamp
from cepheid.runners.spark.streaming import ResultRows
from cepheid.runners.spark.visits import ShardVisits
from cepheid.runners.stream.order import has_time, in_order
from cepheid.runners.stream.side import SideOutput
from cepheid.runners.stream.terms import Terms
from cepheid.runners.stream.usable import good_events
from tests.spark.agreement import Outcome, Trial
from tests.spark.agreement_pipeline import (
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
from tests.spark.reference import certain_ids

MOST_SHARDS = 3
FOUND = pa.schema([("trial", pa.int32()), ("match_id", pa.string())])


def run_streams(spark: SparkSession, trials: Sequence[Trial], folder: Path, seed: int) -> Outcome:
    """What each trial finds as a stream, and what it should by then."""
    rng = random.Random(seed)
    arrivals = [arrival_of(trial, rng) for trial in trials]
    write_arrivals(pieces_of([arrival.batches for arrival in arrivals]), folder / "events")
    streams = [_stream(*pair, rng) for pair in zip(trials, arrivals, strict=True)]
    known = in_file(streams, folder / "streams")
    stages = Stages(Routes(known), Visits(known), Ids(known), FOUND)
    ids: dict[int, list[str]] = defaultdict(list)
    for row in found_in_stream(spark, stages, folder, f"agreement_{seed}"):
        ids[row.trial].append(row.match_id)
    return {
        trial.name: (sorted(ids[number]), expected_ids(trial, arrival))
        for number, (trial, arrival) in enumerate(zip(trials, arrivals, strict=True))
    }


def expected_ids(trial: Trial, arrival: Arrival) -> list[str]:
    good = good_events(trial.plan, trial.table, SideOutput("bad", "drop", trial.table.schema))
    return certain_ids(trial.usual_plan, good, arrival.lateness)


# -- how events arrive -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Arrival:
    """A trial's rows as they arrive, and how late the latest of them is, in ticks."""

    batches: list[pa.Table]
    lateness: Any


def arrival_of(trial: Trial, rng: random.Random) -> Arrival:
    """The content-ordered stream cut anywhere; or mixed up, with the lateness that this takes."""
    plan = trial.plan
    timed = has_time(trial.table.column(plan.schema.time))
    good, without = (trial.table.filter(pa.array(mask)) for mask in (timed, ~timed))
    ordered = in_order(good.select(list(plan.needed)), plan.schema, ties="content")
    places = sorted(range(len(ordered)), key=lambda place: place + rng.uniform(0, 4))
    edges = [0, *sorted(rng.randint(0, len(ordered)) for _ in range(MICRO_BATCHES - 1)), len(ordered)]
    batches = _batches(ordered.take(pa.array(places, pa.int64())), edges)
    lateness = _lag([event_times(batch, plan.schema) for batch in batches])
    if lateness == 0 or rng.random() < 0.6:
        batches, lateness = _batches(ordered, edges), 0
    place = rng.randrange(MICRO_BATCHES)
    batches[place] = pa.concat_tables([batches[place], without.select(list(plan.needed))])
    return Arrival([_shuffled(batch, rng) for batch in batches], lateness)


def _batches(events: pa.Table, edges: list[int]) -> list[pa.Table]:
    return [events.slice(start, stop - start) for start, stop in itertools.pairwise(edges)]


def _lag(batches: list[Any]) -> Any:
    """How far an event is behind the newest of the batches before, at most."""
    lag: Any = 0
    newest: Any = None
    for time in batches:
        if time.size:
            lag = lag if newest is None else max(lag, newest - time.min().item())
            newest = time.max().item() if newest is None else max(newest, time.max().item())
    return lag


def _shuffled(batch: pa.Table, rng: random.Random) -> pa.Table:
    """Arrival means nothing within a micro-batch."""
    return batch.take(pa.array(rng.sample(range(len(batch)), len(batch)), pa.int64()))


def pieces_of(arrivals: list[list[pa.Table]]) -> Iterator[list[dict[str, Any]]]:
    """By micro-batch, the rows of all trials, those of a trial in one or two pieces."""
    for place in range(MICRO_BATCHES):
        rows = []
        for number, batches in enumerate(arrivals):
            half = len(batches[place]) // 2
            for piece in (batches[place].slice(0, half), batches[place].slice(half)):
                if len(piece):
                    rows.append({"trial": number, "what": "events", "blob": pack(piece)})
        yield rows


# -- the three stages of a stream, for many of them ------------------------------------------------


@dataclass(frozen=True)
class Stream:
    """What `match_stream` puts into a DataFrame's plan."""

    keys: tuple[str, ...]
    route: Route
    visits: ShardVisits
    results: ResultRows


def _stream(trial: Trial, arrival: Arrival, rng: random.Random) -> Stream:
    plan = trial.plan
    keys = divided(plan).keys if divided(plan).by is By.KEYS else ()
    shards = rng.randint(2, MOST_SHARDS) if keys else 1
    events = [plan.schema.columns.field(name) for name in plan.needed]
    columns = pa.schema([*events, (SHARD, pa.int32())] if keys else events)
    terms = Terms(arrival.lateness, "fail", max_matches=10**6, max_state=10**9)
    assigned = Assignment(plan, terms, side=False)
    return Stream(
        keys,
        Route(plan, terms, columns, shards, needed_of(plan)),
        ShardVisits(assigned, Stamp(render(plan.query), plan.fingerprint, shards), PACKED),
        ResultRows(assigned),
    )


@dataclass(frozen=True)
class Routes:
    """The rows of all trials to their shards."""

    streams: Numbered[Stream]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        given = defaultdict(list)
        for batch in batches:
            for number, blob in zip(batch.column("trial").to_pylist(), batch.column("blob"), strict=True):
                given[number].append(unpack(blob.as_buffer()))
        for number, tables in given.items():
            for routed in self.streams[number].route(self._rows(number, pa.concat_tables(tables))):
                yield with_number(routed, number)

    def _rows(self, number: int, table: pa.Table) -> list[pa.RecordBatch]:
        stream = self.streams[number]
        if stream.keys:
            rows = table.select(list(stream.keys)).to_pylist()
            numbers = [_number(tuple(row.values()), stream.route.shards) for row in rows]
            table = table.append_column(SHARD, pa.array(numbers, pa.int32()))
        return as_rows(table, row_schema(table.schema))


def _number(key: tuple[Any, ...], shards: int) -> int:
    """A shard for each key, -0.0 with 0.0."""
    plain = tuple(value + 0.0 if isinstance(value, float) else value for value in key)
    return zlib.crc32(repr(plain).encode()) % shards


class Visits(AllVisits):
    """The shards of all trials."""

    def __init__(self, streams: Numbered[Stream]) -> None:
        self.streams = streams

    def visits(self, number: int) -> ShardVisits:
        return self.streams[number].visits


@dataclass(frozen=True)
class Ids:
    """The ids of all trials' matches."""

    streams: Numbered[Stream]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for place, shard in enumerate(batch.column("shard").to_pylist()):
                number = shard // STRIDE
                for rows in self.streams[number].results([batch.slice(place, 1)]):
                    ids = rows.column("match_id")
                    yield pa.RecordBatch.from_arrays(
                        [pa.array([number] * len(ids), pa.int32()), ids], schema=FOUND
                    )
