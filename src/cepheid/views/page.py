"""A picture as a part of a notebook's output, and as a page of its own."""

from __future__ import annotations

from html import escape

STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 1rem auto; padding: 0 .75rem; }
h1 { font-size: 1.5rem; margin: .5rem 0; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 13px; }
figure { margin: 0; }
""".strip()

HANGING = 2  # letters

PART = "color-scheme: light dark; background: Canvas; color: CanvasText; margin: 0; overflow-x: auto"
"""A notebook may be light where the system is dark: a picture stands on paper of its own."""


def page_html(title: str, *parts: str) -> str:
    """A page that needs nothing else, light or dark as the reader has it, and fit for a phone."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
        f'content="width=device-width, initial-scale=1"><title>{escape(title)}</title>'
        f"<style>{STYLE}</style></head><body><h1>{escape(title)}</h1>{''.join(parts)}</body></html>"
    )


def lines_html(text: str) -> str:
    """Text in a font of fixed width; what is too long goes on below, a little further right."""
    style = "font-family: monospace; white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.3"
    return f'<pre><span style="{style}">{"".join(map(_line, text.splitlines()))}</span></pre>'


def _line(line: str) -> str:
    words = line.lstrip()
    further = len(line) - len(words) + HANGING
    style = f"display: block; padding-left: {further}ch; text-indent: -{HANGING}ch"
    return f'<span style="{style}">{escape(words) or "&#8203;"}</span>'


def part_html(*parts: str) -> str:
    """A part of a page that we know nothing of."""
    return f'<figure style="{PART}">{"".join(parts)}</figure>'
