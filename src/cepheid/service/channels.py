"""Channels: ways to be told that an admin defines and users name. Their addresses hold secrets, and are never
shown again."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select

from cepheid.service.addresses import AddressGuard, AddressRefused
from cepheid.service.problems import Problem
from cepheid.service.tables import CHANNELS, ENDPOINTS
from cepheid.service.turn import Turn

APPRISE, ALERTMANAGER = "apprise", "alertmanager"

LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
"""What Prometheus takes for the name of a label."""


@dataclass(frozen=True, slots=True)
class ChannelDraft:
    """A channel that is to be made, and was checked."""

    kind: str
    url: str
    labels: Mapping[str, str]  # that every alert has


def checked_channel(kind: str, url: str, labels: Mapping[str, str], guard: AddressGuard) -> ChannelDraft:
    """A channel that could be used; what is wrong is a problem that does not repeat the address."""
    for name in labels:
        if LABEL.fullmatch(name) is None:
            raise Problem(422, f"{name[:40]!r} is no name of a label: letters, digits and _ are")
    if kind == ALERTMANAGER:
        try:
            guard.check_url(url)
        except AddressRefused as refused:
            raise Problem(422, str(refused)) from None
        return ChannelDraft(kind, url.rstrip("/"), labels)
    if importlib.util.find_spec("apprise") is None:
        raise Problem(422, "channels by apprise need it installed: pip install 'cepheid[channels]'")
    if labels:
        raise Problem(422, "labels are for channels to an Alertmanager")
    from cepheid.service.notes import opened_channel

    if opened_channel(url) is None:
        raise Problem(422, "apprise does not know this address: see its documentation")
    return ChannelDraft(kind, url, labels)


def define(turn: Turn, name: str, draft: ChannelDraft) -> bool:
    """Make a channel, or let one be another from now on; whether it is new."""
    gone = turn.connection.execute(delete(CHANNELS).where(CHANNELS.c.name == name)).rowcount
    row = {"name": name, "kind": draft.kind, "url": draft.url, "labels": json.dumps(dict(draft.labels))}
    turn.connection.execute(insert(CHANNELS).values(row | {"made": turn.at}))
    return not gone


def remove(turn: Turn, name: str) -> None:
    """Remove a channel that no profile names."""
    expect(turn.connection, name, 404)
    using = select(func.count(ENDPOINTS.c.profile.distinct())).where(ENDPOINTS.c.channel == name)
    count = turn.connection.execute(using).scalar_one()
    if count:
        raise Problem(409, f"{count:,} profiles use the channel {name!r}: remove them first")
    turn.connection.execute(delete(CHANNELS).where(CHANNELS.c.name == name))


def expect(connection: Connection, name: str, status: int = 422) -> None:
    """Refuse a name that no channel has."""
    if connection.execute(select(CHANNELS.c.name).where(CHANNELS.c.name == name)).first() is None:
        raise Problem(status, f"there is no channel {name[:40]!r}: an admin can define it")


def listed(connection: Connection) -> list[dict[str, Any]]:
    """All channels: what they are called and of which kind they are, and no more."""
    rows = connection.execute(select(CHANNELS.c.name, CHANNELS.c.kind).order_by(CHANNELS.c.name))
    return [{"name": row.name, "kind": row.kind} for row in rows]
