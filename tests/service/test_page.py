"""The page without a browser: who comes in, what is escaped, and what forms do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest

pytest.importorskip("fastapi", reason="needs cepheid[service]")
pytest.importorskip("jinja2", reason="needs cepheid[service]")

from tests.service.serving import ADMIN, Hours, RunningService, event, serving

pytestmark = pytest.mark.service

HOURS = Hours()
HOSTILE = "<script>alert('x')</script>\"><img src=x onerror=alert(1)>"
PAIR = "PATTERN SEQ(Door a, Light b) WHERE [room] WITHIN 1 min"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    folder: Path = tmp_path_factory.mktemp("page")
    with serving(folder, "--idle", "1 day") as found:
        yield found


@pytest.fixture
def since() -> datetime:
    return HOURS.fresh()


def browser(service: RunningService, token: str | None = ADMIN, **headers: str) -> httpx2.Client:
    """What a browser sends with every form of ours."""
    address = str(service.client.base_url).rstrip("/")
    found = httpx2.Client(
        base_url=address,
        headers={"Accept": "text/html", "Origin": address, **headers},
        timeout=60,
        trust_env=False,
    )
    if token is not None:
        answer = found.post("/page/sign-in", data={"token": token})
        assert answer.status_code == 303, answer.text
    return found


@pytest.fixture(scope="module")
def admin(service: RunningService) -> httpx2.Client:
    return browser(service)


def fields(query: str, **more: str) -> dict[str, str]:
    """The form of a profile."""
    usual = {
        "name": "a test",
        "query": query,
        "select": "all",
        "consume": "all",
        "once": "",
        "timezone": "UTC",
    }
    return usual | {"webhooks": ""} | more


def made(client: httpx2.Client, query: str, **more: str) -> str:
    """A profile that was made by the form; its id."""
    answer = client.post("/page/profiles", data=fields(query, **more))
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"]).rsplit("/", 1)[1]


# -- coming in -------------------------------------------------------------------------------------


def test_a_cookie_stands_for_a_token_and_is_kept_from_scripts_and_other_sites(
    service: RunningService,
) -> None:
    stranger = browser(service, None)
    assert stranger.get("/").headers["location"].startswith("/page/sign-in")
    assert stranger.get("/page/profiles").headers["location"] == "/page/sign-in?next=/page/profiles"
    assert stranger.post("/page/sign-in", data={"token": "wrong"}).status_code == 401
    answer = stranger.post("/page/sign-in", data={"token": ADMIN, "next": "/page/tokens"})
    assert answer.status_code == 303 and answer.headers["location"] == "/page/tokens"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie and ADMIN not in cookie
    assert stranger.get("/page/profiles").status_code == 200
    kept = dict(stranger.cookies)
    assert stranger.post("/page/sign-out").status_code == 303
    again = httpx2.Client(base_url=stranger.base_url, cookies=kept, trust_env=False)
    assert again.get("/page/profiles").status_code == 401


def test_over_tls_the_cookie_is_for_tls_alone(service: RunningService) -> None:
    host = str(service.client.base_url).removeprefix("http://").rstrip("/")
    client = browser(service, None, Origin=f"https://{host}")
    assert "Secure" in client.post("/page/sign-in", data={"token": ADMIN}).headers["set-cookie"]


@pytest.mark.parametrize(
    "elsewhere", ["https://example.com/", "//example.com", "/\\example.com", "/docs", "x"]
)
def test_signing_in_leads_to_pages_of_ours_alone(service: RunningService, elsewhere: str) -> None:
    answer = browser(service, None).post("/page/sign-in", data={"token": ADMIN, "next": elsewhere})
    assert answer.headers["location"] == "/page"


@pytest.mark.parametrize("origin", [None, "null", "https://example.com", "http://127.0.0.1:1"])
def test_forms_from_elsewhere_are_refused(
    service: RunningService, admin: httpx2.Client, origin: str | None
) -> None:
    pair = made(admin, PAIR)
    for path, data in ((f"/page/profiles/{pair}/remove", {}), ("/page/sign-in", {"token": ADMIN})):
        request = admin.build_request("POST", path, data=data)
        del request.headers["origin"]
        if origin is not None:
            request.headers["origin"] = origin
        answer = admin.send(request)
        assert answer.status_code == 403 and "Origin" in answer.text
    assert service.client.get(f"/profiles/{pair}").status_code == 200


def test_a_cookie_counts_on_pages_alone(admin: httpx2.Client) -> None:
    for method, path in (("GET", "/profiles"), ("POST", "/events"), ("POST", "/tokens"), ("GET", "/feed")):
        assert admin.request(method, path).status_code == 401
    assert admin.get("/docs").status_code == 200


def test_what_browsers_send_by_themselves_does_not_count_as_a_program(service: RunningService) -> None:
    client = browser(service)
    client.headers["Authorization"] = "Basic eDp5"  # of a proxy in front of the service
    assert client.get("/page/profiles").status_code == 200
    client.headers["Origin"] = "https://example.com"
    assert client.post("/page/profiles", data=fields(PAIR)).status_code == 403


def test_no_odd_path_gets_in_without_a_token(service: RunningService) -> None:
    stranger = service.signed_in(None)
    for path in (
        "/page/static/../tokens",
        "/page/static/x/page.css",
        "/page/static/%2e%2e/tokens",
        "/page/sign-in/x",
    ):
        request = stranger.build_request("GET", "/page/")
        request.url = request.url.copy_with(raw_path=path.encode())
        assert stranger.send(request).status_code in (401, 404), path


def test_a_revoked_token_is_signed_out(service: RunningService) -> None:
    fresh = service.client.post("/tokens", json={"name": "short", "scopes": ["profiles:write"]}).json()
    client = browser(service, fresh["token"])
    assert client.get("/page/profiles").status_code == 200
    service.client.delete(f"/tokens/{fresh['id']}")
    assert client.get("/page/profiles").status_code == 303
    part = client.get("/page/profiles", headers={"HX-Request": "true"})
    assert part.status_code == 401 and part.headers["hx-redirect"] == "/page/sign-in"


def test_a_page_shows_what_its_token_may_see(service: RunningService, admin: httpx2.Client) -> None:
    scopes = {"events:write": set(), "notifications:read": {"profiles", "feed", "deliveries"}}
    scopes |= {"profiles:write": {"profiles", "profiles/new"}}
    for scope, expected in scopes.items():
        token = service.client.post("/tokens", json={"name": scope, "scopes": [scope]}).json()["token"]
        text = browser(service, token).get("/page", follow_redirects=True).text
        nav = text.partition("<nav")[2].partition("</nav>")[0]
        assert set(re.findall(r'href="/page/([^"]+)"', nav)) == expected
    reader = browser(
        service,
        service.client.post("/tokens", json={"name": "r", "scopes": ["notifications:read"]}).json()["token"],
    )
    pair = made(admin, PAIR)
    assert "/remove" not in reader.get(f"/page/profiles/{pair}").text
    refused = reader.post(f"/page/profiles/{pair}/pause")
    assert refused.status_code == 403 and "lacks the scope" in refused.text and "<h1>" in refused.text


# -- what a page is made of ------------------------------------------------------------------------


def addresses(text: str) -> set[str]:
    return set(re.findall(r'(?:src|href|action|hx-get|hx-post|hx-sse:connect)="([^"]+)"', text))


def test_pages_forbid_what_they_do_not_need(
    service: RunningService, admin: httpx2.Client, since: datetime
) -> None:
    pair = made(admin, PAIR, feed="yes")
    service.send(event("Door", since, 1, room=1), event("Light", since, 2, room=1))
    pages = [
        "/page/sign-in",
        "/page/profiles",
        "/page/profiles/new?shape=then",
        f"/page/profiles/{pair}",
        "/page/feed",
    ]
    pages += ["/page/deliveries", f"/page/profiles/{pair}/trace", "/page/tokens", "/page/nosuch"]
    for path in pages:
        answer = admin.get(path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "script-src 'self'" in policy
        assert answer.headers["referrer-policy"] == "same-origin"
        assert not re.search(r"<script(?![^>]*\ssrc=)|\son\w+=|\sstyle=|<style|javascript:", answer.text)
        assert all(each.startswith(("/page", "#")) for each in addresses(answer.text))
        for each in addresses(answer.text):
            if each.startswith("/page/static"):
                assert admin.get(each).status_code == 200
    assert admin.get("/page/static/../routing.py").status_code == 404
    assert admin.get("/page/static/nosuch").status_code == 404


def test_hostile_names_are_escaped_everywhere(
    service: RunningService, admin: httpx2.Client, since: datetime
) -> None:
    query = "PATTERN `<b>x` h WITHIN 1 s -- <script>alert(2)</script>"
    hostile = made(admin, query, name=HOSTILE, feed="yes")
    service.send(event("<b>x", since, 1, **{"<i>": HOSTILE}))
    (told,) = service.told(hostile)
    service.client.patch(f"/profiles/{hostile}", json={"silence": {"until": "2999-01-01", "reason": HOSTILE}})
    service.client.post("/tokens", json={"name": HOSTILE, "scopes": ["events:write"]})
    paths = ["profiles", f"profiles/{hostile}", "feed", f"notifications/{told['id']}/picture", "tokens"]
    paths += [
        "profiles/new?shape=then",
        f"profiles?search={HOSTILE}",
        f"profiles/{hostile}/trace?since={HOSTILE}",
    ]
    paths += [f"profiles/new?shape=then&a_type={HOSTILE}&a_attribute=x&a_value={HOSTILE}"]
    for path in paths:
        text = admin.get(f"/page/{path}").text
        assert "<script>alert" not in text and "<img" not in text and "<b>x" not in text and "<i>" not in text
        assert "&lt;" in text
    for path in ("check", "preview"):
        text = admin.post(f"/page/profiles/{path}", data=fields(f"PATTERN {HOSTILE}")).text
        assert "<img" not in text and "&lt;" in text


# -- profiles --------------------------------------------------------------------------------------


def test_errors_point_into_the_text_while_it_is_written(admin: httpx2.Client) -> None:
    answer = admin.post(
        "/page/profiles/check", data=fields("PATTERN SEQ(A a,\r\n  B b WITHIN 10 min", name="")
    )
    assert answer.status_code == 200 and "line 2, column 7" in answer.text
    assert "\n    B b WITHIN 10 min\n        ^" in answer.text
    fine = admin.post("/page/profiles/check", data=fields(PAIR, name=""))
    assert "is fine" in fine.text and fine.headers["hx-trigger"] == "query-fine"
    for wrong, told in (
        ({"select": "x: "}, "Which events"),
        ({"once": "soon"}, "soon"),
        ({"consume": "x"}, "x"),
    ):
        assert told in admin.post("/page/profiles/check", data=fields(PAIR, **wrong)).text


def test_a_preview_says_how_often_it_would_have_fired(
    service: RunningService, admin: httpx2.Client, since: datetime
) -> None:
    service.send(*(event("Tried", since, n * 1800, n=n) for n in range(3)))
    text = admin.post("/page/profiles/preview", data=fields("PATTERN Tried t WHERE t.n > 0 WITHIN 1 s")).text
    assert "2 times" in text and "<svg" in text and text.count("<li>") == 2


def test_a_profile_is_made_paused_silenced_and_removed(service: RunningService, admin: httpx2.Client) -> None:
    bad = admin.post("/page/profiles", data=fields("PATTERN"))
    assert bad.status_code == 422 and "PATTERN</textarea>" in bad.text  # what was written is still there
    pair = made(
        admin, PAIR, select="b: first", consume="unique", once="1 hour", feed="yes", timezone="Europe/Berlin"
    )
    kept = service.client.get(f"/profiles/{pair}").json()
    assert (kept["select"], kept["consume"], kept["once"]) == ({"b": "first"}, "unique", "1 hour")
    assert kept["deliver"] == [{"feed": True}] and kept["timezone"] == "Europe/Berlin"
    assert (
        admin.post(f"/page/profiles/{pair}/pause", data={"back": "list"}).headers["location"]
        == "/page/profiles"
    )
    assert service.client.get(f"/profiles/{pair}").json()["paused"]
    admin.post(f"/page/profiles/{pair}/resume")
    assert not service.client.get(f"/profiles/{pair}").json()["paused"]
    past = admin.post(f"/page/profiles/{pair}/silence", data={"until": "2020-01-01T00:00", "reason": "x"})
    assert past.status_code == 422 and "in the past" in past.text
    admin.post(f"/page/profiles/{pair}/silence", data={"until": "2999-01-01T00:00", "reason": "repairs"})
    assert service.client.get(f"/profiles/{pair}").json()["silence"]["reason"] == "repairs"
    assert "repairs" in admin.get(f"/page/profiles/{pair}").text
    admin.post(f"/page/profiles/{pair}/speak")
    assert service.client.get(f"/profiles/{pair}").json()["silence"] is None
    assert admin.post(f"/page/profiles/{pair}/remove").status_code == 303
    assert admin.get(f"/page/profiles/{pair}").status_code == 404


def test_the_secret_of_a_webhook_is_shown_once(service: RunningService, admin: httpx2.Client) -> None:
    shown = admin.post("/page/profiles", data=fields(PAIR, webhooks="https://example.com/x"))
    assert shown.status_code == 201 and "whsec_" in shown.text
    path = re.search(r"/page/profiles/p[0-9a-f]+", shown.text)
    assert path is not None and "whsec_" not in admin.get(path[0]).text
    assert "whsec_" in admin.post(f"{path[0]}/secret").text


# -- shapes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "events", "told"),
    [
        ("then", [("Door", 0, 1), ("Light", 5, 1), ("Light", 6, 1), ("Light", 7, 2)], 1),
        ("without", [("Door", 0, 1), ("Door", 1, 2), ("Light", 5, 1), ("Rain", 3000, 1)], 1),
        ("many", [("Door", n, 1) for n in range(7)] + [("Door", 8, 2)], 2),
        ("nothing", [("Door", 0, 1), ("Rain", 3000, 1)], 1),
    ],
)
def test_shapes_become_profiles(
    service: RunningService,
    admin: httpx2.Client,
    since: datetime,
    shape: str,
    events: list[tuple[str, int, int]],
    told: int,
) -> None:
    blanks = {
        "a_type": "Door",
        "b_type": "Light",
        "key": "room",
        "amount": "10",
        "unit": "minutes",
        "number": "3",
    }
    text = admin.get("/page/profiles/new", params={"shape": shape, **blanks}).text
    query = re.search(r'<textarea id="query".*?>\n(.*?)</textarea>', text, re.S)
    select = re.search(r'<input id="select"[^>]*value="([^"]*)"', text)
    consume = re.search(r'<option value="(\w+)" selected', text)
    assert query is not None and select is not None and consume is not None
    wanted = query[1].replace("&#39;", "'").replace("&gt;", ">")
    profile = made(admin, wanted, select=select[1], consume=consume[1])
    service.send(*(event(kind, since, second, room=room) for kind, second, room in events))
    assert len(service.told(profile)) == told


def test_blanks_take_any_name_and_value(admin: httpx2.Client) -> None:
    blanks = {"a_type": "odd type", "a_attribute": "a b", "a_test": ">=", "a_value": "it's", "key": "where"}
    for shape in ("then", "without", "many", "nothing"):
        text = admin.get("/page/profiles/new", params={"shape": shape, **blanks}).text
        query = re.search(r'<textarea id="query".*?>\n(.*?)</textarea>', text, re.S)
        assert query is not None
        found = query[1].replace("&#39;", "'").replace("&gt;", ">").replace("&lt;", "<")
        assert "is fine" in admin.post("/page/profiles/check", data=fields(found)).text, found


# -- what was told ---------------------------------------------------------------------------------


def test_a_picture_has_the_events_of_its_match_also_with_return(
    service: RunningService, admin: httpx2.Client, since: datetime
) -> None:
    whole = made(admin, PAIR)
    with_return = made(admin, f"{PAIR} RETURN b.room AS room")
    service.send(
        event("Door", since, 1, room=1), event("Door", since, 2, room=2), event("Light", since, 3, room=1)
    )
    for profile in (whole, with_return):
        (row,) = service.told(profile)
        text = admin.get(f"/page/notifications/{row['id']}/picture").text
        assert text.count('class="matched"') == 2 and text.count('class="aside"') == 1
        assert "a: Door" in text and "b: Light" in text
    assert admin.get("/page/notifications/999999/picture").status_code == 404


def test_the_feed_goes_on_where_the_page_was_made(
    service: RunningService, admin: httpx2.Client, since: datetime
) -> None:
    made(admin, "PATTERN Bell b WITHIN 1 s", feed="yes", name="bells")
    path = re.search(r'hx-sse:connect="([^"]+)"', admin.get("/page/feed").text)
    assert path is not None
    service.send(event("Bell", since, 1, n=1))
    assert "bells" in next_part(admin, path[1])
    service.send(event("Bell", since, 2, n=2))
    assert "told-" in next_part(admin, path[1])


def next_part(client: httpx2.Client, path: str) -> str:
    """The first part that a stream of parts brings."""
    found: list[str] = []
    with client.stream("GET", path, headers={"Accept": "text/event-stream"}) as stream:
        for line in stream.iter_lines():
            if line.startswith("data:"):
                found.append(line)
            elif found and not line:
                return "\n".join(found)
    raise AssertionError("the stream ended")


def test_tokens_are_made_shown_once_and_revoked(service: RunningService, admin: httpx2.Client) -> None:
    assert "say what the token may do" in admin.post("/page/tokens", data={"name": "x"}).text
    shown = admin.post(
        "/page/tokens", data={"name": "sensors", "scopes": ["events:write", "notifications:read"]}
    )
    token = re.search(r"cph_\w+", shown.text)
    assert shown.status_code == 201 and token is not None
    assert token[0] not in admin.get("/page/tokens").text
    mine: list[Any] = [each for each in service.client.get("/tokens").json() if each["name"] == "sensors"]
    assert mine[0]["scopes"] == ["events:write", "notifications:read"]
    assert admin.post(f"/page/tokens/{mine[0]['id']}/revoke").status_code == 303
    assert service.signed_in(token[0]).get("/profiles").status_code == 401


# -- the trace -------------------------------------------------------------------------------------


def test_a_near_miss_is_shown_with_its_event_its_condition_and_both_values() -> None:
    from cepheid.service.page.reasons import facts_of, shown_miss

    broken = {
        "variable": "w",
        "type": "WindowBroken",
        "time": "2026-01-31T18:00:00Z",
        "attributes": {"office": 8},
    }
    came = {"variable": "p", "type": "Presence", "time": "2026-01-31T18:03:00Z", "attributes": {"office": 9}}
    failed = {"kind": "key", "condition": "[office]", "left": 8, "right": 9, "values": {}}
    miss = {"came": 1, "parts": 2, "says": "stopped at p; differs", "time": came["time"], "event": came}
    shown = shown_miss(miss | {"events": [broken], "failed": [failed]})
    assert shown["head"] == "1 of 2 parts" and shown["time"] == "31 Jan 2026 18:03:00"
    assert shown["event"] == "Presence, 31 Jan 2026 18:03:00, office 9"
    assert shown["failed"] == [{"condition": "[office]", "values": "8 · 9"}]
    assert shown["picture"].count("<circle") == 2 and shown["others"] == ["differs"]
    named = shown_miss({"failed": [{"condition": "a.x > 1", "values": {"a.x": None}}]})
    assert named["failed"] == [{"condition": "a.x > 1", "values": "a.x is null"}]
    for odd in ({}, {"event": "x", "events": 7, "failed": [1], "says": None}, {"events": [{"time": "x"}]}):
        assert shown_miss(odd)["picture"] == ""
    assert facts_of({"matches": 3, "since": "2026-01-31T18:00:00Z", "text": "x"}) == {
        "matches": "3",
        "since": "31 Jan 2026 18:00:00",
    }
