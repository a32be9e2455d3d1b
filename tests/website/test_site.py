"""What the site is made of: pages in an order, links that hold, drawings that are true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from website.commands import commands_page
from website.flowchart import drawn_flowcharts
from website.pages import ORDER, navigation
from website.python_api import python_page
from website.stage import INSIDE, ROOT, as_on_site
from website.strategies import FOLDER, STRATEGIES, drawn

import cepheid

MADE = ("examples/", "reference/commands.md", "reference/http.md", "reference/api.md")


def test_every_document_has_a_place_and_every_place_a_document() -> None:
    parts = navigation(ROOT / "docs")
    placed = [page for part in parts if isinstance(part, dict) for pages in part.values() for page in pages]
    written = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    assert written <= set(placed) and len(placed) == len(set(placed))
    for page in (page for first in ORDER.values() for page in first):
        assert page in written or page in INSIDE or page.startswith(MADE), page


def test_links_lead_to_pages_of_the_site() -> None:
    pages = ROOT / "docs"
    assert as_on_site("[x](docs/how-to/why.md#a)", "index.md", pages) == "[x](how-to/why.md#a)"
    assert as_on_site("[x](../tutorial/spark.md)", "how-to/why.md", pages) == "[x](../tutorial/spark.md)"
    assert as_on_site("[x](docs/design)", "ARCHITECTURE.md", pages) == "[x](design/README.md)"
    assert as_on_site("[x](../../src/a.py)", "papers/sase.md", pages) == "[x](../src/a.py)"
    assert as_on_site("`[x](y.md)` <https://a.b>", "papers/sase.md", pages) == "`[x](y.md)` <https://a.b>"


def test_bars_in_code_of_tables_stand_without_the_escape_that_other_readers_need() -> None:
    row = r"| `p \| q`, `||` | either \| or |"
    assert as_on_site(row, "how-to/why.md", ROOT / "docs") == r"| `p | q`, `||` | either \| or |"
    assert as_on_site(r"`a \| b` in prose", "how-to/why.md", ROOT / "docs") == r"`a \| b` in prose"
    assert r"| `-f, --format jsonl\|csv\|tsv` |" in commands_page()


def test_flow_charts_of_the_documents_can_be_drawn() -> None:
    for name in ("README.md", "ARCHITECTURE.md"):
        text = (ROOT / name).read_text()
        assert "```mermaid" in text
        page = drawn_flowcharts(text)
        assert "```mermaid" not in page and "<svg" in page
    chart = '```mermaid\nflowchart LR\n    a["one<br>first"] -->|then| b[("two")]\n```\n'
    assert re.findall(r"<text[^>]*>([^<]*)", drawn_flowcharts(chart)) == ["then", "one", "first", "two"]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_strategies_are_drawn_as_they_are(strategy: str) -> None:
    assert (FOLDER / f"{strategy}.svg").read_text() == drawn(strategy) + "\n", (
        "run `python -m website.strategies`"
    )


def test_commands_and_names_are_all_there() -> None:
    commands = commands_page()
    for name in ("run", "explain", "why", "xml", "generate", "bench", "serve", "demo", "warm-up", "kernels"):
        assert f"\n## cepheid {name}" in commands
    names = python_page()
    assert all(f".{name}\n" in names for name in cepheid.__all__ if name != "pattern")


@pytest.mark.service
def test_routes_are_all_there() -> None:
    pytest.importorskip("fastapi")
    from website.routes import openapi, routes_page

    page = routes_page()
    for path, methods in openapi()["paths"].items():
        for method in methods:
            assert f"\n## {method.upper()} {path}\n" in page


def test_examples_are_notebooks() -> None:
    pytest.importorskip("jupytext")
    from website.notebooks import SIX, notebook_of

    for stem in SIX:
        cells = notebook_of(ROOT / "examples" / f"{stem}.py").cells
        assert cells[0].cell_type == "markdown" and cells[0].source.startswith("# "), stem
        assert cells[-1].cell_type == "code" and not cells[-1].source.startswith("print"), (
            f"{stem}: a picture"
        )


def test_nothing_of_the_site_names_another_host() -> None:
    for file in (Path(ROOT / "website" / name) for name in ("website.css", "zensical.toml")):
        assert "http" not in file.read_text()
