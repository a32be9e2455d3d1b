"""Channels: defined by admins, named by whoever makes a profile."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response

from cepheid.service import channels
from cepheid.service.access import needs
from cepheid.service.auth import ADMIN, PROFILES
from cepheid.service.bodies import ChannelBody
from cepheid.service.running import running

ROUTER = APIRouter(tags=["channels"])

Name = Annotated[str, Path(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")]


@ROUTER.put("/channels/{name}", summary="Define a channel", dependencies=[needs(ADMIN)])
async def define_channel(request: Request, name: Name, body: ChannelBody) -> JSONResponse:
    """`{"apprise": address}` for mail, chat and many others, or `{"alertmanager": address}`. The address is
    not shown again. Profiles that name the channel use what it is now."""
    service = running(request)
    draft = await run_in_threadpool(body.draft, service.guard)
    is_new = await service.engine.do(lambda turn: channels.define(turn, name, draft))
    return JSONResponse({"name": name, "kind": draft.kind}, 201 if is_new else 200)


@ROUTER.get("/channels", summary="List channels", dependencies=[needs(PROFILES)])
def list_channels(request: Request) -> list[dict[str, Any]]:
    """Their names and kinds."""
    with running(request).store.reading() as connection:
        return channels.listed(connection)


@ROUTER.delete("/channels/{name}", status_code=204, summary="Remove a channel", dependencies=[needs(ADMIN)])
async def remove_channel(request: Request, name: Name) -> Response:
    """One that no profile uses."""
    await running(request).engine.do(lambda turn: channels.remove(turn, name))
    return Response(status_code=204)
