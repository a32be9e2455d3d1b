"""What a picture of matches in time shows: events, matches, and what lasts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from cepheid.views.time_scale import TimeScale


@dataclass(frozen=True, slots=True)
class TimelineEvent:
    """An event: on the lane of its type; matches are made of some of them."""

    time: float
    lane: str
    text: str  # shown where one points at it
    is_matched: bool = True
    variable: str = ""  # written at it
    matches: tuple[int, ...] = ()  # the spans that have it, by number


@dataclass(frozen=True, slots=True)
class TimelineSpan:
    """A match, from its first event to its completion."""

    start: float
    end: float
    text: str
    name: str = ""  # written before it
    marks: tuple[float, ...] = ()  # the times of its events


@dataclass(frozen=True, slots=True)
class TimelineStretch:
    """What lasts, on a lane: a run of events of a Kleene variable, or the time in which no event may be."""

    start: float
    end: float
    lane: str
    text: str
    match: int
    is_empty: bool = False  # no event may be there
    name: str = ""  # written at it


def _plain(time: float) -> str:
    return f"{time:g}"


@dataclass(frozen=True, slots=True)
class TimelineContents:
    """Events and matches. Without a `scale`, `shown` writes a time and `length` a stretch of time."""

    events: Sequence[TimelineEvent]
    spans: Sequence[TimelineSpan]
    shown: Callable[[float], str] = field(default=_plain)
    length: Callable[[float], str] = field(default=_plain)
    stretches: Sequence[TimelineStretch] = ()
    scale: TimeScale | None = None
    order: Sequence[str] = ()  # of lanes, those that come first
    notes: Sequence[str] = ()  # what is not shown
    query: str = ""  # whose matches they are
    lanes_by: str = ""  # what names a lane

    @property
    def lanes(self) -> tuple[str, ...]:
        """The types of all events, in the order in which they come."""
        ordered = sorted(self.events, key=lambda event: event.time)
        matched = [event.lane for event in ordered if event.is_matched]
        lasting = [stretch.lane for stretch in self.stretches]
        used = dict.fromkeys([*matched, *lasting, *(event.lane for event in ordered)])
        return tuple(dict.fromkeys([*(lane for lane in self.order if lane in used), *used]))
