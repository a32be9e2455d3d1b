"""The trace of a profile: why it did, or did not, fire; nearest misses first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import Request
from markupsafe import Markup
from starlette.responses import Response

from cepheid.service.access import needs
from cepheid.service.auth import NOTIFICATIONS, PROFILES
from cepheid.service.moments import NoMoment, ticks_of
from cepheid.service.page.asking import asked
from cepheid.service.page.pictures import clock_time, stretch
from cepheid.service.page.rendering import page
from cepheid.service.page.routing import page_router
from cepheid.service.page.words import moment, shown_value
from cepheid.service.problems import Problem
from cepheid.service.sign_ins import PAGES
from cepheid.views.timeline import Timeline
from cepheid.views.timeline_contents import TimelineEvent, TimelineSpan

ROUTER = page_router()

MOST = 50
MISSES = "near_misses"


@ROUTER.get(f"{PAGES}/profiles/{{profile}}/trace", dependencies=[needs(PROFILES, NOTIFICATIONS)])
async def show_trace(request: Request, profile: str, since: str = "") -> Response:
    """What the route of programs says, as a list with pictures."""
    found = await asked(request, "GET", f"/profiles/{profile}")
    problem: Problem | None = None
    trace: dict[str, Any] = {}
    try:
        answer = await asked(request, "GET", f"/profiles/{profile}/trace", since=since.strip() or None)
        trace = answer if isinstance(answer, dict) else {MISSES: answer}
    except Problem as refused:
        problem = refused
    return page(
        request,
        "trace.html",
        profile=found,
        since=since,
        problem=problem,
        facts=facts_of(trace),
        notes=trace.get("notes") or [],
        misses=[shown_miss(each) for each in rows_of(trace.get(MISSES))[:MOST]],
    )


def rows_of(value: Any) -> list[dict[str, Any]]:
    """The objects of a list, if it is one."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def facts_of(trace: dict[str, Any]) -> dict[str, str]:
    """The numbers and times that stand above the list."""
    kept = ("notifications", "matches", "told", "events", "since", "until")
    found = {name: trace[name] for name in kept if trace.get(name) is not None}
    if found.get("told") == found.get("notifications"):
        found.pop("told", None)  # else the events that are looked at do not give what the history has
    return {
        name: moment(value) if isinstance(value, str) else shown_value(value) for name, value in found.items()
    }


def shown_miss(miss: dict[str, Any]) -> dict[str, Any]:
    """A near miss as the template takes it, whatever is missing of it."""
    event = miss.get("event") if isinstance(miss.get("event"), dict) else None
    came, parts = miss.get("came"), miss.get("parts")
    first, *others = str(miss.get("says") or "").split("; ")
    return {
        "head": "" if came is None else f"{came} of {parts} parts",
        "time": moment(miss["time"]) if miss.get("time") is not None else "",
        "says": first,
        "others": others,
        "event": "" if event is None else _event_words(event),
        "failed": [_failed(each) for each in rows_of(miss.get("failed"))],
        "events": [(each.get("variable") or "", _event_words(each)) for each in rows_of(miss.get("events"))],
        "picture": _picture(rows_of(miss.get("events")), event, first),
    }


def _failed(condition: dict[str, Any]) -> dict[str, str]:
    """A condition with its two values, or with those of all that it names."""
    values = condition.get("values") or {}
    sides = [condition.get("left"), condition.get("right")]
    if all(side is None for side in sides) and isinstance(values, dict):
        told = [f"{name} is {shown_value(value)}" for name, value in values.items()]
    else:
        told = [shown_value(side) for side in sides]
    return {
        "condition": str(condition.get("condition") or condition.get("kind") or ""),
        "values": " · ".join(told),
    }


def _event_words(event: dict[str, Any]) -> str:
    rest = event.get("attributes")
    return shown_value(
        {"type": event.get("type"), "time": event.get("time"), **(rest if isinstance(rest, dict) else {})}
    )


def _picture(events: list[dict[str, Any]], stop: dict[str, Any] | None, says: str) -> Markup:
    """The events that it has, and beside them the one that stopped it."""
    dots = [*_dots(events, True), *_dots([stop] if stop is not None and stop not in events else [], False)]
    matched = [dot.time for dot in dots if dot.is_matched]
    if len(dots) < 2 or not matched:
        return Markup("")
    span = TimelineSpan(min(matched), max(matched), says)
    return Markup(Timeline(dots, [span], clock_time, stretch).svg(styled=False))


def _dots(events: list[dict[str, Any]], is_matched: bool) -> Iterator[TimelineEvent]:
    for event in events:
        try:
            time = ticks_of(event.get("time"))
        except NoMoment:
            continue
        words = f"{event.get('variable') or ''}: {_event_words(event)}"
        yield TimelineEvent(time, str(event.get("type") or "?"), words, is_matched)
