"""The report of all benchmarks in a real browser: on a phone and on a desk, by day and by night, offline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cepheid.bench.every.bench import write
from tests.bench.test_every import whole
from tests.page.browser import NARROW, WIDE


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["narrow", "wide"])
def test_the_report_fits_and_asks_no_other_host(
    tmp_path: Path, request: pytest.FixtureRequest, browser: Any, size: dict[str, Any], scheme: str
) -> None:
    page_file = write(whole(), tmp_path)
    context = browser.new_context(viewport=size, color_scheme=scheme, offline=True)
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url))
    page.goto(page_file.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    assert asked == [page_file.as_uri()]
    assert page.get_by_text("c is twice as fast").is_visible()
    folder = request.config.getoption("--pictures")
    if folder:
        page.screenshot(path=f"{folder}/report-{size['width']}-{scheme}.png", full_page=True)
    context.close()
