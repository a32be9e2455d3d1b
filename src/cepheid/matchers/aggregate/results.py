"""Cells as columns of a result: exact numbers of any size in the types that the plan promised."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from cepheid.matchers.aggregate import layout as at
from cepheid.matchers.aggregate.layout import AggregateTables
from cepheid.matchers.aggregate.wide import divisors, exact_column
from cepheid.matchers.decimals import as_decimals
from cepheid.pattern.types import ValueType
from cepheid.plan.aggregate.plan import AggregateColumn, AggregatePlan

EXACT = 1 << 53
"""Whole numbers up to this are float64s."""


def item_column(
    plan: AggregatePlan, tables: AggregateTables, item: AggregateColumn, cells: np.ndarray, texts: list[str]
) -> pa.Array:
    """One aggregate of each cell."""
    if item.value is None:
        return _exact(cells[:, : tables.limbs], item, None, signed=False)
    row = tables.values[item.value]
    empty: np.ndarray = np.logical_not(cells[:, row[at.COUNTED] : row[at.COUNTED] + tables.limbs].any(axis=1))
    if row[at.KIND] == at.TEXT:
        return _text(tables, item, cells, empty, texts)
    return _COLUMN[item.function](plan, tables, item, cells, empty)


def _sum(
    plan: AggregatePlan, tables: AggregateTables, item: AggregateColumn, cells: np.ndarray, empty: np.ndarray
) -> pa.Array:
    row = tables.values[item.value]
    if row[at.KIND] == at.REAL:
        return pa.array(_reals(cells, row[at.SUM]), mask=empty)
    words = cells[:, row[at.SUM] : row[at.SUM] + tables.limbs + 1]
    return _exact(words, item, empty, signed=True)


def _avg(
    plan: AggregatePlan, tables: AggregateTables, item: AggregateColumn, cells: np.ndarray, empty: np.ndarray
) -> pa.Array:
    row = tables.values[item.value]
    counts = whole_numbers(cells[:, row[at.COUNTED] : row[at.COUNTED] + tables.limbs], signed=False)
    if row[at.KIND] == at.REAL:
        return pa.array(_reals(cells, row[at.SUM]) / divisors(counts, item), mask=empty)
    sums = whole_numbers(cells[:, row[at.SUM] : row[at.SUM] + tables.limbs + 1], signed=True)
    means = [0.0 if n == 0 else int(total) / int(n) for total, n in zip(sums, counts, strict=True)]
    return pa.array(np.array(means, np.float64), mask=empty)


def _extreme(
    plan: AggregatePlan, tables: AggregateTables, item: AggregateColumn, cells: np.ndarray, empty: np.ndarray
) -> pa.Array:
    row = tables.values[item.value]
    at_word = row[at.LEAST if item.function == "min" else at.MOST]
    kind = plan.columns[plan.values[item.value or 0].column].type
    if kind is ValueType.FLOAT:
        reals = pa.array(_reals(cells, at_word), mask=empty)
        return as_decimals(reals, item.type) if pa.types.is_decimal(item.type) else reals.cast(item.type)
    if pa.types.is_null(item.type):
        return pa.nulls(cells.shape[0])
    words = pa.array(np.ascontiguousarray(cells[:, at_word]).view(np.int64), mask=empty)
    as_moment = _MOMENT.get(kind)
    return (words if as_moment is None else as_moment(words, plan.unit)).cast(item.type)


def _text(
    tables: AggregateTables, item: AggregateColumn, cells: np.ndarray, empty: np.ndarray, texts: list[str]
) -> pa.Array:
    at_word = tables.values[item.value][at.LEAST if item.function == "min" else at.MOST]
    codes = pa.array(cells[:, at_word].astype(np.int64), mask=empty)
    return pa.array(texts or [""], pa.string()).take(codes).cast(item.type)


_COLUMN: dict[str, Callable[..., pa.Array]] = {"sum": _sum, "avg": _avg, "min": _extreme, "max": _extreme}

_MOMENT: dict[ValueType, Callable[[pa.Array, str], pa.Array]] = {
    ValueType.TIMESTAMP: lambda words, unit: words.cast(pa.timestamp(unit)),
    ValueType.DURATION: lambda words, unit: words.cast(pa.duration(unit)),
    ValueType.TIME: lambda words, unit: words.cast(pa.time64("us")),
}


def _reals(cells: np.ndarray, place: int) -> np.ndarray:
    return np.ascontiguousarray(cells[:, place]).view(np.float64)


def whole_numbers(words: np.ndarray, signed: bool) -> np.ndarray:
    """Wide numbers as int64 where they all fit, else as Python's."""
    low = np.ascontiguousarray(words[:, 0]).view(np.int64)
    rest = (low >> 63) if signed else np.zeros_like(low)
    fits = (words[:, 1:].view(np.int64) == rest[:, None]).all() and (signed or (low >= 0).all())
    return low if fits else _big(words, signed)


def _big(words: np.ndarray, signed: bool) -> np.ndarray:
    rows = np.ascontiguousarray(words.astype("<u8"))
    numbers = np.empty(rows.shape[0], object)
    for index, row in enumerate(rows):
        numbers[index] = int.from_bytes(row.tobytes(), "little", signed=signed)
    return numbers


def _exact(words: np.ndarray, item: AggregateColumn, empty: np.ndarray | None, signed: bool) -> pa.Array:
    """Whole numbers in the type that was promised."""
    if pa.types.is_decimal(item.type) and _fits_decimal(words, signed):
        return _decimals(words, empty)
    return exact_column(whole_numbers(words, signed), item, empty)


DECIMAL_TOP = 10**38 >> 64
"""Numbers whose second word is less than this have at most 38 digits."""


def _fits_decimal(words: np.ndarray, signed: bool) -> bool:
    """Whether two words, which a decimal has, are surely enough."""
    if words.shape[1] == 1:
        return False
    high = np.ascontiguousarray(words[:, 1]).view(np.int64)
    rest = (high >> 63) if signed else np.zeros_like(high)
    small = (high < DECIMAL_TOP) & (high > -DECIMAL_TOP if signed else high >= 0)
    return bool(small.all() and (words[:, 2:].view(np.int64) == rest[:, None]).all())


def _decimals(words: np.ndarray, empty: np.ndarray | None) -> pa.Array:
    """Decimals from their own two words, as Arrow has them too."""
    pairs = np.ascontiguousarray(words[:, :2].astype("<u8"))
    valid = None if empty is None else pa.array(~empty).buffers()[1]
    return pa.Array.from_buffers(pa.decimal128(38, 0), len(pairs), [valid, pa.py_buffer(pairs)])
