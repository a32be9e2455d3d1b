"""A funnel as a picture and as text: a bar a step, with who was lost between two steps and how long it took.

The picture is narrow enough for a phone, and follows the light or dark of the page."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

from cepheid.views.page import page_html

WIDTH, EDGE = 380, 6  # units of the picture
LABEL, BAR, BETWEEN = 20, 24, 26
LETTERS = 30  # of a label

STYLE = """
.funnel{max-width:36rem;width:100%;height:auto;font:13px system-ui,sans-serif;--ink:#1f2430;
--soft:#5b6472;--room:#eceff4;--bar:#2563eb;--lost:#b3261e}
.funnel text{fill:var(--ink)}.funnel .soft{fill:var(--soft);font-size:12px}
.funnel .lost{fill:var(--lost);font-size:12px}
.funnel .step{font-weight:600}.funnel .room{fill:var(--room)}.funnel .bar{fill:var(--bar)}
@media (prefers-color-scheme:dark){.funnel{--ink:#e6e8ee;--soft:#9aa3b2;--room:#2b313b;--bar:#7aa2ff;
--lost:#ff8a80}}
"""


@dataclass(frozen=True, slots=True)
class DrawnStep:
    """A step as it is shown; `length` is how long it took, in words."""

    label: str
    count: int
    conversion: float | None
    drop_off: float | None
    length: str | None


def funnel_svg(steps: Sequence[DrawnStep], counted: str) -> str:
    """The picture by itself."""
    pieces: list[str] = []
    top = 4
    for place, step in enumerate(steps):
        if place:
            pieces += _between(steps[place - 1], step, top)
            top += BETWEEN
        pieces += _step(step, top, counted)
        top += LABEL + BAR
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="funnel" viewBox="0 0 {WIDTH} {top + 6}" role="img" '
        f'aria-label="{html.escape(_summary(steps, counted))}"><style>{STYLE}</style>{"".join(pieces)}</svg>'
    )


def funnel_html(
    steps: Sequence[DrawnStep], counted: str, asked: str, notes: Sequence[str], *, is_page: bool
) -> str:
    """The picture and what is to be said about it; as a page of its own, or as a part of one."""
    told = "".join(f"<p>{html.escape(note)}</p>" for note in notes)
    shown = f"<p>{html.escape(asked)}</p>{funnel_svg(steps, counted)}{told}"
    return page_html("Funnel", shown) if is_page else f"<div>{shown}</div>"


def funnel_text(steps: Sequence[DrawnStep]) -> list[str]:
    """A line a step, in columns."""
    rows = [("step", "count", "conversion", "drop_off", "median_time")]
    rows += [
        (
            _short(step.label),
            f"{step.count:,}",
            percent(step.conversion),
            percent(step.drop_off),
            step.length or "–",
        )
        for step in steps
    ]
    wide = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return [
        "  ".join(
            [row[0].ljust(wide[0]), *(cell.rjust(w) for cell, w in zip(row[1:], wide[1:], strict=True))]
        )
        for row in rows
    ]


def percent(share: float | None) -> str:
    """A share as people read it: neither all nor nothing where it is not."""
    if share is None:
        return "–"
    if 0 < share < 0.001:
        return "<0.1 %"
    if 0.999 < share < 1:
        return ">99.9 %"
    text = f"{100 * share:.1f}"
    return f"{text.removesuffix('.0')} %"


def shown_length(seconds: float) -> str:
    """A stretch of time in its two largest units."""
    if seconds < 1:
        return f"{seconds * 1000:.3g} ms"
    if seconds < 60:
        return f"{seconds:.3g} s"
    whole = round(seconds)
    for size, unit, small, smaller in (
        (86_400, "d", 3_600, "h"),
        (3_600, "h", 60, "min"),
        (60, "min", 1, "s"),
    ):
        if whole >= size:
            rest = whole % size // small
            return f"{whole // size:,} {unit}" + (f" {rest} {smaller}" if rest else "")
    return f"{whole} s"


def _summary(steps: Sequence[DrawnStep], counted: str) -> str:
    told = (f"{step.label} {step.count:,} ({percent(step.conversion)})" for step in steps)
    return f"Funnel by {counted}: {', '.join(told)}"


def _step(step: DrawnStep, top: int, counted: str) -> list[str]:
    room = WIDTH - 2 * EDGE
    width = room * (step.conversion or 0.0)
    width = max(width, 2.0) if step.count else 0.0
    tip = f"<title>{html.escape(f'{step.label}: {step.count:,} by {counted}')}</title>"
    figures = f"{step.count:,} · {percent(step.conversion)}"
    bar = f'y="{top + LABEL - 4}" height="{BAR}" rx="4"'
    return [
        _text(EDGE, top + 11, _short(step.label), "step"),
        _text(WIDTH - EDGE, top + 11, figures, "figures", "end"),
        f'<g>{tip}<rect class="room" x="{EDGE}" width="{room}" {bar}/>'
        f'<rect class="bar" x="{EDGE}" width="{width:.1f}" {bar}/></g>',
    ]


def _between(before: DrawnStep, step: DrawnStep, top: int) -> list[str]:
    """Who was lost on the way from the step before, and how long the others took."""
    lost = before.count - step.count
    pieces = []
    if step.drop_off is not None:
        pieces.append(_text(EDGE + 8, top + 13, f"↓ −{lost:,} · {percent(step.drop_off)} lost", "lost"))
    if step.length is not None:
        pieces.append(_text(WIDTH - EDGE, top + 13, f"median {step.length}", "soft", "end"))
    return pieces


def _text(x: float, y: float, text: str, kind: str, anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{html.escape(text)}</text>'


def _short(text: str) -> str:
    return text if len(text) <= LETTERS else text[: LETTERS - 1] + "…"
