"""An hour of events in minutes: memory stays flat, and tables stay bounded.

python -m tests.service.load --seconds 120

What is kept for days is kept for seconds here, so that all of it is forgotten many times over.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, func, select

from cepheid.service.tables import ANSWERS, DELIVERIES, NOTIFICATIONS, SEEN, SNAPSHOTS, STEPS
from tests.service.receiver import Receiver
from tests.service.serving import START, RunningService, iso, serving

HOUR = 3600.0
BATCH = 100
KEPT = {
    "CEPHEID_KEEP_EVENTS": "5 s",
    "CEPHEID_KEEP_NOTIFICATIONS": "5 s",
    "CEPHEID_KEEP_ANSWERS": "5 s",
    "CEPHEID_FORGET_EVERY": "1 s",
    "CEPHEID_SNAPSHOT_EVERY": "2 s",
    "CEPHEID_SNAPSHOT_EVENTS": "5000",
}
PROFILES: tuple[dict[str, Any], ...] = (
    {"query": "PATTERN A a WHERE a.x > 97 WITHIN 1 s RETURN a.n AS n"},
    {"query": "PATTERN SEQ(A a, B b) WHERE [k] AND a.x > 90 AND b.x > 90 WITHIN 30 s RETURN a.n AS a"},
    {"query": "PATTERN SEQ(A a, ~B b) WHERE [k] AND a.x > 95 WITHIN 20 s RETURN a.n AS a", "once": "1 min"},
    {"query": "PATTERN SILENCE OF A a FOR 1 min WHERE [k] RETURN a.k AS k"},
)
TABLES = (STEPS, SNAPSHOTS, NOTIFICATIONS, DELIVERIES, ANSWERS, SEEN)


def check(seconds: float) -> dict[str, Any]:
    """Run, and look at memory and tables ten times on the way."""
    receiver = Receiver()
    flags = ("--idle", "1 day", "--allow-network", "127.0.0.0/8")
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), *flags, **KEPT) as service:
        for number, each in enumerate(PROFILES):
            hook = {"deliver": [{"webhook": f"{receiver.address}/ok"}]} if number == 0 else {}
            service.profile(**each, **hook)
        looks, sent = _run(service, seconds)
        assert service.stop() == 0
    receiver.close()
    early, late = looks[len(looks) // 3 : 2 * len(looks) // 3], looks[2 * len(looks) // 3 :]
    for name in early[0]:
        before, after = (max(look[name] for look in some) for some in (early, late))
        room = 1.2 * before + (30 if name == "memory MB" else 500)
        assert after <= room, f"{name} grows: {[look[name] for look in looks]}"
    return {"events": sent, "told": len(receiver.got), "at the end": looks[-1]}


def _run(service: RunningService, seconds: float) -> tuple[list[dict[str, float]], int]:
    rng, began, sent = random.Random(1), time.monotonic(), 0
    looks: list[dict[str, float]] = []
    while (passed := time.monotonic() - began) < seconds:
        moment = iso(START + timedelta(seconds=passed / seconds * HOUR))
        events = [
            {
                "type": rng.choice("AB"),
                "time": moment,
                "k": rng.randrange(50),
                "x": rng.random() * 100,
                "n": sent + n,
            }
            for n in range(BATCH)
        ]
        answer = service.send(*events, **{"Idempotency-Key": f"load-{sent}"})
        assert answer["accepted"] == BATCH, answer
        sent += BATCH
        if passed >= len(looks) * seconds / 12:
            looks.append(_looked(service))
    return looks, sent


def _looked(service: RunningService) -> dict[str, float]:
    assert service.process is not None
    pages = int(Path(f"/proc/{service.process.pid}/statm").read_text().split()[1])
    found: dict[str, float] = {"memory MB": round(pages * 4096 / 2**20, 1)}
    engine = create_engine(service.db)
    with engine.connect() as connection:
        for table in TABLES:
            found[table.name] = connection.execute(select(func.count()).select_from(table)).scalar_one()
    engine.dispose()
    return found


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--seconds", type=float, default=120.0)
    print(json.dumps(check(asked.parse_args().seconds)))


if __name__ == "__main__":
    main()
