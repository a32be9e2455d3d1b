"""Requests over a few connections, by a client that costs little: what it sends is made before."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from urllib.parse import urlsplit

from cepheid.bench.service.events import MOMENT
from cepheid.errors import CepheidError

PLACE = MOMENT.encode()


class BareConnection:
    """One connection that stays open, for one request at a time."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def ask(self, request: bytes) -> bytes:
        """Send a request; the body of its answer. Anything but success ends the benchmark."""
        self._writer.write(request)
        head = await self._reader.readuntil(b"\r\n\r\n")
        size = next(
            (int(line[15:]) for line in head.split(b"\r\n") if line[:15].lower() == b"content-length:"), 0
        )
        body = await self._reader.readexactly(size)
        if not head.startswith(b"HTTP/1.1 2"):
            raise CepheidError(
                f"a request of the benchmark was answered {head[9:12].decode()}: {body[:300]!r}"
            )
        return body

    def close(self) -> None:
        """End it."""
        self._writer.close()


@asynccontextmanager
async def connections(address: str, count: int) -> AsyncIterator[list[BareConnection]]:
    """So many connections to a server."""
    parts = urlsplit(address)
    opened = [
        BareConnection(*await asyncio.open_connection(parts.hostname, parts.port)) for _ in range(count)
    ]
    try:
        yield opened
    finally:
        for each in opened:
            each.close()


def request(path: str, body: bytes, token: str) -> bytes:
    """A POST of JSON."""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def stamped(requests: Iterable[bytes]) -> list[bytes]:
    """Requests whose events all have the time of now: they may overtake each other, and none is late."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ").encode()
    return [each.replace(PLACE, now) for each in requests]


async def send_all(address: str, requests: Iterable[bytes], count: int) -> list[bytes]:
    """Send all requests over so many connections, each as soon as one is free; the answers."""
    waiting, answers = iter(requests), []

    async def send(connection: BareConnection) -> None:
        for each in waiting:
            answers.append(await connection.ask(each))

    async with connections(address, count) as opened:
        await asyncio.gather(*map(send, opened))
    return answers
