"""After a restart: the newest snapshot that can be read, and the steps after it as they were taken."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator

from sqlalchemy import Connection, func, select

from cepheid.errors import CepheidError
from cepheid.service.matching import Matching
from cepheid.service.steps import READ, ClockAdvanced, ProfileAdded, ProfilePaused, Step
from cepheid.service.tables import PROFILES, SNAPSHOTS, STEPS

LOG = logging.getLogger("cepheid.service")

CHUNK = 200  # steps that are read at a time


class LostStep(CepheidError):
    """The record does not have all steps."""


def recovered(connection: Connection, lateness: int) -> tuple[Matching, int]:
    """The session as it was after the last step that was committed, and the number of that step."""
    last = connection.execute(select(func.max(STEPS.c.seq))).scalar() or 0
    newest = connection.execute(select(func.max(SNAPSHOTS.c.seq))).scalar() or 0
    for seq in connection.execute(select(SNAPSHOTS.c.seq).order_by(SNAPSHOTS.c.seq.desc())).scalars().all():
        try:
            body = connection.execute(select(SNAPSHOTS.c.body).where(SNAPSHOTS.c.seq == seq)).scalar_one()
            return _replayed(connection, Matching.restored(body), seq, last), max(last, seq)
        except CepheidError as error:
            LOG.error("the snapshot after step %d cannot be used: %s", seq, error)
    if last == 0 and newest == 0:
        return Matching.fresh(lateness), 0
    try:
        return _replayed(connection, Matching.fresh(lateness), 0, last), last
    except CepheidError as error:
        LOG.error("the record cannot be replayed from its beginning: %s", error)
    LOG.error("profiles begin anew: what was half matched is dropped, as by a pause")
    return _begun_anew(connection, lateness), max(last, newest)


def _replayed(connection: Connection, matching: Matching, after: int, last: int) -> Matching:
    for seq, step in steps_after(connection, after):
        if seq != after + 1:
            raise LostStep(f"step {after + 1} is not in the record")
        matching.apply(step)  # what it tells was written with it
        after = seq
    if after < last:
        raise LostStep(f"step {after + 1} is not in the record")
    return matching


def steps_after(connection: Connection, after: int) -> Iterator[tuple[int, Step]]:
    """The steps after one, in their order; a few at a time, since they may be many."""
    columns = select(STEPS.c.seq, STEPS.c.kind, STEPS.c.body).order_by(STEPS.c.seq).limit(CHUNK)
    while rows := connection.execute(columns.where(STEPS.c.seq > after)).all():
        for seq, kind, body in rows:
            yield seq, READ[kind](bytes(body))
            after = seq


def _begun_anew(connection: Connection, lateness: int) -> Matching:
    """All profiles that there are, at the clock that there was."""
    matching = Matching.fresh(lateness)
    clock = _last_clock(connection, lateness)
    if clock is not None:
        matching.apply(ClockAdvanced(clock))
    for row in connection.execute(select(PROFILES).order_by(PROFILES.c.created, PROFILES.c.id)):
        matching.apply(ProfileAdded(row.id, row.query, json.loads(row.terms)))
        if row.paused:
            matching.apply(ProfilePaused(row.id))
    return matching


def _last_clock(connection: Connection, lateness: int) -> int | None:
    newest = connection.execute(select(func.max(STEPS.c.newest))).scalar()
    advanced = select(STEPS.c.body).where(STEPS.c.kind == ClockAdvanced.kind).order_by(STEPS.c.seq.desc())
    body = connection.execute(advanced.limit(1)).scalar()
    known = [
        connection.execute(select(func.max(SNAPSHOTS.c.clock))).scalar(),
        None if newest is None else newest - lateness,
        None if body is None else int(body),
    ]
    return max((clock for clock in known if clock is not None), default=None)
