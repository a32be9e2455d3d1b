"""GET /profiles/{id}/trace: why it did, or did not, fire."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from sqlalchemy import select

from cepheid.service import subscriptions
from cepheid.service.access import needs
from cepheid.service.auth import NOTIFICATIONS, PROFILES
from cepheid.service.moments import NoMoment, ticks_of
from cepheid.service.problems import Problem, busy
from cepheid.service.running import running
from cepheid.service.settings import microseconds
from cepheid.service.tables import PROFILES as PROFILE_ROWS
from cepheid.service.trace import MOST_EVENTS, TraceJob

ROUTER = APIRouter(tags=["profiles"])


@ROUTER.get(
    "/profiles/{profile}/trace",
    summary="Why a profile fired, or did not",
    dependencies=[needs(PROFILES, NOTIFICATIONS)],
)
def trace_profile(
    request: Request,
    profile: str,
    since: Annotated[str | None, Query(max_length=64)] = None,
    picture: bool = False,
) -> dict[str, Any]:
    """How far its partial matches came over the recorded events, which condition failed on which event, and
    what expired; nearest misses first. `since` is ISO 8601 or Unix seconds; with `picture`, an SVG too."""
    service = running(request)
    if not service.engine.is_ready:
        raise busy("the service is starting", 2)
    with service.store.reading() as connection:
        subscriptions.found(connection, profile)
        row = connection.execute(select(PROFILE_ROWS).where(PROFILE_ROWS.c.id == profile)).one()
    most = min(MOST_EVENTS, service.settings.max_preview_events)
    late = microseconds(service.settings.lateness)
    terms = json.loads(row.terms)
    return service.preview.do(TraceJob(profile, row.query, terms, late, most, _ticks(since), picture))


def _ticks(since: str | None) -> int | None:
    """A time as it stands in an address."""
    if since is None:
        return None
    try:
        return ticks_of(_number(since))
    except NoMoment as error:
        raise Problem(422, str(error).replace("its time", "since=", 1)) from None


def _number(text: str) -> str | float:
    """Unix seconds are a number; what could also be the date 20260131 is read as such."""
    if len(text) == 8 and text.isdigit():
        return text
    try:
        return float(text)
    except ValueError:
        return text
