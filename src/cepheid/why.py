"""Why there was, or was not, a match: what came how far, and what stopped it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from datetime import time as time_of_day
from decimal import Decimal
from typing import Any

from cepheid.views.near_misses import DrawnEvent, DrawnMiss, near_misses_html, near_misses_svg

SHOWN = 5  # near misses in the text


@dataclass(frozen=True, slots=True)
class WhyEvent:
    """An event, and the variable that it was or would have been."""

    variable: str | None
    type: str | None
    time: Any
    attributes: Mapping[str, Any]
    row: int  # its place among the events that were looked at, from 0

    def __str__(self) -> str:
        held = " ".join(f"{name}={_value_text(value)}" for name, value in self.attributes.items())
        return " ".join(part for part in (str(self.time), self.type or "", held) if part)

    def as_dict(self) -> dict[str, Any]:
        """What JSON can hold."""
        return {
            "variable": self.variable,
            "type": self.type,
            "time": _plain(self.time),
            "attributes": {name: _plain(value) for name, value in self.attributes.items()},
        }


@dataclass(frozen=True, slots=True)
class FailedCondition:
    """One thing that an event failed, with the values that were compared."""

    kind: str  # condition, key or window
    text: str  # as in the query
    is_null: bool = False  # unknown, since something in it is null
    left: Any = None  # of a comparison
    right: Any = None
    values: Mapping[str, Any] = field(default_factory=dict)  # of all that it names

    def as_dict(self) -> dict[str, Any]:
        """What JSON can hold."""
        values = {name: _plain(value) for name, value in self.values.items()}
        return {
            "kind": self.kind,
            "condition": self.text,
            "null": self.is_null,
            "left": _plain(self.left),
            "right": _plain(self.right),
            "values": values,
        }


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A partial match, how far it came, and what stopped it."""

    events: tuple[WhyEvent, ...]  # that it has
    came: int  # how many parts it has
    parts: int  # how many it needed, at least
    kind: str  # condition, absence, strategy, window, key, silence, waiting, nothing or not told
    says: str  # what stopped it, in words
    waits_for: str | None = None  # the part that would have come next
    event: WhyEvent | None = None  # that stopped it, or came nearest to taking it further
    failed: tuple[FailedCondition, ...] = ()
    is_beside_match: bool = False  # its first event also began a match
    would_match_at: Any = None  # had the event been taken all the same, there would be a match at this time

    @property
    def time(self) -> Any:
        """When it was decided: at the event that stopped it, else at the last that it has."""
        at = self.event or (self.events[-1] if self.events else None)
        return None if at is None else at.time

    def lines(self) -> list[str]:
        """In words: the events, and what stopped it."""
        wide = max((len(event.variable or "") for event in self.events), default=0)
        found = [f"{event.variable or '':<{wide}}  {event}" for event in self.events]
        after = " (its first event also began a match)" if self.is_beside_match else ""
        first, *others = self.says.split("; ")
        head = f"{self.came} of {self.parts} parts{after}"
        return [head, *(f"  {line}" for line in (*found, first)), *(f"    {line}" for line in others)]

    def drawn(self) -> DrawnMiss:
        """What a picture shows of it."""
        stop = [] if self.event is None or self.event in self.events else [self.event]
        placed = [(event, False) for event in self.events] + [(event, True) for event in stop]
        marks = (
            DrawnEvent(event.type or "event", _number(event.time), event.variable or "", str(event), is_stop)
            for event, is_stop in placed
        )
        begun = f", from {self.events[0].time}" if self.events else ""
        return DrawnMiss(f"{self.came} of {self.parts} parts{begun}", self.says, tuple(marks))

    def as_dict(self) -> dict[str, Any]:
        """What JSON can hold."""
        return {
            "kind": self.kind,
            "came": self.came,
            "parts": self.parts,
            "says": self.says,
            "time": _plain(self.time),
            "waits_for": self.waits_for,
            "events": [event.as_dict() for event in self.events],
            "event": None if self.event is None else self.event.as_dict(),
            "failed": [each.as_dict() for each in self.failed],
            "beside_match": self.is_beside_match,
            "would_match_at": _plain(self.would_match_at),
        }


@dataclass(frozen=True, slots=True, repr=False)
class Why:
    """What came how far, nearest misses first; `str()` is the text."""

    query: str
    matches: int  # of the pattern, as the engine finds them
    told: int | None  # how many EMIT, select, consume and once let out; None if they were not counted
    events: int  # that were looked at
    since: Any  # the time of the first and the last of them
    until: Any
    near: tuple[NearMiss, ...]
    steps: tuple[tuple[str, int], ...] = ()  # how many first events came how far
    notes: tuple[str, ...] = ()  # what was left out, and where the answer is less exact

    def __str__(self) -> str:
        lines = [self.summary, *_step_lines(self.steps)]
        if self.near:
            lines.append("nearest misses" if not self.told else "nearest misses beside the matches")
        for number, miss in enumerate(self.near[:SHOWN], 1):
            first, *others = miss.lines()
            lines += [f"{number:>3}. {first}", *(f"     {line}" for line in others)]
        if len(self.near) > SHOWN:
            lines.append(f"     … and {len(self.near) - SHOWN} more: in .near, or by --out FILE.json")
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    __repr__ = __str__

    @property
    def summary(self) -> str:
        """How many matches in how many events."""
        found = "no match" if not self.matches else f"{self.matches:,} match{'es' * (self.matches > 1)}"
        is_less = self.told is not None and self.told != self.matches
        held = f", of which {self.told:,} let out" if is_less else ""
        when = "" if self.since is None else f", {self.since} to {self.until}"
        return f"{found} in {self.events:,} event{'s' * (self.events != 1)}{when}{held}"

    def svg(self) -> str:
        """A picture: a lane a type, the nearest misses as spans, and the events that stopped them."""
        return near_misses_svg(self._drawn())

    def html(self) -> str:
        """A page of its own: the picture and the text."""
        return near_misses_html(self._drawn(), self.query, str(self), is_page=True)

    def _repr_html_(self) -> str:
        return near_misses_html(self._drawn(), self.query, str(self), is_page=False)

    def _drawn(self) -> list[DrawnMiss]:
        return [miss.drawn() for miss in self.near[:SHOWN]]

    def as_dict(self) -> dict[str, Any]:
        """What JSON can hold."""
        return {
            "matches": self.matches,
            "told": self.told,
            "events": self.events,
            "since": _plain(self.since),
            "until": _plain(self.until),
            "steps": [{"step": step, "count": count} for step, count in self.steps],
            "near_misses": [miss.as_dict() for miss in self.near],
            "notes": list(self.notes),
            "text": str(self),
        }


def _step_lines(steps: Sequence[tuple[str, int]]) -> list[str]:
    if not steps:
        return []
    wide = max(len(step) for step, _ in steps)
    return ["how far first events came", *(f"  {step:<{wide}}  {count:>9,}" for step, count in steps)]


def _number(time: Any) -> float:
    """A time as a number, for its place in a picture."""
    if isinstance(time, int | float | Decimal):
        return float(time)
    if not isinstance(time, date):
        return 0.0  # one that Python cannot hold
    moment = time if isinstance(time, datetime) else datetime(time.year, time.month, time.day)
    return (moment - datetime(1970, 1, 1, tzinfo=None if moment.tzinfo is None else UTC)).total_seconds()


def _value_text(value: Any) -> str:
    text = "null" if value is None else str(value)
    return text if len(text) <= 40 else text[:39] + "…"


def _plain(value: Any) -> Any:
    """A value as JSON can hold it."""
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, date | time_of_day):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):
        return str(value)
    if isinstance(value, timedelta | Decimal | bytes):
        return str(value)
    return value if isinstance(value, bool | int | float | str | None) else str(value)
