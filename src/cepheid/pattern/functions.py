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


@dataclass(frozen=True, slots=True)
class Signature:
    """What a function of one argument accepts, and its result; None: the type of its argument."""

    accepts: tuple[ValueType, ...]
    result: ValueType | None
    arity: int = 1


_TIMESTAMP = (ValueType.TIMESTAMP,)
_STRING = (ValueType.STRING,)

FUNCTIONS: dict[str, Signature] = {
    "abs": Signature(NUMERIC, None),
    **dict.fromkeys(("lower", "upper"), Signature(_STRING, ValueType.STRING)),
    "length": Signature(_STRING, ValueType.INT),
    **dict.fromkeys(("round", "floor", "ceil"), Signature(NUMERIC, None)),
    "sqrt": Signature(NUMERIC, ValueType.FLOAT),
    **dict.fromkeys(
        ("year", "month", "day", "hour", "minute", "second"), Signature(_TIMESTAMP, ValueType.INT)
    ),
    "time_of_day": Signature(_TIMESTAMP, ValueType.TIME),
    "day_of_week": Signature(_TIMESTAMP, ValueType.INT),  # Monday = 1 … Sunday = 7
    "first_time": Signature((), ValueType.TIMESTAMP, arity=0),  # of the time column's type
    "last_time": Signature((), ValueType.TIMESTAMP, arity=0),
}

MATCH_FUNCTIONS = ("first_time", "last_time")
"""Functions of the whole match, for RETURN alone."""

CALENDAR = ("year", "month", "day", "hour", "minute", "second", "time_of_day", "day_of_week")
"""Functions that take a time apart, in its zone."""

AGGREGATES = ("count", "sum", "avg", "min", "max", "first", "last", "collect")
"""Functions over the events of a Kleene variable; `collect` is for RETURN alone."""

MATCH_AGGREGATES = ("count", "sum", "avg", "min", "max")
"""What AGG computes over matches."""
