"""Where everything stands in a picture of matches in time."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from html import escape

from cepheid.views.palette import COLOURS
from cepheid.views.time_scale import crowded
from cepheid.views.timeline_contents import (
    TimelineContents,
    TimelineEvent,
    TimelineSpan,
    TimelineStretch,
)

LANE, NAMED_LANE, SPAN, AXIS, LINE, MARGIN = 34, 46, 18, 24, 16, 6  # pixels
EDGE = 3.0  # percent that stays free on each side
LETTER = 2.2  # percent that a letter of a variable takes on a phone
NOTE_LETTERS = 46  # of a note on a line
AXIS_LETTERS = 44  # of the words below the axis on a line


class TimelineDrawing:
    """One timeline; `svg` draws it."""

    def __init__(self, timeline: TimelineContents) -> None:
        self._timeline = timeline
        times = [event.time for event in timeline.events]
        times += [time for span in timeline.spans for time in (span.start, span.end)]
        self._first, self._last = (min(times), max(times)) if times else (0.0, 0.0)
        if times and timeline.stretches:
            self._widen()
        self._rows = _rows(timeline.spans, (self._last - self._first) * EDGE / 100)
        self._named = any(event.variable for event in timeline.events)
        self._lane = NAMED_LANE if self._named else LANE
        self._notes = [line for note in timeline.notes for line in textwrap.wrap(note, NOTE_LETTERS)]
        self._top = MARGIN + SPAN * (max(self._rows, default=-1) + 1)
        self._bottom = self._top + self._lane * len(timeline.lanes)
        self._whole = self._stretch_as_a_whole()
        self._height = self._bottom + AXIS + LINE * (len(self._notes) + len(self._whole))

    def _widen(self) -> None:
        """Room for the time in which no event may be, but no more than the events themselves take."""
        room = self._last - self._first
        stretches = self._timeline.stretches
        first, last = min(each.start for each in stretches), max(each.end for each in stretches)
        self._first, self._last = (
            max(first, self._first - room) if first < self._first else self._first,
            min(last, self._last + room) if last > self._last else self._last,
        )

    def svg(self, width: int | None, style: str, has_paper: bool = False) -> str:
        sheet = f"<style>{style}</style>" if style else ""
        paper = '<rect class="paper" width="100%" height="100%"/>' if has_paper else ""
        wide = 'width="100%"' if width is None else f'width="{width}" viewBox="0 0 {width} {self._height}"'
        parts = [*self._ticks(), *self._spans(), *self._lanes(), *self._axis(), *self._told()]
        told = escape(self._summary())
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="timeline-picture" role="img" {wide} '
            f'height="{self._height}" aria-label="{told}">{sheet}{paper}{"".join(parts)}</svg>'
        )

    def _summary(self) -> str:
        events, spans = self._timeline.events, len(self._timeline.spans)
        matched = sum(event.is_matched for event in events)
        matches = "1 match" if spans == 1 else f"{spans} matches"
        return f"{matches}, made of {matched} of the {len(events)} events that are shown"

    def _x(self, time: float) -> float:
        if self._last <= self._first:
            return 50.0
        x = EDGE + (100 - 2 * EDGE) * (time - self._first) / (self._last - self._first)
        return min(max(x, 0.0), 100.0)

    # -- matches -----------------------------------------------------------------------------------

    def _spans(self) -> list[str]:
        found = []
        several = len(self._timeline.spans) > 1
        for number, (span, row) in enumerate(zip(self._timeline.spans, self._rows, strict=True)):
            x, width = self._x(span.start), max(self._x(span.end) - self._x(span.start), 0.4)
            place = f'x="{x:.2f}%" width="{width:.2f}%"'
            if not several:
                reach = self._bottom - self._top
                found.append(f'<rect class="reach" {place} y="{self._top}" height="{reach}"/>')
            y = MARGIN + SPAN * row
            bar = f'<rect class="span{_own((number,), span)}" {place} y="{y}" height="{SPAN - 10}" rx="3">'
            title = f"<title>{escape(span.text)}</title>"
            found.append(f"{bar}{title}</rect>{self._marks(span, y)}")
            if span.name and several:
                place = f'x="{x:.2f}%" dx="-3" y="{y + 8}" text-anchor="end"'
                found.append(f'<text class="own" {place}>{escape(span.name)}</text>')
        return found

    def _marks(self, span: TimelineSpan, y: int) -> str:
        between = [time for time in span.marks if span.start < time < span.end]
        places = list(dict.fromkeys(f"{self._x(time):.2f}" for time in between))
        if crowded([float(each) for each in places], 0.8):
            return ""
        return "".join(
            f'<circle class="mark" cx="{x}%" cy="{y + 4}" r="1.7" pointer-events="none"/>' for x in places
        )

    # -- events ------------------------------------------------------------------------------------

    def _lanes(self) -> list[str]:
        found = []
        for number, lane in enumerate(self._timeline.lanes):
            top = self._top + self._lane * number
            y = top + LANE - 11
            lasting = "".join(
                self._stretch(each, top, y) for each in self._timeline.stretches if each.lane == lane
            )
            name = f'<text x="0" y="{top + 12}">{escape(_short(lane))}</text>'
            line = f'<line class="lane-line" x1="0" x2="100%" y1="{y}" y2="{y}"/>'
            drawn = f"{name}{line}{lasting}{self._dots(lane, y)}"
            found.append(f'<g class="colour-{number % COLOURS}">{drawn}</g>')
        return found

    def _stretch(self, stretch: TimelineStretch, top: int, y: int) -> str:
        x1, x2 = self._x(stretch.start), self._x(stretch.end)
        title = f"<title>{escape(stretch.text)}</title>"
        if not stretch.is_empty:
            kind = f'class="stretch m{stretch.match}"'
            return f'<line {kind} x1="{x1:.2f}%" x2="{x2:.2f}%" y1="{y}" y2="{y}">{title}</line>'
        place = f'x="{x1:.2f}%" width="{max(x2 - x1, 0.4):.2f}%" y="{y - 8}" height="16" rx="4"'
        return f'<rect class="stretch empty m{stretch.match}" {place}>{title}</rect>'

    def _dots(self, lane: str, y: int) -> str:
        mine = [event for event in self._timeline.events if event.lane == lane]
        mine.sort(key=lambda event: event.is_matched)  # those of matches lie above the others
        dots = "".join(
            f'<circle class="{"matched" if event.is_matched else "aside"}{_own(event.matches)}" '
            f'cx="{self._x(event.time):.2f}%" cy="{y}" r="{6 if event.is_matched else 4}">'
            f"<title>{escape(event.text)}</title></circle>"
            for event in mine
        )
        return dots + "".join(self._names(mine, lane, y))

    def _names(self, events: Sequence[TimelineEvent], lane: str, y: int) -> list[str]:
        """Variables below their events and absences, as far as there is room for them."""
        named = [(self._x(event.time), event.variable) for event in events if event.variable]
        lasting = [each for each in self._timeline.stretches if each.lane == lane and each.name]
        named += [((self._x(each.start) + self._x(each.end)) / 2, each.name) for each in lasting[:1]]
        found, free = [], 0.0
        for x, text in sorted(named):
            name = _short(text, 9)
            half = LETTER * len(name) / 2
            x = min(max(x, half), 100 - half)
            if x - half >= free:
                place = f'x="{x:.2f}%" y="{y + 18}" text-anchor="middle"'
                found.append(f'<text class="own" {place}>{escape(name)}</text>')
                free = x + half + LETTER / 2
        return found

    # -- time --------------------------------------------------------------------------------------

    def _ticks(self) -> list[str]:
        """Thin lines at round times, behind everything."""
        return [
            f'<line class="tick" x1="{x:.2f}%" x2="{x:.2f}%" y1="{self._top}" y2="{self._bottom + 5}"/>'
            for x, _ in self._written_ticks()
        ]

    def _written_ticks(self) -> list[tuple[float, str]]:
        scale = self._timeline.scale
        if scale is None or not (self._timeline.events or self._timeline.spans):
            return []
        found: list[tuple[float, str]] = []
        free = -100.0
        for time, text in scale.ticks(self._first, self._last):
            x, wide = self._x(time), LETTER * len(text)
            begin = x - {"start": 0, "middle": wide / 2, "end": wide}[_anchor(x)]
            if begin >= free:
                found.append((x, text))
                free = begin + wide + LETTER
        return found

    def _stretch_as_a_whole(self) -> list[str]:
        """From when to when, and how long that is, in a line or two."""
        timeline, scale = self._timeline, self._timeline.scale
        if scale is None or self._first == self._last or not (timeline.events or timeline.spans):
            return []
        whole = scale.between(self._first, self._last)
        if scale.tick is None:
            return [whole]
        length = scale.length(self._last - self._first)
        together = f"{whole} · {length}"
        return [together] if len(together) <= AXIS_LETTERS else [whole, length]

    def _axis(self) -> list[str]:
        timeline = self._timeline
        if not timeline.events and not timeline.spans:
            return []
        y = self._bottom + AXIS - 7
        if timeline.scale is not None:
            ticks = [_axis_text(x, y, text, _anchor(x)) for x, text in self._written_ticks()]
            whole = [_axis_text(50, y + LINE * n, text, "middle") for n, text in enumerate(self._whole, 1)]
            return [*ticks, *whole]
        if self._last <= self._first:
            return [_axis_text(50, y, timeline.shown(self._first), "middle")]
        return [
            _axis_text(EDGE, y, timeline.shown(self._first), "start"),
            _axis_text(50, y, timeline.length(self._last - self._first), "middle"),
            _axis_text(100 - EDGE, y, timeline.shown(self._last), "end"),
        ]

    def _told(self) -> list[str]:
        """What is not shown, below all else."""
        first = self._height - LINE * len(self._notes)
        return [
            f'<text class="note" x="{EDGE:g}%" y="{first + LINE * line + 9}">{escape(text)}</text>'
            for line, text in enumerate(self._notes)
        ]


def _axis_text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text class="axis" x="{x:.2f}%" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'


def _anchor(x: float) -> str:
    return "start" if x < 10 else "end" if x > 90 else "middle"


def _own(matches: Sequence[int], span: TimelineSpan | None = None) -> str:
    """The classes that say whose an element is."""
    if span is not None and not span.marks:
        return ""
    return "".join(f" m{number}" for number in matches)


def _short(text: str, most: int = 40) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _rows(spans: Sequence[TimelineSpan], room: float) -> list[int]:
    """The row of each span: the first one that is free where it begins."""
    ends: list[float] = []
    found = [0] * len(spans)
    for number in sorted(range(len(spans)), key=lambda each: spans[each].start):
        span = spans[number]
        before = span.start - (room if span.name else 0)
        row = next((row for row, end in enumerate(ends) if end < before), len(ends))
        ends[row : row + 1] = [span.end]
        found[number] = row
    return found
