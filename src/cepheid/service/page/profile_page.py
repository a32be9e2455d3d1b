"""One profile: what it is, what it told, and what may be done to it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from cepheid.service.access import needs
from cepheid.service.auth import NOTIFICATIONS, PROFILES
from cepheid.service.history import newest_of
from cepheid.service.moments import NoMoment, moment_of, shown, ticks_of
from cepheid.service.page.asking import asked
from cepheid.service.page.profile_list import state_of
from cepheid.service.page.rendering import page
from cepheid.service.page.routing import Form, page_router
from cepheid.service.page.telling import as_told
from cepheid.service.problems import Problem
from cepheid.service.running import running
from cepheid.service.settings import as_duration
from cepheid.service.sign_ins import PAGES
from cepheid.service.store import now

ROUTER = page_router()

AT_ONCE = 20
LAST_ID = 2**63 - 1


@ROUTER.get(f"{PAGES}/profiles/{{profile}}", dependencies=[needs(PROFILES, NOTIFICATIONS)])
async def show_profile(request: Request, profile: str) -> Response:
    """The profile, and for whoever may read it, the newest of what it told."""
    found = await asked(request, "GET", f"/profiles/{profile}")
    may_read = request.state.token.may((NOTIFICATIONS,))
    rows = await run_in_threadpool(_told, request, profile, LAST_ID) if may_read else []
    return page(
        request,
        "profile.html",
        profile=found,
        state=state_of(found, now()),
        told=rows,
        more=rows[-1]["id"] if len(rows) == AT_ONCE else None,
        later=_later(),
    )


@ROUTER.get(f"{PAGES}/profiles/{{profile}}/older", dependencies=[needs(NOTIFICATIONS)])
def show_older(request: Request, profile: str, before: int) -> Response:
    """What it told before a notification: the next part of the list."""
    if not 0 < before <= LAST_ID:
        raise Problem(422, "there is nothing before that")
    rows = _told(request, profile, before)
    more = rows[-1]["id"] if len(rows) == AT_ONCE else None
    return page(request, "parts/told_list.html", told=rows, more=more, profile={"id": profile})


def _told(request: Request, profile: str, before: int) -> list[dict[str, Any]]:
    with running(request).store.reading() as connection:
        return [as_told(row) for row in newest_of(connection, profile, before, AT_ONCE)]


def _later() -> str:
    """What stands first in the form of a silence: an hour from now, to the minute."""
    return (moment_of(now()) + timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M")


# -- acts ------------------------------------------------------------------------------------------


@ROUTER.post(f"{PAGES}/profiles/{{profile}}/pause", dependencies=[needs(PROFILES)])
async def pause(request: Request, profile: str, form: Form) -> Response:
    """It sees nothing, and what is half matched is dropped."""
    return await _changed(request, profile, form, {"paused": True})


@ROUTER.post(f"{PAGES}/profiles/{{profile}}/resume", dependencies=[needs(PROFILES)])
async def resume(request: Request, profile: str, form: Form) -> Response:
    """It sees events again."""
    return await _changed(request, profile, form, {"paused": False})


@ROUTER.post(f"{PAGES}/profiles/{{profile}}/silence", dependencies=[needs(PROFILES)])
async def silence(request: Request, profile: str, form: Form) -> Response:
    """Until then, what it tells goes to the history alone."""
    until = until_of(form.get("for", ""), form.get("until", ""), now())
    return await _changed(
        request, profile, form, {"silence": {"until": until, "reason": form.get("reason", "")}}
    )


@ROUTER.post(f"{PAGES}/profiles/{{profile}}/speak", dependencies=[needs(PROFILES)])
async def speak(request: Request, profile: str, form: Form) -> Response:
    """A silence ends before its time."""
    return await _changed(request, profile, form, {"silence": None})


@ROUTER.post(f"{PAGES}/profiles/{{profile}}/remove", dependencies=[needs(PROFILES)])
async def remove(request: Request, profile: str) -> Response:
    """With all that it told."""
    await asked(request, "DELETE", f"/profiles/{profile}")
    return RedirectResponse(f"{PAGES}/profiles", 303)


async def _changed(request: Request, profile: str, form: Form, change: dict[str, Any]) -> Response:
    await asked(request, "PATCH", f"/profiles/{profile}", change)
    return RedirectResponse(
        f"{PAGES}/profiles" if form.get("back") == "list" else f"{PAGES}/profiles/{profile}", 303
    )


def until_of(length: str, moment: str, at: int) -> str:
    """When a silence ends: after a length from now, or at a moment in UTC."""
    try:
        if length.strip():
            return shown(at + as_duration(length.strip()) // timedelta(microseconds=1))
        found = ticks_of(moment.strip())
    except (NoMoment, ValueError) as error:
        raise Problem(422, f"when does the silence end? {error}") from None
    if found <= at:
        raise Problem(422, "the silence would end in the past")
    return shown(found)
