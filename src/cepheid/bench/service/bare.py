"""A bare route: it writes bodies as they are, many in one transaction, syncs, and answers. With RELAY it then
sends those that hold an alarm on. It reads no JSON, knows no token, and matches nothing.

python -m cepheid.bench.service.bare FILE [RELAY]
"""

from __future__ import annotations

import asyncio
import sqlite3
import sys
import threading
import time
from collections import deque
from pathlib import Path
from typing import Any

import httpcore2
import uvicorn
from fastapi import FastAPI, Request
from starlette.responses import JSONResponse

from cepheid.bench.service.events import ALARM
from cepheid.service.checkpoints import lengthen_log

GATHER, GROUP = 0.002, 500
"""The route pauses before it commits, so that its groups are as large as the service's; a relay does not."""
ALARMED = f'"value": {ALARM}'.encode()


class BareWriter(threading.Thread):
    """Gathers what waits, and commits it as one row."""

    def __init__(self, path: str, loop: asyncio.AbstractEventLoop, pause: float) -> None:
        super().__init__(daemon=True)
        self._loop, self._pause = loop, pause
        self._waiting: deque[tuple[bytes, asyncio.Future[None]]] = deque()
        self._more = threading.Condition()
        self._file = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        for statement in (
            "PRAGMA journal_mode=WAL",
            "PRAGMA synchronous=FULL",
            "CREATE TABLE steps (seq INTEGER PRIMARY KEY, body BLOB NOT NULL)",
        ):
            self._file.execute(statement)
        lengthen_log(Path(path))

    async def write(self, body: bytes) -> None:
        """Wait until a body is written and synced."""
        written = self._loop.create_future()
        with self._more:
            self._waiting.append((body, written))
            self._more.notify()
        await written

    def run(self) -> None:
        """Write without end."""
        while True:
            with self._more:
                while not self._waiting:
                    self._more.wait()
                deadline = time.monotonic() + self._pause
                while len(self._waiting) < GROUP and (left := deadline - time.monotonic()) > 0:
                    self._more.wait(left)
                group = [self._waiting.popleft() for _ in range(min(GROUP, len(self._waiting)))]
            self._file.execute("BEGIN IMMEDIATE")
            row = b"\n".join(body for body, _ in group)
            self._file.execute("INSERT INTO steps (body) VALUES (?)", (row,))
            self._file.execute("COMMIT")
            self._loop.call_soon_threadsafe(_tell, [written for _, written in group])


def _tell(written: list[asyncio.Future[None]]) -> None:
    for each in written:
        each.set_result(None)


def bare_app(path: str, relay: str | None) -> FastAPI:
    """The application."""
    app = FastAPI(openapi_url=None)
    state: dict[str, Any] = {"sending": set()}

    @app.get("/ready")
    async def ready() -> JSONResponse:
        return JSONResponse({"status": "ready"})

    @app.post("/events")
    async def take(request: Request) -> JSONResponse:
        if "writer" not in state:
            pause = GATHER if relay is None else 0.0
            state["writer"] = BareWriter(path, asyncio.get_running_loop(), pause)
            state["writer"].start()
            state["pool"] = httpcore2.AsyncConnectionPool(max_connections=64, keepalive_expiry=30.0)
        body = await request.body()
        await state["writer"].write(body)
        if relay is not None and ALARMED in body:
            sending = asyncio.create_task(_sent(state["pool"], relay, body))
            state["sending"].add(sending)
            sending.add_done_callback(state["sending"].discard)
        return JSONResponse({"accepted": 1, "late": [], "bad": []})

    return app


async def _sent(pool: httpcore2.AsyncConnectionPool, url: str, body: bytes) -> None:
    headers = [("Content-Type", "application/json"), ("User-Agent", "bare")]
    async with pool.stream("POST", url, headers=headers, content=body) as response:
        await response.aread()  # to its end, so that the connection can be used again


def main(path: str, relay: str | None = None) -> None:
    """Serve on any free port, and say which."""
    config = uvicorn.Config(
        bare_app(path, relay), port=0, log_level="error", access_log=False, server_header=False
    )
    listening = config.bind_socket()
    print(f"listens at http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
    uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    main(*sys.argv[1:])
