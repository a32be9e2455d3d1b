"""One service with a day of a building for all flows, and a browser that is signed in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.page.browser import WIDE, Watch, launched
from tests.page.building import BURGLARS, HOT, day
from tests.service.receiver import Receiver
from tests.service.serving import ADMIN, RunningService, serving


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--pictures", help="the folder for screenshots")


@pytest.fixture(scope="session")
def receiver() -> Iterator[Receiver]:
    found = Receiver()
    yield found
    found.close()


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory, receiver: Receiver) -> Iterator[RunningService]:
    folder: Path = tmp_path_factory.mktemp("page")
    flags = ("--idle", "1 day", "--allow-network", "127.0.0.1/32")
    with serving(folder, *flags, CEPHEID_WEBHOOK_SCHEDULE="0.1 s") as found:
        pair = {"name": "burglars", "select": {"p": "first"}, "deliver": [{"feed": True}]}
        found.profile(BURGLARS, **{key: value for key, value in pair.items() if key != "name"})
        found.profile(HOT, once="1 hour", deliver=[{"webhook": f"{receiver.address}/500"}])
        for profile, name in zip(found.client.get("/profiles").json(), ("burglars", "too hot"), strict=True):
            found.client.patch(f"/profiles/{profile['id']}", json={"name": name})
        found.send(*day(datetime.now(UTC)))
        yield found


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = launched(playwright)
        yield found
        found.close()


Opened = Callable[..., Any]


@pytest.fixture
def opened(service: RunningService, browser: Any) -> Iterator[Opened]:
    """Opens a page, signed in unless told otherwise; in the end nothing was asked of another host, and
    nothing was refused by the policy of the page."""
    address = str(service.client.base_url).rstrip("/")
    watch = Watch(address.removeprefix("http://"))
    contexts = []

    def open_page(path: str, *, token: str | None = ADMIN, size: Any = WIDE, scheme: str = "light") -> Any:
        context = browser.new_context(base_url=address, viewport=size, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        watch.over(page)
        if token is not None:
            page.goto("/page/sign-in")
            page.get_by_label("Token").fill(token)
            page.get_by_role("button", name="Sign in").click()
            page.wait_for_url("**/page/profiles")
        page.goto(path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert watch.foreign == [] and watch.complaints == []
