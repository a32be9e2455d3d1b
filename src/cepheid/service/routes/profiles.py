"""Profiles: what people want to be told."""

from __future__ import annotations

import threading
from typing import Annotated, Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from cepheid.service import subscriptions
from cepheid.service.access import needs
from cepheid.service.auth import NOTIFICATIONS, PROFILES, Token
from cepheid.service.bodies import ProfileBody, ProfileChange
from cepheid.service.repeats import DESCRIBED, key_of, once
from cepheid.service.running import running
from cepheid.service.subscriptions import ProfileDraft

ROUTER = APIRouter(tags=["profiles"])

_ONE_AT_A_TIME = threading.Lock()  # texts that differ only in constants are learned, in one place


def checked(request: Request, body: ProfileBody) -> ProfileDraft:
    """A profile whose query was parsed and checked."""
    service = running(request)
    with _ONE_AT_A_TIME:
        return body.draft(service.settings, service.guard)


@ROUTER.post("/profiles", status_code=201, summary="Make a profile", openapi_extra=DESCRIBED)
async def create_profile(
    request: Request, body: ProfileBody, own: Annotated[Token, needs(PROFILES)]
) -> dict[str, Any]:
    """The query is checked first: a bad one is 422 with line, column and message. A profile sees the events
    accepted after it was made. The secret of a new webhook is shown once, here."""
    draft, key = await run_in_threadpool(checked, request, body), await key_of(request, own)
    made: dict[str, Any] = await running(request).engine.do(
        lambda turn: once(turn, key, lambda turn: subscriptions.create(turn, draft))
    )
    return made


@ROUTER.get("/profiles", summary="List profiles", dependencies=[needs(PROFILES, NOTIFICATIONS)])
def list_profiles(request: Request) -> list[dict[str, Any]]:
    """All profiles, the oldest first."""
    with running(request).store.reading() as connection:
        return subscriptions.listed(connection)


@ROUTER.get("/profiles/{profile}", summary="Show a profile", dependencies=[needs(PROFILES, NOTIFICATIONS)])
def show_profile(request: Request, profile: str) -> dict[str, Any]:
    """One profile."""
    with running(request).store.reading() as connection:
        return subscriptions.found(connection, profile)


@ROUTER.patch("/profiles/{profile}", summary="Change a profile", dependencies=[needs(PROFILES)])
async def change_profile(request: Request, profile: str, body: ProfileChange) -> dict[str, Any]:
    """Its name; `paused`: it sees nothing, and what is half matched is dropped; `silence`: until then, what
    it tells goes to the history alone."""
    changes = body.changes()
    changed: dict[str, Any] = await running(request).engine.do(
        lambda turn: subscriptions.change(turn, profile, changes)
    )
    return changed


@ROUTER.delete(
    "/profiles/{profile}", status_code=204, summary="Remove a profile", dependencies=[needs(PROFILES)]
)
async def remove_profile(request: Request, profile: str) -> Response:
    """With all that it told."""
    await running(request).engine.do(lambda turn: subscriptions.remove(turn, profile))
    return Response(status_code=204)
