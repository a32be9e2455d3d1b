"""A Spark session on this machine, for commands and tests that bring no cluster of their own."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from cepheid.errors import MissingExtraError
from cepheid.runners.spark.java import ensure_java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

QUIET = Path(__file__).with_name("quiet.properties")
JAVA = "spark.driver.extraJavaOptions"
QUIETLY = f"-Dlog4j2.configurationFile={QUIET.as_uri()}"
GIGABYTE = 1 << 30

SESSION = {
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
}
"""What a session is set to wherever it runs; streams need the first, since their state is kept in RocksDB."""


def local_session(
    name: str,
    *,
    cores: int | str = "*",
    shuffle_partitions: int | None = None,
    settings: Mapping[str, str] | None = None,
    log: Path | None = None,
    is_short: bool = False,
) -> SparkSession:
    """Start Spark in this process and on this machine alone, or give the session that runs already.

    What Spark and its workers say goes to standard error, or to the file `log`. One that ends within minutes
    (`is_short`) spends less on compiling Java than that would save.
    """
    chosen = (_in_short() if is_short else {}) | dict(settings or {})
    if shuffle_partitions is not None:
        chosen["spark.sql.shuffle.partitions"] = str(shuffle_partitions)
    with nullcontext() if log is None else _errors_to(log):
        return session_on(f"local[{cores}]", name, settings=chosen)


@contextmanager
def _errors_to(path: Path) -> Iterator[None]:
    """Processes that start meanwhile have this file as their standard error for life."""
    sys.stderr.flush()
    kept = os.dup(2)
    with open(path, "ab") as file:
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)


def session_on(master: str, name: str, *, settings: Mapping[str, str] | None = None) -> SparkSession:
    """A session on `local[*]`, on a cluster such as `spark://host:7077`, or by Connect on `sc://host`."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtraError("Spark", "spark") from None
    builder = SparkSession.builder.appName(name)
    if master.startswith("sc://"):
        builder, defaults = builder.remote(master), SESSION
    else:
        ensure_java(quiet=True)
        _prepare_environment(master)
        builder, defaults = builder.master(master), SESSION | _of_the_driver(master)
    for key, value in (defaults | dict(settings or {})).items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def _prepare_environment(master: str) -> None:
    """What Spark's processes read; on one machine the workers are this very Python."""
    if not master.startswith("local"):
        return
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")  # the host's name may not resolve, and none call


def _of_the_driver(master: str) -> dict[str, str]:
    here = {"spark.sql.shuffle.partitions": str(os.cpu_count() or 1)} if master.startswith("local") else {}
    return here | {
        JAVA: QUIETLY,
        "spark.driver.memory": f"{_gigabytes()}g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }


def _in_short() -> dict[str, str]:
    """Java's first compiler alone, and the collector of garbage that is there at once."""
    return {JAVA: f"{QUIETLY} -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}


def _gigabytes() -> int:
    """A quarter of the memory: the workers and the kernels, which are not Java, need the rest."""
    try:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 1
    return max(1, min(8, total // GIGABYTE // 4))
