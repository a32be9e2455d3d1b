"""Profiles as rows: made, shown, changed and removed. What concerns matching is a step of the record."""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from cepheid.errors import CepheidError
from cepheid.service.channels import expect as expect_channel
from cepheid.service.ledger import Subscription
from cepheid.service.moments import shown
from cepheid.service.problems import Problem, of_query
from cepheid.service.steps import ProfileAdded, ProfilePaused, ProfileRemoved, ProfileResumed
from cepheid.service.tables import ENDPOINTS, PROFILES
from cepheid.service.turn import Turn

NO_SILENCE = {"silence_until": None, "silence_reason": None, "stopped": None, "stopped_reason": None}
ON = {"disabled": None, "disabled_reason": None}

DEFAULTS: dict[str, Any] = {"select": "all", "consume": "all", "once": None, "timezone": "UTC"}


@dataclass(frozen=True, slots=True)
class ProfileDraft:
    """A profile that is to be made."""

    name: str
    query: str
    terms: Mapping[str, Any]  # select, consume, once, timezone: those that differ from the usual
    feed: bool
    webhooks: Sequence[str]
    channels: Sequence[str] = ()


def fresh_secret() -> str:
    """A secret of webhooks, as Standard Webhooks writes it."""
    return "whsec_" + base64.b64encode(secrets.token_bytes(24)).decode()


def create(turn: Turn, draft: ProfileDraft) -> dict[str, Any]:
    """Make a profile; it sees the events accepted from here on."""
    if len(turn.ledger) >= turn.settings.max_profiles:
        raise Problem(422, f"there are {turn.settings.max_profiles:,} profiles already: remove some first")
    for channel in draft.channels:
        expect_channel(turn.connection, channel)
    turn.flush()
    name = f"p{secrets.token_hex(8)}"
    step = ProfileAdded(name, draft.query, draft.terms)
    try:
        turn.take(step)
    except CepheidError as error:
        raise of_query(error) from None
    terms = json.dumps(dict(draft.terms))
    row: dict[str, Any] = {"id": name, "name": draft.name, "query": draft.query, "terms": terms}
    row |= {"feed": draft.feed, "paused": False, "created": turn.at}
    turn.connection.execute(insert(PROFILES), row)
    secret = fresh_secret() if draft.webhooks else ""
    endpoints: list[dict[str, Any]] = [
        {"profile": name, "url": url, "secret": secret, "channel": None} for url in draft.webhooks
    ]
    endpoints += [{"profile": name, "url": "", "secret": "", "channel": each} for each in draft.channels]
    if endpoints:
        turn.connection.execute(insert(ENDPOINTS), endpoints)
    turn.ledger.know(name, Subscription(draft.feed, bool(endpoints), None))
    made = _shown(SimpleNamespace(**NO_SILENCE, **row), [SimpleNamespace(**ON, **each) for each in endpoints])
    return made | {"secret": secret} if secret else made


def remove(turn: Turn, name: str) -> None:
    """Remove a profile with all that it told."""
    found(turn.connection, name)
    turn.take(ProfileRemoved(name))
    turn.connection.execute(delete(PROFILES).where(PROFILES.c.id == name))
    turn.ledger.reload(turn.connection, name)


def change(turn: Turn, name: str, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Change the name, pause or resume, and silence or let speak."""
    before = found(turn.connection, name)
    turn.flush()
    paused = changes.get("paused", before["paused"])
    if paused != before["paused"]:
        turn.take(ProfilePaused(name) if paused else ProfileResumed(name))
    if not paused and before["stopped"] is not None:
        changes = {**changes, "stopped": None, "stopped_reason": None}
    if changes:
        turn.connection.execute(update(PROFILES).where(PROFILES.c.id == name).values(**changes))
        turn.ledger.reload(turn.connection, name)
    return found(turn.connection, name)


def stop(turn: Turn, name: str, reason: str) -> bool:
    """Pause a profile that takes too much, and say why: the others go on. False if it is not there."""
    row = turn.connection.execute(select(PROFILES.c.paused).where(PROFILES.c.id == name)).first()
    if row is None or row.paused:
        return False
    turn.take(ProfilePaused(name))
    changes = {"paused": True, "stopped": turn.at, "stopped_reason": reason}
    turn.connection.execute(update(PROFILES).where(PROFILES.c.id == name).values(**changes))
    turn.ledger.reload(turn.connection, name)
    return True


# -- showing ---------------------------------------------------------------------------------------


def found(connection: Connection, name: str) -> dict[str, Any]:
    """A profile as it is shown."""
    row = connection.execute(select(PROFILES).where(PROFILES.c.id == name)).first()
    if row is None:
        raise Problem(404, f"there is no profile {name[:40]!r}")
    endpoints = connection.execute(
        select(ENDPOINTS).where(ENDPOINTS.c.profile == name).order_by(ENDPOINTS.c.id)
    )
    return _shown(row, endpoints.all())


def listed(connection: Connection) -> list[dict[str, Any]]:
    """All profiles, the oldest first."""
    by_profile: dict[str, list[Any]] = {}
    for row in connection.execute(select(ENDPOINTS).order_by(ENDPOINTS.c.id)):
        by_profile.setdefault(row.profile, []).append(row)
    rows = connection.execute(select(PROFILES).order_by(PROFILES.c.created, PROFILES.c.id))
    return [_shown(row, by_profile.get(row.id, [])) for row in rows]


def _shown(row: Any, endpoints: Sequence[Any]) -> dict[str, Any]:
    silence = None
    if row.silence_until is not None:
        silence = {"until": shown(row.silence_until), "reason": row.silence_reason}
    deliver = [_shown_endpoint(each) for each in endpoints] + ([{"feed": True}] if row.feed else [])
    return {
        "id": row.id,
        "name": row.name,
        "query": row.query,
        "deliver": deliver,
        **DEFAULTS,
        **json.loads(row.terms),
        "paused": row.paused,
        "silence": silence,
        "stopped": None if row.stopped is None else {"at": shown(row.stopped), "reason": row.stopped_reason},
        "created": shown(row.created),
    }


def _shown_endpoint(row: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"webhook": row.url} if row.channel is None else {"channel": row.channel}
    if row.disabled is not None:
        found |= {"disabled": shown(row.disabled), "reason": row.disabled_reason}
    return found
