"""Who receives webhooks: notes when each event came, by its number."""

from __future__ import annotations

import asyncio
import re
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

NUMBER = re.compile(rb'"n": ?(\d+)')  # of the first event in a body: that is the one that is told
ANSWER = b"HTTP/1.1 204 No Content\r\n\r\n"


class WebhookTimes:
    """When the webhook of each event came, on the clock that counts."""

    def __init__(self) -> None:
        self.came: dict[int, float] = {}

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                size = next(
                    int(line[15:]) for line in head.split(b"\r\n") if line[:15].lower() == b"content-length:"
                )
                body = await reader.readexactly(size)
                moment = time.perf_counter()
                writer.write(ANSWER)
                found = NUMBER.search(body)
                if found is not None:
                    self.came.setdefault(int(found[1]), moment)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):  # the last: it is over
            writer.close()

    @asynccontextmanager
    async def listening(self, at: socket.socket) -> AsyncIterator[None]:
        """Take webhooks at a socket that is bound."""
        server = await asyncio.start_server(self._serve, sock=at)
        try:
            yield
        finally:
            server.close()
