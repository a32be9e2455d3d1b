"""Every flow of the page, as a person goes through it."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.page.building import burglary
from tests.page.conftest import Opened
from tests.service.receiver import Receiver
from tests.service.serving import ADMIN, RunningService, eventually

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect
playwright.expect.set_options(timeout=10_000)


def profile_named(service: RunningService, name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(
        each for each in service.client.get("/profiles").json() if each["name"] == name
    )
    return found


# -- signing in ------------------------------------------------------------------------------------


def test_sign_in_and_out(opened: Opened) -> None:
    page = opened("/page/tokens", token=None)
    expect(page).to_have_url(re.compile("sign-in"))
    page.get_by_label("Token").fill("not a token")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("not known")
    page.get_by_label("Token").fill(ADMIN)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Tokens", exact=True)).to_be_visible()
    (cookie,) = page.context.cookies()
    assert cookie["httpOnly"] and cookie["sameSite"] == "Strict" and ADMIN not in cookie["value"]
    assert page.evaluate("document.cookie") == ""
    page.get_by_role("button", name="Sign out").click()
    expect(page).to_have_url(re.compile("sign-in"))
    page.goto("/page/profiles")
    expect(page).to_have_url(re.compile("sign-in"))


# -- writing a profile -----------------------------------------------------------------------------


def test_write_a_profile_with_errors_and_a_preview(opened: Opened, service: RunningService) -> None:
    page = opened("/page/profiles/new")
    page.get_by_label("Name").fill("windows")
    query = page.get_by_label("Query")
    query.press_sequentially("PATTERN SEQ(WindowBroken w, Presence p WITHIN 10 min")
    error = page.locator("#query-error")
    expect(error).to_contain_text("column 40")
    assert error.inner_text().splitlines()[2].rstrip().endswith("^")
    query.fill("PATTERN SEQ(WindowBroken w, Presence p) WHERE [office] WITHIN 10 min")
    expect(page.get_by_text("The query is fine.")).to_be_visible()
    expect(page.locator("#preview")).to_contain_text("7 times")
    expect(page.locator("#preview svg rect.bar")).to_have_count(3)
    expect(page.locator("#preview li")).to_have_count(7)
    page.get_by_text("What is told of the matches").click()
    page.get_by_label("Which events").fill("p: first")
    expect(page.locator("#preview")).to_contain_text("3 times")
    page.get_by_label("At most once in").fill("2 parsecs")
    expect(page.locator("#query-error")).to_contain_text("parsecs")
    page.get_by_label("At most once in").fill("")
    page.get_by_role("button", name="Make the profile").click()
    expect(page.get_by_role("heading", name="windows")).to_be_visible()
    made = profile_named(service, "windows")
    assert made["select"] == {"p": "first"} and made["deliver"] == [{"feed": True}]


def test_a_webhook_s_secret_is_shown_once(opened: Opened, receiver: Receiver) -> None:
    page = opened("/page/profiles/new")
    page.get_by_label("Name").fill("with a webhook")
    page.get_by_label("Query").fill("PATTERN Rain r WITHIN 1 s")
    page.get_by_text("Where it is told").click()
    page.get_by_label("To webhooks").fill(f"{receiver.address}/ok/rain")
    page.get_by_role("button", name="Make the profile").click()
    expect(page.locator("code.secret")).to_contain_text("whsec_")
    first = page.locator("code.secret").inner_text()
    page.get_by_role("link", name="To the profile").click()
    expect(page.get_by_text(f"{receiver.address}/ok/rain")).to_be_visible()
    assert "whsec_" not in page.content()
    page.get_by_role("button", name="Replace the secret").click()
    expect(page.locator("code.secret")).not_to_have_text(first)


@pytest.mark.parametrize(
    ("title", "fill", "expected"),
    [
        ("This, then that", {"a_type": "WindowBroken", "b_type": "Presence", "key": "office"}, "3 times"),
        ("This without that", {"a_type": "WindowBroken", "b_type": "Presence", "key": "office"}, "nothing"),
        (
            "Too many of these",
            {"a_type": "Presence", "key": "office", "number": "4", "amount": "300"},
            "time",
        ),
        ("Nothing for a while", {"a_type": "WindowBroken", "amount": "300"}, "time"),
    ],
)
def test_fill_in_the_blanks_of_a_common_situation(
    opened: Opened, service: RunningService, title: str, fill: dict[str, str], expected: str
) -> None:
    page = opened("/page/profiles/new")
    page.get_by_role("link", name=title).click()
    page.locator("#types option").first.wait_for(state="attached")
    offered = page.locator("#types option").evaluate_all("all => all.map(each => each.value)")
    assert {"Temperature", "Presence"} <= set(offered)
    for name, value in fill.items():
        page.locator(f"#blanks [name={name}]").fill(value)
    expect(page.get_by_label("Query")).to_have_value(re.compile(fill["a_type"]))
    expect(page.get_by_text("The query is fine.")).to_be_visible()
    expect(page.locator("#preview")).to_contain_text(expected)
    page.get_by_label("Name").fill(title)
    page.get_by_role("button", name="Make the profile").click()
    expect(page.get_by_role("heading", name=title)).to_be_visible()
    assert fill["a_type"] in profile_named(service, title)["query"]
    page.get_by_text("Remove it").click()
    page.get_by_role("button", name="Remove “").click()
    expect(page.get_by_role("heading", name="Profiles")).to_be_visible()


# -- profiles --------------------------------------------------------------------------------------


def test_the_list_shows_activity_and_pauses(opened: Opened, service: RunningService) -> None:
    page = opened("/page/profiles")
    row = page.locator("li.row", has=page.get_by_role("link", name="burglars"))
    expect(row.locator("svg rect.bar")).to_have_count(3)
    row.get_by_role("button", name="Pause").click()
    expect(row.get_by_text("paused")).to_be_visible()
    assert profile_named(service, "burglars")["paused"]
    row.get_by_role("button", name="Resume").click()
    expect(row.get_by_text("active")).to_be_visible()
    page.get_by_label("Search by name").fill("hot")
    page.keyboard.press("Enter")
    expect(page.locator("li.row")).to_have_count(1)


def test_silence_with_a_reason_and_an_end(opened: Opened, service: RunningService) -> None:
    page = opened(f"/page/profiles/{profile_named(service, 'burglars')['id']}")
    page.get_by_label("Why", exact=True).fill("the window is being repaired")
    page.get_by_label("Until").fill("2099-01-01T08:00")
    page.get_by_role("button", name="Be silent").click()
    expect(page.get_by_text("the window is being repaired")).to_be_visible()
    assert profile_named(service, "burglars")["silence"]["until"] == "2099-01-01T08:00:00Z"
    burglary(service, 1)
    page.reload()
    expect(page.locator(".told .state-silent").first).to_have_text("silenced")
    page.get_by_role("button", name="End the silence").click()
    expect(page.get_by_role("button", name="Be silent")).to_be_visible()


# -- what was told ---------------------------------------------------------------------------------


def test_the_feed_is_live_and_draws_each_match(opened: Opened, service: RunningService) -> None:
    page = opened("/page/feed")
    expect(page.locator("#live")).to_have_text("live")
    told = page.locator("#told > li", has=page.get_by_role("link", name="burglars"))
    before = told.count()
    burglary(service, 4)
    expect(told).to_have_count(before + 1)
    first = told.first
    expect(first.locator("svg circle.matched")).to_have_count(2)
    expect(first.locator("svg rect.span title")).to_contain_text("burglars")
    burglary(service, 5)
    expect(told).to_have_count(before + 2)


def test_the_history_has_pictures_also_of_what_return_gave(opened: Opened, service: RunningService) -> None:
    page = opened(f"/page/profiles/{profile_named(service, 'too hot')['id']}")
    first = page.locator(".told > li").first
    expect(first).to_contain_text("degrees")
    expect(first.locator("svg circle.matched")).to_have_count(1)
    first.locator("summary").click()
    expect(first.locator("table")).to_contain_text("Temperature")


def test_deliveries_are_seen_and_replayed(
    opened: Opened, service: RunningService, receiver: Receiver
) -> None:
    hot = profile_named(service, "too hot")["id"]
    eventually(lambda: service.client.get(f"/profiles/{hot}/deliveries?status=failed").json())
    page = opened("/page/deliveries?status=failed")
    row = page.locator("tbody tr").first
    expect(row).to_contain_text("500")
    tried = len(receiver.of("/500"))
    row.get_by_role("button", name="Deliver again").click()
    expect(page.get_by_role("heading", name="Deliveries")).to_be_visible()
    eventually(lambda: len(receiver.of("/500")) > tried)
    page.goto(f"/page/profiles/{hot}")
    page.get_by_role("link", name="Deliveries").last.click()
    expect(page.locator("tbody tr").first).to_be_visible()


def test_the_trace_is_a_page(opened: Opened, service: RunningService) -> None:
    page = opened(f"/page/profiles/{profile_named(service, 'burglars')['id']}")
    page.get_by_role("link", name="Why it did").click()
    expect(page.get_by_label("Since")).to_be_visible()
    assert page.locator("main").inner_text().strip()


# -- tokens ----------------------------------------------------------------------------------------


def test_tokens_are_made_used_and_revoked(opened: Opened, service: RunningService) -> None:
    page = opened("/page/tokens")
    page.get_by_label("Name").fill("the porter")
    page.get_by_label("read what profiles tell").check()
    page.get_by_role("button", name="Make the token").click()
    token = page.locator("#made").inner_text()
    assert token.startswith("cph_")
    porter = opened("/page/feed", token=token)
    expect(porter.get_by_role("heading", name="Feed")).to_be_visible()
    expect(porter.get_by_role("link", name="Tokens")).to_have_count(0)
    page.goto("/page/tokens")
    assert token not in page.content()
    row = page.locator("tr", has_text="the porter")
    row.locator("summary").click()
    row.get_by_role("button", name="Yes, revoke it").click()
    expect(page.locator("tr", has_text="the porter")).to_have_count(0)
    porter.reload()
    expect(porter).to_have_url(re.compile("sign-in"))


# -- by keyboard -----------------------------------------------------------------------------------


def test_a_profile_is_written_by_keyboard_alone(opened: Opened, service: RunningService) -> None:
    page = opened("/page/profiles")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    tab_to(page, "New profile")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    page.keyboard.press("Enter")
    page.wait_for_url("**/profiles/new")
    tab_to(page, "name")
    page.keyboard.type("by keyboard")
    tab_to(page, "query")
    page.keyboard.type("PATTERN Rain r WITHIN 1 s")
    expect(page.get_by_text("The query is fine.")).to_be_visible()
    tab_to(page, "Make the profile")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="by keyboard")).to_be_visible()
    assert profile_named(service, "by keyboard")["query"] == "PATTERN Rain r WITHIN 1 s"


def tab_to(page: Any, what: str) -> None:
    """Press Tab until something has the focus, by its id or its words."""
    seen = []
    for _ in range(60):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()"))
        if seen[-1] == what:
            return
    raise AssertionError(f"{what} is not among {seen}")
