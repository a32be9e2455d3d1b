"""What the forms of the page do, and what it shows of what profiles told."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

import httpx2
import pytest

pytest.importorskip("fastapi", reason="needs cepheid[service]")
pytest.importorskip("jinja2", reason="needs cepheid[service]")

from cepheid.service.page.reasons import facts_of, shown_miss
from tests.service.pages import fields, made
from tests.service.serving import Hours, RunningService, event

pytestmark = pytest.mark.service

PAIR = "PATTERN SEQ(Door a, Light b) WHERE [room] WITHIN 1 min"


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


@pytest.mark.parametrize(
    ("query", "matched"),
    [
        (
            "PATTERN SEQ(Door+ a[], Light b) WHERE skip_till_next_match { [room] } WITHIN 9 s RETURN b.room",
            3,
        ),
        ("PATTERN SEQ(Door a, ~Light b) WHERE [room] WITHIN 1 min RETURN a.room AS room", 1),
        ("PATTERN SILENCE OF Light b FOR 5 min WHERE [room] RETURN b.room AS room", 1),
        ("PATTERN OR(Door a, Light b) WHERE [room] WITHIN 1 min RETURN a.room AS a, b.room AS b", 1),
        ("PATTERN SEQ(Door a, AT '12:00') WHERE [room] WITHIN 1 day RETURN a.room AS room", 1),
    ],
)
def test_pictures_of_all_kinds_of_matches(
    service: RunningService,
    admin: httpx2.Client,
    hours: Hours,
    since: datetime,
    query: str,
    matched: int,
) -> None:
    profile = made(admin, query)
    doors = [event("Door", since, second, room=1) for second in (1, 2)] + [event("Door", since, 50, room=2)]
    later = event("Rain", since + timedelta(days=1, hours=2), 1)
    service.send(*doors, event("Light", since, 3, room=1), later)
    hours.skip(timedelta(days=2))
    told = service.told(profile)
    texts = [admin.get(f"/page/notifications/{row['id']}/picture").text for row in told]
    assert told and max(text.count('class="matched"') for text in texts) == matched
    assert not any("cannot be told any more" in text for text in texts)


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
    assert facts_of({"notifications": 3, "told": 3}) == {"notifications": "3"}
    assert facts_of({"notifications": 3, "told": 2}) == {"notifications": "3", "told": "2"}
