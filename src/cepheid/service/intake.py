"""Bodies of requests as events: JSON, a list, NDJSON, and CloudEvents; taken apart into columns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cepheid.runners.stream.loose_values import OddEvent, json_event, with_long_numbers
from cepheid.service.cloud_events import from_binary, from_structured
from cepheid.service.moments import NoMoment, is_as_shown, shown, ticks_of
from cepheid.service.problems import Problem

JSON = "application/json"
NDJSON = ("application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines")
CLOUD_EVENT, CLOUD_BATCH = "application/cloudevents+json", "application/cloudevents-batch+json"

LONGEST_TYPE = 255
Reasons = list[dict[str, Any]]


@dataclass(slots=True)
class ArrivedEvents:
    """The events of a request: those that may be good, as columns, and those that are bad, with reasons."""

    size: int
    places: list[int] = field(default_factory=list)
    times: list[int | None] = field(default_factory=list)  # None: the time of acceptance
    types: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)  # as JSON; without a time, if there is none yet
    identities: dict[int, str] = field(default_factory=dict)  # by place: source and id of a CloudEvent
    doubtful: set[int] = field(default_factory=set)  # places of events with long numbers
    bad: Reasons = field(default_factory=list)

    @property
    def count(self) -> int:
        """How many events there are, good or bad."""
        return len(self.places) + len(self.bad)

    def take(self, place: int, event: Any, identity: str | None = None) -> None:
        """One event, as JSON has it. This is done for every event, and so in a few steps."""
        kind = event.get("type") if type(event) is dict else None
        if type(kind) is not str or not 0 < len(kind) <= LONGEST_TYPE:
            self.refuse(place, _why_no_event(event))
            return
        moment, time = event.get("time"), None
        try:
            if moment is not None:
                time = ticks_of(moment)
                if type(moment) is not str or not is_as_shown(moment):
                    event["time"] = shown(time)
            text, _ = json_event(event)
        except (NoMoment, OddEvent) as error:
            self.refuse(place, str(error))
            return
        if identity is not None:
            self.identities[place] = identity
        self.places.append(place)
        self.times.append(time)
        self.types.append(kind)
        self.texts.append(text)

    def refuse(self, place: int, why: str) -> None:
        """Note that an event is bad."""
        self.bad.append({"index": place, "reason": why})


def _why_no_event(event: Any) -> str:
    if type(event) is not dict:
        return "it is not an object"
    if event.get("type") is None:
        return "it has no 'type'"
    return f"its 'type' is not a text of 1 to {LONGEST_TYPE} characters"


def read_events(body: bytes, headers: Mapping[str, str]) -> ArrivedEvents:
    """The events of a request; a body that cannot be read at all is a problem."""
    media = headers.get("content-type", JSON).partition(";")[0].strip().lower() or JSON
    cloud = {name: value for name, value in headers.items() if name.startswith("ce-")}
    arrived = ArrivedEvents(len(body))
    if media == CLOUD_EVENT:
        _take_cloud_events(arrived, [_parsed(body)])
    elif media == CLOUD_BATCH:
        _take_cloud_events(arrived, _expect_list(_parsed(body)))
    elif "ce-specversion" in cloud:
        _take(arrived, 0, from_binary, (cloud, media, body))
    elif media in NDJSON:
        _take_lines(arrived, body)
    elif media == JSON or media.endswith("+json"):
        found = _parsed(body)
        for place, event in enumerate(found if isinstance(found, list) else [found]):
            arrived.take(place, event)
    else:
        raise Problem(415, f"{media} is not known here: send {JSON}, {NDJSON[0]} or {CLOUD_EVENT}")
    arrived.doubtful = {arrived.places[row] for row in with_long_numbers(arrived.texts)}
    return arrived


def _take_cloud_events(arrived: ArrivedEvents, events: Iterable[Any]) -> None:
    for place, event in enumerate(events):
        _take(arrived, place, from_structured, (event,))


def _take(arrived: ArrivedEvents, place: int, read: Any, given: tuple[Any, ...]) -> None:
    try:
        event, identity = read(*given)
    except ValueError as error:
        arrived.refuse(place, str(error))
    else:
        arrived.take(place, event, identity)


def _take_lines(arrived: ArrivedEvents, body: bytes) -> None:
    """One event a line; empty lines do not count."""
    place = 0
    for line in body.split(b"\n"):
        if not line.strip():
            continue
        try:
            event = loads(line)
        except ValueError as error:
            arrived.refuse(place, f"the line is not JSON: {error}")
        else:
            arrived.take(place, event)
        place += 1


def _expect_list(found: Any) -> list[Any]:
    if not isinstance(found, list):
        raise Problem(400, f"a body of {CLOUD_BATCH} is a list")
    return found


def _parsed(body: bytes) -> Any:
    try:
        return loads(body)
    except ValueError as error:
        raise Problem(400, f"the body is not JSON: {error}") from None


def loads(text: bytes) -> Any:
    """JSON, and nothing that Python only takes for it."""
    try:
        return json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number in JSON")
