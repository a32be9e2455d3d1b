"""Kill -9 without loss: `make test-chaos`, or `python -m tests.spark.chaos --kills 20`.

A driver streams a folder of files through `match` into a sink that is overwritten batch by batch. It is
killed at random points and started again from its checkpoint; then Python workers are killed under a
driver that lives. Each time the ids in the sink must be those of an undisturbed run, each of them once.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pyarrow.dataset as ds
import pyarrow.parquet as pq

import cepheid
from cepheid.events import bind
from cepheid.runners.spark.schema import spark_schema
from tests.spark.live import pieces
from tests.spark.reference import certain_ids
from tests.spark.streams import BINDING, events

QUERY = "PATTERN SEQ(A a, B+ b[], C c, ~A d) WHERE skip_till_next_match { [k] AND a.x < 0.3 } WITHIN 900"
BATCHES = 45
PER_BATCH = 200
STUCK = 600
"""Seconds without a new batch after which something is wrong."""


def drive(folder: Path, sink: Path) -> None:
    """The process that is killed: everything that has arrived, from where the checkpoint says."""
    from cepheid.runners.spark.start import session_on
    from cepheid.spark import match

    # a task whose worker is killed is tried again
    spark = session_on("local[2,4]", "cepheid chaos", settings={"spark.sql.shuffle.partitions": "2"})
    schema = spark_schema(pq.read_schema(next((folder / "events").iterdir())))
    stream = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder / "events"))
    matches = match(stream, QUERY, **BINDING, shards=2).select("match_id")
    query = (
        matches.writeStream.foreachBatch(
            lambda frame, number: frame.write.mode("overwrite").parquet(str(sink / f"batch={number}"))
        )
        .option("checkpointLocation", str(sink.with_name(f"{sink.name}-checkpoint")))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    spark.stop()


# -- the processes ---------------------------------------------------------------------------------


class Driver:
    """A driver in a process group of its own, and how far its stream has come."""

    def __init__(self, folder: Path, sink: Path) -> None:
        self.commits = sink.with_name(f"{sink.name}-checkpoint") / "commits"
        self.log = sink.with_name(f"{sink.name}.log").open("a")
        command = [sys.executable, "-m", "tests.spark.chaos", "--drive", str(folder), str(sink)]
        self.process = subprocess.Popen(command, start_new_session=True, stdout=self.log, stderr=self.log)

    @property
    def done(self) -> int:
        """How many micro-batches are committed."""
        if not self.commits.is_dir():
            return 0
        return sum(path.name.isdigit() for path in self.commits.iterdir())

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def wait_for(self, batches: int) -> bool:
        """Until so many batches are committed; False if the driver ends before."""
        moved, seen = time.monotonic(), self.done
        while self.alive and self.done < batches:
            if self.done > seen:
                moved, seen = time.monotonic(), self.done
            if time.monotonic() - moved > STUCK:
                self.kill()
                raise SystemExit(f"no batch in {STUCK} s: see {self.log.name}")
            time.sleep(0.05)
        return self.alive

    def kill(self) -> None:
        """SIGKILL for Python and Java at once; their workers see it and end."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def workers(self) -> list[int]:
        """The Python workers that run tasks: children of Spark's daemons."""
        tree = _process_tree()
        daemons = [pid for pid in _below(self.process.pid, tree) if "pyspark.daemon" in _command(pid)]
        return [child for daemon in daemons for child in tree.get(daemon, [])]


def _process_tree() -> dict[int, list[int]]:
    """The children of each process."""
    tree: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue  # it has ended
            tree.setdefault(parent, []).append(int(entry.name))
    return tree


def _below(pid: int, tree: dict[int, list[int]]) -> Iterator[int]:
    for child in tree.get(pid, []):
        yield child
        yield from _below(child, tree)


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


# -- what is done to them --------------------------------------------------------------------------


def undisturbed(folder: Path, sink: Path) -> None:
    """One run from the first batch to the last."""
    driver = Driver(folder, sink)
    driver.wait_for(BATCHES)
    _end(driver)


def kill_drivers(folder: Path, sink: Path, kills: int, rng: random.Random) -> None:
    """Kill the driver so many times over one stream, then let it finish."""
    for number in range(kills):
        driver = Driver(folder, sink)
        begun = driver.done
        # the kills are spread over the stream; some come before a batch is through, or while Spark starts
        target = min(BATCHES - 1, (number + 1) * BATCHES // (kills + 1) + rng.randint(-1, 1))
        if rng.random() < 0.15:
            time.sleep(rng.uniform(0, 8))
        else:
            driver.wait_for(max(target, begun))
            time.sleep(rng.uniform(0, 1.5))
        if not driver.alive:
            raise SystemExit(
                f"the driver ended by itself, with {driver.process.returncode}: see {driver.log.name}"
            )
        driver.kill()
        print(
            f"  killed the driver ({number + 1} of {kills}) after {driver.done} batches, {begun} before",
            flush=True,
        )
    driver = Driver(folder, sink)
    driver.wait_for(BATCHES)
    _end(driver)


def kill_workers(folder: Path, sink: Path, kills: int, rng: random.Random) -> None:
    """Kill Python workers of a driver; should it give up, start another from the checkpoint."""
    driver = Driver(folder, sink)
    killed = 0
    while killed < kills and driver.done < BATCHES - 1:
        target = min(BATCHES - 1, (killed + 1) * BATCHES // (kills + 1))
        if not driver.wait_for(target):
            print("  the driver gave up, and is started again", flush=True)
            driver = Driver(folder, sink)
            continue
        time.sleep(rng.uniform(0, 0.8))
        workers = driver.workers()
        if workers:
            os.kill(rng.choice(workers), signal.SIGKILL)
            killed += 1
            print(f"  killed a Python worker ({killed} of {kills}) after {driver.done} batches", flush=True)
    while not driver.wait_for(BATCHES) and driver.done < BATCHES:
        print("  the driver gave up, and is started again", flush=True)
        driver = Driver(folder, sink)
    _end(driver)
    if killed < kills:
        raise SystemExit(f"only {killed} of {kills} workers could be killed")


def _end(driver: Driver) -> None:
    if driver.process.wait(timeout=STUCK) != 0:
        raise SystemExit(f"the driver failed, with {driver.process.returncode}: see {driver.log.name}")


def sink_ids(sink: Path) -> Counter[str]:
    """How often each id is in the sink."""
    files = [str(path) for path in sorted(sink.glob("batch=*/*.parquet"))]
    return Counter(ds.dataset(files).to_table().column("match_id").to_pylist())


def compare(what: str, sink: Path, expected: Counter[str]) -> bool:
    """Whether the sink holds what it should; says so."""
    found = sink_ids(sink)
    lost, doubled = expected - found, found - expected
    verdict = "the same" if found == expected else f"{len(lost)} LOST, {len(doubled)} TOO MANY"
    print(f"{what}: {sum(found.values()):,} matches, {verdict}", flush=True)
    return found == expected


def main(kills: int, worker_kills: int, seed: int) -> int:
    """All of it; the exit status."""
    rng = random.Random(seed)
    folder = Path(tempfile.mkdtemp(prefix="cepheid-chaos-"))
    (folder / "events").mkdir()
    table = events(BATCHES * PER_BATCH, keys=40)
    for number, piece in enumerate(pieces(table, BATCHES)):
        path = folder / "events" / f"{number:05}.parquet"
        pq.write_table(piece, path)
        os.utime(path, (1e9 + number, 1e9 + number))
    print(f"{table.num_rows:,} events in {BATCHES} micro-batches, in {folder}", flush=True)
    undisturbed(folder, folder / "plain")
    expected = sink_ids(folder / "plain")
    plan = cepheid.query(QUERY).plan(bind(table.schema, **BINDING, time_unit=None))
    same = [compare("undisturbed", folder / "plain", Counter(certain_ids(plan, table)))]
    kill_drivers(folder, folder / "drivers", kills, rng)
    same.append(compare(f"{kills} drivers killed", folder / "drivers", expected))
    kill_workers(folder, folder / "workers", worker_kills, rng)
    same.append(compare(f"{worker_kills} workers killed", folder / "workers", expected))
    if not all(same) or not expected:
        print(f"FAILED; what there is to look at is in {folder}")
        return 1
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20, help="how often the driver is killed")
    parser.add_argument("--worker-kills", type=int, default=8, help="how many Python workers are killed")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--drive", type=Path, nargs=2, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.drive:
        drive(*chosen.drive)
    else:
        seed = random.randrange(10**6) if chosen.seed is None else chosen.seed
        print(f"seed {seed}")
        sys.exit(main(chosen.kills, chosen.worker_kills, seed))
