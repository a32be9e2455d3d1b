"""The trace of a profile: why it did, or did not, fire; nearest misses first."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from starlette.responses import Response

from cepheid.service.access import needs
from cepheid.service.auth import NOTIFICATIONS, PROFILES
from cepheid.service.page.asking import asked
from cepheid.service.page.rendering import page
from cepheid.service.page.routing import page_router
from cepheid.service.problems import Problem
from cepheid.service.sign_ins import PAGES

ROUTER = page_router()

MOST = 200
FIRST = ("text", "why", "reason", "time", "event", "condition", "left", "right", "values")
"""What stands first of each miss, where it is told."""


@ROUTER.get(f"{PAGES}/profiles/{{profile}}/trace", dependencies=[needs(PROFILES, NOTIFICATIONS)])
async def show_trace(request: Request, profile: str, since: str = "") -> Response:
    """What the route of programs says, as lists."""
    found = await asked(request, "GET", f"/profiles/{profile}")
    problem: Problem | None = None
    facts: dict[str, Any] = {}
    lists: dict[str, list[dict[str, Any]]] = {}
    try:
        trace = await asked(request, "GET", f"/profiles/{profile}/trace", since=since.strip() or None)
        facts, lists = arranged(trace)
    except Problem as refused:
        problem = refused
    return page(
        request,
        "trace.html",
        profile=found,
        since=since,
        problem=problem,
        facts=facts,
        lists=lists,
        most=MOST,
    )


def arranged(trace: Any) -> tuple[dict[str, Any], dict[str, list[dict[str, Any]]]]:
    """Single values, and lists of rows in their order, whatever they are called."""
    told = trace if isinstance(trace, dict) else {"misses": trace}
    rows = {name: value for name, value in told.items() if isinstance(value, list) and value}
    facts = {name: value for name, value in told.items() if not isinstance(value, list) and value is not None}
    return facts, {name: [_row(each) for each in value[:MOST]] for name, value in rows.items()}


def _row(value: Any) -> dict[str, Any]:
    found = value if isinstance(value, dict) else {"text": value}
    names = [name for name in FIRST if name in found] + [name for name in found if name not in FIRST]
    return {name: found[name] for name in names if found[name] not in (None, [], {})}
