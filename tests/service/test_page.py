"""The page without a browser: who comes in, and what a page is made of."""

from __future__ import annotations

import re
from datetime import datetime

import httpx2
import pytest

pytest.importorskip("fastapi", reason="needs cepheid[service]")
pytest.importorskip("jinja2", reason="needs cepheid[service]")

from tests.service.pages import browser, fields, made
from tests.service.serving import ADMIN, RunningService, event

pytestmark = pytest.mark.service

HOSTILE = "<script>alert('x')</script>\"><img src=x onerror=alert(1)>"
PAIR = "PATTERN SEQ(Door a, Light b) WHERE [room] WITHIN 1 min"


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
