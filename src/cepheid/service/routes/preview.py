"""POST /profiles/preview: would it have fired?"""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from cepheid.service.access import needs
from cepheid.service.auth import PROFILES
from cepheid.service.bodies import ProfileBody
from cepheid.service.channels import expect as expect_channel
from cepheid.service.problems import busy
from cepheid.service.routes.profiles import checked
from cepheid.service.running import running

ROUTER = APIRouter(tags=["profiles"])


@ROUTER.post("/profiles/preview", summary="Try a profile", dependencies=[needs(PROFILES)])
def preview_profile(request: Request, body: ProfileBody) -> dict[str, Any]:
    """What it would have told over the recorded events: how much in all, a bar for each hour, and the newest
    examples. Nothing is kept."""
    service = running(request)
    if not service.engine.is_ready:
        raise busy("the service is starting", 2)
    draft = checked(request, body)
    with service.store.reading() as connection:
        for channel in draft.channels:
            expect_channel(connection, channel)
    return service.preview.ask(draft.query, draft.terms)
