"""Durations and windows, exact whatever the unit of the time column."""

from dataclasses import dataclass, field
from fractions import Fraction

from cepheid.errors import Span

UNIT_NANOSECONDS: dict[str, int] = {
    "ns": 1,
    "us": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "min": 60_000_000_000,
    "h": 3_600_000_000_000,
    "d": 86_400_000_000_000,
    "w": 604_800_000_000_000,
}

_SPELLINGS: dict[str, tuple[str, ...]] = {
    "ns": ("nanoseconds", "nanosecond"),
    "us": ("microseconds", "microsecond", "µs"),
    "ms": ("milliseconds", "millisecond", "msec"),
    "s": ("seconds", "second", "sec", "secs"),
    "min": ("min", "mins", "minute", "minutes"),
    "h": ("hours", "hour", "hr", "hrs"),
    "d": ("days", "day"),
    "w": ("weeks", "week"),
}
"""How else a unit may be written; the first is how it is shown."""

UNIT_NAMES = {name: unit for unit, names in _SPELLINGS.items() for name in (unit, *names)}
"""Every spelling of a unit, lower case, to its short name."""


@dataclass(frozen=True, slots=True)
class Duration:
    """A length of time: a number of a unit, or a bare number in the unit of a numeric time column."""

    amount: Fraction
    unit: str | None  # a key of UNIT_NANOSECONDS, or None for a bare number

    def nanoseconds(self) -> Fraction:
        """The exact length; only for a duration with a unit."""
        assert self.unit is not None
        return self.amount * UNIT_NANOSECONDS[self.unit]

    def __str__(self) -> str:
        number = decimal_text(self.amount)
        return number if self.unit is None else f"{number} {_SPELLINGS[self.unit][0]}"


@dataclass(frozen=True, slots=True)
class Window:
    """`WITHIN …`: a length of time, or a number of events, first and last included."""

    length: Duration | int  # int: a number of events
    half_open: bool = False  # WITHIN < d
    span: Span | None = field(default=None, compare=False, repr=False, kw_only=True)

    @property
    def counts_events(self) -> bool:
        """Whether the window is measured in events rather than in time."""
        return isinstance(self.length, int)

    def __str__(self) -> str:
        sign = "< " if self.half_open else ""
        return f"{sign}{self.length} EVENTS" if isinstance(self.length, int) else f"{sign}{self.length}"


def decimal_text(value: Fraction) -> str:
    """A terminating decimal as people write it; durations are parsed from decimals, so all are."""
    if value.denominator == 1:
        return str(value.numerator)
    digits = 0
    while (value * 10**digits).denominator != 1:
        digits += 1
    scaled = str(abs((value * 10**digits).numerator)).rjust(digits + 1, "0")
    sign = "-" if value < 0 else ""
    return f"{sign}{scaled[:-digits]}.{scaled[-digits:]}"


def parse_unit(name: str) -> str | None:
    """The short name of a unit, or None if there is no such unit."""
    return UNIT_NAMES.get(name.lower())
