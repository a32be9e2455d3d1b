"""The colours of our pictures: as style sheets that follow the light or dark of the reader's system, and as
plain colours for what knows no style sheets."""

from __future__ import annotations

import re

LIGHT = {
    "paper": "#ffffff",
    "ink": "#1c2430",
    "dim": "#5b6573",
    "line": "#d5dae1",
    "fill": "#eef2f7",
    "c0": "#1f6feb",
    "c1": "#b35900",
    "c2": "#1a7f37",
    "c3": "#8250df",
    "c4": "#cf222e",
    "c5": "#0b7285",
}
DARK = {
    "paper": "#14181f",
    "ink": "#e6e9ee",
    "dim": "#9aa4b1",
    "line": "#3a424e",
    "fill": "#222a35",
    "c0": "#6cb0ff",
    "c1": "#f0a35a",
    "c2": "#5fd07f",
    "c3": "#c5a3ff",
    "c4": "#ff8f8a",
    "c5": "#5cc8d8",
}
COLOURS = 6
FONT = "12px system-ui, sans-serif"

_COLOUR = re.compile(r"var\(--([a-z0-9]+)\)")


def adapting(selector: str, rules: str) -> str:
    """A style sheet of rules that name colours as `var(--ink)`: light or dark as the reader has it."""
    light, dark = (" ".join(f"--{name}: {value};" for name, value in each.items()) for each in (LIGHT, DARK))
    return (
        f"{selector} {{ font: {FONT}; color-scheme: light dark; {light} }}\n"
        f"@media (prefers-color-scheme: dark) {{ {selector} {{ {dark} }} }}\n{rules.strip()}"
    )


def fixed(selector: str, rules: str, dark: bool) -> str:
    """The same in the colours of one of the two, in the plain words that all renderers know."""
    colours = DARK if dark else LIGHT
    plain = _COLOUR.sub(lambda found: colours[found[1]], rules.strip())
    return f"{selector} {{ font-family: sans-serif; font-size: 12px }}\n{plain}"
