"""How much a run held as its events came, as a chart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cepheid.views.run_record import CoursePoint
from cepheid.views.time_scale import TimeScale
from cepheid.views.vega_chart import VegaChart

WIDTH, HEIGHT = 290, 110  # pixels
NUMBERS = {"format": "~s", "tickCount": 4}


def state_chart(course: Sequence[CoursePoint], scale: TimeScale) -> VegaChart:
    """Bytes, and where the engine tells it, what they are: runs, buffered events, composites."""
    values: list[dict[str, Any]] = []
    for point in course:
        whole = {
            "events": point.events,
            "time": scale.shown(point.time),
            "what": "bytes",
            "number": point.bytes,
        }
        values += [whole, *({**whole, "what": what, "number": n} for what, n in point.held.items())]
    kinds = [what for point in course[:1] for what in point.held]
    parts = [_part("bytes held", ["bytes"], {"type": "area"})]
    if kinds:
        parts.append(_part(" and ".join(kinds), kinds, {"type": "line", "point": len(course) < 40}))
    return VegaChart("State over the events", values, parts)


def _part(title: str, kinds: list[str], mark: dict[str, Any]) -> dict[str, Any]:
    told = [{"field": "events", "format": ","}, {"field": "time"}, {"field": "number", "format": ","}]
    encoding: dict[str, Any] = {
        "x": {"field": "events", "type": "quantitative", "title": "events read", "axis": NUMBERS},
        "y": {"field": "number", "type": "quantitative", "title": title, "axis": NUMBERS},
        "tooltip": told,
    }
    if len(kinds) > 1:
        encoding["color"] = {"field": "what", "type": "nominal", "title": None, "sort": kinds}
    only = {"filter": {"field": "what", "oneOf": kinds}}
    return {"width": WIDTH, "height": HEIGHT, "transform": [only], "mark": mark, "encoding": encoding}
