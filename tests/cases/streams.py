"""A case, and random streams for it: events whose types mostly follow the order of the pattern."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa

from tests.cases.dice import Dice
from tests.cases.times import CHANGES, in_zone, moments

DAY = datetime(2024, 1, 1, 12)
NAN = float("nan")
BIG = 2**62
COLUMNS: dict[str, list[Any]] = {
    "x": [1, 0, 2, 3, 1, 2, 0, 5, -1, 1, 2, 1, None],
    "y": [1.0, 0.0, 0.5, 2.0, 1.5, -1.0, 0.5, 3.0, 1.0, 2.5, 1.0, NAN, None],
    "n": [1, 7, -3, 2, 0, 4, -7, BIG, -2 * BIG, None],
    "s": ["a", "b", "ab", "a", "b", "ba", "B", "a", "ab", "", "é", None],
    "f": [True, False, True, True, None],
    "d": [
        DAY,
        DAY + timedelta(hours=30),
        DAY - timedelta(minutes=45, seconds=7),
        datetime(2024, 3, 31, 2, 30),
        DAY,
        datetime(2024, 10, 27, 3),
        None,
    ],
    "k": [1, 1, 1, 1, 1, 2, 1, 1, 2, None],
    "g": ["p", "p", "p", "p", "p", "p", "q", "p", "p", None],
    "seq": [0, 1, 2],
    "z": [None],  # times in the zone of the case
    "o": [
        {"p": 1, "q": {"s": "a"}},
        {"p": 2, "q": {"s": "ab"}},
        {"p": 0, "q": {"s": None}},
        {"p": None, "q": {"s": "b"}},
        {"p": 1, "q": None},
        None,
    ],
}
COLUMN_TYPES: dict[str, pa.DataType] = {
    "x": pa.int64(),
    "y": pa.float64(),
    "n": pa.int64(),
    "s": pa.string(),
    "f": pa.bool_(),
    "d": pa.timestamp("us"),
    "k": pa.int64(),
    "g": pa.string(),
    "seq": pa.int64(),
    "o": pa.struct([("p", pa.int64()), ("q", pa.struct([("s", pa.string())]))]),
}
LENGTHS: dict[str, tuple[str, ...]] = {
    "int": ("4", "6", "9", "2", "12"),
    "float": ("1", "2.25", "0.5", "3"),
    "timestamp": ("1 min", "2 minutes", "45 seconds", "0.05 hours", "15 s", "90500 ms"),
    "events": ("4", "6", "3", "8", "2", "12"),
}
TIME_TYPES = {"int": pa.int64(), "float": pa.float64(), "timestamp": pa.timestamp("us")}
TICKS: dict[str, Callable[[int], Any]] = {
    "int": lambda tick: tick,
    "float": lambda tick: tick / 4,
    "timestamp": lambda tick: DAY + timedelta(seconds=15 * tick),
}


@dataclass(frozen=True)
class Case:
    """A query, the events that it runs over, and how they may be cut into batches.

    `lateness` is enough for a session that is fed in the order of the list to find nothing late and
    to order events as a whole run does; None where no lateness does (tie-breakers out of order).
    """

    query_text: str
    events: list[dict[str, Any]]
    binding: dict[str, Any]
    cuts: list[int]
    lateness: Any
    has_window: bool
    time_kind: str = "int"
    zone: str = "Europe/Berlin"  # of the column z
    time_zone: str | None = None  # of time, if it is a timestamp

    @property
    def table(self) -> pa.Table:
        """The events as Arrow; the columns' types do not depend on the values."""
        kind = TIME_TYPES[self.time_kind] if self.time_zone is None else pa.timestamp("us", self.time_zone)
        types = {"time": kind, **COLUMN_TYPES, "z": pa.timestamp("us", self.zone)}
        fields = [pa.field(name, kind) for name, kind in types.items()]
        names = {"time", *COLUMNS, *({"type"} & self.binding.keys())}
        if "type" in self.binding:
            fields.append(pa.field("type", pa.string()))
        assert all(event.keys() == names for event in self.events)
        return pa.Table.from_pylist(self.events, schema=pa.schema(fields))

    def __str__(self) -> str:
        rows = "\n".join(f"  {i}: {event}" for i, event in enumerate(self.events))
        zones = f"zone={self.zone} time_zone={self.time_zone}"
        return f"{self.query_text}\n{self.binding} cuts={self.cuts} lateness={self.lateness} {zones}\n{rows}"


@dataclass
class Plan:
    """What has been decided of a case so far."""

    time_kind: str
    has_types: bool
    binding: dict[str, Any]
    strategy: str = ""
    types: list[str] = field(default_factory=list)
    singles: list[str] = field(default_factory=list)
    kleenes: list[str] = field(default_factory=list)
    negated: list[str] = field(default_factory=list)
    unbounded: int = 0
    columns: dict[str, list[Any]] = field(default_factory=lambda: COLUMNS)
    lengths: dict[str, tuple[str, ...]] = field(default_factory=lambda: LENGTHS)
    zone: str = "Europe/Berlin"
    time_zone: str | None = None

    @property
    def positive(self) -> list[str]:
        return sorted(self.singles + self.kleenes)

    def kinds(self, likely: str) -> dict[str, int]:
        """How often an event is of which type, where the pattern would like it to be of one of them."""
        loyal = 70 if "skip" in self.strategy or not self.strategy else 200
        return {likely: loyal, "A": 10, "B": 10, "C": 10, "Z": 5}

    @property
    def least(self) -> int:
        """How short a stream may be."""
        return 0

    @property
    def longest(self) -> int:
        """How long a stream may be before its matches are too many."""
        if self.strategy in ("", "skip_till_any_match"):
            return (12, 8, 7, 6, 6)[self.unbounded] if len(self.positive) < 4 else 7
        return 14 if self.unbounded < 2 else 11


def events_of(dice: Dice, plan: Plan) -> list[dict[str, Any]]:
    """Events whose types mostly follow the order of the pattern; time stands still now and then."""
    size = max(dice.integer(plan.least, plan.longest) for _ in range(3))
    columns = {**plan.columns, "z": moments(plan.zone)}
    start = dice.pick(CHANGES[plan.zone]) - timedelta(minutes=1)
    tick, found = 0, []
    for place in range(size):
        tick += dice.weighted({1: 50, 0: 20, 2: 20, 3: 10})
        event = {"time": TICKS[plan.time_kind](tick)}
        if plan.time_zone is not None:
            event["time"] = in_zone(start + timedelta(seconds=15 * tick), plan.time_zone)
        if dice.chance(2):
            event["time"] = NAN if plan.time_kind == "float" and dice.chance(50) else None
        if plan.has_types:
            likely = plan.types[place * len(plan.types) // size]
            event["type"] = dice.weighted(plan.kinds(likely))
        event |= {name: dice.pick(options) for name, options in columns.items()}
        found.append(event)
    return found


def arranged(dice: Dice, plan: Plan, events: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], Any]:
    """The events in the order of the stream, or mixed up a little, and the lateness that this takes."""
    ties = plan.binding.get("order", ())
    timed = [event for event in events if _is_time(event["time"])]
    if not dice.chance(25):
        ordered = iter(sorted(timed, key=lambda e: (_instant(e["time"]), *(e[c] for c in ties))))
        return [next(ordered) if _is_time(event["time"]) else event for event in events], 0
    moved = events[:]
    for place in range(len(moved) - 1):
        if dice.chance(40):
            moved[place], moved[place + 1] = moved[place + 1], moved[place]
    times = [event["time"] for event in moved if _is_time(event["time"])]
    if ties or plan.time_kind == "timestamp":
        return moved, None
    lags = [max(times[: i + 1]) - time for i, time in enumerate(times)]
    return moved, max(lags, default=0)


def _instant(moment: Any) -> Any:
    """Python compares times of one zone by what clocks show."""
    return moment.astimezone(UTC) if isinstance(moment, datetime) and moment.tzinfo else moment


def _is_time(moment: Any) -> bool:
    return moment is not None and moment == moment
