"""A picture of a match: its events on lanes by type, the match as a span, and what else came in that time."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cepheid.pattern.nodes import atoms
from cepheid.pattern.query import PatternQuery
from cepheid.query import query as parsed
from cepheid.service.moments import NoMoment, moment_of, ticks_of
from cepheid.service.page.match_events import MatchEventsJob, reach_of
from cepheid.service.page.recorded import events_between
from cepheid.service.page.words import moment, shown_value
from cepheid.service.problems import Problem
from cepheid.service.running import Service
from cepheid.service.settings import microseconds
from cepheid.views.timeline import Timeline
from cepheid.views.timeline_contents import TimelineEvent, TimelineSpan

AROUND = 150  # events that are shown beside those of the match
SECOND = 10**6
UNITS = ((86400 * SECOND, "d"), (3600 * SECOND, "h"), (60 * SECOND, "min"), (SECOND, "s"))


@dataclass(frozen=True, slots=True)
class MatchPicture:
    """The picture, and the events of the match as rows."""

    timeline: Timeline
    events: list[dict[str, Any]]
    is_whole: bool  # whether the events of the match are known


def picture_of(service: Service, profile: dict[str, Any], row: Any) -> MatchPicture:
    """The picture of a notification. No connection is held while the process of previews is waited for."""
    tree = parsed(profile["query"]).tree
    bound = _bound(service, profile, tree, row)
    mine = list(_events(bound or {}))
    times = [time for time, _, _ in mine]
    start, end = min(times, default=row.time - reach_of(tree)), max([*times, row.time])
    types = {atom.type for atom in atoms(tree.pattern)}
    late = microseconds(service.settings.lateness)
    taken = {_identity(time, event) for time, _, event in mine}
    margin = max((end - start) // 2, SECOND)
    with service.store.reading() as connection:
        around = events_between(connection, start - margin, end + margin, late, types, AROUND + len(mine))
    dots = [
        TimelineEvent(time, _type(event), _words(variable, time, event)) for time, variable, event in mine
    ]
    dots += [
        TimelineEvent(time, _type(event), _words("", time, event), is_matched=False)
        for time, event in around
        if _identity(time, event) not in taken
    ]
    span = TimelineSpan(start, end, f"{profile['name']}, complete at {moment(row.time)} UTC")
    rows = [
        {"variable": variable, "type": _type(event), "time": moment(time), "rest": shown_value(_rest(event))}
        for time, variable, event in mine
    ]
    return MatchPicture(Timeline(dots, [span], clock_time, stretch), rows, bool(mine))


def _bound(service: Service, profile: dict[str, Any], tree: PatternQuery, row: Any) -> dict[str, Any] | None:
    """What is bound to each variable: the notification has it, unless it has what RETURN gave."""
    if tree.returns is None:
        found: dict[str, Any] = json.loads(row.match)
        return found
    late = microseconds(service.settings.lateness)
    job = MatchEventsJob(profile["query"], profile["timezone"], row.match_id, row.time, late)
    with contextlib.suppress(Problem):  # it takes too long: the picture shows what came in that time
        answer: dict[str, Any] | None = service.preview.do(job)["bound"]
        return answer
    return None


def _events(bound: dict[str, Any]) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """The events of a match with their variables; numbered where there are several."""
    for variable, value in bound.items():
        several = isinstance(value, list)
        for number, event in enumerate(value if several else [value], 1):
            if isinstance(event, dict) and "time" in event:
                with contextlib.suppress(NoMoment):
                    time = ticks_of(event["time"])
                    yield time, f"{variable}[{number}]" if several else variable, event


def _type(event: dict[str, Any]) -> str:
    return str(event.get("type", "?"))


def _rest(event: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value for name, value in event.items() if name not in ("type", "time") and value is not None
    }


def _identity(time: int, event: dict[str, Any]) -> str:
    return json.dumps([time, _type(event), _rest(event)], sort_keys=True)


def _words(variable: str, time: int, event: dict[str, Any]) -> str:
    """What is shown where one points at an event."""
    head = f"{variable}: {_type(event)}" if variable else _type(event)
    lines = [f"{name}: {shown_value(value)}" for name, value in _rest(event).items()]
    return "\n".join([head, f"{moment(time)} UTC", *lines])


def clock_time(time: float) -> str:
    """A time of day, for the ends of a picture."""
    return f"{moment_of(int(time)):%H:%M:%S}"


def stretch(length: float) -> str:
    """A length of time in its two largest units: `1 h 20 min`."""
    left = int(length)
    found: list[str] = []
    for size, unit in UNITS:
        if left >= size and len(found) < 2:
            found.append(f"{left // size} {unit}")
            left %= size
    return " ".join(found) or f"{length / 1000:g} ms"
