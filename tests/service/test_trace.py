"""GET /profiles/{id}/trace: why a profile did, or did not, fire; over HTTP, by the recorded events."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs cepheid[service]")

from tests.service.serving import Hours, RunningService, event, iso, serving

pytestmark = pytest.mark.service

HOURS = Hours()
BREAK_IN = "PATTERN SEQ(Door d, Motion m, Window w) WHERE [room] AND m.level > 20 WITHIN 1 min"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    folder: Path = tmp_path_factory.mktemp("traced")
    with serving(folder, "--idle", "1 day") as found:
        yield found


@pytest.fixture
def since() -> datetime:
    return HOURS.fresh()


def traced(service: RunningService, profile: str, **asked: Any) -> dict[str, Any]:
    answer = service.client.get(f"/profiles/{profile}/trace", params=asked)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def nearest(service: RunningService, profile: str, **asked: Any) -> dict[str, Any]:
    found: dict[str, Any] = traced(service, profile, **asked)["near_misses"][0]
    return found


def test_the_wrong_room(service: RunningService, since: datetime) -> None:
    mine = service.profile(BREAK_IN)
    service.send(
        event("Door", since, 0, room="12"),
        event("Motion", since, 2, room="12", level=30),
        event("Window", since, 4, room=13),
    )
    miss = nearest(service, mine)
    assert (miss["kind"], miss["came"], miss["parts"]) == ("key", 2, 3)
    assert miss["failed"][0] | {"values": {}} == {
        "kind": "key",
        "condition": "[room]",
        "null": False,
        "left": "12",
        "right": 13,
        "values": {},
    }
    assert miss["event"]["time"] == iso(since + timedelta(seconds=4))


def test_a_part_that_came_after_the_window(service: RunningService, since: datetime) -> None:
    mine = service.profile(BREAK_IN)
    service.send(
        event("Door", since, 0, room=1),
        event("Motion", since, 2, room=1, level=30),
        event("Window", since, 64, room=1),
    )
    miss = nearest(service, mine)
    assert (miss["kind"], miss["failed"][0]["condition"]) == ("window", "WITHIN 1 min")
    assert miss["failed"][0]["right"] == iso(since + timedelta(seconds=60))


def test_a_condition_that_failed(service: RunningService, since: datetime) -> None:
    mine = service.profile(BREAK_IN)
    service.send(
        event("Door", since, 0, room=1),
        event("Motion", since, 2, room=1, level=17),
        event("Window", since, 4, room=1),
    )
    miss = nearest(service, mine)
    assert (miss["kind"], miss["failed"][0]["condition"]) == ("condition", "m.level > 20")
    assert (miss["failed"][0]["left"], miss["failed"][0]["right"]) == (17, 20)
    assert miss["event"] == {
        "variable": "m",
        "type": "Motion",
        "time": iso(since + timedelta(seconds=2)),
        "attributes": {"room": 1, "level": 17},
    }
    assert miss["would_match_at"] == iso(since + timedelta(seconds=4))


def test_a_value_of_another_kind_is_unknown(service: RunningService, since: datetime) -> None:
    mine = service.profile(BREAK_IN)
    service.send(event("Door", since, 0, room=1), event("Motion", since, 2, room=1, level="high"))
    miss = nearest(service, mine)
    assert miss["failed"][0]["null"] and miss["failed"][0]["left"] == "high"


def test_what_it_told_and_what_once_held_back(service: RunningService, since: datetime) -> None:
    mine = service.profile("PATTERN SEQ(Door d, Window w) WHERE [room] WITHIN 1 min", once="1 hour")
    for second in (0, 10):
        service.send(event("Door", since, second, room=5), event("Window", since, second + 1, room=5))
    answer = traced(service, mine)
    assert (answer["matches"], answer["told"], answer["notifications"]) == (3, 1, 1)
    assert "once=1 hours held it back" in answer["near_misses"][0]["says"]
    assert answer["text"].startswith("3 matches in 4 events")


def test_an_absence_that_still_waits(service: RunningService, since: datetime) -> None:
    mine = service.profile("PATTERN SEQ(Door d, ~Badge b) WHERE [room] WITHIN 1 min")
    service.send(event("Door", since, 0, room=6), event("Other", since, 5))
    answer = traced(service, mine)
    assert (answer["matches"], answer["notifications"]) == (0, 0)
    assert answer["near_misses"][0]["kind"] == "waiting"
    service.send(event("Other", since, 61))
    assert (traced(service, mine)["matches"], len(service.told(mine))) == (1, 1)


def test_a_silence_that_was_ended_too_soon(service: RunningService, since: datetime) -> None:
    mine = service.profile("PATTERN SILENCE OF Beat b FOR 1 min WHERE [sensor]")
    service.send(*(event("Beat", since, second, sensor="s1") for second in (0, 50, 60)))
    miss = nearest(service, mine)
    assert miss["kind"] == "silence" and miss["event"]["time"] == iso(since + timedelta(seconds=50))


def test_it_sees_what_the_profile_has_seen(service: RunningService, since: datetime) -> None:
    service.send(event("Door", since, 0, room=8))
    mine = service.profile("PATTERN SEQ(Door d, Window w) WHERE [room] WITHIN 1 min")
    service.send(event("Window", since, 1, room=8))
    assert traced(service, mine)["events"] == 1
    service.client.patch(f"/profiles/{mine}", json={"paused": True})
    service.send(event("Window", since, 2, room=8))
    paused = traced(service, mine)
    assert paused["events"] == 1 and any("paused" in note for note in paused["notes"])
    service.client.patch(f"/profiles/{mine}", json={"paused": False})
    service.send(event("Window", since, 3, room=8), event("Door", since, 4, room=8))
    resumed = traced(service, mine)
    assert resumed["events"] == 2 and resumed["until"] == iso(since + timedelta(seconds=4))


def test_since_and_a_picture(service: RunningService, since: datetime) -> None:
    mine = service.profile(BREAK_IN)
    service.send(*(event("Door", since, second, room=9) for second in range(10)))
    later = since + timedelta(seconds=6)
    for asked in (iso(later), str(later.timestamp())):
        assert traced(service, mine, since=asked)["events"] == 4
    assert traced(service, mine, picture=True)["svg"].startswith("<svg ")
    assert "svg" not in traced(service, mine)


def test_bad_questions(service: RunningService) -> None:
    assert service.client.get("/profiles/nobody/trace").status_code == 404
    mine = service.profile(BREAK_IN)
    bad = service.client.get(f"/profiles/{mine}/trace", params={"since": "noon"})
    assert bad.status_code == 422 and "since= 'noon' is not ISO 8601" in bad.json()["detail"]
