"""One turn of the writer: the steps, notifications and answers of one transaction, in their order."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from sqlalchemy import Connection, delete, insert, select
from sqlalchemy.dialects import postgresql, sqlite

from cepheid.service.intake import ArrivedEvents, Reasons
from cepheid.service.ledger import Ledger
from cepheid.service.matching import Matching, ToldMatch
from cepheid.service.moments import shown
from cepheid.service.outbox import FILL, FRESH, HANDED_ON
from cepheid.service.settings import Settings, microseconds
from cepheid.service.steps import ClockAdvanced, EventsAccepted, Step
from cepheid.service.store import now
from cepheid.service.tables import NOTIFICATIONS, SEEN, STEPS

INSERT: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
LOOKED_UP = 500  # at a time


class Turn:
    """What is done in one transaction. Events of several requests wait to be pushed together, unless
    something else comes in between."""

    def __init__(
        self, connection: Connection, matching: Matching, ledger: Ledger, settings: Settings, at: int
    ) -> None:
        self.connection, self.matching, self.ledger, self.settings = connection, matching, ledger, settings
        self.at = at  # the moment of acceptance
        self.accepted = self.notified = self.steps = self.ticks = 0
        self.late = self.bad = 0
        self.due: list[Any] = []  # rows of the outbox that can be delivered as soon as all is committed
        self.has_more_due = False  # than these
        self.afterwards: list[Callable[[], None]] = []  # when all of it is committed
        self._pending = EventsAccepted()
        self._watermark = matching.watermark

    # -- events ------------------------------------------------------------------------------------

    def take_events(self, arrived: ArrivedEvents) -> dict[str, Any]:
        """Accept the events of a request; what it is answered."""
        late: Reasons = []
        bad = list(arrived.bad)
        seen = self._seen(arrived.identities.values())
        accepted = 0
        for row in self._in_order(arrived, bad):
            place, time = arrived.places[row], arrived.times[row]
            assert time is not None
            identity = arrived.identities.get(place)
            if identity is not None and identity in seen:
                accepted += 1
            elif self._watermark is not None and time < self._watermark:
                why = f"its time {shown(time)} is behind the clock, which stands at {shown(self._watermark)}"
                late.append({"index": place, "reason": why})
            else:
                accepted += 1
                self._wait(arrived, row, time)
                if identity is not None:
                    seen.add(identity)
                    self.connection.execute(insert(SEEN).values(digest=identity, made=self.at))
        self._move_on()
        self.late, self.bad = self.late + len(late), self.bad + len(bad)
        by_index = lambda reason: reason["index"]  # noqa: E731
        return {"accepted": accepted, "late": sorted(late, key=by_index), "bad": sorted(bad, key=by_index)}

    def _in_order(self, arrived: ArrivedEvents, bad: Reasons) -> list[int]:
        """The rows of the good events by time; those without one get the time of acceptance."""
        limit = now() + microseconds(self.settings.ahead)
        good = []
        for row, place in enumerate(arrived.places):
            if arrived.times[row] is None:
                arrived.times[row], arrived.texts[row] = self.at, _stamped(arrived.texts[row], self.at)
            time = arrived.times[row]
            assert time is not None
            why = self.matching.unfit(arrived.texts[row]) if place in arrived.doubtful else None
            if time > limit:
                why = f"its time {shown(time)} is too far ahead of the wall clock"
            if why is not None:
                bad.append({"index": place, "reason": why})
            else:
                good.append(row)
        return sorted(good, key=lambda row: arrived.times[row] or 0)

    def _wait(self, arrived: ArrivedEvents, row: int, time: int) -> None:
        self._pending.times.append(time)
        self._pending.types.append(arrived.types[row])
        self._pending.texts.append(arrived.texts[row])

    def _move_on(self) -> None:
        """The watermark after a request: a later one is judged by it, though it is pushed together."""
        if self._pending.times:
            reached = self._pending.times[-1] - self.matching.lateness
            self._watermark = reached if self._watermark is None else max(reached, self._watermark)

    def _seen(self, identities: Iterable[str]) -> set[str]:
        """Which of these CloudEvents were accepted before."""
        asked, found = list(identities), set()
        for first in range(0, len(asked), LOOKED_UP):
            some = SEEN.c.digest.in_(asked[first : first + LOOKED_UP])
            for row in self.connection.execute(select(SEEN).where(some)).all():
                if row.made >= self.at - microseconds(self.settings.keep_answers):
                    found.add(row.digest)
                else:
                    self.connection.execute(delete(SEEN).where(SEEN.c.digest == row.digest))
        return found

    # -- steps -------------------------------------------------------------------------------------

    def flush(self) -> None:
        """Push the events that wait, and write what they tell."""
        if self._pending.times:
            events, self._pending = self._pending, EventsAccepted()
            self.accepted += len(events.times)
            self.take(events)

    def take(self, step: Step) -> None:
        """Take a step, and write it with what it tells."""
        self.flush()
        told = self.matching.apply(step)
        self.record(step)
        self.notify(told)
        self._watermark = self.matching.watermark

    def record(self, step: Step) -> None:
        """Write a step that was taken."""
        times = step.times if isinstance(step, EventsAccepted) else []
        row = {"seq": self.ledger.next_step(), "kind": step.kind, "count": len(times), "body": step.body()}
        row |= {"newest": max(times, default=None), "accepted": self.at}
        self.connection.execute(_RECORD_STEP, row)
        self.steps += 1
        self.ticks += isinstance(step, ClockAdvanced)

    def notify(self, told: list[ToldMatch]) -> None:
        """Write what profiles tell: once in the history, and in the outbox of each of their webhooks."""
        if not told:
            return
        rows = [self.ledger.notification(match, self.at) for match in told]
        self.connection.execute(_TELL[self.connection.dialect.name], rows)
        self.notified += len(rows)
        if any(self.ledger.has_webhooks(match.profile) for match in told):
            self._to_outbox(rows[0]["id"], rows[-1]["id"])

    def _to_outbox(self, first: int, last: int) -> None:
        told = {"first": first, "last": last}
        self.connection.execute(FILL, told | {"at": self.at})
        if last - first < HANDED_ON:
            self.due += self.connection.execute(FRESH, told).all()
        else:
            self.has_more_due = True


# Made once: to put a statement together takes longer than to run it.
_RECORD_STEP = insert(STEPS)
_TELL = {name: fresh(NOTIFICATIONS).on_conflict_do_nothing() for name, fresh in INSERT.items()}


def _stamped(text: str, at: int) -> str:
    """The JSON of an event with the time of its acceptance, in the order of names that JSON of events has."""
    event = json.loads(text) | {"time": shown(at)}
    return json.dumps(event, ensure_ascii=False, sort_keys=True)
