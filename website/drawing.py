"""What our drawings share: one style, light and dark, and words that stay readable on a phone."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

STYLE = (
    ".drawing{--ink:#1c2430;--dim:#5b6573;--line:#d5dae1;--paper:#fff;--c0:#1f6feb;--c1:#b35900;"
    "font:13px system-ui,sans-serif}"
    "@media (prefers-color-scheme:dark){.drawing{--ink:#e6e9ee;--dim:#9aa4b1;--line:#3a424e;--paper:#14161d;"
    "--c0:#6cb0ff;--c1:#f0a35a}}"
    ".drawing text{fill:var(--ink);text-anchor:middle}.drawing .dim{fill:var(--dim);font-size:12px}"
    ".drawing .way{stroke:var(--c0);fill:none;stroke-width:2}.drawing .line{stroke:var(--dim);fill:none}"
    ".drawing .box{fill:var(--paper);stroke:var(--dim)}"
    ".drawing .one{fill:var(--c0);stroke:var(--c0)}"
    ".drawing .other{fill:var(--paper);stroke:var(--c1);stroke-width:2}"
    ".drawing .one-word{fill:var(--paper)}"
)


def svg(width: int, height: int, said: str, parts: Iterable[str]) -> str:
    """A drawing that is as wide as its room, up to its own size."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="drawing" role="img" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" aria-label="{escape(said)}">'
        f"<style>{STYLE}</style>{''.join(parts)}</svg>"
    )


def text(x: float, y: float, words: str, kind: str = "") -> str:
    """Words around a place."""
    marked = f' class="{kind}"' if kind else ""
    return f'<text x="{x:g}" y="{y:g}"{marked}>{escape(words)}</text>'
