"""Requests go out at once, and connections are used again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs cepheid[service]")

import httpcore2

from cepheid.service.addresses import AddressGuard
from cepheid.service.sending import LONGEST_ANSWER, Courier
from cepheid.service.settings import settings_from
from cepheid.service.whole_requests import MOST, WholeRequests

pytestmark = pytest.mark.service


class Noted(httpcore2.AsyncNetworkStream):
    """A connection that notes what is sent."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self.sent.append(buffer)

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return b"answer"

    def get_extra_info(self, info: str) -> Any:
        return None


def test_what_is_written_is_sent_when_an_answer_is_read() -> None:
    async def scene() -> list[bytes]:
        noted = Noted()
        whole = WholeRequests(noted)
        await whole.write(b"head ")
        await whole.write(b"body")
        assert not noted.sent
        assert await whole.read(10) == b"answer"
        await whole.write(bytes(MOST + 1))  # too much to hold back
        return noted.sent

    assert asyncio.run(scene()) == [b"head body", bytes(MOST + 1)]


def test_a_server_that_hears_no_more_may_have_answered() -> None:
    class Deaf(Noted):
        async def write(self, buffer: bytes, timeout: float | None = None) -> None:
            raise httpcore2.WriteError

    async def scene() -> bytes:
        whole = WholeRequests(Deaf())
        await whole.write(b"request")
        return await whole.read(10)

    assert asyncio.run(scene()) == b"answer"


@pytest.mark.parametrize(
    ("answer", "connections"),
    [
        (b"HTTP/1.1 204 No Content\r\n\r\n", 1),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthank", 1),
        (b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", 3),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (10 * LONGEST_ANSWER)
            + bytes(10 * LONGEST_ANSWER),
            3,
        ),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nth", 3),  # the rest of it never comes
    ],
    ids=["empty", "short", "closed", "long", "cut off"],
)
def test_a_connection_is_used_again_once_its_answer_was_read(
    answer: bytes, connections: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cepheid.service.sending.REST_OF_IT", 0.1)
    statuses, came = asyncio.run(_asked(answer, 3))
    assert statuses == [int(answer[9:12])] * 3
    assert came == connections


def test_a_connection_that_the_server_ended_is_not_used_again() -> None:
    def until(writer: asyncio.StreamWriter) -> None:
        writer.close()

    statuses, came = asyncio.run(_asked(b"HTTP/1.1 204 No Content\r\n\r\n", 3, until, pause=0.05))
    assert statuses == [204] * 3 and came == 3


async def _asked(
    answer: bytes,
    times: int,
    then: Callable[[asyncio.StreamWriter], None] = lambda writer: None,
    pause: float = 0.0,
) -> tuple[list[int | None], int]:
    """Send so many webhooks; their statuses, and how many connections there were."""
    writers: list[asyncio.StreamWriter] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        while await reader.read(65_536):
            writer.write(answer)
            then(writer)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    guard = AddressGuard(settings_from(allow_network=["127.0.0.0/8"]).allow_network)
    courier, statuses = Courier(guard, 5.0), []
    for _ in range(times):
        statuses.append((await courier.post(f"http://127.0.0.1:{port}/", [], "{}")).status)
        await asyncio.sleep(pause)
    await courier.close()
    for writer in writers:
        writer.close()
    server.close()
    return statuses, len(writers)
