"""Charts as SVG text, so that a report is one page that needs no network."""

from typing import Any

from cepheid.bench.results import Chart, Row

MISSING = "pip install 'cepheid[plot]' adds pictures to this report"
WIDTH, HEIGHT = 520, 260


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

    drawn: str = vl_convert.vegalite_to_svg(specification(chart, rows))
    return drawn


def specification(chart: Chart, rows: tuple[Row, ...]) -> dict[str, Any]:
    """One chart of some rows, in Vega-Lite."""
    names = [name for name in (chart.x, chart.y, chart.colour) if name]
    values = [{name: row[name] for name in names} for row in rows]
    up = {"type": "log", "nice": True} if chart.log_y else {"zero": chart.from_zero}
    y = _axis(chart.y, "quantitative", scale=up, axis={"format": "~s", "tickCount": 6})
    if chart.kind == "bar":
        # On a logarithmic axis a bar has no zero to stand on: a point says the same and no more.
        mark = {"type": "point", "filled": True, "size": 90} if chart.log_y else {"type": "bar"}
        drawn = {"x": _axis(chart.x, "nominal", sort=None, axis={"labelAngle": 0}), "y": y}
    else:
        mark = {"type": "line", "point": len(values) < 100}
        along = _axis(chart.x, "quantitative", scale={"zero": chart.from_zero}, axis={"format": "~s"})
        drawn = {"x": along, "y": y}
        if chart.colour:
            drawn["color"] = _axis(chart.colour, "nominal", sort=None)
    size = {"width": WIDTH, "height": HEIGHT}
    return {"title": chart.title, **size, "data": {"values": values}, "mark": mark, "encoding": drawn}


def _axis(name: str, kind: str, **options: Any) -> dict[str, Any]:
    return {"field": _field(name), "type": kind, "title": name, **options}


def _field(name: str) -> str:
    """A column's name as Vega-Lite reads it: dots and brackets in it are no paths."""
    return name.replace(".", "\\.").replace("[", "\\[").replace("]", "\\]")
