"""How the page looks at both widths, light and dark: nothing is cut off, everything has a label, words can be
read; and pictures of it for people, with --pictures FOLDER."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.page.browser import NARROW, WIDE
from tests.page.conftest import Opened
from tests.page.flows import profile_named
from tests.service.serving import RunningService

playwright = pytest.importorskip("playwright.sync_api")

SIZES = {"wide": WIDE, "narrow": NARROW}
CUT_OFF = """() => document.documentElement.scrollWidth <= innerWidth ? [] :
  [...document.querySelectorAll('*')].filter(each => each.getBoundingClientRect().right > innerWidth)
  .map(each => each.outerHTML.slice(0, 200))"""
UNLABELLED = """() => [...document.querySelectorAll('input:not([type=hidden]), select, textarea, button')]
  .filter(each => !(each.labels?.length || each.getAttribute('aria-label') || each.textContent.trim()))
  .map(each => each.outerHTML)"""
CONTRAST = """() => {
  const rgb = text => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const behind = each => {
    for (; each; each = each.parentElement) {
      const found = rgb(getComputedStyle(each).backgroundColor);
      if (found.length === 3 || found[3] > 0) return found;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const each of document.querySelectorAll('main *, header *')) {
    const own = [...each.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
    if (!own || !each.checkVisibility() || each.closest('svg')) continue;
    const [a, b] = [light(rgb(getComputedStyle(each).color)), light(behind(each))];
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) poor.push(each.textContent.trim().slice(0, 40) + ' ' + ratio.toFixed(2));
  }
  return poor;
}"""


def prepared(page: Any, name: str) -> None:
    """Bring a page to where it is worth a picture."""
    if name == "write":
        page.get_by_label("Name").fill("somebody came in")
        page.get_by_label("Query").fill(
            "PATTERN SEQ(WindowBroken w, Presence p\nWHERE   [office]\nWITHIN  10 min"
        )
        page.locator("#query-error").wait_for()
    if name == "shape":
        for blank, value in (("a_type", "WindowBroken"), ("b_type", "Presence"), ("key", "office")):
            page.locator(f"#blanks [name={blank}]").fill(value)
        page.get_by_label("Name").fill("somebody came in")
        page.locator("#preview svg").wait_for()
    if name in ("feed", "profile"):
        page.locator(".told .picture").first.scroll_into_view_if_needed()
        page.locator("svg circle.matched").first.wait_for()
        page.wait_for_timeout(1000)  # the other pictures in sight come in no order
        page.evaluate("scrollTo(0, 0)")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "name", ["sign-in", "profiles", "write", "shape", "profile", "feed", "deliveries", "tokens", "trace"]
)
def test_looks(
    opened: Opened, service: RunningService, request: pytest.FixtureRequest, name: str, size: str, scheme: str
) -> None:
    burglars = profile_named(service, "burglars")["id"]
    paths = {
        "write": "profiles/new",
        "shape": "profiles/new?shape=then",
        "profile": f"profiles/{burglars}",
        "trace": f"profiles/{burglars}/trace",
    }
    token: dict[str, Any] = {"token": None} if name == "sign-in" else {}
    page = opened(f"/page/{paths.get(name, name)}", size=SIZES[size], scheme=scheme, **token)
    prepared(page, name)
    assert page.evaluate(CUT_OFF) == []
    assert page.evaluate(UNLABELLED) == []
    assert page.evaluate(CONTRAST) == []
    folder = request.config.getoption("--pictures")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(folder) / f"{name}-{size}-{scheme}.png")
