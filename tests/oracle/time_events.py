"""Time events of a profile: AT, EVERY and SILENCE, each after all events of its time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from datetime import time as time_of_day
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

from cepheid.pattern.nodes import At, Atom, Every, Nth, Pattern, Silence, Single, parts, walk
from cepheid.pattern.query import PatternQuery
from cepheid.time import UNIT_NANOSECONDS

from .conditions import conjunct
from .evaluate import CLOCK, Event
from .facts import Facts
from .stream import Stream, Taken
from .zones import first_at

RANK = "rank()"  # where an event keeps its place among all, time events included
EPOCH = datetime(1970, 1, 1)


@dataclass(frozen=True)
class TimeEvent:
    """When it is, which of the profile's time events it is, and what a SILENCE has of the last event."""

    clock: Any
    kind: str
    attributes: Mapping[str, Any]
    key: tuple[Any, ...] | None = None  # None: it agrees with every key
    after: int = -1  # the position of the last event before a silence


class ProfileFacts(Facts):
    """One profile over one stream, with the time events in it."""

    def __init__(self, query: PatternQuery, stream: Stream, time_events: Mapping[int, TimeEvent]) -> None:
        super().__init__(query, stream)
        self.time_events = time_events
        self.only: Any = None  # the partition that is looked at; None: all of them
        for position, event in time_events.items():
            stream.keys[position] = event.key

    def is_of_type(self, variable: str, position: int) -> bool:
        """A time event has no type: it stands only where the pattern asks for it."""
        if position in self.time_events:
            return self.atoms[variable].type == self.time_events[position].kind
        return super().is_of_type(variable, position)

    def is_of_partition(self, taken: Taken, position: int) -> bool:
        """AT and EVERY have no key and agree with every one."""
        if self.has_no_key(position):
            return True
        key = self.stream.keys[position]
        if self.only is not None and key != self.only:
            return False
        others = (p for positions in taken.values() for p in positions if not self.has_no_key(p))
        return key is not None and all(self.stream.keys[p] == key for p in others)

    def has_no_key(self, position: int) -> bool:
        return position in self.time_events and self.time_events[position].key is None


def staged(
    query: PatternQuery,
    events: Sequence[Event],
    zone: str,
    until: Any,
    time: str,
    type: str | None,
    order: Sequence[str],
    time_unit: str | None,
) -> tuple[ProfileFacts, list[dict[str, Any]]]:
    """The profile over the events and its time events, and all of these as they are returned.

    Time events exist from the first event's time up to the newest time, or to `until` if that is later.
    """
    plain = Stream(events, query.keys, time, type, order, time_unit)
    named = _Named(query, plain)
    columns = list(dict.fromkeys(column for event in events for column in event))
    found: list[TimeEvent] = []
    if len(plain):
        newest = plain.clock[-1]
        clocks = Clocks(plain, time_unit, zone, newest if until is None else max(newest, until))
        for kind, node in named.kinds.items():
            if isinstance(node, Silence):
                found += _silences(query, node, kind, plain, clocks)
            else:
                times = clocks.at(node) if isinstance(node, At) else clocks.every(node)
                found += [TimeEvent(t, kind, {}) for t in times]
    ranks = list(named.kinds)
    merged: list[tuple[Any, TimeEvent | int]] = [((plain.clock[p], 0, 0, p), p) for p in range(len(plain))]
    merged += [((e.clock, 1, ranks.index(e.kind), e.after), e) for e in found]
    merged.sort(key=lambda item: item[0])
    shown = [_shown(plain, events, item, columns, time, type) for _, item in merged]
    ranked = [{**event, RANK: place} for place, event in enumerate(shown)]
    stream = Stream(ranked, query.keys, time, type, [RANK], time_unit)
    at = {place: item for place, (_, item) in enumerate(merged) if isinstance(item, TimeEvent)}
    return ProfileFacts(named.query, stream, at), shown


def _shown(
    plain: Stream,
    events: Sequence[Event],
    item: TimeEvent | int,
    columns: Sequence[str],
    time: str,
    type: str | None,
) -> dict[str, Any]:
    """An event as it was given; a time event has a time, no type, and a silence the last one's attributes."""
    if isinstance(item, int):
        return dict(events[plain.index[item]])
    found = {column: item.attributes.get(column) for column in columns}
    return found | {time: _as_time(item.clock, plain.events[0][CLOCK])} | ({type: None} if type else {})


def _as_time(clock: Any, like: Any) -> Any:
    if not isinstance(like, datetime):
        return clock
    instant = EPOCH + timedelta(microseconds=int(clock) // 1000)
    return instant if like.tzinfo is None else instant.replace(tzinfo=UTC).astimezone(like.tzinfo)


class _Named:
    """The query with `Type v` for all that profiles have besides, and which kind of time event is which."""

    def __init__(self, query: PatternQuery, stream: Stream) -> None:
        self.stream = stream
        self.kinds: dict[str, At | Every | Silence] = {}  # in the order of the text
        self._count = 0
        alone = {atom.variable for atom in walk(query.pattern) if isinstance(atom, Silence)}
        kept = tuple(c for c in query.conjuncts if not any(conjunct(c).names == {v} for v in alone))
        self._own = {v: [c for c in query.conjuncts if conjunct(c).names == {v}] for v in alone}
        self.query = replace(query, pattern=self._plain(query.pattern), conjuncts=kept)

    def _plain(self, node: Pattern) -> Pattern:
        match node:
            case Nth(type=type, variable=v, bare=bare):
                return Single(type, v, bare=bare)
            case At(time_of_day=text):
                return self._single(node, f"AT {text}")
            case Every(period=period):
                return self._single(node, f"EVERY {self.stream.ticks(period)}")
            case Silence(type=type, variable=v, duration=d):
                own = [repr(c).replace(f"variable={v!r}", "variable=it") for c in self._own[v]]
                return self._single(
                    node, f"SILENCE OF {type} {node.bare} FOR {self.stream.ticks(d)} {sorted(own)}"
                )
            case Atom():
                return node
        inner = [self._plain(part) for part in parts(node)]
        return replace(node, **({"part": inner[0]} if hasattr(node, "part") else {"parts": tuple(inner)}))

    def _single(self, node: At | Every | Silence, kind: str) -> Single:
        """What means the same is the same time event, wherever it stands."""
        self.kinds.setdefault(kind, node)
        self._count += 1
        return Single(kind, node.variable if isinstance(node, Silence) else f"{kind} #{self._count}")


@dataclass(frozen=True)
class Clocks:
    """When AT and EVERY are, in the numbers of the stream's clock."""

    stream: Stream
    time_unit: str | None
    zone: str
    end: Any

    @property
    def is_real(self) -> bool:
        return isinstance(self.stream.clock[0], float)

    def number(self, exact: Fraction | int) -> Any:
        return float(exact) if self.is_real else int(exact)

    def every(self, node: Every) -> list[Any]:
        """The multiples of the period since 1970 UTC."""
        period, start = Fraction(self.stream.ticks(node.period)), self.stream.clock[0]
        first = int(Fraction(start) // period) - 1
        last = int(Fraction(self.end) // period) + 1
        times = (self.number(k * period) for k in range(first, last + 1))
        return [t for t in times if start <= t <= self.end]

    def at(self, node: At) -> list[Any]:
        """Each day in the zone: in a gap of the clock at its end, doubled the first."""
        has_units = isinstance(self.stream.events[0][CLOCK], datetime)
        tick = 1 if has_units else UNIT_NANOSECONDS[self.time_unit or ""]
        start, clock = self.stream.clock[0], time_of_day.fromisoformat(node.time_of_day)
        day = (EPOCH + timedelta(microseconds=float(start) * tick / 1000)).date() - timedelta(days=2)
        found: list[Any] = []
        while not found or found[-1] <= self.end:
            instant = first_at(datetime.combine(day, clock), ZoneInfo(self.zone))
            microseconds = (instant - EPOCH) // timedelta(microseconds=1)
            found.append(self.number(Fraction(microseconds * 1000, tick)))
            day += timedelta(days=1)
        return [t for t in found if start <= t <= self.end]


def _silences(
    query: PatternQuery, node: Silence, kind: str, stream: Stream, clocks: Clocks
) -> Iterator[TimeEvent]:
    """When for so long no event has qualified: once per silence, and per key."""
    facts, length = Facts(query, stream), stream.ticks(node.duration)
    own = [test for test in facts.of_positive if test.names == {node.variable}]
    by_key: dict[Any, list[int]] = {} if query.keys else {(): []}
    for p in range(len(stream)):
        fits = facts.is_of_type(node.variable, p) and stream.keys[p] is not None
        if fits and all(test.holds({node.variable: (stream.events[p],)}) for test in own):
            by_key.setdefault(stream.keys[p], []).append(p)
    for key, positions in by_key.items():
        begins = [] if query.keys else [(stream.clock[0], -1)]
        begins += [(stream.clock[p], p) for p in positions]
        ends = [stream.clock[p] for p in positions[len(positions) - len(begins) + 1 :]]
        for (begun, last), end in zip(begins, [*ends, None], strict=True):
            silent = begun + length if not clocks.is_real else begun + float(length)
            if silent <= clocks.end and (end is None or end > silent):
                yield TimeEvent(silent, kind, stream.events[last] if last >= 0 else {}, key, last)
