"""Random sets of profiles on a real Spark against one process: `python -m tests.spark.agreement_profiles`.

python -m tests.spark.agreement_profiles --mode stream --cases 500 --seed 1

Many cases share one job, to start it once. Each has its own shards, its own way for events and its own
results, which are those of `match_profiles`; only the number of the case is added on the way in and taken off
on the way out.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import json
import random
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

import cepheid
from cepheid.errors import QueryCheckError
from cepheid.events import EventSchema, bind, event_times
from cepheid.plan.profile.sets import ProfileSetPlan
from cepheid.profiles import planned_rows, planned_stream_rows
from cepheid.runners.embedded.session import Session
from cepheid.runners.spark.profiles import GIVEN, ProfileShards, given_column
from cepheid.runners.spark.schema import arrow_schema, spark_schema
from cepheid.runners.spark.start import local_session
from cepheid.runners.stream.order import in_order
from cepheid.runners.stream.side import SideOutput
from cepheid.runners.stream.terms import Terms
from cepheid.runners.stream.usable import good_events
from tests.cases.profiles import ProfileCase, random_profile_case

MOST_SHARDS = 3
MOST_PROFILES = 3
MOST_DRAWN = 9  # of which some fit the stream
LIMITS: dict[str, int] = {"max_matches": 10**6, "max_state": 10**9}

Told = Counter[tuple[str, str]]
"""Profiles and ids of matches."""


@dataclass(frozen=True)
class SetTrial:
    """Some profiles as rows, and their events as Spark holds them."""

    name: str
    rows: tuple[Mapping[str, Any], ...]
    table: pa.Table
    binding: Mapping[str, Any]
    shards: int
    is_stream: bool

    @property
    def stream(self) -> EventSchema:
        return bind(self.table.schema, **{"type": None, "order": (), "time_unit": None, **self.binding})

    @cached_property
    def plan(self) -> ProfileSetPlan:
        return planned_rows(self.rows, self.stream)

    def known(self, lateness: Any) -> ProfileShards:
        """What workers know."""
        planned = planned_stream_rows if self.is_stream else planned_rows
        return ProfileShards(self.stream, Terms(lateness, "fail", **LIMITS), planned)

    def profile_rows(self, columns: pa.Schema) -> pa.Table:
        """The profiles on their way, with their shards."""
        shards = [zlib.crc32(row["profile"].encode()) % self.shards for row in self.rows]
        given = [pa.array([row[name] for row in self.rows], pa.string()) for name in GIVEN]
        assert columns.names[1:] == [given_column(name) for name in GIVEN]
        return pa.Table.from_arrays([pa.array(shards, pa.int32()), *given], schema=columns)

    def __str__(self) -> str:
        lines = [*map(str, self.rows), *(f"  {row}" for row in self.table.to_pylist())]
        return "\n".join([f"{self.name}, {self.shards} shards", str(self.binding), *lines])


def trials(count: int, seed: int, *, is_stream: bool) -> Iterator[SetTrial]:
    """Random sets over random streams; each has profiles that its stream may have."""
    for number in range(count):
        rng = random.Random(f"spark-{seed}-{number}")
        while not (rows := _rows(case := random_profile_case(rng), rng, is_stream=is_stream)):
            continue
        yield SetTrial(
            f"{seed}-{number}",
            tuple(rows),
            _table(case),
            case.binding,
            rng.randint(1, MOST_SHARDS),
            is_stream,
        )


def _table(case: ProfileCase) -> pa.Table:
    return case.table.cast(arrow_schema(spark_schema(case.table.schema), case.zone))


def _rows(case: ProfileCase, rng: random.Random, *, is_stream: bool) -> list[dict[str, Any]]:
    """The profile of a case, and a few others over the same stream."""
    table, found = _table(case), list[dict[str, Any]]()
    for each in itertools.chain([case], (random_profile_case(rng) for _ in range(MOST_DRAWN))):
        if (each.binding, each.time_kind) == (case.binding, case.time_kind):
            row = {**_row(each), "profile": f"p{len(found)}"}
            found += [row] if _may_run(row, table, case.binding, is_stream) else []
        if len(found) == MOST_PROFILES:
            break
    return found


def _row(case: ProfileCase) -> dict[str, Any]:
    select = case.select if isinstance(case.select, str) else json.dumps(case.select)
    once = None if case.once is None else str(case.once)
    row = {"query": case.query_text, "select": select, "consume": case.consume, "once": once}
    return {**row, "timezone": case.timezone}


def _may_run(row: dict[str, Any], table: pa.Table, binding: Mapping[str, Any], is_stream: bool) -> bool:
    stream = bind(table.schema, **{"type": None, "order": (), "time_unit": None, **binding})
    try:
        (planned_stream_rows if is_stream else planned_rows)([row], stream)
    except (cepheid.CepheidError, QueryCheckError):
        return False
    return True


def expected(trial: SetTrial, lateness: Any) -> Told:
    """What one process tells: of the whole table, or of a stream as far as it is certain."""
    good = good_events(trial.plan, trial.table, SideOutput("bad", "drop", trial.table.schema))
    ordered = in_order(good, trial.stream, ties="content")
    session: Session[pa.Table] = Session(trial.plan, Terms(on_late="fail", **LIMITS))
    if not trial.is_stream:
        return told(pa.concat_tables([session.push(ordered), session.close()]))
    if ordered.num_rows == 0:
        return Counter()
    times = event_times(ordered, trial.stream)
    watermark = times.max().item() - lateness
    ready = times <= watermark if lateness == 0 else times < watermark
    first = session.push(ordered.filter(pa.array(ready)))
    return told(pa.concat_tables([first, session._taken(session._nothing, watermark)]))


def told(table: pa.Table) -> Told:
    """What was told, in no order."""
    return Counter(
        zip(table.column("profile").to_pylist(), table.column("match_id").to_pylist(), strict=True)
    )


Outcome = list[tuple[Told, Told]]
"""Per trial, what was told and what should be."""

Runner = Callable[[SparkSession, Sequence[SetTrial], Path, int], Outcome]


def _runner(mode: str) -> Runner:
    from tests.spark import agreement_profile_jobs as jobs

    return jobs.run_stream if mode == "stream" else jobs.run_batch


def main(cases: int, seed: int, mode: str, group: int) -> int:
    """Run everything; the exit status."""
    every = list(trials(cases, seed, is_stream=mode == "stream"))
    spark = local_session("cepheid agreement", cores=2, shuffle_partitions=2)
    run, started = _runner(mode), time.perf_counter()
    done = with_told = rows = differ = 0
    with tempfile.TemporaryDirectory() as folder:
        for start in range(0, len(every), group):
            own = every[start : start + group]
            for trial, (found, wanted) in zip(
                own, run(spark, own, Path(folder) / str(start), seed + start), strict=True
            ):
                done, rows, with_told = done + 1, rows + found.total(), with_told + bool(found)
                if found != wanted:
                    differ += 1
                    print(f"\nmissing {wanted - found}, besides {found - wanted}\n{trial}", flush=True)
            print(f"{done:,} of {len(every):,}, {differ} differ", file=sys.stderr, flush=True)
    spark.stop()
    seconds = time.perf_counter() - started
    print(f"{mode}: {done:,} sets ({with_told:,} tell something, {rows:,} rows in all) in {seconds:,.0f} s, "
          f"{differ} differ from one process")  # fmt: skip
    return 1 if differ else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mode", choices=("batch", "stream"), default="stream")
    parser.add_argument("--group", type=int, default=250, help="sets that share a job")
    chosen = parser.parse_args()
    # by its own name, so that workers know its classes
    agreement = importlib.import_module("tests.spark.agreement_profiles")
    sys.exit(agreement.main(chosen.cases, chosen.seed, chosen.mode, chosen.group))
