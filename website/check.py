"""Opens every page of the built site in Chromium, offline: `python -m website.check [SITE] [PICTURES]`.

No page may ask another host for anything, complain in the console, or be wider than a phone. Some pages are
photographed on a phone and on a desk, light and dark.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.page.browser import NARROW, WIDE, Watch, chromium, launched

PHOTOGRAPHED = (
    "index.html",
    "tutorial/first-steps.html",
    "tutorial/alerts.html",
    "concepts/strategies.html",
    "reference/grammar.html",
    "reference/api.html",
    "reference/commands.html",
    "reference/http.html",
    "examples/shoplifting.html",
    "examples/index.html",
)
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


class QuietFiles(SimpleHTTPRequestHandler):
    """The files of the site."""

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""


class QuietServer(ThreadingHTTPServer):
    """Says nothing of a page that was closed while it still asked for something."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Tell all other errors."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def served(site: Path) -> Iterator[str]:
    """The site on a free port of this machine."""
    server = QuietServer(("127.0.0.1", 0), functools.partial(QuietFiles, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()


def faults(site: Path, pictures: Path | None) -> list[str]:
    """What is wrong with the pages, in words."""
    from playwright.sync_api import sync_playwright

    pages = sorted(page.relative_to(site).as_posix() for page in site.rglob("*.html"))
    with served(site) as host, sync_playwright() as playwright:
        browser = launched(playwright)
        found = [fault for page in pages for fault in _faults_of(browser, host, page)]
        found += _faults_of_files(browser, site)
        if pictures is not None:
            for page in PHOTOGRAPHED:
                _photograph(browser, host, page, pictures)
        browser.close()
    if not (site / "llms.txt").is_file():
        found.append("llms.txt is not at the root of the site")
    print(f"{len(pages)} pages opened, {len(found)} faults")
    return found


def _faults_of(browser: Any, host: str, page: str) -> Iterator[str]:
    watch = Watch(host)
    view = browser.new_page(viewport=NARROW)
    watch.over(view)
    view.goto(f"http://{host}/{page}", wait_until="load")
    wider = view.evaluate(WIDER)
    view.close()
    yield from (f"{page} asks {url}" for url in watch.foreign)
    yield from (f"{page} complains: {told}" for told in watch.complaints)
    if wider > 0:
        yield f"{page} is {wider} pixels wider than a phone"


def _faults_of_files(browser: Any, site: Path) -> Iterator[str]:
    """Opened by a double click: the first page, and a search."""
    watch = Watch("")
    view = browser.new_page()
    watch.over(view)
    view.goto((site / "index.html").as_uri(), wait_until="networkidle")
    yield from (f"the file index.html asks {url}" for url in watch.foreign if not url.startswith("file:"))
    yield from (f"the file index.html complains: {told}" for told in watch.complaints)
    view.close()


def _photograph(browser: Any, host: str, page: str, pictures: Path) -> None:
    pictures.mkdir(parents=True, exist_ok=True)
    for width, size in (("phone", NARROW), ("desk", WIDE)):
        for scheme in ("light", "dark"):
            context = browser.new_context(viewport=size, color_scheme=scheme)
            view = context.new_page()
            view.goto(f"http://{host}/{page}", wait_until="load")
            name = page.removesuffix(".html").replace("/", "-")
            view.screenshot(path=pictures / f"{name}-{width}-{scheme}.png")
            context.close()


def main(site: Path, pictures: Path | None) -> int:
    if chromium() is None:
        print("no Chromium here: install it, or name one by CHROMIUM=/path", file=sys.stderr)
        return 1
    found = faults(site, pictures)
    print("\n".join(found))
    return bool(found)


if __name__ == "__main__":
    folders = [Path(name).resolve() for name in sys.argv[1:]]
    sys.exit(main(folders[0] if folders else Path("out/docs").resolve(), folders[1] if folders[1:] else None))
