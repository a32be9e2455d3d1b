"""The history of a profile."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from cepheid.service import subscriptions
from cepheid.service.access import needs
from cepheid.service.auth import NOTIFICATIONS
from cepheid.service.history import as_json, of_profile
from cepheid.service.running import running

ROUTER = APIRouter(tags=["notifications"])

USUAL, MOST = 1_000, 10_000
LAST_ID = 2**63 - 1


@ROUTER.get(
    "/profiles/{profile}/notifications",
    summary="What a profile told",
    dependencies=[needs(NOTIFICATIONS)],
)
def list_notifications(
    request: Request,
    profile: str,
    after: Annotated[int, Query(ge=0, le=LAST_ID)] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST)] = USUAL,
) -> Response:
    """A list, the oldest first; go on with `after`, the id of the last one."""
    with running(request).store.reading() as connection:
        subscriptions.found(connection, profile)
        rows = of_profile(connection, profile, after, limit)
    return Response(f"[{', '.join(map(as_json, rows))}]", media_type="application/json")
