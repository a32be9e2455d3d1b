"""Operation: is it alive, is it ready, how is it doing, and what can be asked."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from prometheus_client import generate_latest
from sqlalchemy import func, select
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from cepheid.service.access import needs
from cepheid.service.described import described
from cepheid.service.page.entrance import wants_page
from cepheid.service.problems import busy
from cepheid.service.running import running
from cepheid.service.sign_ins import PAGES
from cepheid.service.tables import DELIVERIES

ROUTER = APIRouter(tags=["operation"])

PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"


@ROUTER.get("/health", summary="Whether the process is alive")
async def health(request: Request) -> JSONResponse:
    """200 as long as the engine runs, also while it starts."""
    failure = running(request).engine.failure
    if failure is not None:
        return busy(f"the engine has stopped: {failure}", 10).response()
    return JSONResponse({"status": "alive"})


@ROUTER.get("/ready", summary="Whether requests are served")
async def ready(request: Request) -> JSONResponse:
    """200 once all that was accepted before is back, and nothing needs to be compiled any more."""
    service = running(request)
    if not service.engine.is_ready or service.is_stopping:
        return busy("the service is starting or stopping", 1).response()
    return JSONResponse({"status": "ready"})


@ROUTER.get("/metrics", summary="Figures for Prometheus", dependencies=[needs()])
def metrics(request: Request) -> Response:
    """In Prometheus' text format."""
    service = running(request)
    pending = select(func.count()).where(DELIVERIES.c.status == "pending")
    with service.store.reading() as connection:
        service.metrics.pending.set(connection.execute(pending).scalar_one())
    return Response(generate_latest(service.metrics.registry), media_type=PROMETHEUS)


@ROUTER.get("/openapi.json", include_in_schema=False, dependencies=[needs()])
def openapi(request: Request) -> JSONResponse:
    """The description of all routes, for programs."""
    return JSONResponse(request.app.openapi())


@ROUTER.get("/docs", include_in_schema=False, dependencies=[needs()])
def docs(request: Request) -> HTMLResponse:
    """The same for people; the page asks no other host for anything."""
    return HTMLResponse(described(request.app.openapi()))


@ROUTER.get("/", summary="Where to begin", dependencies=[needs()], response_model=dict[str, Any])
def root(request: Request) -> Any:
    """The service's name and its main addresses; a browser is led to the page."""
    if wants_page(request):
        return RedirectResponse(PAGES, 303)
    paths = ("/events", "/profiles", "/feed", "/tokens", "/health", "/ready", "/metrics", "/docs")
    return {"service": "cepheid", "paths": list(paths)}
