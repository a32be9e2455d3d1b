"""A chart in Vega-Lite: as a page with the JavaScript that draws it, as SVG and as PNG."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from cepheid.errors import MissingExtraError
from cepheid.views.page import page_html, part_html
from cepheid.views.palette import DARK, LIGHT, adapting
from cepheid.views.png import png_of

FOLDER = Path(__file__).parent / "vega"
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"

DRAW = """
const dark = matchMedia("(prefers-color-scheme: dark)");
function draw() {
  const chart = structuredClone(dark.matches ? charts.dark : charts.light);
  const width = Math.min(document.body.clientWidth - 84, 720);
  for (const part of chart.vconcat) part.width = width;
  new vega.View(vega.parse(vegaLite.compile(chart).spec), {
    renderer: "svg", container: "#chart", hover: true, tooltip: (_, event, item, value) => tell(event, value)
  }).runAsync();
}
function tell(event, value) {
  const tip = document.getElementById("tip");
  tip.hidden = value == null;
  tip.textContent = value == null ? "" : Object.entries(value).map(each => each.join(": ")).join("\\n");
}
dark.addEventListener("change", draw);
addEventListener("resize", draw);
draw();
"""


@dataclass(frozen=True, slots=True)
class VegaChart:
    """A chart of several parts below each other; `specification` is what Vega-Lite draws."""

    title: str
    values: list[dict[str, Any]]
    parts: list[dict[str, Any]]

    @property
    def specification(self) -> dict[str, Any]:
        """The chart as a dict, for whatever draws Vega-Lite."""
        return self._specification(LIGHT)

    def svg(self) -> str:
        """The picture, light or dark as the reader has it."""
        drawn = self._converted(LIGHT)
        for name, colour in LIGHT.items():
            drawn = drawn.replace(f'"{colour}"', f'"var(--{name})"')
        begin = drawn.index(">") + 1
        head = drawn[:begin].replace("<svg ", '<svg style="max-width: 100%; height: auto" ', 1)
        head = head.replace('class="marks"', 'class="vega-chart"')
        return f"{head}<style>{adapting('.vega-chart', '')}</style>{drawn[begin:]}"

    def png(self, *, dark: bool = False) -> bytes:
        """The picture as the bytes of a PNG file."""
        return png_of(self._converted(DARK if dark else LIGHT, has_paper=True))

    def html(self) -> str:
        """A page of its own, which needs no network."""
        charts = {"light": self._specification(LIGHT), "dark": self._specification(DARK)}
        for chart in charts.values():
            del chart["title"]  # it stands above
        data = json.dumps(charts).replace("</", "<\\/")
        scripts = "".join(f"<script>{_vendored(name)}</script>" for name in ("vega", "vega-lite"))
        body = '<div id="chart"></div><pre id="tip" hidden></pre>'
        return page_html(self.title, body, scripts, f"<script>const charts = {data};{DRAW}</script>")

    def _repr_html_(self) -> str:
        try:
            return part_html(self.svg())
        except MissingExtraError:
            frame = f'<iframe srcdoc="{escape(self.html())}" style="width: 100%; height: 420px; border: 0">'
            return f"{frame}</iframe>"

    def _specification(self, colours: dict[str, str], has_paper: bool = False) -> dict[str, Any]:
        axis = {
            "labelColor": colours["dim"],
            "titleColor": colours["dim"],
            "gridColor": colours["line"],
            "domainColor": colours["line"],
            "tickColor": colours["line"],
        }
        return {
            "$schema": SCHEMA,
            "title": {"text": self.title, "anchor": "start", "color": colours["ink"]},
            "background": colours["paper"] if has_paper else None,
            "data": {"values": self.values},
            "vconcat": self.parts,
            "config": {
                "axis": axis,
                "view": {"stroke": None},
                "legend": {"labelColor": colours["dim"], "titleColor": colours["dim"], "orient": "bottom"},
                "range": {"category": [colours[f"c{number}"] for number in range(6)]},
                "area": {"color": colours["c0"], "line": {"color": colours["c0"]}, "fillOpacity": 0.2},
            },
        }

    def _converted(self, colours: dict[str, str], has_paper: bool = False) -> str:
        try:
            import vl_convert
        except ImportError:
            raise MissingExtraError("a chart as SVG or PNG", "plot") from None
        drawn: str = vl_convert.vegalite_to_svg(self._specification(colours, has_paper))
        return drawn


@cache
def _vendored(name: str) -> str:
    """A library as it is published, whose text cannot end a script."""
    return (FOLDER / f"{name}.min.js").read_text(encoding="utf-8").replace("</script", "<\\/script")
