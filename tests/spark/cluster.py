"""A real cluster: `python -m tests.spark.cluster`, or `make test-cluster`.

Spark's standalone master and two workers run as processes of their own. The package reaches the executors
in an archive of an environment, and its kernels in a zip, so that no executor compiles. A batch job and a
streaming job are submitted; in the middle of each, one worker is killed. The matches are those of one
process.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow.parquet as pq

import cepheid
from cepheid.sources.generate import stocks
from tests.spark.cluster_environment import Shipped, shipped_environment
from tests.spark.cluster_job import BINDING, QUERY
from tests.spark.cluster_processes import SPARK_HOME, Cluster, cluster, environment, kill

JOB = Path(__file__).with_name("cluster_job.py")
EVENTS, FILES, SYMBOLS = 600_000, 12, 200
PATIENCE = 900  # seconds for a job
CACHE = "cache-of-executors"


def main() -> None:
    """Start the cluster, run both jobs, compare."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the cluster ends, too
    shipped = shipped_environment()
    print(f"the environment is {shipped.archive.stat().st_size >> 20} MB as an archive", flush=True)
    with tempfile.TemporaryDirectory(prefix="cepheid-cluster-") as name:
        folder = Path(name)
        wanted = write_events(folder / "events")
        with cluster(folder) as running:
            print(f"a master at {running.address}", flush=True)
            workers = [running.start_worker(), running.start_worker()]
            print("two workers", flush=True)
            submit(running, shipped, "batch", victim=workers[0], when=r"tasks ([3-9]|1\d)$")
            compare(folder / "results" / "match", wanted)
            compare(folder / "results" / "match_files", wanted)
            running.start_worker()
            print("a new worker", flush=True)
            submit(running, shipped, "stream", victim=workers[1], when=r"micro-batch [3-9]$")
            compare(folder / "results" / "stream", wanted)
            refuse_compiling(folder)
    print("the cluster gives the matches of one process, with a worker killed in each job", flush=True)


def write_events(folder: Path) -> list[str]:
    """Files of events, in the order of time; returns the ids of the matches in them."""
    folder.mkdir()
    table = stocks(EVENTS, 3, symbols=SYMBOLS)
    table = table.set_column(4, "type", table.column("type").cast("string"))
    rows = EVENTS // FILES
    for number in range(FILES):
        pq.write_table(
            table.slice(number * rows, rows), folder / f"{number:02}.parquet", row_group_size=10_000
        )
        os.utime(folder / f"{number:02}.parquet", (number, number))  # Spark reads the oldest first
    wanted = ids(cepheid.query(QUERY).run(table, **BINDING).table)
    print(f"{EVENTS:,} events in {FILES} files, {len(wanted):,} matches in one process", flush=True)
    return wanted


def submit(
    running: Cluster,
    shipped: Shipped,
    what: str,
    *,
    victim: subprocess.Popen[bytes],
    when: str,
) -> None:
    """Submit a job; kill a worker once the job has printed such a line."""
    folder = running.folder
    (folder / "results").mkdir(exist_ok=True)
    settings = {
        "spark.executorEnv.CEPHEID_CACHE_DIR": str(folder / CACHE),
        "spark.executor.memory": "800m",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.streaming.stateStore.providerClass": (
            "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
        ),
        "spark.ui.enabled": "false",
    }
    command = [
        *(SPARK_HOME / "bin" / "spark-submit", "--master", running.address),
        *("--archives", f"{shipped.archive}#environment"),
        *(part for name, value in settings.items() for part in ("--conf", f"{name}={value}")),
        *(JOB, what, folder / "events", folder / "results", shipped.kernels),
    ]
    # The driver, too, runs Python for a stream's state: what the executors unpack is in its folder as well.
    python = {"PYSPARK_PYTHON": "./environment/bin/python"}
    log = folder / f"{what}.txt"
    print(f"submitting {what} …", flush=True)
    with open(log, "wb") as said:
        job = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=said,
            cwd=shipped.environment.parent,
            env=environment(folder) | python,
        )
    try:
        watch(job, log, victim, when)
    finally:
        job.kill()


def watch(job: subprocess.Popen[bytes], log: Path, victim: subprocess.Popen[bytes], when: str) -> None:
    """Read what the job prints, kill the victim once, and fail if the job fails."""
    assert job.stdout is not None
    killed = False
    started = time.monotonic()
    for line in map(bytes.decode, job.stdout):
        if "is done" in line:
            print(f"  {line.strip()} after {time.monotonic() - started:.0f} s", flush=True)
        if not killed and re.search(when, line):
            kill(victim)
            killed = True
            print(f"  killed a worker at: {line.strip()}", flush=True)
        if time.monotonic() - started > PATIENCE:
            raise RuntimeError(f"the job takes too long:\n{log.read_text(errors='replace')[-3000:]}")
    if job.wait(60) != 0:
        raise RuntimeError(f"the job failed:\n{log.read_text(errors='replace')[-6000:]}")
    if not killed:
        raise RuntimeError(f"the job ended before a worker was killed: nothing printed {when!r}")


def refuse_compiling(folder: Path) -> None:
    """Fail if an executor compiled a kernel: it would have kept it."""
    kept = [str(path) for path in (folder / CACHE).rglob("*.nbc")]
    if kept:
        raise SystemExit(f"executors compiled {len(kept)} kernels, {kept[0]} for one")
    print("no executor compiled a kernel: all came in the zip", flush=True)


def compare(folder: Path, wanted: list[str]) -> None:
    """Fail where the matches differ."""
    found = ids(pq.read_table(folder))
    if found != wanted:
        missing, extra = set(wanted) - set(found), set(found) - set(wanted)
        raise SystemExit(
            f"{folder.name}: {len(found):,} matches instead of {len(wanted):,}; "
            f"{len(missing):,} are missing, {len(extra):,} are extra"
        )
    print(f"  {folder.name}: the same {len(found):,} matches", flush=True)


def ids(table: object) -> list[str]:
    """The ids of matches, sorted, repeats kept."""
    return sorted(table.column("match_id").to_pylist())  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
