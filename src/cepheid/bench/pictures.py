"""Charts as SVG text, so that a report is one page that needs no network."""

import html
import re
from typing import Any

from cepheid.bench.results import Chart, Row

_SPARE = re.compile(r' (?:aria-[a-z]+|role|class|pointer-events)="[^"]*"| (?:opacity|stroke-width)="1"')
"""What Vega says of each of its marks, a third of a picture: the whole has one name, to be looked at."""

MISSING = "pip install 'cepheid[plot]' adds pictures to this report"
WIDTH, HEIGHT = 400, 240
LETTERS = {"labelFontSize": 13, "titleFontSize": 13}
CONFIG = {"axis": LETTERS, "legend": {**LETTERS, "orient": "bottom", "columns": 3}, "title": {"fontSize": 14}}
"""A picture is shown at three quarters of its size on a phone, and can be read there."""


def can_draw() -> bool:
    """Whether the library that draws is installed."""
    try:
        import vl_convert  # noqa: F401
    except ImportError:
        return False
    return True


def svg(chart: Chart, rows: tuple[Row, ...]) -> str:
    """One chart of some rows."""
    import vl_convert

    drawn: str = _SPARE.sub("", vl_convert.vegalite_to_svg(specification(chart, rows)))
    told = html.escape(f"{chart.title}: {chart.y} by {chart.x}", quote=True)
    return drawn.replace("<svg ", f'<svg role="img" aria-label="{told}" ', 1)


def specification(chart: Chart, rows: tuple[Row, ...]) -> dict[str, Any]:
    """One chart of some rows, in Vega-Lite."""
    names = [name for name in (chart.x, chart.y, chart.colour) if name]
    rows = tuple(row for row in rows if isinstance(row[chart.y], int | float))  # others were not measured
    values = [{name: row[name] for name in names} for row in rows]
    up = {"type": "log", "nice": True} if chart.log_y else {"zero": chart.from_zero}
    y = _axis(chart.y, "quantitative", scale=up, axis={"format": "~s", "tickCount": 6})
    size: dict[str, Any] = {"width": WIDTH, "height": HEIGHT}
    if chart.kind == "bar":
        # On a logarithmic axis a bar has no zero to stand on: a point says the same and no more.
        mark = {"type": "point", "filled": True, "size": 90} if chart.log_y else {"type": "bar"}
        drawn = {"y": _axis(chart.x, "nominal", sort=None, axis={"labelLimit": 180}), "x": y}
        if chart.colour:
            drawn["color"] = _axis(chart.colour, "nominal", sort=None)
            drawn["yOffset"] = {"field": _field(chart.colour), "sort": None}
        step = {"step": 12 if chart.colour else 28}
        size = {"width": WIDTH - 100, "height": step}  # names stand beside their bars
    else:
        mark = {"type": "line", "point": len(values) < 100}
        whole = all(isinstance(row[chart.x], int) for row in rows)
        ticks = {"format": "~s", **({"tickMinStep": 1} if whole else {})}
        along = _axis(chart.x, "quantitative", scale={"zero": chart.from_zero}, axis=ticks)
        drawn = {"x": along, "y": y}
        if chart.colour:
            drawn["color"] = _axis(chart.colour, "nominal", sort=None)
    return {
        "title": chart.title,
        "config": CONFIG,
        **size,
        "data": {"values": values},
        "mark": mark,
        "encoding": drawn,
    }


def _axis(name: str, kind: str, **options: Any) -> dict[str, Any]:
    return {"field": _field(name), "type": kind, "title": name, **options}


def _field(name: str) -> str:
    """A column's name as Vega-Lite reads it: dots and brackets in it are no paths."""
    return name.replace(".", "\\.").replace("[", "\\[").replace("]", "\\]")
