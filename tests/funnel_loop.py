"""What a funnel means, as a plain loop over the events of each user."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any

Event = Mapping[str, Any]
Test = Callable[[Event], bool]


def looped(
    events: Sequence[Event], steps: Sequence[Test], within: Callable[[Any], bool], by: Sequence[str]
) -> list[dict[str, Any]]:
    """The rows of the table but for their names: `within` says whether a length of time fits."""
    users: dict[tuple[Any, ...], list[Event]] = {}
    for event in sorted(events, key=lambda event: event["ts"]):
        key = tuple(event[name] for name in by)
        if None not in key:
            users.setdefault(key, []).append(event)
    rows: list[dict[str, Any]] = []
    for number in range(1, len(steps) + 1):
        found = [_first_time(own, steps[:number], within) for own in users.values()]
        lengths = [length for length in found if length is not None]
        before = rows[-1]["count"] if rows else len(lengths)
        first = rows[0]["count"] if rows else len(lengths)
        rows.append(
            {
                "count": len(lengths),
                "conversion": len(lengths) / first if first else None,
                "drop_off": (1 - len(lengths) / before if before else None) if rows else 0.0,
                "median_time": median(lengths) if rows and lengths else None,
            }
        )
    return rows


def _first_time(events: Sequence[Event], steps: Sequence[Test], within: Callable[[Any], bool]) -> Any:
    """How long the last step took where it was reached first; None where it never was."""
    best: tuple[Any, Any] | None = None
    for place, event in enumerate(events):
        if steps[0](event):
            way = _way(events[place:], steps)
            if way is not None and within(way[-1] - way[0]):
                reached = (way[-1], way[-1] - way[-2] if len(way) > 1 else 0)
                best = reached if best is None else min(best, reached)
    return None if best is None else best[1]


def _way(events: Sequence[Event], steps: Sequence[Test]) -> list[Any] | None:
    """From the first event on, the next event of each step."""
    times: list[Any] = []
    for event in events:
        if len(times) < len(steps) and steps[len(times)](event):
            times.append(event["ts"])
    return times if len(times) == len(steps) else None
