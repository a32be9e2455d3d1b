"""Charts as SVG text, so that a report is one page that needs no network."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from cepheid.bench.results import Chart, Row

MISSING = "pip install 'cepheid[plot]' adds pictures to this report"
WIDTH, HEIGHT = 520, 260


def can_draw() -> bool:
    """Whether the libraries that draw are installed."""
    try:
        import altair  # noqa: F401
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
    import altair as alt

    shown = [{name: row[name] for name in (chart.x, chart.y, chart.colour) if name} for row in rows]
    y = alt.Y(
        _field(chart.y),
        type="quantitative",
        title=chart.y,
        axis=alt.Axis(format="~s", tickCount=6),
        scale=alt.Scale(type="log", nice=True) if chart.log_y else alt.Scale(zero=chart.from_zero),
    )
    drawing = alt.Chart(pa.Table.from_pylist(shown), title=chart.title, width=WIDTH, height=HEIGHT)
    if chart.kind == "bar":
        along = alt.X(_field(chart.x), type="nominal", title=chart.x, sort=None, axis=alt.Axis(labelAngle=0))
        # On a logarithmic axis a bar has no zero to stand on: a point says the same and no more.
        mark = drawing.mark_point(filled=True, size=90) if chart.log_y else drawing.mark_bar()
        result: dict[str, Any] = mark.encode(x=along, y=y).to_dict()
        return result
    along = alt.X(
        _field(chart.x),
        type="quantitative",
        title=chart.x,
        axis=alt.Axis(format="~s"),
        scale=alt.Scale(zero=chart.from_zero),
    )
    colour = alt.Color(_field(chart.colour), type="nominal", sort=None) if chart.colour else alt.Undefined
    result = drawing.mark_line(point=len(shown) < 100).encode(x=along, y=y, color=colour).to_dict()
    return result


def _field(name: str) -> str:
    """A column's name as Vega-Lite reads it: dots and brackets in it are no paths."""
    return name.replace(".", "\\.").replace("[", "\\[").replace("]", "\\]")
