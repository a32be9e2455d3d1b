"""All parts of a running service, in one place."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field

from fastapi import Request

from cepheid.service.access import Gate
from cepheid.service.addresses import AddressGuard
from cepheid.service.engine import ServiceEngine
from cepheid.service.metrics import ServiceMetrics
from cepheid.service.preview import PreviewWorker
from cepheid.service.settings import Settings
from cepheid.service.store import Database


class Bell:
    """Wakes whoever waits for something new; rung in the event loop."""

    def __init__(self) -> None:
        self.next_ring = asyncio.Event()

    def ring(self) -> None:
        """Wake all who hold the next ring."""
        ring, self.next_ring = self.next_ring, asyncio.Event()
        ring.set()


async def heard(ring: asyncio.Event, seconds: float) -> None:
    """Wait for a ring, but no longer than so. It is taken before one looks for news, so none is missed."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(ring.wait(), seconds)


@dataclass(slots=True)
class Service:
    """What routes need."""

    settings: Settings
    store: Database
    engine: ServiceEngine
    metrics: ServiceMetrics
    gate: Gate
    guard: AddressGuard
    preview: PreviewWorker
    bell: Bell = field(default_factory=Bell)  # something was told
    outbox_bell: Bell = field(default_factory=Bell)  # something may be delivered
    loop: asyncio.AbstractEventLoop | None = None
    is_stopping: bool = False

    def reload_tokens(self) -> None:
        """Tokens have changed."""
        with self.store.reading() as connection:
            self.gate.book.load(connection)

    def stop_listening(self) -> None:
        """End what would never end by itself, as open connections to the feed; also from a signal."""
        self.is_stopping = True
        if self.loop is not None:
            self.loop.call_soon_threadsafe(self.ring)

    def ring(self) -> None:
        """Something was committed that others may want."""
        self.bell.ring()
        self.outbox_bell.ring()


def running(request: Request) -> Service:
    """The service that a request came to."""
    found: Service = request.app.state.service
    return found
