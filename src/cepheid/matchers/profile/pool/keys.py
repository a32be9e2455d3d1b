"""Values as whole numbers that stand in their order, and comparisons as stretches of such numbers.

A float's key is its bits, turned around below zero, so that neighbours differ by one: then `x > c` is the
stretch from the key of `c` plus one. `-0.0` has the key of `0.0`; what is no number has none. A whole number
beside a float is compared as a float, by all engines, so a stretch of whole numbers has the ends at which
that changes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import datetime, time
from typing import Any

import numpy as np

from cepheid import expressions as ex
from cepheid.events import EventSchema
from cepheid.matchers.evaluate import literal_ticks, microseconds
from cepheid.pattern.types import ValueType
from cepheid.plan.coerce import coerce
from cepheid.plan.program import Column
from cepheid.time import Duration

LEAST, MOST = -(2**63), 2**63 - 1
NOTHING = (1, 0)
"""A stretch that no key lies in."""

_EXACT = 2.0**53
_TURN = np.int64(MOST)

Stretches = tuple[np.ndarray, np.ndarray]
"""The least and the greatest key, for each of some primitives."""


def float_keys(values: np.ndarray) -> np.ndarray:
    """The keys of floats."""
    bits = (np.asarray(values, np.float64) + 0.0).view(np.int64)
    return np.where(bits < 0, bits ^ _TURN, bits)


def stretches(column: Column, sign: str, values: Sequence[Any], stream: tuple[EventSchema, str]) -> Stretches:
    """The keys of a column that compare so with each of the constants; `!=` is the caller's affair."""
    if column.type is ValueType.FLOAT:
        keys = float_keys(np.array([float(value) for value in values], np.float64))
        return _stretches(keys, keys, sign)
    if column.type is ValueType.INT and any(type(value) is float for value in values):
        ends = [_around(value) for value in values]
        cut = np.array([_stretch(sign, low, high) for low, high in ends], np.int64).reshape(len(values), 2)
        return cut[:, 0], cut[:, 1]
    read = _READ.get(column.type)
    numbers = values if read is None else [read(column, value, stream) for value in values]
    keys = np.array([int(value) for value in numbers], np.int64)
    return _stretches(keys, keys, sign)


def _stretches(low: np.ndarray, high: np.ndarray, sign: str) -> Stretches:
    """Where keys lie that compare so with those from `low` to `high`."""
    least, most = np.full(low.size, LEAST), np.full(low.size, MOST)
    if sign == "=":
        return low, high
    if sign == "<=":
        return least, high
    if sign == ">=":
        return low, most
    if sign == "<":
        return np.where(low == LEAST, 1, least), np.where(low == LEAST, 0, low - (low != LEAST))
    return np.where(high == MOST, 1, high + (high != MOST)), np.where(high == MOST, 0, most)


def _around(value: Any) -> tuple[int, int]:
    """The least whole number that is not below a float when it is one, and the greatest not above."""
    real = float(value)
    if abs(real) < _EXACT:
        return math.ceil(real), math.floor(real)
    return _least(lambda number: float(number) >= real), _least(lambda number: float(number) > real) - 1


def _least(holds: Callable[[int], bool]) -> int:
    """The least of the whole numbers that something holds for, from which on it does; past them if none."""
    low, high = LEAST, MOST + 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def _stretch(sign: str, low: int, high: int) -> tuple[int, int]:
    """As `_stretches`, for numbers that may lie past all keys."""
    ends = {
        "=": (low, high),
        "<": (LEAST, low - 1),
        "<=": (LEAST, high),
        ">": (high + 1, MOST),
        ">=": (low, MOST),
    }
    first, last = ends[sign]
    return (first, last) if first <= last and first <= MOST and last >= LEAST else NOTHING


# -- moments ---------------------------------------------------------------------------------------


def _moment(column: Column, value: Any, stream: tuple[EventSchema, str]) -> int:
    """A moment, a duration or a time of day in ticks; a text is read as what it stands beside."""
    schema, unit = stream
    beside = coerce(ex.Comparison("=", column.expression, ex.Literal(value)), schema)
    assert isinstance(beside, ex.Comparison) and isinstance(beside.right, ex.Literal)
    found = beside.right.value
    if isinstance(found, time):
        return microseconds(found)
    assert isinstance(found, datetime | Duration)
    return literal_ticks(found, unit)


_READ = dict.fromkeys((ValueType.TIMESTAMP, ValueType.DURATION, ValueType.TIME), _moment)
