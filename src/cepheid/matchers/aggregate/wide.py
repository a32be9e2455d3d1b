"""Arrays of whole numbers that may outgrow int64: Python's integers, where int64 may not be enough."""

import numpy as np
import pyarrow as pa

from cepheid.errors import LimitError
from cepheid.matchers.digits import digits
from cepheid.plan.aggregate.plan import AggregateColumn

_SURE = float(2**62)
"""Numbers whose sizes add up to about this, or less, are surely added up in int64."""

_POINTER, _INTEGER = 8, 28  # bytes of an entry, and of a Python integer besides its digits


def ready_to_add(*arrays: np.ndarray) -> list[np.ndarray]:
    """The same numbers, in a form in which any sums of them are exact."""
    if all(array.dtype != object for array in arrays):
        if all(array.dtype == np.float64 for array in arrays):
            return list(arrays)
        if sum(np.abs(array.astype(np.float64)).sum() for array in arrays) < _SURE:
            return list(arrays)
    return [array.astype(object) for array in arrays]


def narrowed(array: np.ndarray) -> np.ndarray:
    """The same numbers in int64, if it holds them."""
    if array.dtype == object and all(-(2**63) <= number < 2**63 for number in array.tolist()):
        return array.astype(np.int64)
    return array


def held_bytes(array: np.ndarray) -> int:
    """How much numbers take."""
    if array.dtype != object:
        return array.nbytes
    return sum(_POINTER + _INTEGER + number.bit_length() // 8 for number in array.tolist())


def as_words(array: np.ndarray) -> np.ndarray:
    """Numbers as a snapshot has them: those that outgrow int64 as rows of bytes."""
    if array.dtype != object:
        return array
    numbers = array.tolist()
    width = max((number.bit_length() for number in numbers), default=0) // 8 + 1
    data = b"".join(number.to_bytes(width, "little", signed=True) for number in numbers)
    return np.frombuffer(data, np.uint8).reshape(len(numbers), width)


def from_words(array: np.ndarray) -> np.ndarray:
    """The numbers of which `as_words` made rows of bytes."""
    if array.ndim == 1:
        return array
    numbers = np.zeros(array.shape[0], object)
    for index, row in enumerate(np.ascontiguousarray(array)):
        numbers[index] = int.from_bytes(row.tobytes(), "little", signed=True)
    return numbers


def exact_column(numbers: np.ndarray, item: AggregateColumn, empty: np.ndarray | None) -> pa.Array:
    """Whole numbers in the type that was promised."""
    if pa.types.is_string(item.type):
        return pa.array([digits(number) for number in numbers.tolist()], pa.string(), mask=empty)
    if numbers.dtype != object:
        return pa.array(numbers, mask=empty).cast(item.type)
    try:
        return pa.array(numbers.tolist(), pa.decimal128(38, 0), mask=empty).cast(item.type)
    except (pa.ArrowException, OverflowError):
        raise LimitError(
            f"'{item.name}' has grown past {item.type}: the window holds more events than expected. Say how "
            'many it may hold: q.using("aggregate", max_events=…) chooses a type that is wide enough'
        ) from None


def divisors(counts: np.ndarray, item: AggregateColumn) -> np.ndarray:
    """What sums of reals are divided by for their average; by 1 where there is nothing."""
    try:
        reals: np.ndarray = np.maximum(counts, 1).astype(np.float64)
    except OverflowError:
        raise LimitError(
            f"'{item.name}' is the average of reals over more than 10^308 matches, and their sum is past "
            "float64. Bound it: a shorter WITHIN, an equivalence test [key], or more selective conditions"
        ) from None
    return reals
