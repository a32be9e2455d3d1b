"""A small picture of how much there was in each stretch of time: a bar each, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True, slots=True)
class Bar:
    """How much there was, and of what."""

    count: int
    label: str


def bars_svg(bars: Sequence[Bar], title: str, height: int = 40) -> str:
    """The bars side by side, as wide as there is room; each says its number where one points at it.

    Colours come from the classes `bar` and `bar-empty` of the document that the picture stands in.
    """
    most = max((bar.count for bar in bars), default=0) or 1
    width = 100 / max(len(bars), 1)
    drawn = "".join(_drawn(bar, place * width, width, bar.count / most) for place, bar in enumerate(bars))
    return (
        f'<svg class="bars" role="img" width="100%" height="{height}" viewBox="0 0 100 40" '
        f'preserveAspectRatio="none" aria-label="{escape(title)}">{drawn}</svg>'
    )


def _drawn(bar: Bar, x: float, width: float, part: float) -> str:
    """At least a line, so that one sees how many stretches there are."""
    high = max(40 * part, 4.0) if bar.count else 1.0
    kind = "bar" if bar.count else "bar-empty"
    gap = min(width * 0.2, 0.8)
    room = f'<rect class="bar-room" x="{x:.3f}" y="0" width="{width:.3f}" height="40" fill-opacity="0"/>'
    place = f'x="{x:.3f}" y="{40 - high:.2f}" width="{width - gap:.3f}" height="{high:.2f}"'
    return f'<g>{room}<rect class="{kind}" {place}/><title>{escape(bar.label)}: {bar.count:,}</title></g>'
