"""GET /feed: server-sent events."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent

from cepheid.service import subscriptions
from cepheid.service.access import needs
from cepheid.service.auth import NOTIFICATIONS
from cepheid.service.feed import told
from cepheid.service.problems import Problem
from cepheid.service.running import running

ROUTER = APIRouter(tags=["notifications"])


def known_profile(request: Request, profile: str | None = None) -> str | None:
    """The profile that is asked for, if there is one."""
    if profile is not None:
        with running(request).store.reading() as connection:
            subscriptions.found(connection, profile)
    return profile


def last_seen(last_event_id: Annotated[str | None, Header()] = None) -> int | None:
    """The last notification that the client has."""
    if last_event_id is None:
        return None
    if not last_event_id.isdecimal() or len(last_event_id) > 18:
        raise Problem(400, "Last-Event-ID is not an id of this feed")
    return int(last_event_id)


@ROUTER.get(
    "/feed",
    summary="What profiles tell, as it happens",
    response_class=EventSourceResponse,
    dependencies=[needs(NOTIFICATIONS)],
)
async def listen(
    request: Request,
    profile: Annotated[str | None, Depends(known_profile)],
    after: Annotated[int | None, Depends(last_seen)],
) -> AsyncIterator[ServerSentEvent]:
    """Profiles that deliver to the feed, or one of them. A client that comes back with Last-Event-ID misses
    nothing; one without it hears what is new."""
    async for event in told(running(request), profile, after):
        yield event
