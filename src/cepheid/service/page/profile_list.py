"""The list of profiles, each with what it told lately."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request
from markupsafe import Markup
from sqlalchemy import Connection, func, select
from starlette.responses import Response

from cepheid.service import subscriptions
from cepheid.service.access import needs
from cepheid.service.auth import NOTIFICATIONS, PROFILES
from cepheid.service.moments import ticks_of
from cepheid.service.page.activity import activity, event_clock
from cepheid.service.page.rendering import page
from cepheid.service.page.routing import page_router
from cepheid.service.running import running
from cepheid.service.sign_ins import PAGES
from cepheid.service.store import now
from cepheid.service.tables import PROFILES as ALL
from cepheid.views.bars import bars_svg

ROUTER = page_router()

AT_ONCE = 50


@ROUTER.get(f"{PAGES}/profiles", dependencies=[needs(PROFILES, NOTIFICATIONS)])
def show_profiles(
    request: Request, search: str = "", first: Annotated[int, Query(ge=0, le=10**7)] = 0
) -> Response:
    """The newest first, some at a time."""
    with running(request).store.reading() as connection:
        clock = event_clock(connection)
        total, rows = _found(connection, search[:200], first, clock)
    return page(
        request,
        "profiles.html",
        rows=rows,
        total=total,
        clock=clock,
        search=search[:200],
        first=first,
        after=first + AT_ONCE if first + AT_ONCE < total else None,
        before=max(first - AT_ONCE, 0) if first else None,
    )


def _found(connection: Connection, search: str, first: int, clock: int) -> tuple[int, list[dict[str, Any]]]:
    """How many there are, and those to be shown."""
    wanted = ALL.c.name.icontains(search, autoescape=True) if search else ALL.c.id != ""
    total = connection.execute(select(func.count()).select_from(ALL).where(wanted)).scalar_one()
    order = select(ALL.c.id).where(wanted).order_by(ALL.c.created.desc(), ALL.c.id.desc())
    ids = connection.execute(order.offset(first).limit(AT_ONCE)).scalars().all()
    at = now()
    told = activity(connection, ids, clock)
    rows = []
    for each in ids:
        number = sum(bar.count for bar in told[each])
        picture = Markup(bars_svg(told[each], f"{number} told in 24 hours"))
        shown = subscriptions.found(connection, each)
        rows.append(shown | {"told": number, "picture": picture, "state": state_of(shown, at)})
    return total, rows


def state_of(profile: dict[str, Any], at: int) -> str:
    """In one word, what a profile does."""
    if profile["paused"]:
        return "paused"
    silence = profile["silence"]
    return "silent" if silence is not None and ticks_of(silence["until"]) > at else "active"
