"""Who may do what: every route is in the table, or the test fails."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs cepheid[service]")

from cepheid.service.auth import SCOPES, checksum, fresh_token, is_well_formed
from cepheid.service.rates import Rate
from cepheid.service.routes import ROUTERS
from tests.service.serving import RunningService, serving

pytestmark = pytest.mark.service

OPEN: frozenset[str] = frozenset()
ANY = frozenset(SCOPES)
EVENTS = frozenset({"events:write", "admin"})
PROFILES = frozenset({"profiles:write", "admin"})
READERS = frozenset({"profiles:write", "notifications:read", "admin"})
TOLD = frozenset({"notifications:read", "admin"})
ADMIN = frozenset({"admin"})

TABLE: dict[tuple[str, str], frozenset[str]] = {
    ("POST", "/events"): EVENTS,
    ("POST", "/profiles"): PROFILES,
    ("POST", "/profiles/preview"): PROFILES,
    ("GET", "/profiles"): READERS,
    ("GET", "/profiles/{profile}"): READERS,
    ("PATCH", "/profiles/{profile}"): PROFILES,
    ("DELETE", "/profiles/{profile}"): PROFILES,
    ("GET", "/profiles/{profile}/notifications"): TOLD,
    ("GET", "/profiles/{profile}/trace"): READERS,
    ("GET", "/profiles/{profile}/deliveries"): TOLD,
    ("POST", "/profiles/{profile}/deliveries/{delivery}/replay"): PROFILES,
    ("POST", "/profiles/{profile}/secret"): PROFILES,
    ("GET", "/feed"): TOLD,
    ("POST", "/tokens"): ADMIN,
    ("GET", "/tokens"): ADMIN,
    ("DELETE", "/tokens/{token}"): ADMIN,
    ("PUT", "/channels/{name}"): ADMIN,
    ("GET", "/channels"): PROFILES,
    ("DELETE", "/channels/{name}"): ADMIN,
    ("GET", "/metrics"): ANY,
    ("GET", "/openapi.json"): ANY,
    ("GET", "/docs"): ANY,
    ("GET", "/"): ANY,
    ("GET", "/health"): OPEN,
    ("GET", "/ready"): OPEN,
    ("GET", "/page/sign-in"): OPEN,
    ("GET", "/page/static/{name}"): OPEN,
    ("GET", "/page"): ANY,
    ("POST", "/page/sign-out"): ANY,
    ("GET", "/page/{rest:path}"): ANY,
    ("GET", "/page/profiles"): READERS,
    ("GET", "/page/profiles/new"): PROFILES,
    ("POST", "/page/profiles"): PROFILES,
    ("POST", "/page/profiles/check"): PROFILES,
    ("POST", "/page/profiles/preview"): PROFILES,
    ("GET", "/page/profiles/{profile}"): READERS,
    ("GET", "/page/profiles/{profile}/older"): TOLD,
    ("GET", "/page/profiles/{profile}/trace"): READERS,
    ("GET", "/page/profiles/{profile}/deliveries"): TOLD,
    ("POST", "/page/profiles/{profile}/deliveries/{delivery}/replay"): PROFILES,
    ("POST", "/page/profiles/{profile}/secret"): PROFILES,
    ("POST", "/page/profiles/{profile}/pause"): PROFILES,
    ("POST", "/page/profiles/{profile}/resume"): PROFILES,
    ("POST", "/page/profiles/{profile}/silence"): PROFILES,
    ("POST", "/page/profiles/{profile}/speak"): PROFILES,
    ("POST", "/page/profiles/{profile}/remove"): PROFILES,
    ("GET", "/page/notifications/{notification}/picture"): TOLD,
    ("GET", "/page/feed"): TOLD,
    ("GET", "/page/feed/stream"): TOLD,
    ("GET", "/page/deliveries"): TOLD,
    ("GET", "/page/tokens"): ADMIN,
    ("POST", "/page/tokens"): ADMIN,
    ("POST", "/page/tokens/{token}/revoke"): ADMIN,
}
SIGN_IN = ("POST", "/page/sign-in")
"""A form that a stranger may send; `test_page.py` looks at it."""

BLANKS = {"profile": "nosuch", "delivery": "1", "token": "nosuch", "notification": "1", "name": "page.css"}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with serving(tmp_path_factory.mktemp("access"), CEPHEID_MAX_REFUSALS="250/minute") as found:
        yield found


@pytest.fixture(scope="module")
def clients(service: RunningService) -> dict[str, Any]:
    found = {}
    for scope in SCOPES:
        made = service.client.post("/tokens", json={"name": scope, "scopes": [scope]})
        assert made.status_code == 201 and is_well_formed(made.json()["token"])
        found[scope] = service.signed_in(made.json()["token"])
    return found


def test_every_route_is_in_the_table() -> None:
    routes: list[Any] = [route for router in ROUTERS for route in router.routes]
    assert {(method, route.path) for route in routes for method in route.methods} == {*TABLE, SIGN_IN}


@pytest.mark.parametrize(("method", "path"), TABLE)
def test_scopes(service: RunningService, clients: dict[str, Any], method: str, path: str) -> None:
    address = path.replace("{rest:path}", "nosuch").format(**BLANKS)
    if path in ("/feed", "/page/feed/stream"):
        address += "?profile=nosuch&after=-1"  # refused, so that it does not go on for ever
    needed = TABLE[method, path]
    for token in (None, "wrong", fresh_token()):
        answer = service.signed_in(token).request(method, address)
        assert answer.status_code == (401 if needed else 200)
        if needed:
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.headers["www-authenticate"].startswith("Bearer")
    for scope, client in clients.items():
        answer = client.request(method, address)
        assert answer.status_code < 500
        allowed = not needed or scope in needed
        assert (answer.status_code not in (401, 403)) is allowed, f"{scope}: {answer.text}"
        if not allowed:
            assert answer.status_code == 403
            assert answer.headers["content-type"] == "application/problem+json"


def test_without_a_token_nothing_of_the_body_is_looked_at(service: RunningService) -> None:
    stranger, media = service.signed_in(None), {"Content-Type": "application/json"}
    for path in ("/events", "/profiles", "/tokens", "/nosuch"):
        assert stranger.post(path, content=b"{", headers=media).status_code == 401
    assert service.client.post("/profiles", content=b"{", headers=media).status_code == 400
    assert service.client.get("/nosuch").status_code == 404


def test_tokens_are_listed_without_themselves_and_revoked(service: RunningService) -> None:
    made = service.client.post("/tokens", json={"name": "short", "scopes": ["events:write"]}).json()
    listed = service.client.get("/tokens").json()
    assert {"short"} <= {each["name"] for each in listed}
    assert all("token" not in each and "digest" not in each for each in listed)
    mine = service.signed_in(made["token"])
    assert mine.post("/events", json=[]).status_code == 200
    assert service.client.delete(f"/tokens/{made['id']}").status_code == 204
    assert mine.post("/events", json=[]).status_code == 401
    assert service.client.delete(f"/tokens/{made['id']}").status_code == 404
    (own,) = [each["id"] for each in listed if each["name"] == "admin" and each["scopes"] == ["admin"]][:1]
    assert service.client.delete(f"/tokens/{own}").status_code == 409
    for wrong in ({"name": "x", "scopes": ["all"]}, {"name": "x", "scopes": []}, {"scopes": ["admin"]}):
        assert service.client.post("/tokens", json=wrong).status_code == 422


def test_guessing_is_slowed_down(service: RunningService) -> None:
    guesser = service.signed_in("a guess")
    assert any(guesser.get("/").status_code == 429 for _ in range(300))


def test_a_rate_is_counted_for_each_by_itself_and_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    at = [100.0]
    monkeypatch.setattr("cepheid.service.rates.time.monotonic", lambda: at[0])
    rate = Rate("2/minute")
    assert [rate.hit("a") for _ in range(3)] == [True, True, False] and rate.hit("b")
    at[0] += 59
    assert not rate.hit("a")
    at[0] += 1
    assert rate.hit("a") and list(rate._counts) == ["a"], "who has not come is forgotten"


def test_a_token_has_a_prefix_and_a_checksum() -> None:
    token = fresh_token()
    assert token.startswith("cph_") and is_well_formed(token)
    assert not is_well_formed(token[:-1] + ("0" if token[-1] != "0" else "1"))
    assert len({fresh_token() for _ in range(100)}) == 100
    assert len(checksum("cph_")) == 6
