"""Spark's own standalone cluster on loopback: a master and workers, each a process with its own group."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pyspark

from cepheid.runners.spark.java import ensure_java
from tests.spark.kafka_broker import free_ports

SPARK_HOME = Path(pyspark.__file__).parent
PATIENCE = 120  # seconds until a process has to say that it is ready


@dataclass(slots=True)
class Cluster:
    """A master and its workers."""

    folder: Path
    address: str
    web: int
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start_worker(self) -> subprocess.Popen[bytes]:
        """One more worker, of one core; returns when the master knows it."""
        name = f"worker-{len(self.processes)}"
        options = ["--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--webui-port", "0"]
        work = ["--work-dir", str(self.folder / name)]
        return self._start("worker.Worker", [*options, *work, self.address], name, "Successfully registered")

    def _start(self, what: str, options: list[str], name: str, ready: str) -> subprocess.Popen[bytes]:
        command = [SPARK_HOME / "bin" / "spark-class", f"org.apache.spark.deploy.{what}", *options]
        log = self.folder / f"{name}.txt"
        with open(log, "wb") as said:
            process = subprocess.Popen(
                command, stdout=said, stderr=said, start_new_session=True, env=environment(self.folder)
            )
        self.processes.append(process)
        _await(process, log, ready)
        return process

    def stop(self) -> None:
        """End every process, and those that they started."""
        for process in reversed(self.processes):
            kill(process)


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """A master; the block's end ends it and all workers, also after a failure."""
    port, web = free_ports(2)
    running = Cluster(folder, f"spark://127.0.0.1:{port}", web)
    options = ["--host", "127.0.0.1", "--port", str(port), "--webui-port", str(web)]
    try:
        running._start("master.Master", options, "master", "I have been elected leader")
        yield running
    finally:
        running.stop()


def kill(process: subprocess.Popen[bytes]) -> None:
    """SIGKILL to a process and to all of its group: a machine that is gone."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(30)


def environment(folder: Path) -> dict[str, str]:
    """The variables of Spark's processes."""
    ensure_java()
    logging = folder / "log4j2.properties"
    if not logging.exists():
        logging.write_text(LOGGING)
    return os.environ | {
        "SPARK_HOME": str(SPARK_HOME),
        "SPARK_CONF_DIR": str(folder),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "512m",
    }


LOGGING = """\
rootLogger.level = warn
rootLogger.appenderRef.console.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n
logger.deploy.name = org.apache.spark.deploy
logger.deploy.level = info
"""


def _await(process: subprocess.Popen[bytes], log: Path, ready: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        if ready in log.read_text(errors="replace"):
            return
        time.sleep(0.2)
    raise RuntimeError(f"{log.stem} did not start:\n{log.read_text(errors='replace')[-2000:]}")
