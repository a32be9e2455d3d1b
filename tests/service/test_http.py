"""Events, profiles, history and feed over HTTP, with one service for all tests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs cepheid[service]")

from tests.service.serving import Hours, RunningService, event, iso, lines, serving

pytestmark = pytest.mark.service

PAIR = "PATTERN SEQ(A a, B b) WHERE [room] WITHIN 1 min RETURN a.n AS a, b.n AS b"
HOURS = Hours()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    folder: Path = tmp_path_factory.mktemp("service")
    with serving(folder, "--idle", "1 day", CEPHEID_MAX_BODY="200000", CEPHEID_MAX_QUERY="2000") as found:
        yield found


@pytest.fixture
def since() -> datetime:
    return HOURS.fresh()


# -- events ----------------------------------------------------------------------------------------


def test_a_match_is_in_the_history_when_its_last_event_is_answered(
    service: RunningService, since: datetime
) -> None:
    pair = service.profile(PAIR)
    assert service.send(event("A", since, 0, n=1, room=7)) == {"accepted": 1, "late": [], "bad": []}
    assert service.told(pair) == []
    service.send(event("B", since, 1, n=2, room=7), event("B", since, 2, n=3, room=8))
    (row,) = service.told(pair)
    assert row["match"] == {"a": 1, "b": 2}
    assert row["time"] == iso(since.replace(second=1))
    assert set(row) == {"id", "match_id", "time", "match"}


def test_a_request_is_ordered_first_and_what_is_behind_the_clock_is_late(
    service: RunningService, since: datetime
) -> None:
    pair = service.profile(PAIR)
    answer = service.send(event("B", since, 9, n=2), event("A", since, 8, n=1))
    assert answer["accepted"] == 2 and service.matches(pair) == []  # without a room: of no partition
    answer = service.send(
        event("B", since, 11, n=4, room=1),
        event("A", since, 8, n=9, room=1),
        event("A", since, 9, n=3, room=1),
    )
    assert answer["accepted"] == 2
    assert [each["index"] for each in answer["late"]] == [1]
    assert "behind the clock" in answer["late"][0]["reason"]
    assert service.matches(pair) == [{"a": 3, "b": 4}]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ({"time": 1}, "it has no 'type'"),
        ({"type": 7}, "'type' is not a text"),
        ({"type": "A", "time": "yesterday"}, "not ISO 8601"),
        ({"type": "A", "time": True}, "neither ISO 8601 nor a number"),
        ({"type": "A", "time": "9999-01-01"}, "too far ahead"),
        ({"type": "A", "time": 1e30}, "beyond the years"),
        ({"type": "A", "time": "0001-01-01T00:00:00+08:00"}, "beyond the years"),
        (7, "not an object"),
        ({"type": "A", "x": "\ud800"}, "half a character"),
    ],
)
def test_bad_events_are_named_and_the_others_taken(
    service: RunningService, since: datetime, bad: Any, reason: str
) -> None:
    answer = service.send(event("A", since, 1), bad, event("A", since, 2))
    assert answer["accepted"] == 2 and [each["index"] for each in answer["bad"]] == [1]
    assert reason in answer["bad"][0]["reason"]


@pytest.mark.parametrize(
    ("media", "body", "accepted"),
    [
        ("application/json", lambda a, b: json.dumps(a), 1),
        ("application/json; charset=utf-8", lambda a, b: json.dumps([a, b]), 2),
        ("application/x-ndjson", lambda a, b: lines(a, "", b) + "\n", 2),
        ("application/cloudevents+json", lambda a, b: json.dumps(cloud(a)), 1),
        ("application/cloudevents-batch+json", lambda a, b: json.dumps([cloud(a), cloud(b)]), 2),
    ],
)
def test_events_come_in_several_forms(
    service: RunningService, since: datetime, media: str, body: Any, accepted: int
) -> None:
    seen = service.profile("PATTERN OR(A a, B b) WITHIN 1 s RETURN a.n AS a, b.n AS b")
    text = body(event("A", since, 1, n=1), event("B", since, 2, n=2))
    answer = service.client.post("/events", content=text, headers={"Content-Type": media}).json()
    assert answer == {"accepted": accepted, "late": [], "bad": []}
    assert service.matches(seen) == [{"a": 1, "b": None}, {"a": None, "b": 2}][:accepted]


def cloud(made: dict[str, Any], name: str | None = None) -> dict[str, Any]:
    data = {key: value for key, value in made.items() if key not in ("type", "time")}
    own = {"type": made["type"], "time": made["time"], "data": data, "subject": "s"}
    return {"specversion": "1.0", "id": name or made["time"], "source": "/tests", **own}


def test_a_cloud_event_may_be_in_headers(service: RunningService, since: datetime) -> None:
    seen = service.profile("PATTERN A a WHERE a.source = '/here' WITHIN 1 s RETURN a.n AS n, a.subject AS s")
    headers = {"ce-specversion": "1.0", "ce-id": "1", "ce-source": "/here", "ce-type": "A"}
    headers |= {"ce-time": iso(since), "ce-subject": "%C3%A4", "Content-Type": "application/json"}
    answer = service.client.post("/events", content='{"n": 5}', headers=headers).json()
    assert answer["accepted"] == 1
    assert service.matches(seen) == [{"n": 5, "s": "ä"}]


def test_a_cloud_event_is_used_once(service: RunningService, since: datetime) -> None:
    seen = service.profile("PATTERN A a WITHIN 1 s RETURN a.n AS n")
    batch = [cloud(event("A", since, 1, n=1), "x1"), cloud(event("A", since, 2, n=2), "x2")]
    media = {"Content-Type": "application/cloudevents-batch+json"}
    for _ in range(2):
        answer = service.client.post("/events", content=json.dumps(batch), headers=media).json()
        assert answer == {"accepted": 2, "late": [], "bad": []}
    assert service.matches(seen) == [{"n": 1}, {"n": 2}]
    broken = [{"specversion": "1.0", "type": "A"}, {"id": "1", "source": "/", "type": "A"}]
    answer = service.client.post("/events", content=json.dumps(broken), headers=media).json()
    assert answer["accepted"] == 0 and len(answer["bad"]) == 2


def test_a_request_with_a_key_is_used_once(service: RunningService, since: datetime) -> None:
    seen = service.profile("PATTERN A a WITHIN 1 s RETURN a.n AS n")
    events, key = [event("A", since, 1, n=1), event("A", since, 0.5, n=0)], f"key {since}"
    first = service.send(*events, **{"Idempotency-Key": key})
    assert service.send(*events, **{"Idempotency-Key": key}) == first
    assert len(service.matches(seen)) == 2
    other = service.client.post("/events", json=[], headers={"Idempotency-Key": key})
    assert other.status_code == 422 and "another request" in other.json()["detail"]
    assert service.send(event("A", since, 1, n=1), **{"Idempotency-Key": f"{key}!"})["accepted"] == 1


def test_what_is_made_with_a_key_is_made_once(service: RunningService) -> None:
    body = {
        "name": "once",
        "query": "PATTERN Once a WITHIN 1 s",
        "deliver": [{"webhook": "https://example.com"}],
    }
    key = {"Idempotency-Key": "a key of a profile"}
    first, again = (service.client.post("/profiles", json=body, headers=key) for _ in range(2))
    assert first.status_code == again.status_code == 201 and again.json() == first.json()
    assert [each["name"] for each in service.client.get("/profiles").json()].count("once") == 1
    other = service.client.post("/tokens", json={"name": "once", "scopes": ["admin"]}, headers=key)
    assert other.status_code == 422, "another request had the key"
    address = f"/profiles/{first.json()['id']}/secret"
    replaced = [service.client.post(address, headers={"Idempotency-Key": "s"}).json() for _ in range(2)]
    assert replaced[0] == replaced[1] != first.json()["secret"]
    bad = service.client.post("/profiles", json=body | {"query": "PATTERN"}, headers={"Idempotency-Key": "b"})
    assert bad.status_code == 422, "what is refused keeps no answer"
    assert service.client.post("/profiles", json=body, headers={"Idempotency-Key": "b"}).status_code == 201


def test_a_token_that_is_asked_for_again_is_the_same_with_a_new_text(service: RunningService) -> None:
    body, key = {"name": "a sensor", "scopes": ["events:write"]}, {"Idempotency-Key": "a key of a token"}
    first, again = (service.client.post("/tokens", json=body, headers=key).json() for _ in range(2))
    assert first["id"] == again["id"] and first["token"] != again["token"], "only its hash was kept"
    assert service.signed_in(first["token"]).post("/events", json=[]).status_code == 401
    assert service.signed_in(again["token"]).post("/events", json=[]).status_code == 200
    assert service.client.delete(f"/tokens/{first['id']}").status_code == 204
    assert service.client.post("/tokens", json=body, headers=key).status_code == 409


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ({"Content-Type": "application/json"}, b'{"type": "A"', 400),
        ({"Content-Type": "application/json"}, b'{"type": "A", "x": NaN}', 400),
        ({"Content-Type": "application/json"}, b"[" * 100_000, 400),
        ({"Content-Type": "application/json"}, b"\xff", 400),
        ({"Content-Type": "application/json", "Idempotency-Key": "k" * 300}, b"[]", 400),
        ({"Content-Type": "text/xml"}, b"<a/>", 415),
        ({"Content-Type": "application/json", "Content-Encoding": "gzip"}, b"", 415),
        ({"Content-Type": "application/cloudevents-batch+json"}, b"{}", 400),
        ({"Content-Type": "application/json"}, b" " * 200_001, 413),
    ],
)
def test_what_cannot_be_read_is_a_problem(
    service: RunningService, headers: dict[str, str], body: bytes, status: int
) -> None:
    answer = service.client.post("/events", content=body, headers=headers)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == status and answer.json()["detail"]


def test_a_body_without_a_length_is_bounded_too(service: RunningService) -> None:
    answer = service.client.post("/events", content=(b" " * 50_000 for _ in range(5)))
    assert answer.status_code == 413


def test_attributes_may_be_new_and_of_several_kinds(service: RunningService, since: datetime) -> None:
    hot = service.profile("PATTERN T t WHERE t.later > 26 WITHIN 1 s RETURN t.later AS v")
    values = [30, "30", None, True, {"x": 1}, 26.5]
    service.send(*(event("T", since, n, later=value) for n, value in enumerate(values)))
    assert service.matches(hot) == [{"v": 30}, {"v": 26.5}]
    answer = service.send(event("T", since, 9, later=2**53 + 1), event("T", since, 9, other=2**53 + 1))
    assert answer["accepted"] == 1 and "too large" in answer["bad"][0]["reason"]


# -- profiles --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "line", "column", "message"),
    [
        ({"query": "PATTERN SEQ(A a,\n  B b WITHIN 5 s"}, 2, None, ""),
        ({"query": "PATTERN A a WHERE b.x > 1 WITHIN 1 s"}, 1, 19, "b"),
        ({"query": ""}, 1, 1, "empty"),
        ({"query": "PATTERN SEQ(A a, B b)"}, None, None, "WITHIN"),
        ({"query": "PATTERN SEQ(A a, B b) WITHIN 5"}, 1, 30, "no unit"),
        ({"query": "PATTERN A a WITHIN 1 s AGG COUNT"}, None, None, ""),
        ({"query": "PATTERN A a WITHIN 1 s", "consume": "some"}, None, None, "consume"),
        ({"query": "PATTERN A a WITHIN 1 s", "select": {"b": 1}}, None, None, "b"),
        ({"query": "PATTERN A a WITHIN 1 s", "timezone": "Mars/Base"}, None, None, "Mars/Base"),
        ({"query": "PATTERN A a WITHIN 1 s", "once": "often"}, None, None, "often"),
        ({"query": "PATTERN A a WHERE " + "a.x > 1 AND " * 500 + "a.y > 1 WITHIN 1 s"}, None, None, "2,000"),
    ],
)
def test_a_bad_profile_is_refused_with_its_place(
    service: RunningService, more: dict[str, Any], line: int | None, column: int | None, message: str
) -> None:
    answer = service.client.post("/profiles", json={"name": "bad", **more})
    assert answer.status_code == 422, answer.text
    body = answer.json()
    assert answer.headers["content-type"] == "application/problem+json"
    assert message in body.get("message", body["detail"])
    assert line is None or body["line"] == line
    assert column is None or body["column"] == column


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": "", "query": "PATTERN A a WITHIN 1 s"},
        {"name": "a\0b", "query": "PATTERN A a WITHIN 1 s"},
        {"name": "n", "query": "PATTERN A a WITHIN 1 s", "colour": "red"},
        {"name": "n", "query": "PATTERN A a WITHIN 1 s", "deliver": [{}]},
        {
            "name": "n",
            "query": "PATTERN A a WITHIN 1 s",
            "deliver": [{"feed": True, "webhook": "https://a.b"}],
        },
        {"name": "n", "query": "PATTERN A a WITHIN 1 s", "deliver": [{"channel": "mail"}]},
    ],
)
def test_a_body_that_is_no_profile_is_a_problem(service: RunningService, body: dict[str, Any]) -> None:
    for path in ("/profiles", "/profiles/preview"):
        answer = service.client.post(path, json=body)
        assert answer.status_code == 422
        assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("path", ["/profiles", "/profiles/preview", "/tokens"])
def test_a_body_that_is_not_said_to_be_json_is_refused_as_such(service: RunningService, path: str) -> None:
    body = b'{"name": "n", "query": "PATTERN A a", "scopes": ["admin"]}'
    for headers in ({"Content-Type": "text/plain"}, {}):
        answer = service.client.post(path, content=body, headers=headers)
        assert answer.status_code == 415
        assert answer.headers["content-type"] == "application/problem+json"


def test_profiles_are_shown_changed_and_removed(service: RunningService, since: datetime) -> None:
    made = service.profile(
        PAIR, select={"a": "last"}, consume="unique", once="1 min", timezone="Europe/Paris"
    )
    shown = service.client.get(f"/profiles/{made}").json()
    assert shown["select"] == {"a": "last"} and shown["timezone"] == "Europe/Paris"
    assert shown in service.client.get("/profiles").json()
    changed = service.client.patch(f"/profiles/{made}", json={"name": "other"}).json()
    assert changed == shown | {"name": "other"}
    assert service.client.patch(f"/profiles/{made}", json={"name": None}).status_code == 422
    assert service.client.delete(f"/profiles/{made}").status_code == 204
    for method in ("GET", "PATCH", "DELETE"):
        body = {} if method == "PATCH" else None
        assert service.client.request(method, f"/profiles/{made}", json=body).status_code == 404
    assert service.client.get(f"/profiles/{made}/notifications").status_code == 404


def test_a_pause_drops_what_is_half_matched(service: RunningService, since: datetime) -> None:
    pair = service.profile(PAIR)
    service.send(event("A", since, 0, n=1, room=1))
    for paused in (True, True, False):
        assert service.client.patch(f"/profiles/{pair}", json={"paused": paused}).json()["paused"] is paused
    service.send(event("B", since, 1, n=2, room=1), event("A", since, 2, n=3, room=1))
    service.send(event("B", since, 3, n=4, room=1))
    assert service.matches(pair) == [{"a": 3, "b": 4}]


def test_a_profile_sees_what_is_accepted_after_it_was_made(service: RunningService, since: datetime) -> None:
    service.send(event("A", since, 0, n=1, room=1))
    pair = service.profile(PAIR)
    service.send(event("B", since, 1, n=2, room=1))
    assert service.matches(pair) == []


def test_silence_keeps_the_history_and_stops_the_feed(service: RunningService, since: datetime) -> None:
    seen = service.profile("PATTERN A a WITHIN 1 s RETURN a.n AS n", deliver=[{"feed": True}])
    until = {"until": "2999-01-01T00:00:00Z", "reason": "works in the building"}
    shown = service.client.patch(f"/profiles/{seen}", json={"silence": until}).json()
    assert shown["silence"] == until
    service.send(event("A", since, 0, n=1))
    assert service.client.patch(f"/profiles/{seen}", json={"silence": None}).json()["silence"] is None
    service.send(event("A", since, 1, n=2))
    rows = service.told(seen)
    assert [row["match"] for row in rows] == [{"n": 1}, {"n": 2}]
    assert rows[0]["silenced"] is True and "silenced" not in rows[1]
    assert [found["match"] for found in heard(service, 1, seen, 0)] == [{"n": 2}]


def test_the_history_goes_on_after_an_id(service: RunningService, since: datetime) -> None:
    seen = service.profile("PATTERN A a WITHIN 1 s RETURN a.n AS n")
    service.send(*(event("A", since, n, n=n) for n in range(5)))
    address, ids = f"/profiles/{seen}/notifications", [row["id"] for row in service.told(seen)]
    assert ids == sorted(ids) and len(set(ids)) == 5
    page = service.client.get(address, params={"after": ids[1], "limit": 2}).json()
    assert [row["id"] for row in page] == ids[2:4]
    for wrong in ({"limit": 0}, {"limit": 10_001}, {"after": -1}, {"after": "x"}):
        assert service.client.get(address, params=wrong).status_code == 422


# -- feed ------------------------------------------------------------------------------------------


def heard(
    service: RunningService, number: int, profile: str | None, after: int | None, act: Any = None
) -> list[dict[str, Any]]:
    """The next events of the feed."""
    headers = {} if after is None else {"Last-Event-ID": str(after)}
    found: list[dict[str, Any]] = []
    params = {} if profile is None else {"profile": profile}
    with service.client.stream("GET", "/feed", params=params, headers=headers) as stream:
        assert stream.status_code == 200
        assert stream.headers["content-type"].startswith("text/event-stream")
        for line in stream.iter_lines():
            if line.startswith(": connected") and act is not None:
                act()
            if line.startswith("data: "):
                found.append(json.loads(line.removeprefix("data: ")))
                if len(found) == number:
                    return found
    return found


def test_the_feed_tells_at_once_and_resumes(service: RunningService, since: datetime) -> None:
    seen = service.profile("PATTERN A a WITHIN 1 s RETURN a.n AS n", deliver=[{"feed": True}])
    other = service.profile("PATTERN A a WITHIN 1 s RETURN a.n AS m", deliver=[{"feed": True}])
    service.profile("PATTERN A a WITHIN 1 s RETURN a.n AS no")
    service.send(event("A", since, 0, n=0))
    (first,) = heard(service, 1, seen, None, lambda: service.send(event("A", since, 1, n=1)))
    assert first["match"] == {"n": 1} and first["profile"] == seen
    service.send(event("A", since, 2, n=2))
    found = heard(service, 2, None, first["id"])
    assert sorted(json.dumps(each["match"]) for each in found) == ['{"m": 1}', '{"n": 2}'] or {
        each["profile"] for each in found
    } <= {seen, other}
    again = heard(service, 2, seen, first["id"] - 1)
    assert [each["match"] for each in again] == [{"n": 1}, {"n": 2}]
    assert service.client.get("/feed", params={"profile": "nosuch"}).status_code == 404
    assert service.client.get("/feed", headers={"Last-Event-ID": "x"}).status_code == 400


# -- preview and operation -------------------------------------------------------------------------


def test_a_preview_says_what_would_have_been_told(service: RunningService, since: datetime) -> None:
    query = "PATTERN Prev a WHERE a.n > 1 WITHIN 1 s RETURN a.n AS n"
    service.send(*(event("Prev", since, n * 1800, n=n) for n in range(4)))
    before = service.client.get("/profiles").json()
    found = service.client.post("/profiles/preview", json={"name": "try", "query": query})
    assert found.status_code == 200, found.text
    assert found.json()["count"] == 2
    assert found.json()["bars"] == [{"hour": iso(since.replace(hour=since.hour + 1)), "count": 2}]
    assert [each["match"] for each in found.json()["examples"]] == [{"n": 2}, {"n": 3}]
    assert service.client.get("/profiles").json() == before
    bad = service.client.post("/profiles/preview", json={"name": "try", "query": "PATTERN"})
    assert bad.status_code == 422 and bad.json()["line"] == 1


def test_figures_and_descriptions(service: RunningService, since: datetime) -> None:
    service.send(event("A", since, 1), {"type": 1}, event("A", since, 2))
    service.send(event("A", since, 0))
    text = service.client.get("/metrics").text
    figures = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert float(figures["cepheid_events_accepted_total"]) >= 2
    assert float(figures['cepheid_events_refused_total{reason="late"}']) >= 1
    assert float(figures['cepheid_events_refused_total{reason="bad"}']) >= 1
    assert float(figures["cepheid_outbox_pending"]) == 0
    assert "cepheid_notification_delay_seconds_count" in figures
    docs = service.client.get("/docs")
    assert "POST /profiles/preview" in docs.text and "http" not in docs.text.replace("httpx", "")
    paths = service.client.get("/openapi.json").json()["paths"]
    assert set(paths["/profiles/{profile}"]) == {"get", "patch", "delete"}
    assert service.client.get("/health").json() == {"status": "alive"}
    assert service.client.get("/nosuch").headers["content-type"] == "application/problem+json"


def test_the_admin_token_is_not_in_the_log(service: RunningService) -> None:
    log = (service.folder / "log").read_text()
    assert "an-admin-token" not in log and log.startswith("{")
