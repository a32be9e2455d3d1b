"""A picture of matches in time: each match as a span, and the events that they are made of on lanes, as SVG.

Places along the line of time are in percent and heights in pixels, so the picture is as wide as its room and
its words stay readable on a small screen.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from cepheid.views.page import lines_html, page_html, part_html
from cepheid.views.palette import COLOURS, adapting, fixed
from cepheid.views.png import png_of
from cepheid.views.timeline_contents import TimelineContents
from cepheid.views.timeline_drawing import TimelineDrawing

RULES = "\n".join(
    [
        ".timeline-picture .paper { fill: var(--paper); }",
        ".timeline-picture text { fill: var(--ink); }",
        ".timeline-picture .axis { fill: var(--dim); }",
        ".timeline-picture .own { fill: var(--dim); font-size: 11px; }",
        ".timeline-picture .lane-line, .timeline-picture .tick { stroke: var(--line); }",
        ".timeline-picture .span { fill: var(--c0); fill-opacity: .85; }",
        ".timeline-picture .mark { fill: var(--paper); }",
        ".timeline-picture .reach { fill: var(--c0); fill-opacity: .1; }",
        ".timeline-picture .stretch { stroke-width: 4; stroke-opacity: .35; stroke-linecap: round; }",
        *(
            f".timeline-picture .colour-{number} .matched "
            f"{{ fill: var(--c{number}); stroke: var(--c{number}); }}\n"
            f".timeline-picture .colour-{number} .aside "
            f"{{ fill: none; stroke: var(--c{number}); stroke-opacity: .65; }}\n"
            f".timeline-picture .colour-{number} .stretch {{ stroke: var(--c{number}); }}\n"
            f".timeline-picture .colour-{number} .empty {{ stroke: var(--c{number}); fill: var(--c{number}); "
            "fill-opacity: .08; stroke-width: 1; stroke-dasharray: 4 3; }"
            for number in range(COLOURS)
        ),
    ]
)
STYLE = adapting(".timeline-picture", RULES)
"""Light and dark as the reader's system has it."""

HOW_TO_READ = (
    "Bars are matches, with their numbers. Dots are their events: point at one to see what it holds."
)


@dataclass(frozen=True, slots=True)
class Timeline(TimelineContents):
    """Matches in time, as a picture."""

    def svg(self, width: int | None = None, *, styled: bool = True) -> str:
        """The picture, as wide as its room, or of so many pixels. Without its own style it takes that of the
        document that it stands in."""
        style = adapting(".timeline-picture", f"{RULES}\n{self._pointing()}") if styled else ""
        return TimelineDrawing(self).svg(width, style)

    def png(self, width: int = 960, *, dark: bool = False) -> bytes:
        """The picture as the bytes of a PNG file, twice as fine as its pixels."""
        style = fixed(".timeline-picture", RULES, dark)
        return png_of(TimelineDrawing(self).svg(width, style, has_paper=True))

    def html(self) -> str:
        """A page of its own."""
        asked = [lines_html(self.query)] if self.query else []
        lanes = f" Lanes are by {escape(self.lanes_by)}." if self.lanes_by else ""
        return page_html("Matches in time", *asked, self._repr_html_(), f"<p>{HOW_TO_READ}{lanes}</p>")

    def _repr_html_(self) -> str:
        return part_html(self.svg())

    def _pointing(self) -> str:
        """Whoever points at a match sees what is its own."""
        if not any(span.marks for span in self.spans):
            return ""
        own = ":is(.matched, .span, .stretch)"
        return "\n".join(
            f".timeline-picture:has(.m{number}:hover) {own}:not(.m{number}) {{ opacity: .12; }}"
            for number in range(len(self.spans))
        )
