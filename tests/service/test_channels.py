"""Channels that an admin defines: messages by apprise and alerts, to a real receiver on this machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs cepheid[service]")

from tests.service.receiver import Receiver
from tests.service.serving import Hours, RunningService, event, serving

pytestmark = pytest.mark.service

SEEN = "PATTERN A a WHERE a.who = '{who}' WITHIN 1 s RETURN a.n AS n"
SECRET = "a-very-secret-word"
HOURS = Hours()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    flags = ("--idle", "1 day", "--allow-network", "127.0.0.1/32")
    settings = {"CEPHEID_WEBHOOK_SCHEDULE": "0.1 s, 0.1 s", "CEPHEID_LOG_LEVEL": "debug"}
    with serving(tmp_path_factory.mktemp("channels"), *flags, **settings) as found:
        yield found


def define(service: RunningService, name: str, status: int = 201, **body: Any) -> Any:
    answer = service.client.put(f"/channels/{name}", json=body)
    assert answer.status_code == status, answer.text
    assert SECRET not in answer.text
    return answer.json()


def telling(service: RunningService, who: str, *channels: str) -> str:
    return service.profile(SEEN.format(who=who), deliver=[{"channel": each} for each in channels])


def test_an_alert_has_labels_and_annotations(service: RunningService, receiver: Receiver) -> None:
    made = define(service, "alerts", alertmanager=f"{receiver.address}/ok/am/", labels={"team": "building"})
    assert made == {"name": "alerts", "kind": "alertmanager"}
    profile = telling(service, "alert", "alerts")
    assert service.client.get(f"/profiles/{profile}").json()["deliver"] == [{"channel": "alerts"}]
    since = HOURS.fresh()
    service.send(event("A", since, 0, who="alert", n=1), event("A", since, 1, who="alert", n=2))
    rows = service.settled(profile)
    assert [(row["channel"], row["status"], row["outcome"]) for row in rows] == [
        ("alerts", "delivered", "answered 204")
    ] * 2
    told = {row["match_id"]: row for row in service.told(profile)}
    sent = [alert for _, _, body in receiver.of("/ok/am/api/v2/alerts") for alert in json.loads(body)]
    assert len(sent) == len(told) == 2
    for alert in sent:
        row = told[alert["labels"]["match_id"]]
        assert alert["labels"] == {
            "team": "building",
            "alertname": "a test",
            "profile": profile,
            "match_id": row["match_id"],
        }
        assert json.loads(alert["annotations"]["match"]) == row["match"]
        assert alert["annotations"]["summary"] == "a test" and alert["startsAt"] == row["time"]


def test_an_alertmanager_that_fails_is_asked_again(service: RunningService, receiver: Receiver) -> None:
    define(service, "shaky", alertmanager=f"{receiver.address}/503/2/am")
    profile = telling(service, "shaky", "shaky")
    service.send(event("A", HOURS.fresh(), 0, who="shaky", n=1))
    (row,) = service.settled(profile)
    assert (row["status"], row["attempts"]) == ("delivered", 3)


def test_a_message_goes_through_apprise_and_its_address_stays_secret(
    service: RunningService, receiver: Receiver
) -> None:
    pytest.importorskip("apprise", reason="needs cepheid[channels]")
    host = receiver.address.removeprefix("http://")
    define(service, "ops-mail", apprise=f"json://user:{SECRET}@{host}/ok/mail?-X-Key={SECRET}")
    define(service, "down", apprise=f"json://user:{SECRET}@127.0.0.1:9/down")
    profile = telling(service, "mail", "ops-mail", "down")
    service.send(event("A", HOURS.fresh(), 0, who="mail", n=7))
    rows = {row["channel"]: row for row in service.settled(profile)}
    assert (rows["ops-mail"]["status"], rows["ops-mail"]["outcome"]) == ("delivered", "sent")
    assert (rows["down"]["status"], rows["down"]["attempts"]) == ("failed", 3)
    ((_, _, body),) = [each for each in receiver.got if each[0].startswith("/ok/mail")]
    message = json.loads(body)
    assert message["title"] == "a test" and '{"n": 7}' in message["message"]
    shown = [service.client.get(path).text for path in ("/channels", "/profiles", "/metrics")]
    shown += [service.client.get(f"/profiles/{profile}/deliveries").text]
    shown += [(service.folder / "log").read_text()]
    assert not any(SECRET in text for text in shown)
    assert {"name": "ops-mail", "kind": "apprise"} in service.client.get("/channels").json()


def test_a_channel_is_replaced_and_removed(service: RunningService, receiver: Receiver) -> None:
    define(service, "moving", alertmanager=f"{receiver.address}/ok/first")
    profile = telling(service, "moving", "moving")
    define(service, "moving", 200, alertmanager=f"{receiver.address}/ok/second")
    service.send(event("A", HOURS.fresh(), 0, who="moving", n=1))
    service.settled(profile)
    assert not receiver.of("/ok/first/api/v2/alerts") and receiver.of("/ok/second/api/v2/alerts")
    assert service.client.delete("/channels/moving").status_code == 409
    service.client.delete(f"/profiles/{profile}")
    assert service.client.delete("/channels/moving").status_code == 204
    assert service.client.delete("/channels/moving").status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"apprise": "nonsense"},
        {"apprise": f"nosuch://{SECRET}@x"},
        {"alertmanager": "http://10.0.0.1/"},
        {"alertmanager": f"https://user:{SECRET}@example.com/"},
        {"alertmanager": "https://example.com/", "labels": {"1st": "x"}},
        {"apprise": "json://localhost", "alertmanager": "https://example.com/"},
    ],
)
def test_a_channel_that_cannot_be_is_refused(service: RunningService, body: dict[str, Any]) -> None:
    answer = service.client.put("/channels/wrong", json=body)
    assert answer.status_code == 422 and SECRET not in answer.text
    assert answer.headers["content-type"] == "application/problem+json"


def test_only_channels_that_there_are_can_be_named(service: RunningService) -> None:
    body = {"name": "n", "query": "PATTERN A a WITHIN 1 s", "deliver": [{"channel": "nosuch"}]}
    answer = service.client.post("/profiles", json=body)
    assert answer.status_code == 422 and "nosuch" in answer.json()["detail"]
    assert service.client.put("/channels/no%20name", json={"apprise": "json://x"}).status_code == 422
