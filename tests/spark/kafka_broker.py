"""A real Apache Kafka broker on loopback: one node that is its own controller (KRaft)."""

from __future__ import annotations

import base64
import socket
import subprocess
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from cepheid.runners.spark.java import ensure_java

PATIENCE = 120  # seconds until a broker has to answer

SETTINGS = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:{broker},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{broker}
inter.broker.listener.name=PLAINTEXT
log.dirs={folder}/log
num.partitions=2
auto.create.topics.enable=true
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
"""


@contextmanager
def broker(jars: Sequence[Path], folder: Path) -> Iterator[str]:
    """The address of a broker that keeps its log in a folder; it ends with the block."""
    port, controller = free_ports(2)
    settings = folder / "server.properties"
    settings.write_text(SETTINGS.format(broker=port, controller=controller, folder=folder))
    java = [ensure_java(), "-Xmx512m", "-cp", ":".join(map(str, jars))]
    cluster = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
    format_storage = [*java, "kafka.tools.StorageTool", "format", "-t", cluster, "-c", str(settings)]
    subprocess.run(format_storage, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(folder / "broker.txt", "w") as said:
        process = subprocess.Popen([*java, "kafka.Kafka", str(settings)], stdout=said, stderr=said)
    try:
        _await(process, port, folder / "broker.txt")
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()


def free_ports(count: int) -> list[int]:
    """Ports of loopback that nobody listens on."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def _await(process: subprocess.Popen[bytes], port: int, said: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError(f"the broker did not start:\n{said.read_text()[-2000:]}")
