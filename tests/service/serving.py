"""A service in a process of its own, and what tests send to it."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2

ADMIN = "an-admin-token-of-tests-that-is-long-enough"
START = datetime(2026, 1, 1, tzinfo=UTC)
PATIENCE = 120.0  # seconds: the machine may be busy


class RunningService:
    """`cepheid serve` on a free port, over a database in a folder."""

    def __init__(self, folder: Path, *flags: str, db: str | None = None, **environment: str) -> None:
        self.folder, self._flags = folder, flags
        self.db = db or f"sqlite:///{folder / 'cepheid.db'}"
        self._environment = {"CEPHEID_ADMIN_TOKEN": ADMIN, **environment}
        self.process: subprocess.Popen[str] | None = None
        self.first_lines: list[str] = []

    def start(self, *, wait: bool = True) -> RunningService:
        command = [sys.executable, "-m", "cepheid", "serve", "--db", self.db, "--port", "0", *self._flags]
        kept = {name: value for name, value in os.environ.items() if name != "CEPHEID_ADMIN_TOKEN"}
        with open(self.folder / "log", "a") as log:
            self.process = subprocess.Popen(
                command, env=kept | self._environment, stdout=subprocess.PIPE, stderr=log, text=True
            )
        atexit.register(self.process.kill)  # should a test fail before it does so
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert " at http://" in line, (self.folder / "log").read_text()[-4000:]
        self.first_lines = [line]
        self.client = self.signed_in(ADMIN, line.split(" at ")[1].split(" ")[0])
        if wait:
            self.wait_until_ready()
        return self

    def signed_in(self, token: str | None, address: str | None = None) -> httpx2.Client:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        return httpx2.Client(
            base_url=address or self.client.base_url, headers=headers, timeout=60, trust_env=False
        )

    def wait_until_ready(self) -> None:
        eventually(lambda: self.client.get("/ready").status_code == 200)

    def kill(self) -> None:
        """As a power cut would end it."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """In peace; the exit status."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    # -- what tests do -----------------------------------------------------------------------------

    def profile(self, query: str, **more: Any) -> str:
        """A profile; its id."""
        made = self.client.post("/profiles", json={"name": "a test", "query": query, **more})
        assert made.status_code == 201, made.text
        found: str = made.json()["id"]
        return found

    def send(self, *events: dict[str, Any], **headers: str) -> dict[str, Any]:
        """Events; the answer."""
        media = {"Content-Type": "application/json"}
        sent = self.client.post("/events", content=json.dumps(events), headers=media | headers)
        assert sent.status_code == 200, sent.text
        found: dict[str, Any] = sent.json()
        return found

    def told(self, profile: str) -> list[dict[str, Any]]:
        """The history of a profile."""
        found = self.client.get(f"/profiles/{profile}/notifications", params={"limit": 10_000})
        assert found.status_code == 200, found.text
        rows: list[dict[str, Any]] = found.json()
        return rows

    def matches(self, profile: str) -> list[Any]:
        """What a profile's matches returned."""
        return [row["match"] for row in self.told(profile)]

    def deliveries(self, profile: str) -> list[dict[str, Any]]:
        """What went out by webhook and channel, the newest first."""
        found: list[dict[str, Any]] = self.client.get(f"/profiles/{profile}/deliveries").json()
        return found

    def settled(self, profile: str) -> list[dict[str, Any]]:
        """The same, as soon as none of it is pending."""

        def done() -> list[dict[str, Any]]:
            found = self.deliveries(profile)
            return found if found and all(each["status"] != "pending" for each in found) else []

        found: list[dict[str, Any]] = eventually(done)
        return found


@contextlib.contextmanager
def serving(folder: Path, *flags: str, **more: Any) -> Iterator[RunningService]:
    """A service that is ready, and gone in the end."""
    service = RunningService(folder, *flags, **more).start()
    try:
        yield service
    finally:
        service.kill()


def eventually(holds: Any, seconds: float = PATIENCE) -> Any:
    """Wait until something holds; what it gave."""
    deadline = time.monotonic() + seconds
    while True:
        with contextlib.suppress(httpx2.TransportError):
            found = holds()
            if found:
                return found
        assert time.monotonic() < deadline, "it never came to hold"
        time.sleep(0.05)


class Hours:
    """Times that no test before has used: all tests of a module share one clock."""

    def __init__(self) -> None:
        self._next = START

    def fresh(self) -> datetime:
        self._next += timedelta(hours=2)
        return self._next

    def skip(self, length: timedelta) -> None:
        """A test has gone so far ahead."""
        self._next += length


def iso(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


def event(kind: str, since: datetime, second: float, **attributes: Any) -> dict[str, Any]:
    return {"type": kind, "time": iso(since + timedelta(seconds=second)), **attributes}


def lines(*events: Any) -> str:
    """Events as NDJSON."""
    return "\n".join(each if isinstance(each, str) else json.dumps(each) for each in events)
