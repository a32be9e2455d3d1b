"""A connection that sends a request at once: its head and its body would else be two packets, and two waits
for the event loop."""

from __future__ import annotations

import contextlib
import select
import ssl
from typing import Any

import httpcore2

MOST = 256 * 1024  # bytes that are held back


class WholeRequests(httpcore2.AsyncNetworkStream):
    """Holds back what is written until an answer is read."""

    def __init__(self, stream: httpcore2.AsyncNetworkStream) -> None:
        self._stream = stream
        self._held: list[bytes] = []
        self._size = 0
        self._socket = stream.get_extra_info("socket")

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Send what is held back, and read: also from a server that has answered and hears no more."""
        with contextlib.suppress(httpcore2.WriteError):
            await self._send(timeout)
        return await self._stream.read(max_bytes, timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Hold this back too, unless it is much."""
        self._held.append(buffer)
        self._size += len(buffer)
        if self._size > MOST:
            await self._send(timeout)

    async def _send(self, timeout: float | None) -> None:
        if self._size:
            whole, self._held, self._size = b"".join(self._held), [], 0
            await self._stream.write(whole, timeout)

    async def aclose(self) -> None:
        """End the connection; what is held back is of a request that is given up."""
        await self._stream.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.AsyncNetworkStream:
        """Go on under TLS."""
        await self._send(timeout)
        return WholeRequests(await self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        """What the connection knows of itself. Whether the other side has ended it is asked before each
        request, and would else be found among all that is known of a socket."""
        if info == "is_readable" and self._socket is not None:
            return _is_readable(self._socket.fileno())
        return self._stream.get_extra_info(info)


def _is_readable(descriptor: int) -> bool:
    """Whether there is something to read, or the end, or no connection any more."""
    if descriptor < 0:
        return True
    asked = select.poll()
    asked.register(descriptor, select.POLLIN)
    return bool(asked.poll(0))
