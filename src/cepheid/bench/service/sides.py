"""What is compared: processes that listen on free ports of this machine, each with a database of its own."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cepheid.bench.harness import child_environment
from cepheid.bench.service.events import body_of, profile_bodies
from cepheid.bench.service.load import request, send_all
from cepheid.bench.service.sizes import CONNECTIONS, ServiceSizes
from cepheid.bench.terminal import say
from cepheid.errors import CepheidError

TOKEN = "the-token-of-a-benchmark-on-this-machine"
PATIENCE = 600.0  # seconds until a side is ready: it may compile

_SETTINGS = {
    "CEPHEID_ADMIN_TOKEN": TOKEN,
    "CEPHEID_PORT": "0",
    "CEPHEID_IDLE": "1 day",
    "CEPHEID_ALLOW_NETWORK": "127.0.0.0/8",
    "CEPHEID_LOG_LEVEL": "warning",
}


@dataclass(frozen=True, slots=True)
class ServiceSides:
    """What runs, by address, and where webhooks go."""

    sizes: ServiceSizes
    service: str
    off: str
    bare: str
    relay: str
    webhooks: socket.socket


@contextlib.contextmanager
def running_sides(sizes: ServiceSizes) -> Iterator[ServiceSides]:
    """All of them, the service with its profiles."""
    webhooks = socket.create_server(("127.0.0.1", 0))
    webhook = f"http://127.0.0.1:{webhooks.getsockname()[1]}/hook"
    with webhooks, tempfile.TemporaryDirectory() as made, contextlib.ExitStack() as stack:
        folder = Path(made)
        say(f"starting the service, and giving it {sizes.profiles:,} profiles …")
        service = stack.enter_context(_started(folder, "matching", "cepheid", "serve"))
        asyncio.run(_add_profiles(service, sizes.profiles, webhook))
        off = stack.enter_context(_started(folder, "off", "cepheid.bench.service.unmatched"))
        bare, relay = (
            stack.enter_context(
                _started(folder, name, "cepheid.bench.service.bare", f"{made}/{name}.db", *more)
            )
            for name, more in (("bare", ()), ("relay", (webhook,)))
        )
        yield ServiceSides(sizes, service, off, bare, relay, webhooks)


async def _add_profiles(address: str, count: int, webhook: str) -> None:
    """Give the service so many profiles."""
    bodies = profile_bodies(count, webhook)
    await send_all(address, [request("/profiles", body_of(body), TOKEN) for body in bodies], CONNECTIONS)


@contextlib.contextmanager
def _started(folder: Path, name: str, module: str, *arguments: str) -> Iterator[str]:
    environment = child_environment(**_SETTINGS, CEPHEID_DB=f"sqlite:///{folder / name}.db")
    command = [sys.executable, "-m", module, *arguments]
    with open(folder / f"{name}.log", "w") as log:
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        assert process.stdout is not None
        words = process.stdout.readline().split(" at ")
        if len(words) < 2:
            raise CepheidError(f"a side of the benchmark did not start: {Path(log.name).read_text()}")
        address = words[1].split()[0]
        _wait(address, process)
        yield address
    finally:
        process.terminate()
        process.wait()


def _wait(address: str, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        if _is_ready(address):
            return
        if process.poll() is not None or time.monotonic() > deadline:
            raise CepheidError("a side of the benchmark ended, or never became ready")
        time.sleep(0.1)


def _is_ready(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/ready", timeout=10) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, ConnectionError):
        return False
