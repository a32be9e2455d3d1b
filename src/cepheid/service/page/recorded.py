"""Recorded events of a stretch of time, found without reading the whole record."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, func, select

from cepheid.service.steps import EventsAccepted
from cepheid.service.tables import STEPS

CHUNK = 50  # steps that are read at a time


def steps_between(connection: Connection, start: int, end: int, lateness: int) -> Iterator[EventsAccepted]:
    """The steps of events that may lie in a stretch of time, in the order of their acceptance.

    An event is never accepted behind the clock. So the newest time of a step may fall behind that of a step
    before it by the lateness alone, and nearly grows.
    """
    of_events = STEPS.c.kind == EventsAccepted.kind
    after = _first_step(connection, start - lateness) - 1
    columns = select(STEPS.c.seq, STEPS.c.newest, STEPS.c.body).where(of_events).order_by(STEPS.c.seq)
    while rows := connection.execute(columns.where(STEPS.c.seq > after).limit(CHUNK)).all():
        for seq, _, body in rows:
            step = EventsAccepted.read(bytes(body))
            after = seq
            if step.times and min(step.times) > end + lateness:
                return
            yield step


def _first_step(connection: Connection, time: int) -> int:
    """The number of the first step of events whose newest is no older than this, by halving."""
    low, high = connection.execute(select(func.min(STEPS.c.seq), func.max(STEPS.c.seq))).one()
    if low is None:
        return 0
    while low < high:
        middle = (low + high) // 2
        of_events = (STEPS.c.kind == EventsAccepted.kind) & STEPS.c.seq.between(middle, high)
        found = select(STEPS.c.newest).where(of_events).order_by(STEPS.c.seq).limit(1)
        newest = connection.execute(found).scalar()
        if newest is not None and newest < time:
            low = middle + 1
        else:
            high = middle
    return int(low)


def events_between(
    connection: Connection, start: int, end: int, lateness: int, types: set[str | None], most: int
) -> list[tuple[int, dict[str, Any]]]:
    """Events of these types (None: of any) with their times, some of them if they are many."""
    found: list[tuple[int, dict[str, Any]]] = []
    for step in steps_between(connection, start, end, lateness):
        for time, kind, text in zip(step.times, step.types, step.texts, strict=True):
            if start <= time <= end and (kind in types or None in types):
                found.append((time, json.loads(text)))
                if len(found) >= most:
                    return found
    return found
