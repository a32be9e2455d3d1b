"""Notifications on a page: words first, then a picture of the match, made when it comes into sight."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from fastapi import Request
from markupsafe import Markup
from sqlalchemy import select
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from cepheid.service import subscriptions
from cepheid.service.access import needs
from cepheid.service.auth import NOTIFICATIONS
from cepheid.service.page.pictures import MatchPicture, picture_of
from cepheid.service.page.rendering import page
from cepheid.service.page.routing import page_router
from cepheid.service.page.words import moment
from cepheid.service.problems import Problem
from cepheid.service.running import running
from cepheid.service.sign_ins import PAGES
from cepheid.service.tables import NOTIFICATIONS as ALL

ROUTER = page_router()

LAST_ID = 2**63 - 1
AT_ONCE = asyncio.Semaphore(4)  # pictures


def as_told(row: Any, profile: str | None = None) -> dict[str, Any]:
    """A row of the table as templates take it; with the name of its profile where several are shown."""
    match = json.loads(row.match)
    return {
        "id": row.id,
        "profile": row.profile,
        "name": profile,
        "time": moment(row.time),
        "told": moment(row.told),
        "silenced": row.silenced,
        "match": match if isinstance(match, dict) else {"match": match},
    }


@ROUTER.get(f"{PAGES}/notifications/{{notification}}/picture", dependencies=[needs(NOTIFICATIONS)])
async def show_picture(request: Request, notification: int) -> Response:
    """The events of a match on a line of time, and as a table. Those who wait for a picture wait here, and
    hold up neither threads nor connections that others need."""
    async with AT_ONCE:
        found = await run_in_threadpool(_picture, request, notification)
    drawn = Markup(found.timeline.svg(styled=False))
    return page(request, "parts/picture.html", picture=drawn, events=found.events, is_whole=found.is_whole)


def _picture(request: Request, notification: int) -> MatchPicture:
    service = running(request)
    with service.store.reading() as connection:
        mine = select(ALL).where(ALL.c.id == notification)
        row = connection.execute(mine).first() if 0 < notification <= LAST_ID else None
        if row is None:
            raise Problem(404, "there is no such notification any more")
        profile = subscriptions.found(connection, row.profile)
    return picture_of(service, profile, row)
