"""The application: its parts put together, started and stopped."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from cepheid.service.access import Gate
from cepheid.service.addresses import AddressGuard
from cepheid.service.auth import TokenBook
from cepheid.service.delivery import Deliverer
from cepheid.service.engine import ServiceEngine
from cepheid.service.metrics import ServiceMetrics
from cepheid.service.middleware import Envelope
from cepheid.service.mqtt import MqttIntake
from cepheid.service.preview import PreviewWorker
from cepheid.service.problems import Problem
from cepheid.service.routes import ROUTERS
from cepheid.service.running import Service
from cepheid.service.settings import Settings
from cepheid.service.store import Database

LOG = logging.getLogger("cepheid.service")


def assembled(
    settings: Settings, store: Database, prepare: Callable[[], None], on_failure: Callable[[], None]
) -> FastAPI:
    """The application on an open database. `prepare` compiles; `on_failure` hears of an engine that ends."""
    metrics, book = ServiceMetrics(), TokenBook()
    with store.reading() as connection:
        book.load(connection)
    engine = ServiceEngine(store, settings, metrics, prepare)
    guard = AddressGuard(settings.allow_network)
    preview = PreviewWorker(store, settings)
    service = Service(settings, store, engine, metrics, Gate(book, settings), guard, preview)
    broker = (
        None if settings.mqtt is None else MqttIntake(settings.mqtt.get_secret_value(), settings.mqtt_client)
    )
    app = FastAPI(
        title="Cepheid",
        summary="Notifications of situations",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=_running(service, on_failure, broker),
    )
    app.state.service = service
    for router in ROUTERS:
        app.include_router(router)
    app.add_middleware(Envelope, gate=service.gate, most=settings.max_body)
    for kind, answer in _ANSWERS.items():
        app.add_exception_handler(kind, answer)
    return app


def _running(
    service: Service, on_failure: Callable[[], None], broker: MqttIntake | None
) -> Callable[[FastAPI], contextlib.AbstractAsyncContextManager[None]]:
    deliverer = Deliverer(service)

    def told(due: Sequence[Any], has_more: bool) -> None:
        service.bell.ring()
        deliverer.take(due)
        if has_more:
            service.outbox_bell.ring()
        if service.engine.failure is not None:
            on_failure()

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        service.loop = asyncio.get_running_loop()
        service.engine.begin(service.loop, told)
        delivering = asyncio.create_task(deliverer.run())
        listening = None if broker is None else asyncio.create_task(broker.run(service))
        yield
        service.stop_listening()
        if listening is not None:
            listening.cancel()
        await delivering
        service.preview.close()
        service.engine.stop()
        await asyncio.to_thread(service.engine.wait)
        service.store.close()
        LOG.info("stopped")

    return lifespan


# -- problems --------------------------------------------------------------------------------------


async def _problem(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, Problem)
    return error.response()


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    if any(isinstance(each.get("input"), bytes) for each in error.errors()):  # it was not said to be JSON
        return Problem(415, "send the body as JSON: Content-Type: application/json").response()
    found = [
        {"where": ".".join(map(str, each["loc"])), "message": each["msg"].removeprefix("Value error, ")}
        for each in error.errors()
    ]
    broken = next((each for each in error.errors() if each["type"] == "json_invalid"), None)
    if broken is not None:
        return Problem(400, f"the body is not JSON: {broken['ctx']['error']}").response()
    detail = "; ".join(f"{each['where']}: {each['message']}" for each in found[:5])
    return Problem(422, detail, errors=found[:20]).response()


async def _refused(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    return Problem(error.status_code, str(error.detail), headers=error.headers).response()


async def _unexpected(request: Request, error: Exception) -> JSONResponse:
    LOG.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return Problem(500, "the service failed to answer; its log says why").response()


_ANSWERS = {
    Problem: _problem,
    RequestValidationError: _invalid,
    HTTPException: _refused,
    Exception: _unexpected,
}
