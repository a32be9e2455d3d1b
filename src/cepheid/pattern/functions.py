"""The functions of the language: what they take and what they give."""

from dataclasses import dataclass
from enum import Enum


class ValueType(Enum):
    """What kind of value an expression has."""

    BOOL = "a truth value"
    INT = "an integer"
    FLOAT = "a float"
    STRING = "a string"
    TIMESTAMP = "a timestamp"
    DURATION = "a duration"
    TIME = "a time of day"
    NULL = "null"


NUMERIC = (ValueType.INT, ValueType.FLOAT)
Kinds = tuple[ValueType, ...]


@dataclass(frozen=True, slots=True)
class Signature:
    """What each argument of a function may be, and its result; None: the type of its first argument."""

    takes: tuple[Kinds, ...]
    result: ValueType | None
    optional: int = 0  # how many of the last arguments may be left out
    repeats: bool = False  # whether the last argument may come any number of times
    alike: bool = False  # whether all arguments are of one type, and so is the result

    def accepts(self, place: int) -> Kinds:
        """What the argument at a place, from 0, may be."""
        return self.takes[min(place, len(self.takes) - 1)]

    def fits(self, count: int) -> bool:
        """Whether it may have so many arguments."""
        most = len(self.takes)
        return most - self.optional <= count and (self.repeats or count <= most)

    def __str__(self) -> str:
        most = len(self.takes)
        if self.repeats:
            return f"{_COUNTS[most]} or more arguments"
        if self.optional:
            return f"{_COUNTS[most - self.optional]} or {_COUNTS[most]} arguments"
        return f"{_COUNTS[most]} argument{'' if most < 2 else 's'}"


_COUNTS = ("no", "one", "two", "three")
_TIMESTAMP: Kinds = (ValueType.TIMESTAMP,)
_STRING: Kinds = (ValueType.STRING,)
_INT: Kinds = (ValueType.INT,)
_ANY: Kinds = tuple(ValueType)

FUNCTIONS: dict[str, Signature] = {
    "abs": Signature((NUMERIC,), None),
    **dict.fromkeys(("lower", "upper"), Signature((_STRING,), ValueType.STRING)),
    "length": Signature((_STRING,), ValueType.INT),
    "substr": Signature((_STRING, _INT, _INT), ValueType.STRING, optional=1),
    "concat": Signature((_STRING,), ValueType.STRING, repeats=True),
    "regexp_like": Signature((_STRING, _STRING), ValueType.BOOL),
    "regexp_extract": Signature((_STRING, _STRING, _INT), ValueType.STRING, optional=1),
    "coalesce": Signature((_ANY,), None, repeats=True, alike=True),
    **dict.fromkeys(("round", "floor", "ceil"), Signature((NUMERIC,), None)),
    "sqrt": Signature((NUMERIC,), ValueType.FLOAT),
    **dict.fromkeys(
        ("year", "month", "day", "hour", "minute", "second"), Signature((_TIMESTAMP,), ValueType.INT)
    ),
    "time_of_day": Signature((_TIMESTAMP,), ValueType.TIME),
    "day_of_week": Signature((_TIMESTAMP,), ValueType.INT),  # Monday = 1 … Sunday = 7
    "first_time": Signature((), ValueType.TIMESTAMP),  # of the time column's type
    "last_time": Signature((), ValueType.TIMESTAMP),
}

MATCH_FUNCTIONS = ("first_time", "last_time")
"""Functions of the whole match, for RETURN alone."""

CALENDAR = ("year", "month", "day", "hour", "minute", "second", "time_of_day", "day_of_week")
"""Functions that take a time apart, in its zone."""

AGGREGATES = ("count", "sum", "avg", "min", "max", "first", "last", "collect")
"""Functions over the events of a Kleene variable; `collect` is for RETURN alone."""

MATCH_AGGREGATES = ("count", "sum", "avg", "min", "max")
"""What AGG computes over matches."""
