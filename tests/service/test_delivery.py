"""Webhooks to a real receiver on this machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

pytest.importorskip("fastapi", reason="needs cepheid[service]")

from standardwebhooks import Webhook

from cepheid.service.addresses import AddressGuard, AddressRefused, literal_address
from cepheid.service.sending import retry_seconds
from cepheid.service.settings import settings_from
from tests.service.receiver import Receiver
from tests.service.serving import Hours, RunningService, event, eventually, iso, serving

pytestmark = pytest.mark.service

SEEN = "PATTERN A a WHERE a.who = '{who}' WITHIN 1 s RETURN a.n AS n"
HOURS = Hours()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    flags = ("--idle", "1 day", "--allow-network", "127.0.0.1/32")
    folder = tmp_path_factory.mktemp("delivery")
    with serving(folder, *flags, CEPHEID_WEBHOOK_SCHEDULE="0.1 s, 0.1 s, 0.1 s") as found:
        yield found


def delivering(service: RunningService, who: str, *urls: str) -> tuple[str, str]:
    body = {"name": who, "query": SEEN.format(who=who), "deliver": [{"webhook": url} for url in urls]}
    made = service.client.post("/profiles", json=body).json()
    return made["id"], made["secret"]


def test_a_webhook_is_signed_and_delivered(service: RunningService, receiver: Receiver) -> None:
    profile, secret = delivering(service, "signed", f"{receiver.address}/ok/signed")
    assert "secret" not in service.client.get(f"/profiles/{profile}").json()
    service.send(event("A", HOURS.fresh(), 0, who="signed", n=1))
    (row,) = service.settled(profile)
    assert (row["status"], row["attempts"], row["outcome"]) == ("delivered", 1, "answered 204")
    ((_, headers, body),) = receiver.of("/ok/signed")
    (told,) = service.told(profile)
    assert headers["webhook-id"] == f"{profile}_{told['match_id']}"
    found = Webhook(secret).verify(body, headers)
    assert found["data"] == told | {"profile": profile, "name": "signed"}

    new = service.client.post(f"/profiles/{profile}/secret").json()["secret"]
    assert new != secret
    service.send(event("A", HOURS.fresh(), 0, who="signed", n=2))
    eventually(lambda: len(receiver.of("/ok/signed")) == 2)
    _, headers, body = receiver.of("/ok/signed")[1]
    for each in (secret, new):
        assert Webhook(each).verify(body, headers)["data"]["match"] == {"n": 2}


def test_failures_are_tried_again_and_can_be_replayed(service: RunningService, receiver: Receiver) -> None:
    profile, _ = delivering(service, "again", f"{receiver.address}/503/2/again", f"{receiver.address}/500")
    since = HOURS.fresh()
    service.send(event("A", since, 0, who="again", n=1))
    rows = {row["webhook"].rsplit("/", 1)[1]: row for row in service.settled(profile)}
    assert {row["time"] for row in rows.values()} == {iso(since)}
    assert (rows["again"]["status"], rows["again"]["attempts"]) == ("delivered", 3)
    assert (rows["500"]["status"], rows["500"]["attempts"]) == ("failed", 4)
    assert len({headers["webhook-id"] for _, headers, _ in receiver.of("/503/2/again")}) == 1
    address = f"/profiles/{profile}/deliveries"
    assert [row["id"] for row in service.client.get(address, params={"status": "failed"}).json()] == [
        rows["500"]["id"]
    ]
    assert service.client.post(f"{address}/{rows['500']['id']}/replay").status_code == 202
    eventually(lambda: len(receiver.of("/500")) == 8)
    assert service.client.post(f"{address}/999999/replay").status_code == 404


def test_redirects_fail_gone_switches_off_and_retry_after_is_obeyed(
    service: RunningService, receiver: Receiver
) -> None:
    moved, _ = delivering(service, "moved", f"{receiver.address}/302")
    gone, _ = delivering(service, "gone", f"{receiver.address}/410")
    busy, _ = delivering(service, "busy", f"{receiver.address}/429/1")
    since = HOURS.fresh()
    service.send(*(event("A", since, 0, who=who, n=1) for who in ("moved", "gone", "busy")))
    assert [row["status"] for row in service.settled(moved)] == ["failed"]
    assert receiver.of("/ok/redirected") == []
    (row,) = service.settled(gone)
    assert (row["status"], row["attempts"]) == ("failed", 1)
    (shown,) = service.client.get(f"/profiles/{gone}").json()["deliver"]
    assert shown["reason"] == "it answered 410 Gone"
    service.send(event("A", since, 1, who="gone", n=2))
    assert len(service.deliveries(gone)) == 1 and len(service.told(gone)) == 2
    assert [row["status"] for row in service.settled(busy)] == ["delivered"]
    first, second = (float(headers["webhook-timestamp"]) for _, headers, _ in receiver.of("/429/1"))
    assert second >= first + 1


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.2/",
        "https://10.0.0.1/x",
        "https://192.168.1.1",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://[64:ff9b::a00:1]/",
        "https://[fe80::1]/",
        "https://[fec0::1]/",
        "https://%31%30.0.0.1/",
        "https://10.0.0.1%2f@example.com/",
        "https://[2002:a00:1::]/",
        "https://0/",
        "https://0x0a000001/",
        "https://012.1/",
        "https://167772161/",
        "https://100.64.0.1/",
        "https://224.0.0.1/",
        "https://example.com:65536/",
        "https://example.com:0/",
        "http://93.184.216.34/",
        "ftp://example.com/",
        "https:///nothing",
        "https://user:pass@example.com/",
        "no address",
    ],
)
def test_where_webhooks_may_not_go(service: RunningService, url: str) -> None:
    body = {"name": "n", "query": "PATTERN A a WITHIN 1 s", "deliver": [{"webhook": url}]}
    answer = service.client.post("/profiles", json=body)
    assert answer.status_code == 422, url
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_name_is_checked_when_it_is_resolved(service: RunningService) -> None:
    """localhost has 127.0.0.1, which is allowed, and mostly ::1 too, which is not."""
    allowed = AddressGuard(settings_from(allow_network=["127.0.0.1/32"]).allow_network)
    allowed.check_url("http://localhost/")
    with pytest.raises(AddressRefused, match="local name"):
        AddressGuard(()).check_url("https://localhost/")
    with pytest.raises(AddressRefused, match="https"):
        AddressGuard(()).check_url("http://example.com/")
    AddressGuard(()).check_url("https://example.com/hook")


def test_connections_go_only_to_what_was_checked() -> None:
    import anyio
    import httpcore2

    from cepheid.service.addresses import GuardedNetwork

    async def connect() -> None:
        network = GuardedNetwork(AddressGuard(()), secure=True)
        await network.connect_tcp("localhost", 443)

    with pytest.raises(httpcore2.ConnectError, match="not a public address"):
        anyio.run(connect)


def test_odd_spellings_are_addresses() -> None:
    for text in ("127.1", "0x7f.1", "2130706433", "0177.0.0.1", "[::1]", "127.0.0.1."):
        assert literal_address(text) is not None and literal_address(text).is_loopback  # type: ignore[union-attr]
    assert literal_address("example.com") is None


def test_retry_after_is_a_number_or_a_date() -> None:
    assert retry_seconds("7") == 7.0 and retry_seconds("") == 0.0 and retry_seconds("soon") == 0.0
    moment = datetime.now(UTC) + timedelta(seconds=100)
    assert 90 < retry_seconds(format_datetime(moment, usegmt=True)) <= 100
    assert json.dumps(retry_seconds("9" * 400)) == "86400.0"
