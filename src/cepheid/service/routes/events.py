"""POST /events: accepted means written and synced."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse

from cepheid.service.access import needs
from cepheid.service.auth import EVENTS, Token
from cepheid.service.intake import CLOUD_BATCH, CLOUD_EVENT, JSON, NDJSON, read_events
from cepheid.service.problems import Problem
from cepheid.service.running import Service, running

ROUTER = APIRouter(tags=["events"])

LARGE = 64 * 1024  # bytes that are read beside the event loop
LONGEST_KEY = 255

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
    "requestBody": {
        "required": True,
        "content": {
            JSON: {"schema": {"anyOf": [_EVENT, {"type": "array", "items": _EVENT}]}},
            NDJSON[0]: {"schema": {"type": "string"}},
            CLOUD_EVENT: {"schema": {"type": "object"}},
            CLOUD_BATCH: {"schema": {"type": "array", "items": {"type": "object"}}},
        },
    },
    "parameters": [
        {
            "name": "Idempotency-Key",
            "in": "header",
            "required": False,
            "schema": {"type": "string", "maxLength": LONGEST_KEY},
            "description": "A request that is repeated with its key is answered as before, and used once.",
        }
    ],
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


@ROUTER.post("/events", summary="Send events", openapi_extra=_DESCRIBED)
async def send_events(request: Request, token: Annotated[Token, needs(EVENTS)]) -> JSONResponse:
    """One event, a list, NDJSON, or CloudEvents (structured, batch or binary).

    Events without a time get the time of acceptance. Those behind the clock are late and named in the answer.
    """
    service: Service = running(request)
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise Problem(415, "send events without Content-Encoding")
    key = _key(request)
    body = await request.body()
    if len(body) > LARGE:
        arrived = await run_in_threadpool(read_events, body, request.headers)
    else:
        arrived = read_events(body, request.headers)
    answer = await service.engine.do(
        lambda turn: turn.take_events(arrived, token.id, key), arrived.count, arrived.size
    )
    return JSONResponse(answer)


def _key(request: Request) -> str | None:
    key = request.headers.get("idempotency-key")
    if key is not None and not 1 <= len(key) <= LONGEST_KEY:
        raise Problem(400, f"an Idempotency-Key has 1 to {LONGEST_KEY} characters")
    return key
