"""Text in pictures: SVG does not break lines by itself."""

from __future__ import annotations

import textwrap
from html import escape

LINE = 15  # pixels
LETTER = 6.3  # of a letter, on average
MOST_LINES = 5


def wrapped(text: str, width: float, most: int = MOST_LINES) -> list[str]:
    """Lines that fit into so many pixels; what is too long ends in an ellipsis."""
    lines = textwrap.wrap(text, max(int(width / LETTER), 8)) or [""]
    return lines if len(lines) <= most else [*lines[: most - 1], f"{lines[most - 1][:-1]}…"]


def text_at(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    """One line of text."""
    named = f' class="{kind}"' if kind else ""
    place = f'x="{x:g}" y="{y:g}"' + (f' text-anchor="{anchor}"' if anchor != "start" else "")
    return f"<text{named} {place}>{escape(text)}</text>"


def shortened(text: str, most: int) -> str:
    """A text of at most so many letters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def titled(title: str, *parts: str) -> str:
    """Parts that say something where one points at them."""
    return f"<g><title>{escape(title)}</title>{''.join(parts)}</g>"
