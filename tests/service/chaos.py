"""Kill the service at random moments under load, and see that nothing is lost and nothing told twice.

python -m tests.service.chaos --kills 50

Clients repeat what was not answered, with its key. At the end, four things must hold:

- every event that a client was told is accepted is in the record once, and no other event is;
- the history is just what one session tells that takes all steps of the record without a break;
- of the pairs, it is just what a few lines of Python find in the accepted events;
- the receiver has every notification at least once, under its webhook-id, and nothing else.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import httpx2
from sqlalchemy import create_engine, select

from cepheid.service.matching import Matching
from cepheid.service.recovery import steps_after
from cepheid.service.steps import EventsAccepted
from cepheid.service.tables import NOTIFICATIONS, PROFILES
from tests.service.receiver import Receiver
from tests.service.serving import ADMIN, RunningService, eventually

PAIRS = "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 3 s RETURN a.n AS a, b.n AS b"
PROFILE_LIST: tuple[dict[str, Any], ...] = (
    {"query": PAIRS},
    {"query": PAIRS, "consume": "unique"},
    {"query": PAIRS, "once": "5 s"},
    {"query": "PATTERN SEQ(A a, ~B b) WHERE [k] WITHIN 1 s RETURN a.n AS a"},
    {"query": "PATTERN SILENCE OF A a FOR 1 s WHERE [k] RETURN a.n AS a"},
    {"query": "PATTERN SEQ(A a, EVERY 2 s) WHERE a.k < 2 WITHIN 4 s RETURN a.n AS a"},
)
CLIENTS = 3


class Load:
    """Clients that send events without end, and one that changes profiles."""

    def __init__(self, service: RunningService) -> None:
        self.service = service
        self.accepted: list[int] = []
        self.repeated = 0
        self._number = 0
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._send_all, args=(n,)) for n in range(CLIENTS)]
        self._threads.append(threading.Thread(target=self._change_profiles))

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _send_all(self, client: int) -> None:
        rng, request = random.Random(client), 0
        http = httpx2.Client(trust_env=False, verify=False, timeout=60)
        while not self._over.is_set():
            with self._lock:
                first = self._number
                self._number += rng.choice((1, 1, 5, 20))
                numbers = range(first, self._number)
            events = [{"type": rng.choice("AB"), "k": rng.randrange(5), "n": n} for n in numbers]
            request += 1
            answer = self._until_answered(http, json.dumps(events), f"{client}-{request}")
            assert answer == {"accepted": len(events), "late": [], "bad": []}, answer
            with self._lock:
                self.accepted += numbers
            time.sleep(rng.choice((0, 0.01, 0.05)))

    def _until_answered(self, http: httpx2.Client, body: str, key: str) -> Any:
        headers = {"Authorization": f"Bearer {ADMIN}", "Idempotency-Key": key}
        headers["Content-Type"] = "application/json"
        while True:
            try:
                address = f"{self.service.client.base_url}/events"
                answer = http.post(address, content=body, headers=headers)
                if answer.status_code == 200:
                    return answer.json()
                assert answer.status_code in (500, 503), answer.text
            except httpx2.TransportError:
                pass
            self.repeated += 1
            time.sleep(0.1)

    def _change_profiles(self) -> None:
        rng = random.Random("changes")
        mine: list[str] = []
        while not self._over.is_set():
            time.sleep(rng.uniform(0.05, 0.5))
            try:
                if not mine or (len(mine) < 4 and rng.random() < 0.4):
                    mine.append(self.service.profile(**rng.choice(PROFILE_LIST)))
                elif rng.random() < 0.3:
                    self.service.client.delete(f"/profiles/{mine.pop()}")
                else:
                    change = {"paused": rng.random() < 0.5}
                    self.service.client.patch(f"/profiles/{rng.choice(mine)}", json=change)
            except (httpx2.TransportError, AssertionError):
                time.sleep(0.2)


def check(kills: int, seed: int, db: str | None = None) -> dict[str, int]:
    """Do all of it; figures of what there was."""
    rng, receiver = random.Random(seed), Receiver()
    with tempfile.TemporaryDirectory() as folder:
        flags = ("--idle", "0.5 s", "--allow-network", "127.0.0.0/8")
        service = RunningService(Path(folder), *flags, db=db, CEPHEID_SNAPSHOT_EVERY="1 s")
        service.start()
        hook = [{"webhook": f"{receiver.address}/ok"}]
        kept = [service.profile(**each, deliver=hook) for each in PROFILE_LIST]
        load = Load(service)
        load.start()
        for _ in range(kills):
            time.sleep(rng.uniform(0.1, 2.0))
            service.kill()
            service.start(wait=rng.random() < 0.8)
        service.wait_until_ready()
        load.end()
        _until_delivered(service)
        assert service.stop() == 0
        figures = _checked(service.db, load, kept, receiver)
    receiver.close()
    return {"kills": kills, "repeated": load.repeated} | figures


def _until_delivered(service: RunningService) -> None:
    """Wait as long as webhooks go out: after many kills, many wait."""
    while left := _pending(service):
        eventually(lambda before=left: _pending(service) < before)


def _pending(service: RunningService) -> float:
    text = service.client.get("/metrics").text
    return float(next(line.split()[1] for line in text.splitlines() if line.startswith("cepheid_outbox")))


def _checked(db: str, load: Load, kept: list[str], receiver: Receiver) -> dict[str, int]:
    engine = create_engine(db)
    with engine.connect() as connection:
        steps = list(steps_after(connection, 0))
        there = set(connection.execute(select(PROFILES.c.id)).scalars())
        history = [tuple(row) for row in connection.execute(_told_columns())]
    assert [seq for seq, _ in steps] == list(range(1, len(steps) + 1)), "a step is missing"
    events = [step for _, step in steps if isinstance(step, EventsAccepted)]
    numbers = [json.loads(text)["n"] for each in events for text in each.texts]
    assert sorted(numbers) == sorted(load.accepted), "events were lost, or used twice"
    matching, told = Matching.fresh(0), []
    for _, step in steps:
        told += [(each.profile, each.match_id, each.time, each.match) for each in matching.apply(step)]
    expected = [row for row in told if row[0] in there]
    assert sorted(history) == sorted(expected), "the history differs from a run without a break"
    assert len({row[:2] for row in history}) == len(history)
    found = sorted(_numbers(row[3]) for row in history if row[0] == kept[0])
    assert found == sorted(_pairs(events)), "the pairs differ"
    sent = {headers["webhook-id"] for _, headers, _ in receiver.got}
    assert sent == {f"{row[0]}_{row[1]}" for row in history if row[0] in kept}, "deliveries differ"
    return {"events": len(numbers), "steps": len(steps), "told": len(history), "sent": len(receiver.got)}


def _told_columns() -> Any:
    columns = NOTIFICATIONS.c
    return select(columns.profile, columns.match_id, columns.time, columns.match)


def _numbers(match: str) -> tuple[int, int]:
    row = json.loads(match)
    return row["a"], row["b"]


def _pairs(events: list[EventsAccepted]) -> list[tuple[int, int]]:
    """SEQ(A a, B b) WHERE [k] WITHIN 3 s, in the plainest way."""
    rows = [
        (time, json.loads(text)) for each in events for time, text in zip(each.times, each.texts, strict=True)
    ]
    rows.sort(key=lambda row: row[0])
    found = []
    for last, (time_b, b) in enumerate(rows):
        for time_a, a in rows[:last] if b["type"] == "B" else ():
            if a["type"] == "A" and a["k"] == b["k"] and time_b - time_a <= 3_000_000:
                found.append((a["n"], b["n"]))
    return found


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--kills", type=int, default=50)
    asked.add_argument("--seed", type=int, default=1)
    given = asked.parse_args()
    print(json.dumps(check(given.kills, given.seed)))


if __name__ == "__main__":
    main()
