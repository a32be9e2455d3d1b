"""The feed as a page: what was told lately, and what is told from now on, as it happens."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import Depends, Query, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent
from sqlalchemy import Connection, select
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from cepheid.service.access import needs
from cepheid.service.auth import NOTIFICATIONS
from cepheid.service.history import for_feed, newest
from cepheid.service.page.rendering import page, rendered
from cepheid.service.page.routing import page_router
from cepheid.service.page.telling import as_told
from cepheid.service.routes.feed import last_seen
from cepheid.service.running import Service, heard, running
from cepheid.service.sign_ins import PAGES
from cepheid.service.tables import NOTIFICATIONS as ALL
from cepheid.service.tables import PROFILES

ROUTER = page_router()

SHOWN = 20
LOOK_AGAIN = 5.0  # seconds, should a ring be missed
BREATH = 0.5  # seconds between two parts: nobody reads more
LAST_ID = 2**63 - 1


@ROUTER.get(f"{PAGES}/feed", dependencies=[needs(NOTIFICATIONS)])
def show_feed(request: Request) -> Response:
    """The newest of all profiles that tell on the feed."""
    with running(request).store.reading() as connection:
        last = newest(connection)
        wanted = ALL.c.feed.is_(True) & (ALL.c.id <= last)
        rows = connection.execute(select(ALL).where(wanted).order_by(ALL.c.id.desc()).limit(SHOWN)).all()
        told = _named(connection, rows)
    return page(request, "feed.html", told=told, last=last)


@ROUTER.get(f"{PAGES}/feed/stream", dependencies=[needs(NOTIFICATIONS)], response_class=EventSourceResponse)
async def stream(
    request: Request,
    seen: Annotated[int | None, Depends(last_seen)],
    after: Annotated[int, Query(ge=0, le=LAST_ID)] = 0,
) -> AsyncIterator[ServerSentEvent]:
    """Parts of the page. If too much is told to be read, the newest is shown, and how much was left out."""
    service = running(request)
    last = after if seen is None else seen
    yield ServerSentEvent(comment="connected")
    with service.metrics.listeners.track_inprogress():
        while not service.is_stopping and service.gate.is_in(request.scope, request.state.token):
            ring = service.bell.next_ring
            found, left_out = await run_in_threadpool(_news, service, last)
            if not found:
                await heard(ring, LOOK_AGAIN)
                continue
            last = found[0]["id"]
            text = rendered(request, "parts/fresh.html", told=found, left_out=left_out)
            yield ServerSentEvent(raw_data=text, id=str(last))
            await heard(ring, BREATH)


def _news(service: Service, after: int) -> tuple[list[dict[str, Any]], int]:
    """What is new, the newest first, and how much more there was."""
    with service.store.reading() as connection:
        rows: list[Any] = []
        last, left_out = after, 0
        while some := for_feed(connection, None, last, 500):
            last = some[-1].id
            left_out += max(len(rows) + len(some) - SHOWN, 0)
            rows = (rows + some)[-SHOWN:]
        return _named(connection, rows[::-1]), left_out


def _named(connection: Connection, rows: Any) -> list[dict[str, Any]]:
    ids = {row.profile for row in rows}
    names = connection.execute(select(PROFILES.c.id, PROFILES.c.name).where(PROFILES.c.id.in_(ids)))
    by_id = {row.id: row.name for row in names}
    return [as_told(row, by_id.get(row.profile, "")) for row in rows]
