"""`cepheid demo --service`: a building that reports to the notification service, and what is told of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from cepheid.cli.show import counted
from cepheid.errors import CepheidError, MissingExtraError

EVENTS, ROOMS, SEED = 32_000, 20, 14
FEW_ROOMS = (4, 5, 6, 19)  # where all four situations happen
AT_ONCE = 1_000  # events of a request
PATIENCE = 600.0  # seconds until the service is ready: it may have to compile

SUBSCRIPTIONS: tuple[dict[str, Any], ...] = (
    {
        "name": "hot at night",
        "query": "PATTERN Temperature t\n"
        "WHERE [office] AND t.value > 26 AND (hour(t.time) >= 22 OR hour(t.time) < 6)\n"
        "WITHIN 1 s RETURN t.office AS office, t.value AS degrees",
        "once": "8 hours",
    },
    {
        "name": "silent sensor",
        "query": "PATTERN SILENCE OF Reading r FOR 30 min WHERE [sensor]\n"
        "RETURN r.sensor AS sensor, r.value AS battery",
    },
    {
        "name": "cold and damp",
        "query": "PATTERN AND(Temperature t, Humidity h)\n"
        "WHERE [laboratory] AND t.value < 15 AND h.value > 70\n"
        "WITHIN 30 min RETURN t.laboratory AS laboratory, t.value AS degrees, h.value AS percent",
        "consume": "unique",
        "once": "6 hours",
    },
    {
        "name": "break-in",
        "query": "PATTERN SEQ(WindowBroken w, Presence p) WHERE [office]\n"
        "WITHIN 10 min RETURN w.office AS office, w.time AS broken, p.time AS entered",
        "select": {"p": "first"},
    },
)
"""The four situations of the building, P1 to P4 of the CompAS paper."""

COLD = """\
Nothing is compiled for profiles on this machine yet, which takes two or three minutes, once.
So these few events are matched as plain Python, which is much slower."""

PLAIN = {"NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore:overflow encountered:RuntimeWarning"}
"""What makes a service run the kernels as plain Python: hashes wrap on purpose."""

NEXT_STEPS = """\
Try next:
  cepheid serve                        # a service that stays, with a database in this folder
  cepheid demo --service --stay        # this building, for as long as you like
  docs/how-to/service.md               # webhooks, channels, tokens
"""


@dataclass(slots=True)
class DemoClient:
    """What the demo asks of the service."""

    address: str
    token: str
    names: dict[str, str] = field(default_factory=dict)  # of profiles, by id
    told: Counter[str] = field(default_factory=Counter)

    def opened(self, method: str, path: str, body: Any = None) -> Any:
        """The answer to a request, to be read."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        asked = urllib.request.Request(f"{self.address}{path}", data, headers, method=method)
        return urllib.request.urlopen(asked)

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """The answer to a request, as JSON."""
        with self.opened(method, path, body) as answer:
            return json.load(answer)

    def is_ready(self) -> bool:
        """Whether the service is."""
        try:
            return bool(self.ask("GET", "/ready")["status"] == "ready")
        except urllib.error.URLError:
            return False

    def listen(self) -> None:
        """Show what the feed tells, until the service ends it."""
        try:
            with self.opened("GET", "/feed") as feed:
                for line in feed:
                    if line.startswith(b"data: "):
                        self._show(json.loads(line[6:]))
        except (OSError, ValueError):  # it has ended
            pass

    def _show(self, row: dict[str, Any]) -> None:
        name = self.names.get(row["profile"], row["profile"])
        what = ", ".join(f"{key} {value}" for key, value in row["match"].items())
        print(f"  {row['time'][:16].replace('T', ' ')}  {name}: {what}", flush=True)
        self.told[name] += 1


def show_service_demo(stay: bool) -> None:
    """Start a service, subscribe, send the events of a building, and show what is told."""
    if any(find_spec(name) is None for name in ("fastapi", "uvicorn", "sqlalchemy")):
        raise MissingExtraError("cepheid demo --service", "service")
    is_plain = _is_cold()
    with (
        tempfile.TemporaryDirectory(prefix="cepheid-demo-") as folder,
        _serving(Path(folder), PLAIN if is_plain else {}) as client,
    ):
        print(f"The service listens at {client.address}\nand this token opens it: {client.token}\n")
        _subscribe(client)
        rooms = FEW_ROOMS if is_plain else tuple(range(1, ROOMS + 1))
        print(f"\nThe sensors of {len(rooms)} rooms report, and these are told as they happen:", flush=True)
        listening = threading.Thread(target=client.listen, daemon=True)
        listening.start()
        sent = _send(client, rooms)
        _until_shown(client)
        print(f"\n{counted(sent, 'event')} accepted; told: {_summary(client)}", flush=True)
        if stay:
            _wait()
    print(f"\n{NEXT_STEPS}", end="", flush=True)


@contextmanager
def _serving(folder: Path, more: Mapping[str, str]) -> Iterator[DemoClient]:
    """A service on a free port, over a database that is gone in the end."""
    command = [
        sys.executable,
        "-m",
        "cepheid",
        "serve",
        "--db",
        f"sqlite:///{folder / 'demo.db'}",
        "--port",
        "0",
    ]
    environment = {name: value for name, value in os.environ.items() if name != "CEPHEID_ADMIN_TOKEN"}
    environment |= {"CEPHEID_LOG_LEVEL": "warning", **more}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        first, second = process.stdout.readline(), process.stdout.readline()
        if " at " not in first:
            raise CepheidError("the service did not start; see above")
        client = DemoClient(first.split(" at ")[1].split()[0], second.split()[-1])
        deadline = time.monotonic() + PATIENCE
        while not client.is_ready():
            if process.poll() is not None or time.monotonic() > deadline:
                raise CepheidError("the service never became ready; see above")
            time.sleep(0.05)
        yield client
    finally:
        process.terminate()
        process.wait()


def _is_cold() -> bool:
    """Whether what profiles need is not compiled: a few events are then matched by the kernels as plain
    Python, since to compile would take some minutes."""
    from cepheid.service.compiling import are_kept

    if are_kept() or os.environ.get("NUMBA_DISABLE_JIT") == "1":
        return False
    print(f"{COLD}\n", file=sys.stderr, flush=True)
    return True


def _subscribe(client: DemoClient) -> None:
    for each in SUBSCRIPTIONS:
        made = client.ask("POST", "/profiles", each | {"deliver": [{"feed": True}]})
        client.names[made["id"]] = made["name"]
        print(f"Tell me: {each['name']}\n    " + each["query"].replace("\n", "\n    "))


def _send(client: DemoClient, rooms: Sequence[int]) -> int:
    """The events of some rooms, a request after the other; how many were accepted."""
    import pyarrow as pa
    from pyarrow import compute

    from cepheid.sources.generate import sensors

    accepted, table = 0, sensors(EVENTS, SEED, rooms=ROOMS)
    where = compute.coalesce(table["office"], table["laboratory"])
    table = table.filter(compute.is_in(where, pa.array(rooms, where.type)))
    for start in range(0, table.num_rows, AT_ONCE):
        rows = table.slice(start, AT_ONCE).to_pylist()
        events = [{name: value for name, value in row.items() if value is not None} for row in rows]
        for event in events:
            event["time"] = event["time"].isoformat()
        accepted += client.ask("POST", "/events", events)["accepted"]
    return accepted


def _until_shown(client: DemoClient) -> None:
    """Wait for the feed: all that is in the history comes by it."""
    wanted = sum(
        len(client.ask("GET", f"/profiles/{each}/notifications?limit=10000")) for each in client.names
    )
    deadline = time.monotonic() + 10.0
    while client.told.total() < wanted and time.monotonic() < deadline:
        time.sleep(0.02)


def _summary(client: DemoClient) -> str:
    return ", ".join(f"{each['name']} {client.told[each['name']]}" for each in SUBSCRIPTIONS)


def _wait() -> None:
    print("\nThe service stays. Ctrl-C ends it.", flush=True)
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        print()
