"""`cepheid serve`: from settings to a server that runs until it is told to stop."""

from __future__ import annotations

import logging
import os
import signal
import sys
from types import FrameType

import uvicorn
from fastapi import FastAPI

from cepheid.errors import CepheidError, SourceError
from cepheid.service import logs
from cepheid.service.app import assembled
from cepheid.service.auth import first_token
from cepheid.service.compiling import compile_all
from cepheid.service.settings import Settings
from cepheid.service.store import Database

LOG = logging.getLogger("cepheid.service")

SWITCH = 0.0005
"""Seconds for which a thread may keep others from running: the writer would else let answers wait."""

GRACE = 10  # seconds for requests that are under way when the service is told to stop


class EndingServer(uvicorn.Server):
    """A server that ends connections to the feed first when it is told to stop."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal came."""
        app = self.config.app
        assert isinstance(app, FastAPI)
        app.state.service.stop_listening()
        super().handle_exit(sig, frame)


def serve(settings: Settings) -> None:
    """Run until a signal comes."""
    logs.set_up(settings.log_level)
    sys.setswitchinterval(SWITCH)
    store = Database(settings.db)
    given = settings.admin_token
    token = first_token(store.writer, None if given is None else given.get_secret_value())

    def end() -> None:
        server.should_exit = True

    app = assembled(settings, store, compile_all, end)
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE,
    )
    server = EndingServer(config)
    try:
        listening = config.bind_socket()
        listening.listen(config.backlog)  # whoever reads the address may connect at once, and waits
    except SystemExit:
        store.close()
        raise SourceError(f"{settings.host}:{settings.port} cannot be listened at: is it in use?") from None
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    print(f"cepheid listens at http://{shown}:{port} and keeps its data in {store.shown}", flush=True)
    if token is not None:
        print(f"the first token, an admin's, is shown only now: {token}", flush=True)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)  # the server hears them, and ends in peace
    server.run(sockets=[listening])
    if app.state.service.engine.failure is not None:
        raise CepheidError("the engine has stopped: see the log")
    sys.stdout.flush()
    if app.state.service.engine.is_alive():
        os._exit(0)  # it compiles: Python would wait for that, or end in the middle of it
