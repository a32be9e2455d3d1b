"""A query without a key on one core and on two: each in a process with a Spark of its own, in turns.

`python -m cepheid.bench.spark.cores CORES FOLDER` runs the query each time that it reads a line with the
name of a door (`match` or `match_files`), and answers with the number of matches. Where the system allows it,
the process and all that it starts keep to so many processors: otherwise the JVM and its worker would work on
two even on local[1].
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from cepheid.bench.harness import child_environment, measure
from cepheid.bench.processes import family_seconds
from cepheid.bench.results import Chart, Section, at_least
from cepheid.bench.spark.events import Trades
from cepheid.bench.spark.ground import Ground, Ratio, timing_rows
from cepheid.errors import CepheidError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CORES_BAR = 1.6
DOORS = ("match", "match_files")

KEYLESS = (
    "PATTERN SEQ(A a, B b, C c) WHERE skip_till_next_match { b.price > a.price + 800 AND "
    "c.price < a.price - 50 AND c.volume > b.volume } WITHIN 1 s "
    "RETURN a.ts AS start, b.ts AS middle, c.ts AS end, a.price AS price"
)


def cores(ground: Ground) -> Section:
    """The same files, and Spark with one core and with two."""
    sizes = ground.sizes
    path = ground.events(Trades(sizes.keyless_events, kinds=3))
    with child_spark(1, path) as one, child_spark(2, path) as two:
        contenders = {
            f"{door}, {cores}": partial(child, door)
            for door in DOORS
            for cores, child in (("one core", one), ("two cores", two))
        }
        found = {run() for run in contenders.values()}
        if len(found) != 1:
            raise CepheidError(f"all of them should find the same matches, not {sorted(found)}")
        timings = measure(
            contenders, sizes.repeat, discarded=max(sizes.discarded - 1, 0), processor=family_seconds
        )
    gains = {door: Ratio.of(timings[f"{door}, one core"], timings[f"{door}, two cores"]) for door in DOORS}
    return Section(
        "Two cores for a query without a key",
        f"{KEYLESS} over {sizes.keyless_events:,} events from Parquet files, on local[1] and "
        f"local[2], kept to as many processors: {found.pop():,} matches. Time is cut into ranges that "
        "overlap by a window.",
        timing_rows(timings, dict.fromkeys(timings, sizes.keyless_events)),
        (Chart("contender", "events/s (wall)", kind="bar", title="events a second"),),
        tuple(
            at_least(f"a keyless query by {door}: two cores against one", CORES_BAR, gain.wall, str(gain))
            for door, gain in gains.items()
        ),
    )


@contextmanager
def child_spark(cores: int, path: str) -> Iterator[Callable[[str], int]]:
    """A process with a Spark of so many cores; gives a function that runs the query by a door and returns
    the number of matches."""
    command = [sys.executable, "-m", "cepheid.bench.spark.cores", str(cores), path]
    child = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, env=child_environment()
    )
    asking, answering = child.stdin, child.stdout
    assert asking is not None and answering is not None

    def run(door: str) -> int:
        asking.write(f"{door}\n")
        answer = answering.readline()
        if not answer:
            raise CepheidError(f"a Spark of its own ended with status {child.wait()}; see above")
        return int(answer)

    try:
        yield run
    finally:
        child.communicate()  # the end of its input ends it


def main(cores: int, path: str) -> None:
    """Answer each line."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    from cepheid.runners.spark.start import local_session

    spark = local_session("cepheid bench", cores=cores, shuffle_partitions=2)
    for count in counts(spark, path, sys.stdin):
        print(count, flush=True)
    spark.stop()


def counts(spark: SparkSession, path: str, doors: Iterable[str]) -> Iterator[int]:
    """How many matches the query has, by each door in turn."""
    from cepheid.spark import match, match_files

    asked = {
        "match": lambda: match(spark.read.parquet(path), KEYLESS, time="ts", type="kind"),
        "match_files": lambda: match_files(spark, path, KEYLESS, time="ts", type="kind"),
    }
    return (asked[door.strip()]().count() for door in doors)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
