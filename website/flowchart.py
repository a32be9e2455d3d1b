"""Small flow charts as our own drawings: Mermaid's text needs no script on the site."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape

from website.drawing import svg, text

_FENCE = re.compile(r"^```mermaid\nflowchart LR\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NODE = r'(\w+)(?:\[\(?"([^"]*)"\)?\])?'
_ARROW = re.compile(r'\s*-->(?:\|"?([^|"]*)"?\|)?\s*')
COLUMN, BOX, ROW, LINE = 190, 46, 104, 16
FITS = 2  # columns on a phone


@dataclass(slots=True)
class FlowChart:
    """Nodes with their words, and arrows between them."""

    words: dict[str, str] = field(default_factory=dict)
    arrows: list[tuple[str, str, str]] = field(default_factory=list)

    def layer(self, name: str) -> int:
        """How far from the beginning; what nothing leads to stands right above what it leads to."""
        if all(target != name for _, target, _ in self.arrows):
            return min(self._depth(target) for source, target, _ in self.arrows if source == name) - 1
        return self._depth(name)

    def _depth(self, name: str) -> int:
        return max(
            (self._depth(source) + 1 for source, target, _ in self.arrows if target == name), default=0
        )


def drawn_flowcharts(document: str) -> str:
    """The document with each flow chart drawn."""
    return _FENCE.sub(lambda found: _drawn(_read(found[1])), document)


def _read(lines: str) -> FlowChart:
    chart = FlowChart()
    for line in filter(None, map(str.strip, lines.splitlines())):
        places = [*_ARROW.finditer(line)]
        names = [_node(part, chart) for part in _ARROW.sub("\n", line).split("\n")]
        for found, source, target in zip(places, names, names[1:], strict=False):
            chart.arrows.append((source, target, found[1] or ""))
    return chart


def _node(written: str, chart: FlowChart) -> str:
    found = re.fullmatch(_NODE, written.strip())
    assert found, f"not a node of a flow chart: {written}"
    name, words = found.groups()
    if words is not None or name not in chart.words:
        chart.words[name] = unescape(words or name)
    return name


def _drawn(chart: FlowChart) -> str:
    layers: dict[int, list[str]] = {}
    for name in chart.words:
        layers.setdefault(chart.layer(name), []).append(name)
    columns = max(map(len, layers.values()))
    width = COLUMN * columns
    places = {
        name: (width * (2 * place + 1) / (2 * len(row)), 8 + ROW * layer)
        for layer, row in layers.items()
        for place, name in enumerate(row)
    }
    parts = [part for arrow in chart.arrows for part in _arrow(*arrow, places)]
    parts += [part for name, words in chart.words.items() for part in _box(words, *places[name])]
    said = "; ".join(chart.words.values()).replace("<br>", ": ")
    picture = svg(width, ROW * max(layers) + BOX + 16, said, parts)
    return f'<figure class="drawing{" wide" if columns > FITS else ""}">{picture}</figure>'


def _box(words: str, x: float, y: float) -> list[str]:
    lines = words.split("<br>")
    width = max(90, 8 * max(map(len, lines)) + 20)
    first = y + BOX / 2 + 4 - LINE * (len(lines) - 1) / 2
    return [
        f'<rect class="box" x="{x - width / 2:g}" y="{y:g}" width="{width}" height="{BOX}" rx="6"/>',
        *(text(x, first + LINE * place, line, "dim" if place else "") for place, line in enumerate(lines)),
    ]


def _arrow(source: str, target: str, words: str, places: dict[str, tuple[float, float]]) -> list[str]:
    (x, y), (to_x, to_y) = places[source], places[target]
    y += BOX
    head = (
        f'<path class="line" d="M{to_x - 4:g} {to_y - 7:g}L{to_x:g} {to_y - 1:g}L{to_x + 4:g} {to_y - 7:g}"/>'
    )
    line = f'<path class="line" d="M{x:g} {y:g}L{to_x:g} {to_y - 1:g}"/>'
    middle, height = (x + to_x) / 2, (y + to_y) / 2 + 4
    if not words:
        return [line, head]
    pieces = words.split(": ", 1)
    room = 6.6 * max(map(len, pieces)) + 8
    tall = LINE * len(pieces)
    return [
        line,
        head,
        f'<rect x="{middle - room / 2:g}" y="{height - 4 - tall / 2:g}" width="{room:g}" height="{tall}" '
        'style="fill:var(--paper)"/>',
        *(
            text(middle, height + LINE * (place - (len(pieces) - 1) / 2), piece, "dim")
            for place, piece in enumerate(pieces)
        ),
    ]
