"""Events from an MQTT broker: a real one on this machine, and what is acknowledged when."""

from __future__ import annotations

import asyncio
import json
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs cepheid[service]")
aiomqtt = pytest.importorskip("aiomqtt", reason="needs cepheid[mqtt]")

from sqlalchemy import func, select

from cepheid.errors import BindingError
from cepheid.service.engine import ServiceEngine
from cepheid.service.metrics import ServiceMetrics
from cepheid.service.mqtt import MqttIntake, _acknowledge, _take
from cepheid.service.problems import busy
from cepheid.service.tables import STEPS
from tests.service.serving import START, RunningService, event, eventually
from tests.service.test_engine import played

pytestmark = pytest.mark.service


def message(number: int, *events: Any, text: str | None = None) -> Any:
    payload = json.dumps(events).encode() if text is None else text.encode()
    return SimpleNamespace(mid=number, qos=1, topic="building/7", payload=payload)


def test_a_message_is_acknowledged_once_its_events_are_committed(tmp_path: Path) -> None:
    acknowledged: list[tuple[int, int]] = []  # the message, and the events that were committed by then

    async def scene(engine: ServiceEngine) -> Any:
        def count() -> Any:
            found = select(func.coalesce(func.sum(STEPS.c.count), 0))
            return engine.do(lambda turn: turn.connection.execute(found).scalar())

        calls = 0

        async def do(*given: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == 1:
                raise busy("not now")
            return await engine.do(*given)

        service: Any = SimpleNamespace(
            engine=SimpleNamespace(do=do), metrics=ServiceMetrics(), is_stopping=False
        )
        waiting: asyncio.Queue[Any] = asyncio.Queue()

        class Inner:
            def ack(self, number: int, qos: int) -> None:
                assert qos == 1
                acknowledged.append((number, asked[number]))

        asked: dict[int, int] = {}
        acknowledging = asyncio.create_task(_acknowledge(Inner(), waiting))

        async def taken(one: Any, is_repeat: bool) -> None:
            await _take(service, one, is_repeat)
            asked[one.mid] = await count()

        messages = [
            (message(1, event("A", START, 0, n=0)), False),
            (message(2, event("A", START, 1, n=1), event("A", START, 2, n=2)), False),
            (message(3, text="no JSON"), False),
            (message(2, event("A", START, 1, n=1), event("A", START, 2, n=2)), True),  # a repeat
            (message(1, event("A", START, 3, n=3)), False),  # the number is used again
            (message(4, event("A", START, 4, n=4)), False),
            (message(4, event("A", START, 4, n=4)), False),  # the same anew, and no repeat
        ]
        for one, is_repeat in messages:
            task = asyncio.create_task(taken(one, is_repeat))
            waiting.put_nowait((one, task))
            await task
        while len(acknowledged) < len(messages):
            await asyncio.sleep(0.01)
        acknowledging.cancel()
        return await count()

    assert played(tmp_path, scene, lateness="1 day") == 6
    assert acknowledged == [(1, 1), (2, 3), (3, 3), (2, 3), (1, 4), (4, 5), (4, 6)]


@pytest.mark.slow
class TestBroker:
    """With a real broker, though one that keeps nothing for a client that is away, as others do."""

    @pytest.fixture
    def broker(self) -> Iterator[LocalBroker]:
        pytest.importorskip("amqtt", reason="needs a broker: pip install amqtt")
        found = LocalBroker()
        yield found
        found.close()

    def test_events_come_from_a_broker_also_after_it_was_lost(
        self, broker: LocalBroker, tmp_path: Path
    ) -> None:
        address = f"mqtt://127.0.0.1:{broker.port}/building/#"
        service = RunningService(tmp_path, "--idle", "1 day", CEPHEID_MQTT=address).start()
        seen = service.profile("PATTERN A a WITHIN 1 s RETURN a.n AS n")

        def one(n: int) -> dict[str, Any]:
            return event("A", START, n, n=n)

        broker.publish(one(0), [one(1), one(2)], "no JSON", "[1]", *map(one, range(3, 20)))
        eventually(lambda: len(service.told(seen)) == 20)
        broker.restart()
        eventually(lambda: (tmp_path / "log").read_text().count("listening to MQTT") == 2)
        broker.publish(*map(one, range(20, 30)))
        eventually(lambda: len(service.told(seen)) == 30)
        assert [match["n"] for match in service.matches(seen)] == list(range(30))
        assert service.stop() == 0


class LocalBroker:
    """A broker on a free port, in a thread of its own."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._do(self._started())

    async def _started(self) -> None:
        from amqtt.broker import Broker

        self._broker = Broker(
            {
                "listeners": {"default": {"type": "tcp", "bind": f"127.0.0.1:{self.port}"}},
                "plugins": {"amqtt.plugins.authentication.AnonymousAuthPlugin": {"allow_anonymous": True}},
            }
        )
        await self._broker.start()

    def publish(self, *payloads: Any) -> None:
        async def all_of_them() -> None:
            async with aiomqtt.Client("127.0.0.1", self.port) as client:
                for each in payloads:
                    text = each if isinstance(each, str) else json.dumps(each)
                    await client.publish("building/7/readings", text, qos=1)

        asyncio.run(all_of_them())

    def restart(self) -> None:
        self._do(self._broker.shutdown())
        self._do(self._started())

    def close(self) -> None:
        self._do(self._broker.shutdown())
        self._loop.call_soon_threadsafe(self._loop.stop)

    def _do(self, work: Any) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(60)


class Mosquitto:
    """The broker of that name, from Debian's packages."""

    def __init__(self, program: str, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        settings = folder / "mosquitto.conf"
        settings.write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\n")
        self._process = subprocess.Popen([program, "-c", settings], stderr=subprocess.DEVNULL)
        eventually(self._listens)

    def _listens(self) -> bool:
        with socket.socket() as asking:
            return asking.connect_ex(("127.0.0.1", self.port)) == 0

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


@pytest.mark.slow
def test_what_comes_while_the_service_is_killed_is_used_once(tmp_path: Path) -> None:
    """With a broker that keeps what was not acknowledged, and sends it again. amqtt gives up what is on its
    way to a client that vanishes."""
    program = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")
    if program is None:
        pytest.skip("needs a broker that keeps messages: apt-get install mosquitto")
    broker = Mosquitto(program, tmp_path)
    address = f"mqtt://sensor:secret@127.0.0.1:{broker.port}/building/#"
    service = RunningService(tmp_path, CEPHEID_MQTT=address).start()
    count, over = 400, threading.Event()
    seen = service.profile("PATTERN A a WITHIN 1 s RETURN a.n AS n")
    eventually(lambda: "listening to MQTT" in (tmp_path / "log").read_text())

    async def publish() -> None:
        async with aiomqtt.Client("127.0.0.1", broker.port, username="sender") as client:
            for n in range(count):
                await client.publish("building/7", json.dumps({"type": "A", "n": n}), qos=1)
                await asyncio.sleep(0.005)

    sending = threading.Thread(target=lambda: (asyncio.run(publish()), over.set()))
    sending.start()
    kills = 0
    while not over.is_set():
        time.sleep(0.7)
        service.kill()
        kills += 1
        service.start()
    sending.join()
    eventually(lambda: len(service.told(seen)) >= count)
    assert sorted(match["n"] for match in service.matches(seen)) == list(range(count)) and kills
    assert service.stop() == 0
    broker.close()


@pytest.mark.parametrize("address", ["http://host/topic", "mqtt://host", "mqtt:///topic"])
def test_an_address_that_is_no_broker_is_refused(address: str) -> None:
    with pytest.raises(BindingError, match="CEPHEID_MQTT"):
        MqttIntake(address, "cepheid")
