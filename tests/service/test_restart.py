"""What survives: kills at any moment, stops in peace, and how the clock goes on."""

from __future__ import annotations

import socket
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytest.importorskip("fastapi", reason="needs cepheid[service]")

from cepheid.service.run import EndingServer, serve
from cepheid.service.settings import settings_from
from tests.service.serving import ADMIN, START, RunningService, event, eventually, iso

pytestmark = [pytest.mark.service, pytest.mark.slow]

PAIR = "PATTERN SEQ(A a, B b) WITHIN 1 min RETURN a.n AS a, b.n AS b"


def test_state_survives_kills_and_stops(tmp_path: Path) -> None:
    service = RunningService(tmp_path, "--idle", "1 day").start()
    since = START
    unique = service.profile(PAIR, consume="unique")
    once = service.profile(PAIR, once="ever")
    ticking = service.profile("PATTERN SEQ(A a, EVERY 10 s) WITHIN 30 s RETURN a.n AS n")
    gone = service.profile(PAIR)
    paused = service.profile(PAIR)
    service.send(event("A", since, 0, n=1), event("A", since, 1, n=2))
    service.client.delete(f"/profiles/{gone}")
    service.client.patch(f"/profiles/{paused}", json={"paused": True})
    later = service.profile(PAIR)
    answer = service.send(event("B", since, 2, n=3), **{"Idempotency-Key": "k"})
    before = {name: service.told(name) for name in (unique, once, ticking, paused, later)}
    service.kill()

    service.start()
    assert {name: service.told(name) for name in before} == before
    assert service.send(event("B", since, 2, n=3), **{"Idempotency-Key": "k"}) == answer
    service.client.patch(f"/profiles/{paused}", json={"paused": False})
    late = service.send(event("A", since, 1, n=9))
    assert len(late["late"]) == 1, "the clock stands where it stood"
    service.send(event("B", since, 3, n=4))
    assert service.stop() == 0

    service = RunningService(tmp_path, "--idle", "1 day", "--lateness", "5 s").start()
    service.send(event("B", since, 12, n=5))
    answer = service.send(event("A", since, 8, n=6), event("A", since, 6, n=0))
    assert (answer["accepted"], len(answer["late"])) == (1, 1)
    service.kill()

    service.start()
    service.send(event("B", since, 40, n=7))
    assert service.matches(unique) == [{"a": 1, "b": 3}, {"a": 2, "b": 4}, {"a": 6, "b": 5}]
    assert service.matches(once) == [{"a": 1, "b": 3}]
    assert service.matches(ticking) == [{"n": 1}, *([{"n": 1}, {"n": 2}, {"n": 6}] * 3)]
    assert service.matches(later) == [{"a": 6, "b": 5}]
    assert service.matches(paused) == [{"a": 6, "b": 5}]
    ids = [row["id"] for row in service.told(unique)]
    assert ids == sorted(set(ids))
    service.kill()


def test_an_idle_clock_goes_on_a_second_a_second(tmp_path: Path) -> None:
    service = RunningService(tmp_path, "--idle", "1 s").start()
    silent = service.profile("PATTERN SILENCE OF Reading r FOR 2 s WHERE [s] RETURN r.s AS s")
    slow = service.profile("PATTERN SILENCE OF Reading r FOR 1 hour WHERE [s] RETURN r.s AS s")
    sent = time.monotonic()
    service.send(event("Reading", START, 0, s="x"))
    eventually(lambda: service.told(silent))
    assert time.monotonic() - sent >= 3, "not sooner than idle and the silence"
    (row,) = service.told(silent)
    assert row["time"] == iso(START + timedelta(seconds=2)) and row["match"] == {"s": "x"}
    answer = service.send(event("Reading", START, 1, s="y"))
    assert len(answer["late"]) == 1, "what is behind the idle clock is late"
    service.kill()

    service.start()
    assert service.told(slow) == [], "time while the service is down does not count"
    answer = service.send({"type": "Reading", "s": "now"})
    assert answer["accepted"] == 1, "an event without a time has that of its acceptance"
    assert [row["match"] for row in service.told(slow)] == [{"s": "x"}]
    ahead = datetime.now(UTC) + timedelta(hours=25)
    answer = service.send({"type": "Reading", "time": ahead.timestamp(), "s": "ahead"})
    assert "too far ahead" in answer["bad"][0]["reason"]
    assert service.stop() == 0


def test_the_first_token_is_printed_once_and_a_second_service_refused(tmp_path: Path) -> None:
    service = RunningService(tmp_path)
    del service._environment["CEPHEID_ADMIN_TOKEN"]
    service.start()
    assert service.process is not None and service.process.stdout is not None
    token = service.process.stdout.readline().split()[-1]
    assert token.startswith("cph_")
    assert service.signed_in(token).get("/tokens").status_code == 200
    assert service.client.get("/tokens").status_code == 401, f"not {ADMIN}"
    other = RunningService(tmp_path)
    with pytest.raises(AssertionError, match="another service uses"):
        other.start()
    assert token not in (tmp_path / "log").read_text()
    assert token.encode() not in (tmp_path / "cepheid.db").read_bytes()
    assert service.stop() == 0


def test_whoever_reads_the_address_can_connect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """However long it takes until the server takes connections in."""
    met: list[str] = []

    def connect(server: object, sockets: list[socket.socket]) -> None:
        address = urlsplit(capsys.readouterr().out.split()[3])
        socket.create_connection((address.hostname, address.port or 0), timeout=10).close()
        met.append(address.netloc)

    monkeypatch.setattr(EndingServer, "run", connect)
    for name in ("signal.signal", "sys.setswitchinterval", "cepheid.service.logs.set_up"):
        monkeypatch.setattr(name, lambda *_: None)  # this process runs other tests
    serve(settings_from(db=f"sqlite:///{tmp_path / 'cepheid.db'}", port=0))
    assert met
