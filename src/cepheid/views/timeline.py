"""A picture of matches in time: events on lanes, one lane a type, and each match as a span, as SVG.

Places along the line of time are in percent and heights in pixels, so the picture is as wide as its room and
its words stay readable on a small screen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape

LANE, SPAN, AXIS, MARGIN = 34, 18, 24, 6  # pixels
EDGE = 3.0  # percent that stays free on each side
COLOURS = 6


@dataclass(frozen=True, slots=True)
class TimelineEvent:
    """An event: on the lane of its type; matches are made of some of them."""

    time: float
    lane: str
    text: str  # shown where one points at it
    is_matched: bool = True


@dataclass(frozen=True, slots=True)
class TimelineSpan:
    """A match, from its first event to its completion."""

    start: float
    end: float
    text: str


def _plain(time: float) -> str:
    return f"{time:g}"


@dataclass(frozen=True, slots=True)
class Timeline:
    """Events and matches. `shown` writes a time, `length` a stretch of time."""

    events: Sequence[TimelineEvent]
    spans: Sequence[TimelineSpan]
    shown: Callable[[float], str] = field(default=_plain)
    length: Callable[[float], str] = field(default=_plain)

    def svg(self, *, styled: bool = True) -> str:
        """The picture. Without its own style it takes that of the document that it stands in."""
        return _Drawing(self).svg(styled)

    def html(self) -> str:
        """The picture as a part of a page."""
        return f'<figure class="timeline">{self.svg()}</figure>'

    def _repr_html_(self) -> str:
        return self.html()

    @property
    def lanes(self) -> tuple[str, ...]:
        """The types of all events, in the order in which they come."""
        ordered = sorted(self.events, key=lambda event: event.time)
        matched = [event.lane for event in ordered if event.is_matched]
        return tuple(dict.fromkeys([*matched, *(event.lane for event in ordered)]))


STYLE = """
.timeline-picture { font: 12px system-ui, sans-serif; color-scheme: light dark;
  --ink: #1c2430; --dim: #5b6573; --line: #d5dae1;
  --c0: #1f6feb; --c1: #b35900; --c2: #1a7f37; --c3: #8250df; --c4: #cf222e; --c5: #0b7285; }
@media (prefers-color-scheme: dark) { .timeline-picture { --ink: #e6e9ee; --dim: #9aa4b1; --line: #3a424e;
  --c0: #6cb0ff; --c1: #f0a35a; --c2: #5fd07f; --c3: #c5a3ff; --c4: #ff8f8a; --c5: #5cc8d8; } }
.timeline-picture text { fill: var(--ink); }
.timeline-picture .axis { fill: var(--dim); }
.timeline-picture .lane-line { stroke: var(--line); }
.timeline-picture .span { fill: var(--c0); fill-opacity: .85; }
.timeline-picture .reach { fill: var(--c0); fill-opacity: .1; }
.timeline-picture .colour-0 { --own: var(--c0); } .timeline-picture .colour-1 { --own: var(--c1); }
.timeline-picture .colour-2 { --own: var(--c2); } .timeline-picture .colour-3 { --own: var(--c3); }
.timeline-picture .colour-4 { --own: var(--c4); } .timeline-picture .colour-5 { --own: var(--c5); }
.timeline-picture .matched { fill: var(--own); stroke: var(--own); }
.timeline-picture .aside { fill: none; stroke: var(--own); stroke-opacity: .65; }
""".strip()
"""Light and dark as the reader's system has it."""


class _Drawing:
    """Where everything stands."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        times = [event.time for event in timeline.events]
        times += [time for span in timeline.spans for time in (span.start, span.end)]
        self._first, self._last = (min(times), max(times)) if times else (0.0, 0.0)
        self._rows = _rows(timeline.spans)
        self._top = MARGIN + SPAN * (max(self._rows, default=-1) + 1)
        self._height = self._top + LANE * len(timeline.lanes) + AXIS

    def svg(self, styled: bool) -> str:
        style = f"<style>{STYLE}</style>" if styled else ""
        parts = [*self._spans(), *self._lanes(), *self._axis()]
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="timeline-picture" role="img" width="100%" '
            f'height="{self._height}" aria-label="{escape(self._summary())}">{style}{"".join(parts)}</svg>'
        )

    def _summary(self) -> str:
        events, spans = self._timeline.events, len(self._timeline.spans)
        matched = sum(event.is_matched for event in events)
        matches = "1 match" if spans == 1 else f"{spans} matches"
        return f"{matches}, made of {matched} of the {len(events)} events that are shown"

    def _x(self, time: float) -> float:
        if self._last <= self._first:
            return 50.0
        return EDGE + (100 - 2 * EDGE) * (time - self._first) / (self._last - self._first)

    def _spans(self) -> list[str]:
        found = []
        reach = self._height - AXIS - self._top
        for span, row in zip(self._timeline.spans, self._rows, strict=True):
            x, width = self._x(span.start), max(self._x(span.end) - self._x(span.start), 0.4)
            place = f'x="{x:.2f}%" width="{width:.2f}%"'
            if len(self._timeline.spans) == 1:
                found.append(f'<rect class="reach" {place} y="{self._top}" height="{reach}"/>')
            title = f"<title>{escape(span.text)}</title>"
            y = MARGIN + SPAN * row
            found.append(f'<rect class="span" {place} y="{y}" height="{SPAN - 10}" rx="3">{title}</rect>')
        return found

    def _lanes(self) -> list[str]:
        found = []
        for number, lane in enumerate(self._timeline.lanes):
            top = self._top + LANE * number
            y = top + LANE - 11
            found.append(
                f'<g class="colour-{number % COLOURS}"><text x="0" y="{top + 12}">{escape(lane)}</text>'
                f'<line class="lane-line" x1="0" x2="100%" y1="{y}" y2="{y}"/>{self._dots(lane, y)}</g>'
            )
        return found

    def _dots(self, lane: str, y: int) -> str:
        mine = [event for event in self._timeline.events if event.lane == lane]
        mine.sort(key=lambda event: event.is_matched)  # those of matches lie above the others
        return "".join(
            f'<circle class="{"matched" if event.is_matched else "aside"}" cx="{self._x(event.time):.2f}%" '
            f'cy="{y}" r="{6 if event.is_matched else 4}"><title>{escape(event.text)}</title></circle>'
            for event in mine
        )

    def _axis(self) -> list[str]:
        if not self._timeline.events and not self._timeline.spans:
            return []
        y = self._height - 7
        shown, length = self._timeline.shown, self._timeline.length
        if self._last <= self._first:
            return [
                f'<text class="axis" x="50%" y="{y}" text-anchor="middle">{escape(shown(self._first))}</text>'
            ]
        first, last = escape(shown(self._first)), escape(shown(self._last))
        middle = escape(length(self._last - self._first))
        return [
            f'<text class="axis" x="{EDGE:g}%" y="{y}">{first}</text>',
            f'<text class="axis" x="50%" y="{y}" text-anchor="middle">{middle}</text>',
            f'<text class="axis" x="{100 - EDGE:g}%" y="{y}" text-anchor="end">{last}</text>',
        ]


def _rows(spans: Sequence[TimelineSpan]) -> list[int]:
    """The row of each span: the first one that is free where it begins."""
    ends: list[float] = []
    found = [0] * len(spans)
    for number in sorted(range(len(spans)), key=lambda each: spans[each].start):
        span = spans[number]
        row = next((row for row, end in enumerate(ends) if end < span.start), len(ends))
        ends[row : row + 1] = [span.end]
        found[number] = row
    return found
