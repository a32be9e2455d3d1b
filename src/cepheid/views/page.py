"""A picture as a part of a notebook's output, and as a page of its own."""

from __future__ import annotations

from html import escape

STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 1rem auto; padding: 0 .75rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 13px; }
figure { margin: 0; }
""".strip()

PART = "color-scheme: light dark; background: Canvas; color: CanvasText; margin: 0; overflow-x: auto"
"""A notebook may be light where the system is dark: a picture stands on paper of its own."""


def page_html(title: str, *parts: str) -> str:
    """A page that needs nothing else, light or dark as the reader has it, and fit for a phone."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
        f'content="width=device-width, initial-scale=1"><title>{escape(title)}</title>'
        f"<style>{STYLE}</style></head><body>{''.join(parts)}</body></html>"
    )


def part_html(*parts: str) -> str:
    """A part of a page that we know nothing of."""
    return f'<figure style="{PART}">{"".join(parts)}</figure>'
