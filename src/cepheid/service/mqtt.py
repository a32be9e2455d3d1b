"""Events from an MQTT broker: each message is a body of JSON as POST /events takes it.

A message is acknowledged (QoS 1) after its events are committed. So a connection that breaks, or a service
that is killed, loses nothing: the broker sends again what was not acknowledged, marked as a repeat, and a
repeat of what was committed is used once.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any
from urllib.parse import unquote, urlsplit

from cepheid.errors import BindingError, MissingExtraError
from cepheid.service.intake import JSON, ArrivedEvents, read_events
from cepheid.service.problems import Problem
from cepheid.service.repeats import RequestKey, digest_of, forget, once
from cepheid.service.running import Service
from cepheid.service.turn import Turn

LOG = logging.getLogger("cepheid.service")

WHO = "mqtt"  # whose keys these are, in place of a token
PAUSE = 1.0  # seconds until a broker, or the writer, is tried again
PORTS = {"mqtt": 1883, "mqtts": 8883}


class MqttIntake:
    """Listens to a broker until the service stops."""

    def __init__(self, url: str, client: str) -> None:
        try:
            import aiomqtt
        except ModuleNotFoundError:
            raise MissingExtraError("events from MQTT", "mqtt") from None
        self._mqtt: Any = aiomqtt
        self._parts, self._client = urlsplit(url), client
        self._topic = unquote(url.partition("://")[2].partition("/")[2])  # may hold #, as addresses may not
        if self._parts.scheme not in PORTS or not self._parts.hostname or not self._topic:
            raise BindingError(
                "CEPHEID_MQTT is no address of a broker: write mqtt://user:password@host/topic/#"
            )

    async def run(self, service: Service) -> None:
        """Connect and listen, and do so again whenever that ends."""
        while not service.is_stopping:
            try:
                await self._listen(service)
            except (self._mqtt.MqttError, OSError) as error:
                LOG.warning("the MQTT broker is not there, or is lost: %s", type(error).__name__)
            await asyncio.sleep(PAUSE)

    def _connection(self) -> Any:
        parts = self._parts
        return self._mqtt.Client(
            parts.hostname,
            parts.port or PORTS[parts.scheme],
            username=None if parts.username is None else unquote(parts.username),
            password=None if parts.password is None else unquote(parts.password),
            identifier=self._client,
            clean_session=False,  # the broker keeps what comes while the service is away
            tls_params=self._mqtt.TLSParameters() if parts.scheme == "mqtts" else None,
        )

    async def _listen(self, service: Service) -> None:
        connection = self._connection()
        repeats = _by_hand(connection._client)
        waiting: asyncio.Queue[tuple[Any, asyncio.Task[None]]] = asyncio.Queue()
        acknowledging = asyncio.create_task(_acknowledge(connection._client, waiting))
        try:
            async with connection:
                await connection.subscribe(self._topic, qos=1)
                LOG.info("listening to MQTT")
                async for message in connection.messages:
                    taken = _take(service, message, repeats.pop(message.mid, False))
                    waiting.put_nowait((message, asyncio.create_task(taken)))
        finally:
            acknowledging.cancel()
            while not waiting.empty():
                waiting.get_nowait()[1].cancel()


def _by_hand(client: Any) -> dict[int, bool]:
    """Let messages be acknowledged by hand, from the first one on; which of them are repeats, by number.

    aiomqtt hands on neither, so its inner client is asked.
    """
    repeats: dict[int, bool] = {}
    taken = client.on_message

    def noted(inner: Any, userdata: Any, message: Any) -> None:
        repeats[message.mid] = message.dup
        taken(inner, userdata, message)

    client.manual_ack_set(True)
    client.on_message = noted
    return repeats


async def _acknowledge(client: Any, waiting: asyncio.Queue[Any]) -> None:
    """In the order in which messages came, as MQTT wants it."""
    while True:
        message, taken = await waiting.get()
        await taken
        client.ack(message.mid, message.qos)


async def _take(service: Service, message: Any, is_repeat: bool) -> None:
    """Have a message's events committed, however long that takes; what cannot be read is dropped."""
    payload = message.payload if isinstance(message.payload, bytes) else b""
    try:
        arrived = read_events(payload, {"content-type": JSON})
    except Problem as problem:
        service.metrics.refused.labels("bad").inc()
        LOG.warning("a message of MQTT holds no events: %s", problem.detail)
        return
    known = digest_of([str(message.topic)], payload)
    key = RequestKey(WHO, f"{message.mid} {known}", known)
    while not service.is_stopping:
        try:
            await service.engine.do(
                lambda turn: _taken(turn, arrived, key, is_repeat), arrived.count, arrived.size
            )
            return
        except Problem as problem:
            if problem.status != 503:
                LOG.warning("the events of a message of MQTT are refused: %s", problem.detail)
                return
            await asyncio.sleep(PAUSE)
    await asyncio.Event().wait()  # it is not acknowledged, and comes again


def _taken(turn: Turn, arrived: ArrivedEvents, key: RequestKey, is_repeat: bool) -> Any:
    if not is_repeat:  # the broker uses its numbers again
        forget(turn, key)
    return once(turn, key, lambda turn: turn.take_events(arrived))
