"""Near misses as a picture: a strip for each, with a lane a type, its events as dots on a span, and a cross
at the event that stopped it. It is narrow enough for a phone, and follows the light or dark of the page."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from cepheid.views.page import lines_html, page_html

WIDTH, LEFT, RIGHT = 380, 92, 16  # units of the picture
LANE, HEAD, LINE, GAP = 22, 34, 15, 16
LETTERS = 54  # of a line of text below a strip
MOST_LANES, MOST_LINES = 6, 8
NAME, LETTER = 10, 6.5  # letters of a name at a dot, and how wide each is

STYLE = """
.near-misses{max-width:46rem;width:100%;height:auto;font:12px system-ui,sans-serif;--ink:#1f2430;
--soft:#6b7280;--line:#d5d9e0;--span:#2563eb;--stop:#c62828}
.near-misses text{fill:var(--ink)}.near-misses .soft{fill:var(--soft)}.near-misses .lane{stroke:var(--line)}
.near-misses .span{stroke:var(--span);stroke-width:3;opacity:.45}.near-misses .dot{fill:var(--span)}
.near-misses .stop{stroke:var(--stop);stroke-width:2.5}.near-misses .says{fill:var(--stop)}
.near-misses .head{font-weight:600}
@media (prefers-color-scheme:dark){.near-misses{--ink:#e6e8ee;--soft:#9aa3b2;--line:#3a4150;--span:#7aa2ff;
--stop:#ff8a80}}
"""


@dataclass(frozen=True, slots=True)
class DrawnEvent:
    """An event on a lane; `at` is its time as a number."""

    lane: str
    at: float
    label: str
    tip: str
    is_stop: bool = False


@dataclass(frozen=True, slots=True)
class DrawnMiss:
    """A strip of the picture."""

    head: str
    says: str
    events: tuple[DrawnEvent, ...]


Spot = tuple[float, float, DrawnEvent]
"""Where an event stands: across and down."""


def near_misses_svg(misses: Sequence[DrawnMiss]) -> str:
    """The picture by itself."""
    pieces, top = [], 4.0
    for number, miss in enumerate(misses, 1):
        drawn, height = _strip(number, miss, top)
        pieces += drawn
        top += height + GAP
    if not misses:
        pieces, top = ['<text class="soft" x="4" y="18">nothing came near a match</text>'], 28.0
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="near-misses" viewBox="0 0 {WIDTH} {top:g}" '
        f'role="img" aria-label="the nearest misses"><style>{STYLE}</style>{"".join(pieces)}</svg>'
    )


def near_misses_html(misses: Sequence[DrawnMiss], query: str, text: str, *, is_page: bool) -> str:
    """The picture with the query above and the text below it; as a page of its own, or as a part of one."""
    shown = [lines_html(query), near_misses_svg(misses), lines_html(text)]
    return page_html("Why?", *shown) if is_page else f"<div>{''.join(shown)}</div>"


def _strip(number: int, miss: DrawnMiss, top: float) -> tuple[list[str], float]:
    """The pieces of one strip, and how high it is."""
    lanes = list(dict.fromkeys(event.lane for event in miss.events))[:MOST_LANES]
    shown = [event for event in miss.events if event.lane in lanes]
    place = {lane: top + HEAD + LANE * row for row, lane in enumerate(lanes)}
    pieces = [_text(4, top + 14, f"{number}. {miss.head}", "head")]
    for lane, y in place.items():
        pieces.append(f'<line class="lane" x1="{LEFT}" y1="{y:g}" x2="{WIDTH - RIGHT}" y2="{y:g}"/>')
        pieces.append(_text(4, y + 4, _short(lane, 13), "soft"))
    spots = [(_across(event.at, shown), place[event.lane], event) for event in shown]
    taken = [(x, y) for x, y, event in spots if not event.is_stop]
    for (x1, y1), (x2, y2) in pairwise(taken):
        pieces.append(f'<line class="span" x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"/>')
    named = _named(spots)
    pieces += [_mark(x, y, event, event in named) for x, y, event in spots]
    below = top + HEAD + LANE * len(lanes)
    lines = [line for part in miss.says.split("; ") for line in textwrap.wrap(part, LETTERS)][:MOST_LINES]
    pieces += [_text(4, below + LINE * row, line, "says") for row, line in enumerate(lines)]
    return pieces, HEAD + LANE * len(lanes) + LINE * len(lines)


def _across(at: float, events: Sequence[DrawnEvent]) -> float:
    first, last = min(event.at for event in events), max(event.at for event in events)
    share = 0.5 if last == first else (at - first) / (last - first)
    return LEFT + 8 + share * (WIDTH - RIGHT - LEFT - 24)


def _named(spots: Sequence[Spot]) -> list[DrawnEvent]:
    """The events that there is room to name: what stopped it, then one of each name, then others."""
    firsts = {(y, event.label): event for _, y, event in reversed(spots)}
    found: list[DrawnEvent] = []
    taken: list[tuple[float, float, float]] = []
    for x, y, event in sorted(spots, key=lambda it: (not it[2].is_stop, it[2] not in firsts.values())):
        end = x + LETTER * len(_short(event.label, NAME)) + 2
        if event.is_stop or not any(y == row and x < other and end > begin for row, begin, other in taken):
            found.append(event)
            taken.append((y, x, end))
    return found


def _mark(x: float, y: float, event: DrawnEvent, is_named: bool) -> str:
    tip = f"<title>{html.escape(event.tip)}</title>"
    label = _text(x + 6, y - 5, _short(event.label, NAME), "soft") if is_named else ""
    if event.is_stop:
        path = f"M{x - 5:g} {y - 5:g}l10 10m0 -10l-10 10"
        return f'<g>{tip}<path class="stop" d="{path}"/>{label}</g>'
    return f'<g>{tip}<circle class="dot" cx="{x:g}" cy="{y:g}" r="5"/>{label}</g>'


def _text(x: float, y: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}">{html.escape(text)}</text>'


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
