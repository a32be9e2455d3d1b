"""Explanations as pictures: an automaton with its states in a line, a tree as an outline, both from top to
bottom and no wider than a phone."""

from __future__ import annotations

from cepheid.plan.explanation import Explanation
from cepheid.views.automaton import AutomatonDrawing
from cepheid.views.lettering import text_at, wrapped
from cepheid.views.outline import OutlineDrawing
from cepheid.views.page import lines_html, page_html, part_html
from cepheid.views.palette import DARK, LIGHT, adapting, fixed
from cepheid.views.png import png_of

WIDTH, GAP, CAPTION = 372, 18, 17  # pixels

RULES = """
.diagram { max-width: 100%; height: auto; }
.diagram text { fill: var(--ink); }
.diagram .dim { fill: var(--dim); }
.diagram .count { fill: var(--c2); font-weight: 600; }
.diagram .state { fill: var(--fill); stroke: var(--c0); stroke-width: 1.5; }
.diagram .end { stroke: var(--c2); }
.diagram .inner { fill: none; }
.diagram .begin-dot { fill: var(--dim); }
.diagram .name { font-weight: 600; }
.diagram .arrow { stroke: var(--dim); stroke-width: 1.4; fill: none; }
.diagram .passing { stroke-dasharray: 3 3; }
.diagram .tip { fill: var(--dim); }
"""


def explanation_svg(told: Explanation) -> str:
    """The picture by itself; an empty one where there is nothing to draw."""
    return _drawn(told, adapting(".diagram", RULES))


def explanation_png(told: Explanation, dark: bool) -> bytes:
    """The picture as the bytes of a PNG file, on paper of its own."""
    colours = DARK if dark else LIGHT
    paper = f'<rect width="100%" height="100%" fill="{colours["paper"]}"/>'
    return png_of(_drawn(told, fixed(".diagram", RULES, dark), paper))


def _drawn(told: Explanation, style: str, paper: str = "") -> str:
    parts, top = [paper], 4.0
    for line in wrapped(told.caption, WIDTH) if told.caption else ():
        parts.append(text_at(2, top + 12, line, "dim"))
        top += CAPTION
    if told.outline:
        drawn, height = OutlineDrawing(told.outline, WIDTH).parts(top)
        parts += drawn
        top += height + GAP
    if told.edges and (not told.outline or told.ends):
        drawn, height = AutomatonDrawing(told.edges, told.ends, WIDTH).parts(top)
        parts += drawn
        top += height + GAP
    height = max(top - GAP + 4, 8.0)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="diagram" role="img" width="{WIDTH}" '
        f'height="{height:g}" viewBox="0 0 {WIDTH} {height:g}" aria-label="how it is run">'
        f"<style>{style}</style>{''.join(parts)}</svg>"
    )


def explanation_part(told: Explanation) -> str:
    """The picture and the text, for a notebook."""
    return part_html(*_picture(told), lines_html(told.text))


def explanation_html(told: Explanation) -> str:
    """The same as a page."""
    return page_html("How it is run", explanation_part(told))


def _picture(told: Explanation) -> list[str]:
    return [explanation_svg(told)] if told.edges or told.outline else []
