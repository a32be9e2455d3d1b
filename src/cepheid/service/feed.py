"""The feed: what profiles tell as it happens, in order, without a gap for whoever comes back."""

from __future__ import annotations

from collections.abc import AsyncIterator

from fastapi.sse import ServerSentEvent
from starlette.concurrency import run_in_threadpool

from cepheid.service.history import as_json, for_feed, newest
from cepheid.service.running import Service, heard

AT_ONCE = 500
LOOK_AGAIN = 5.0  # seconds, should a ring be missed


async def told(service: Service, profile: str | None, after: int | None) -> AsyncIterator[ServerSentEvent]:
    """Notifications after one, then new ones as they are committed, until the service stops."""

    def start() -> int:
        with service.store.reading() as connection:
            return newest(connection)

    def more() -> list[tuple[int, str]]:
        with service.store.reading() as connection:
            rows = for_feed(connection, profile, last, AT_ONCE)
        return [(row.id, as_json(row, with_profile=True)) for row in rows]

    last = await run_in_threadpool(start) if after is None else after
    yield ServerSentEvent(comment="connected")
    with service.metrics.listeners.track_inprogress():
        while not service.is_stopping:
            ring = service.bell.next_ring
            found = await run_in_threadpool(more)
            for number, text in found:
                yield ServerSentEvent(raw_data=text, event="notification", id=str(number))
                last = number
            if not found:
                await heard(ring, LOOK_AGAIN)
