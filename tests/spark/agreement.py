"""Scenarios and random cases on a real Spark against one process: `python -m tests.spark.agreement`.

python -m tests.spark.agreement --mode stream --cases 2000 --seed 1
python -m tests.spark.agreement --tree --mode batch --cases 2000 --seed 1     the cases of tests.fuzz --tree
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count as count_up
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

import cepheid
from cepheid.events import EventSchema, bind
from cepheid.plan.plan import QueryPlan
from cepheid.runners.spark.schema import arrow_schema, spark_schema
from cepheid.runners.spark.start import local_session
from cepheid.runners.spark.zone import SETTING
from cepheid.testing import scenario
from tests.cases import TreeOptions, random_and_aggregate_case, random_case, random_tree_options
from tests.fuzz import KINDS, TREE
from tests.refused import is_refused

SCENARIOS = Path(__file__).parents[1] / "scenarios"
MOST_FAILURES = 5


@dataclass(frozen=True)
class Trial:
    """A query and its events, as Spark holds them."""

    name: str
    text: str
    table: pa.Table
    binding: dict[str, Any]
    zone: str  # of the session, and so of all times that have one
    options: TreeOptions | None = None  # of the tree engine, if Spark is to run that

    @property
    def query(self) -> cepheid.Query:
        """What Spark runs."""
        query = cepheid.query(self.text)
        return query if self.options is None else query.using("tree", **self.options.keywords)

    @property
    def plan(self) -> QueryPlan:
        """The plan over the columns of a DataFrame."""
        return self.query.plan(self._columns)

    @property
    def usual_plan(self) -> QueryPlan:
        """The plan that nobody asked to be another one: Spark is compared with what it finds."""
        return cepheid.query(self.text).plan(self._columns)

    @property
    def _columns(self) -> EventSchema:
        return bind(self.table.schema, **{"type": None, "order": (), "time_unit": None, **self.binding})

    def __str__(self) -> str:
        rows = "\n".join(f"  {row}" for row in self.table.to_pylist())
        options = "" if self.options is None else f"{self.options}\n"
        return f"{self.name}\n{self.text}\n{options}{self.binding} {self.zone}\n{rows}"


def scenario_trials() -> Iterator[Trial]:
    """Every scenario that finds matches, or none, in a stream; not those of errors, nor of aggregates."""
    for path in sorted(SCENARIOS.glob("*.scn")):
        for one in scenario(path):
            if not one.errors and not one.is_aggregate and one.profile is None and not is_refused(one):
                yield _trial(str(one), one.query, one.events, dict(one.binding), _zone(one.events))


def random_trials(count: int, seed: int) -> Iterator[Trial]:
    """Random queries over random streams."""
    for number in range(count):
        case = random_case(random.Random(f"{seed}-{number}"))
        yield _trial(f"random case {seed}-{number}", case.query_text, case.table, case.binding, case.zone)


def tree_trials(count: int, seed: int) -> Iterator[Trial]:
    """The first cases that `tests.fuzz --tree` has with this seed, under the options that it draws; not those
    of aggregates, and a shape that is to change again and again only may."""
    draws = KINDS[TREE]
    for number in islice(_numbers_of_matches(), count):
        case = draws[number % len(draws)](random.Random(f"{seed}-{number}"))
        options = random_tree_options(random.Random(f"tree-{seed}-{number}"), case.query_text)
        name = f"tree case {seed}-{number}"
        yield _trial(name, case.query_text, case.table, case.binding, case.zone, options)


def _numbers_of_matches() -> Iterator[int]:
    """The numbers of all cases of trees that are not aggregates."""
    draws = KINDS[TREE]
    return (number for number in count_up() if draws[number % len(draws)] is not random_and_aggregate_case)


def _zone(events: pa.Table) -> str:
    """The first zone of some columns, or one that is not UTC."""
    zones = (field.type.tz for field in events.schema if pa.types.is_timestamp(field.type))
    return next(filter(None, zones), "Europe/Berlin")


def _trial(
    name: str,
    text: str,
    table: pa.Table,
    binding: dict[str, Any],
    zone: str,
    options: TreeOptions | None = None,
) -> Trial:
    cast = table.cast(arrow_schema(spark_schema(table.schema), zone))
    return Trial(name, text, cast, binding, zone, options)


def grouped(trials: Sequence[Trial], most: int) -> list[list[Trial]]:
    """So many trials together, all of one zone."""
    zones = {
        zone: [trial for trial in trials if trial.zone == zone] for zone in sorted({t.zone for t in trials})
    }
    return [own[start : start + most] for own in zones.values() for start in range(0, len(own), most)]


def session_in(spark: SparkSession, zone: str) -> SparkSession:
    """A session of its own in a time zone."""
    session = spark.newSession()
    session.conf.set(SETTING, zone)
    return session


Outcome = dict[str, tuple[list[str], list[str]]]
"""Per trial, the ids that were found and those that should be, sorted."""

Runner = Callable[[SparkSession, Sequence[Trial], Path, int], Outcome]
"""Runs some trials in a folder of its own, with a seed."""


def _stream(spark: SparkSession, trials: Sequence[Trial], folder: Path, seed: int) -> Outcome:
    from tests.spark.agreement_stream import run_streams

    return run_streams(spark, trials, folder, seed)


def _batch(spark: SparkSession, trials: Sequence[Trial], folder: Path, seed: int) -> Outcome:
    from tests.spark.agreement_batch import run_batches

    return run_batches(spark, trials, folder, seed)


def _whole_stream(spark: SparkSession, trials: Sequence[Trial], folder: Path, seed: int) -> Outcome:
    from tests.spark.agreement_whole import run_whole_streams

    return run_whole_streams(spark, trials, folder, seed)


MODES: dict[str, Runner] = {"batch": _batch, "stream": _stream, "whole-stream": _whole_stream}


def disagreements(outcome: Outcome, trials: Sequence[Trial]) -> Iterator[str]:
    """What differs, trial by trial."""
    for trial in trials:
        found, expected = (Counter(ids) for ids in outcome[trial.name])
        if found != expected:
            yield f"missing {sorted(expected - found)}, besides {sorted(found - expected)}\n{trial}"


def main(trials: Sequence[Trial], seed: int, mode: str, group: int, threads: int) -> int:
    """Run all trials; the exit status."""
    groups = grouped(trials, group)
    spark = local_session("cepheid agreement", cores=2, shuffle_partitions=2)
    started = time.perf_counter()
    done = matches = with_matches = 0
    failures: list[str] = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(threads) as pool:

        def attempt(number: int, place: str) -> tuple[Outcome, list[str]]:
            session = session_in(spark, groups[number][0].zone)
            outcome = MODES[mode](session, groups[number], Path(folder) / place, seed + number)
            return outcome, list(disagreements(outcome, groups[number]))

        def run(number: int) -> tuple[Outcome, list[str]]:
            try:
                return attempt(number, str(number))
            except Exception as error:
                if "failed to connect back" not in str(error):
                    return {}, [f"group {number}: {traceback.format_exc()}"]
                return attempt(number, f"{number}-again")  # the machine was too busy to start a worker

        for number, (outcome, different) in enumerate(pool.map(run, range(len(groups)))):
            done += len(groups[number])
            matches += sum(len(found) for found, _ in outcome.values())
            with_matches += sum(bool(found) for found, _ in outcome.values())
            for failure in different:
                print(f"\n{failure}", flush=True)
            failures += different
            each = (time.perf_counter() - started) / done
            print(f"{done:,} of {len(trials):,}, {len(failures)} differ, {each:.2f} s each", file=sys.stderr)
            if len(failures) >= MOST_FAILURES:
                pool.shutdown(cancel_futures=True)
                break
    spark.stop()
    seconds = time.perf_counter() - started
    print(
        f"{mode}: {done:,} cases ({with_matches:,} with matches, {matches:,} matches in all) "
        f"in {seconds:,.0f} s, {len(failures)} differ from one process"
    )
    return 1 if failures else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mode", choices=sorted(MODES), default="stream")
    parser.add_argument("--group", type=int, default=200, help="cases that share a streaming query")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tree", action="store_true", help="the tree engine, under options that are drawn")
    chosen = parser.parse_args()
    drawn = tree_trials if chosen.tree else random_trials
    trials = [*(() if chosen.tree else scenario_trials()), *drawn(chosen.cases, chosen.seed)]
    sys.exit(main(trials, chosen.seed, chosen.mode, chosen.group, chosen.threads))
