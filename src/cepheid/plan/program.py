"""The words that all engines share: tests of one event, columns, values, conditions, windows, absences."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum

from cepheid.expressions import Expression
from cepheid.pattern.types import ValueType


@dataclass(frozen=True, slots=True)
class EventTest:
    """What one event must satisfy by itself: its type, and conditions over `Element`s."""

    type: str | None
    conditions: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """An expression over one event, computed for all events before the kernel runs."""

    expression: Expression  # over Elements
    type: ValueType


class Capture(Enum):
    """What a run remembers of the events of one variable (a column of V in the SASE+ paper)."""

    FIRST = "first"
    LAST = "last"
    NTH = "nth"
    LENGTH = "len"
    COUNT = "count"
    DISTINCT = "count distinct"
    SUM = "sum"
    MIN = "min"
    MAX = "max"
    MEAN = "avg"  # kept up to date from a SUM and a COUNT slot


@dataclass(frozen=True, slots=True)
class Slot:
    """One value that a run carries; `inputs` of a MEAN are its sum and its count."""

    position: int
    capture: Capture
    column: int | None
    type: ValueType
    inputs: tuple[int, int] | None = None
    ordinal: int = 0  # of an NTH: which event it is of, from 1
    remembered: int | None = None  # of a DISTINCT: where the buffer keeps the value of each event


@dataclass(frozen=True, slots=True)
class TextFunction:
    """A function of text that is known only as events come; its other arguments are constants."""

    name: str
    arguments: tuple[str | int, ...] = ()


class Source(IntEnum):
    """Where a kernel finds a value."""

    COLUMN = 0  # of the event at hand
    SLOT = 1  # of the run
    CONSTANT = 2
    NODE = 3  # of an event in the buffer, for conjuncts that range over all events of a variable
    CANDIDATE = 4  # of an event that may be the absent one


@dataclass(frozen=True, slots=True)
class Load:
    """A value, by its source and its index there."""

    source: Source
    index: int
    type: ValueType


@dataclass(frozen=True, slots=True)
class Apply:
    """An operation of the kernel's interpreter."""

    operation: str
    arguments: tuple[Load | Apply, ...]
    type: ValueType


@dataclass(frozen=True, slots=True)
class Condition:
    """A conjunct over several events, ready for the kernel."""

    value: Load | Apply
    requires: tuple[int, ...]  # optional positions: where one is absent, the conjunct holds
    ranges_over: tuple[int, ...]  # Kleene positions of whose every event it must hold
    from_second: tuple[bool, ...]  # per position ranged over: only for i > 1
    source: Expression


@dataclass(frozen=True, slots=True)
class Remembered:
    """A value that the buffer keeps with each event of a position, taken as the event is selected."""

    position: int
    value: Load  # a COLUMN of the event, or a SLOT of the run before the event


@dataclass(frozen=True, slots=True)
class WindowTest:
    """`last - first <= limit` (or `<`), in ticks of the time column or in events."""

    counts_events: bool
    limit: int | float
    strict: bool = False  # only for float time: `<`
    members: tuple[int, ...] = ()  # positions inside; empty: the whole match
    half_open: bool = False  # as written, `WITHIN < d`: it closes before the events of its last moment


@dataclass(frozen=True, slots=True)
class Absence:
    """A negated variable, and where it stands among the positions."""

    variable: str
    test: EventTest
    place: int  # how many positions stand before it in the text
    branches: tuple[tuple[int, ...], ...]  # the positions of each OR branch around it
    inner_windows: tuple[int, ...]  # those of the sub-patterns around it
    conditions: tuple[Condition, ...]
