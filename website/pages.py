"""The pages of the site and their order: one story first, then what one looks up."""

from __future__ import annotations

from pathlib import Path

ORDER: dict[str, tuple[str, ...]] = {
    "Tutorial": (
        "tutorial/first-steps.md",
        "tutorial/sessions.md",
        "tutorial/spark.md",
        "tutorial/alerts.md",
    ),
    "Examples": (
        "examples/index.md",
        "examples/stock_trend.md",
        "examples/shoplifting.md",
        "examples/click_funnel.md",
        "examples/building.md",
        "examples/failed_logins.md",
        "examples/xml_sensors.md",
    ),
    "How to": ("how-to/installing.md", "how-to/recipes.md", "how-to/results.md", "how-to/why.md"),
    "Concepts": ("concepts/what-a-query-means.md", "concepts/strategies.md"),
    "Reference": (
        "reference/language.md",
        "reference/grammar.md",
        "reference/tree-patterns.md",
        "reference/tree-grammar.md",
        "reference/python.md",
        "reference/builder.md",
        "reference/api.md",
        "reference/command-line.md",
        "reference/commands.md",
        "reference/http.md",
        "reference/errors.md",
    ),
    "Papers": ("papers/sase.md", "papers/aseq.md"),
    "Inside": ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "design/README.md"),
}
"""For each part of the site its first pages; what else is in their folders follows by name."""


def navigation(staged: Path) -> list[dict[str, list[str]] | str]:
    """All pages of a folder that is about to be built, in their order."""
    parts: list[dict[str, list[str]] | str] = ["index.md"]
    for title, first in ORDER.items():
        listed = [page for page in first if (staged / page).exists()]
        folders = dict.fromkeys(Path(page).parent for page in first)
        others = sorted(
            page.relative_to(staged).as_posix()
            for folder in folders
            if folder != Path()
            for page in (staged / folder).glob("*.md")
        )
        parts.append({title: [*dict.fromkeys([*listed, *others])]})
    return parts
