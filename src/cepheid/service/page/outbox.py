"""Deliveries: how they went, trying again, and new secrets."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Query, Request
from sqlalchemy import select
from starlette.responses import RedirectResponse, Response

from cepheid.service.access import needs
from cepheid.service.auth import NOTIFICATIONS, PROFILES
from cepheid.service.page.asking import asked
from cepheid.service.page.rendering import page
from cepheid.service.page.routing import Form, page_router
from cepheid.service.running import running
from cepheid.service.sign_ins import PAGES
from cepheid.service.tables import DELIVERIES, ENDPOINTS
from cepheid.service.tables import NOTIFICATIONS as TOLD
from cepheid.service.tables import PROFILES as ALL

ROUTER = page_router()

AT_ONCE = 50
LAST_ID = 2**63 - 1
Status = Literal["pending", "delivered", "failed", ""]
Before = Annotated[int, Query(ge=1, le=LAST_ID)]


@ROUTER.get(f"{PAGES}/deliveries", dependencies=[needs(NOTIFICATIONS)])
def show_all(request: Request, status: Status = "", before: Before = LAST_ID) -> Response:
    """Of all profiles, the newest first."""
    ways = [column for column in ENDPOINTS.c if column.name in ("url", "channel")]
    columns: list[Any] = [DELIVERIES, *ways, TOLD.c.profile, TOLD.c.time, ALL.c.name]
    joined = DELIVERIES.join(TOLD).join(ENDPOINTS, ENDPOINTS.c.id == DELIVERIES.c.endpoint)
    joined = joined.join(ALL, ALL.c.id == TOLD.c.profile)
    wanted = DELIVERIES.c.id < before
    if status:
        wanted &= DELIVERIES.c.status == status
    found = select(*columns).select_from(joined).where(wanted).order_by(DELIVERIES.c.id.desc()).limit(AT_ONCE)
    with running(request).store.reading() as connection:
        rows = [_shown(row) for row in connection.execute(found)]
    return _page(request, rows, status, None)


def _shown(row: Any) -> dict[str, Any]:
    return {
        "id": row.id,
        "notification": row.notification,
        "time": row.time,
        "to": getattr(row, "channel", None) or row.url,
        "status": row.status,
        "attempts": row.attempts,
        "next": row.due if row.status == "pending" else None,
        "outcome": row.outcome,
        "profile": row.profile,
        "name": row.name,
    }


@ROUTER.get(f"{PAGES}/profiles/{{profile}}/deliveries", dependencies=[needs(NOTIFICATIONS)])
async def show_deliveries(
    request: Request, profile: str, status: Status = "", before: Before = LAST_ID
) -> Response:
    """Of one profile."""
    rows = await asked(
        request, "GET", f"/profiles/{profile}/deliveries", status=status or None, before=before, limit=AT_ONCE
    )
    found = await asked(request, "GET", f"/profiles/{profile}")
    named = [
        row | {"profile": profile, "name": found["name"], "to": row.get("webhook") or row.get("channel")}
        for row in rows
    ]
    return _page(request, named, status, found)


def _page(request: Request, rows: list[dict[str, Any]], status: str, profile: Any) -> Response:
    older = rows[-1]["id"] if len(rows) == AT_ONCE else None
    return page(request, "deliveries.html", rows=rows, wanted=status, profile=profile, older=older)


@ROUTER.post(f"{PAGES}/profiles/{{profile}}/deliveries/{{delivery}}/replay", dependencies=[needs(PROFILES)])
async def replay(request: Request, profile: str, delivery: int, form: Form) -> Response:
    """Try again, at once."""
    await asked(request, "POST", f"/profiles/{profile}/deliveries/{delivery}/replay")
    of_all = form.get("back") == "all"
    return RedirectResponse(
        f"{PAGES}/deliveries" if of_all else f"{PAGES}/profiles/{profile}/deliveries", 303
    )


@ROUTER.post(f"{PAGES}/profiles/{{profile}}/secret", dependencies=[needs(PROFILES)])
async def replace_secret(request: Request, profile: str) -> Response:
    """The new secret is shown once, here."""
    made = await asked(request, "POST", f"/profiles/{profile}/secret")
    found = await asked(request, "GET", f"/profiles/{profile}")
    return page(request, "secret.html", 201, profile=found, secret=made["secret"])
