"""POST /events: accepted means written and synced."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter, Request
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response

from cepheid.service.access import needs, permitted
from cepheid.service.auth import EVENTS
from cepheid.service.intake import CLOUD_BATCH, CLOUD_EVENT, JSON, NDJSON, read_events
from cepheid.service.problems import Problem
from cepheid.service.repeats import DESCRIBED, key_of, once
from cepheid.service.running import Service, running

LARGE = 64 * 1024  # bytes that are read beside the event loop

_EVENT = {
    "type": "object",
    "required": ["type"],
    "properties": {"type": {"type": "string"}, "time": {"anyOf": [{"type": "string"}, {"type": "number"}]}},
    "example": {"type": "Temperature", "time": "2026-01-31T17:00:00Z", "room": 7, "value": 26.5},
}
_REASONS = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"index": {"type": "integer"}, "reason": {"type": "string"}},
    },
}
_DESCRIBED: dict[str, Any] = {
    **DESCRIBED,
    "requestBody": {
        "required": True,
        "content": {
            JSON: {"schema": {"anyOf": [_EVENT, {"type": "array", "items": _EVENT}]}},
            NDJSON[0]: {"schema": {"type": "string"}},
            CLOUD_EVENT: {"schema": {"type": "object"}},
            CLOUD_BATCH: {"schema": {"type": "array", "items": {"type": "object"}}},
        },
    },
    "responses": {
        "200": {
            "description": "What was accepted, and what was not",
            "content": {
                JSON: {
                    "schema": {
                        "type": "object",
                        "properties": {"accepted": {"type": "integer"}, "late": _REASONS, "bad": _REASONS},
                    }
                }
            },
        }
    },
}


async def _accept_events(request: Request) -> Response:
    service: Service = running(request)
    token, headers = permitted(request, EVENTS), request.headers
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise Problem(415, "send events without Content-Encoding")
    key, body = await key_of(request, token), await request.body()
    if len(body) > LARGE:
        arrived = await run_in_threadpool(read_events, body, headers)
    else:
        arrived = read_events(body, headers)
    answer = await service.engine.do(
        lambda turn: once(turn, key, lambda turn: turn.take_events(arrived)), arrived.count, arrived.size
    )
    return JSONResponse(answer)


class EventsRoute(APIRoute):
    """The route that is asked for every event. Its one parameter is the request, so it is called with that
    alone: to have parameters found and answers described would take as long as all else that it does."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The function itself."""
        return _accept_events


ROUTER = APIRouter(tags=["events"], route_class=EventsRoute)


@ROUTER.post("/events", summary="Send events", openapi_extra=_DESCRIBED, dependencies=[needs(EVENTS)])
async def send_events(request: Request) -> Response:
    """One event, a list, NDJSON, or CloudEvents (structured, batch or binary).

    Events without a time get the time of acceptance. Those behind the clock are late and named in the answer.
    """
    return await _accept_events(request)
