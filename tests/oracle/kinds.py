"""Kinds of values: an attribute may hold several, and a comparison between two of them is null."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from .zones import Moment, Written

STAMPS = (datetime, Moment, Written)


class WrittenText(str):
    """A text that stands in the query itself. Beside a time it is the time that it spells; a text that an
    event holds is a text and nothing else."""


class LooseTime(datetime):
    """A time in an attribute of an event without a schema. Nothing says that the attribute is a time, so a
    text beside it is a text."""

    @staticmethod
    def of(value: Any) -> Any:
        """A time as such a one; anything else is itself."""
        return LooseTime.fromisoformat(value.isoformat()) if isinstance(value, datetime) else value


def kind_of(value: Any) -> str | None:
    """The kind of a value; None for objects and lists, which compare with nothing."""
    if isinstance(value, bool):
        return "truth"
    if isinstance(value, int | float | Decimal):
        return "number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, (*STAMPS, date)):
        return "moment"
    if isinstance(value, timedelta):
        return "length"
    return "time of day" if isinstance(value, time) else None


def of_kind(value: Any, kind: str) -> Any:
    """A value where it is of a kind, else null."""
    return value if kind_of(value) == kind else None


ADDED = {
    ("+", "number", "number"),
    ("-", "number", "number"),
    ("-", "moment", "moment"),
    ("+", "moment", "length"),
    ("-", "moment", "length"),
    ("+", "length", "moment"),
    ("+", "length", "length"),
    ("-", "length", "length"),
}


def computes(operator: str, x: Any, y: Any) -> bool:
    """Whether an operator computes with two values."""
    kinds = (kind_of(x), kind_of(y))
    return (operator, *kinds) in ADDED if operator in "+-" else kinds == ("number", "number")


def compares(sign: str, x: Any, y: Any) -> bool:
    """Whether two values compare: they are of one kind, and truth values have no order. A text written beside
    a time is the time that it spells."""
    kinds = {kind_of(x), kind_of(y)}
    if kinds in ({"text", "moment"}, {"text", "time of day"}):
        sides = (x, y)
        is_written = any(isinstance(each, WrittenText) for each in sides)
        return is_written and not any(isinstance(each, LooseTime) for each in sides)
    return len(kinds) == 1 and None not in kinds and (kinds != {"truth"} or sign in ("=", "!="))
