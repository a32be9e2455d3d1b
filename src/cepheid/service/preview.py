"""What a profile would have told over the recorded events: the same steps, in a session of its own.

It runs in a process of its own, so a query that takes long holds up neither events nor the other profiles,
and is ended when it takes too long.
"""

from __future__ import annotations

import json
import os
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection as Pipe
from typing import Any, ClassVar, Protocol

from sqlalchemy import Connection, func, select
from sqlalchemy.engine import make_url

from cepheid.errors import CepheidError
from cepheid.service.matching import Matching, ToldMatch
from cepheid.service.moments import shown
from cepheid.service.problems import Problem, busy
from cepheid.service.recovery import steps_after
from cepheid.service.settings import Settings, microseconds
from cepheid.service.steps import ClockAdvanced, EventsAccepted, LatenessSet, ProfileAdded
from cepheid.service.store import Database, reading_engine
from cepheid.service.tables import STEPS

HOUR = 3600 * 10**6
EXAMPLES = 10
MOST_BARS = 2_000
LONGEST = 30.0  # seconds


@dataclass(frozen=True, slots=True)
class PreviewJob:
    """A profile that is to be tried."""

    query: str
    terms: Mapping[str, Any]
    lateness: int
    most_events: int
    what: ClassVar[str] = "preview"

    def answer(self, connection: Connection) -> dict[str, Any]:
        """What the profile would have told."""
        return previewed(connection, self)


class WorkerJob(Protocol):
    """What a process beside the service is asked for; it reads the database, and nothing else."""

    @property
    def what(self) -> str:
        """Its name."""

    def answer(self, connection: Connection) -> dict[str, Any]:
        """What is found."""


class PreviewWorker:
    """A process that tries and traces profiles, one at a time; started when it is first asked."""

    def __init__(self, store: Database, settings: Settings) -> None:
        self._url, self._settings = store.url, settings
        self._one_at_a_time = threading.Lock()
        self._process: Any = None
        self._pipe: Pipe | None = None

    def ask(self, query: str, terms: Mapping[str, Any]) -> dict[str, Any]:
        """What the profile would have told."""
        settings = self._settings
        late = microseconds(settings.lateness)
        return self.do(PreviewJob(query, dict(terms), late, settings.max_preview_events))

    def do(self, job: WorkerJob) -> dict[str, Any]:
        """What the process finds."""
        if not self._one_at_a_time.acquire(timeout=LONGEST):
            raise busy("other previews are under way", 5)
        try:
            return self._answer(job)
        finally:
            self._one_at_a_time.release()

    def _answer(self, job: WorkerJob) -> dict[str, Any]:
        if self._process is None or not self._process.is_alive():
            self._start()
        assert self._pipe is not None
        try:
            self._pipe.send(job)
            if not self._pipe.poll(LONGEST):
                self.close()
                raise Problem(422, f"the {job.what} takes more than {LONGEST:g} s: shorten WITHIN")
            found = self._pipe.recv()
        except (EOFError, OSError):
            self.close()
            raise Problem(422, f"the {job.what} was ended: it may need too much memory") from None
        if isinstance(found, str):
            raise Problem(422, found)
        answer: dict[str, Any] = found
        return answer

    def _start(self) -> None:
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        address = self._url.render_as_string(hide_password=False)
        self._process = context.Process(target=_work, args=(theirs, address), daemon=True)
        self._process.start()
        theirs.close()

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None


# -- in the process --------------------------------------------------------------------------------


def _work(pipe: Pipe, address: str) -> None:
    """Answer until the service is gone."""
    os.nice(5)
    engine = reading_engine(make_url(address))
    while True:
        try:
            job = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            with engine.connect() as connection:
                answer: Any = job.answer(connection)
        except CepheidError as error:
            answer = str(error)
        pipe.send(answer)


def previewed(connection: Connection, job: PreviewJob) -> dict[str, Any]:
    """The profile over the newest recorded events."""
    after = beginning(connection, job.most_events)
    matching = Matching.fresh(job.lateness)
    matching.apply(ProfileAdded("preview", job.query, job.terms))
    told: list[ToldMatch] = []
    events, oldest, newest = 0, None, None
    for _, step in steps_after(connection, after):
        if isinstance(step, EventsAccepted):
            events += len(step.times)
            oldest = min(step.times) if oldest is None else min(oldest, *step.times)
            newest = max(step.times) if newest is None else max(newest, *step.times)
        elif not isinstance(step, LatenessSet) and (not isinstance(step, ClockAdvanced) or newest is None):
            continue
        told += matching.apply(step)
    return {
        "count": len(told),
        "events": events,
        "since": None if oldest is None else shown(oldest),
        "until": None if newest is None else shown(newest),
        "bars": _bars(told),
        "examples": [_example(match) for match in told[-EXAMPLES:]],
    }


def beginning(connection: Connection, most: int) -> int:
    """The step after which lie as many of the newest events as are wanted."""
    sizes = select(STEPS.c.seq, STEPS.c.count).where(STEPS.c.kind == EventsAccepted.kind)
    left = most
    for seq, count in connection.execute(sizes.order_by(STEPS.c.seq.desc())):
        left -= count
        if left < 0:
            return int(seq)
    first = connection.execute(select(func.min(STEPS.c.seq))).scalar()
    return 0 if first is None else first - 1


def _bars(told: list[ToldMatch]) -> list[dict[str, Any]]:
    """How many matches each hour has, hours without any included, unless they are too many."""
    counts = Counter(match.time // HOUR for match in told)
    if not counts:
        return []
    hours = range(min(counts), max(counts) + 1)
    return [
        {"hour": shown(hour * HOUR), "count": counts[hour]}
        for hour in (hours if len(hours) <= MOST_BARS else sorted(counts))
    ]


def _example(match: ToldMatch) -> dict[str, Any]:
    return {"match_id": match.match_id, "time": shown(match.time), "match": json.loads(match.match)}
