"""A handful of events, taken in as Python values: what is odd about them is left to Arrow's way.

Only what is good as it is goes this way: values of just the type that their column has, with a time. All else
(other types, misfits, bad events) takes the way of whole tables, which says what is wrong.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from cepheid.events import EventSchema, FewEvents, Row, is_text
from cepheid.plan.plan import Plan
from cepheid.runners.stream.left_out import REFUSED
from cepheid.time import UNIT_NANOSECONDS

FEW = 16
"""Up to so many events are taken in one by one."""

_EXACT = 2**53  # whole numbers up to here are floats too
_EPOCH, _NAIVE_EPOCH = datetime(1970, 1, 1, tzinfo=UTC), datetime(1970, 1, 1)
_INT64_END = 2**63


class OddValue(Exception):
    """A value that is not for this way."""


TakeIn = Callable[[Any], Any]


class FewIntake:
    """Takes in events for a plan, if they are few and nothing about them is odd."""

    def __init__(self, plan: Plan) -> None:
        schema = plan.schema
        self._schema = schema.columns
        self._names = plan.needed
        self._types = tuple(schema.columns.field(name).type for name in plan.needed)
        self._time = plan.needed.index(schema.time)
        self._checks = [
            (place, check)
            for place, kind in enumerate(self._types)
            if (check := _check_of(kind, plan.unit, is_time=place == self._time)) is not None
        ]
        self._of_values = [(name, _taken_as(schema, name)) for name in plan.needed]
        beside = [name for name in schema.columns.names if name not in plan.needed]
        self._beside = [(name, _taken_as(schema, name)) for name in beside]
        self._columns = [schema.columns.names.index(name) for name in plan.needed]
        self._is_moment = [pa.types.is_timestamp(kind) for kind in self._types]
        self.can = may_be_few(plan)

    def taken(self, batch: Any) -> FewEvents | None:
        """The events, with the columns that the plan needs; None if they are for Arrow's way."""
        if not self.can:
            return None
        try:
            rows = self._rows(batch)
            if rows is None:
                return None
            for place, check in self._checks:
                for row in rows:
                    check(row[place])
        except OddValue:
            return None
        return FewEvents(rows, self._names, self._types)

    def _rows(self, batch: Any) -> list[Row] | None:
        if isinstance(batch, dict):
            return self._of_dicts([batch])
        if isinstance(batch, list):
            few = 0 < len(batch) <= FEW and all(type(row) is dict for row in batch)
            return self._of_dicts(batch) if few else None
        if isinstance(batch, pa.Table) and 0 < batch.num_rows <= FEW:
            batches = batch.to_batches()
            return self._of_batch(batches[0]) if len(batches) == 1 else None
        if isinstance(batch, pa.RecordBatch) and 0 < batch.num_rows <= FEW:
            return self._of_batch(batch)
        return None

    def _of_dicts(self, given: Sequence[Mapping[str, Any]]) -> list[Row]:
        rows = []
        for row in given:
            rows.append(tuple([take(row.get(name)) for name, take in self._of_values]))
            for name, take in self._beside:
                take(row.get(name))
        if len(given) > 1:
            _refuse_mixed_zones(given)
        return rows

    def _of_batch(self, batch: pa.RecordBatch) -> list[Row] | None:
        if not batch.schema.equals(self._schema):
            return None
        columns = [
            _ticks(batch.column(place)) if is_moment else _python_values(batch.column(place))
            for place, is_moment in zip(self._columns, self._is_moment, strict=True)
        ]
        return list(zip(*columns, strict=True))


def _ticks(column: pa.Array) -> list[Any]:
    return [value.value for value in column]


def _python_values(column: pa.Array) -> list[Any]:
    """The values, unless Python cannot hold one: a text that is not UTF-8, or a moment too far away."""
    try:
        values: list[Any] = column.to_pylist()
    except (ValueError, OverflowError):
        raise OddValue from None
    return values


def _refuse_mixed_zones(rows: Sequence[Mapping[str, Any]]) -> None:
    """Arrow reads the moments of a column by the first one's zone."""
    zones: dict[str, Any] = {}
    for row in rows:
        for name, value in row.items():
            if type(value) is datetime and zones.setdefault(name, value.tzinfo) is not value.tzinfo:
                raise OddValue


# -- values of a column ----------------------------------------------------------------------------


def may_be_few(plan: Plan) -> bool:
    """Whether all columns that a plan needs can be Python values, and those that order events compare."""
    kinds = [plan.schema.columns.field(name).type for name in plan.needed]
    ties = [plan.schema.columns.field(name).type for name in plan.schema.order]
    return all(map(is_plain, kinds)) and not any(map(pa.types.is_nested, ties))


def is_plain(kind: pa.DataType) -> bool:
    """Whether the values of a column can be Python values on their way to a matcher."""
    return bool(pa.types.is_timestamp(kind) or pa.types.is_uint64(kind) or _is_plain_inside(kind))


def _is_plain_inside(kind: pa.DataType) -> bool:
    """Whether the values are so too as fields of structs and as items of lists: those are not looked at."""
    if pa.types.is_struct(kind):
        return all(_is_plain_inside(field.type) for field in kind)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _is_plain_inside(kind.value_type)
    return not pa.types.is_uint64(kind) and bool(
        pa.types.is_integer(kind)
        or pa.types.is_float64(kind)
        or pa.types.is_float32(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
    )


def _taken_as(schema: EventSchema, name: str) -> TakeIn:
    """What takes a Python value in as one of a column."""
    kind = schema.columns.field(name).type
    if pa.types.is_integer(kind):
        signed, width = pa.types.is_signed_integer(kind), kind.bit_width
        most = min(2 ** (width - 1 if signed else width), _INT64_END)
        return _whole_number(-most if signed else 0, most)
    if pa.types.is_float64(kind):
        return _real_number
    if pa.types.is_boolean(kind):
        return _truth
    if is_text(kind):
        return _text
    if pa.types.is_timestamp(kind):
        return _moment(UNIT_NANOSECONDS[kind.unit])
    return _nested(kind) if pa.types.is_nested(kind) and is_plain(kind) else _nothing


def _whole_number(least: int, end: int) -> TakeIn:
    def taken(value: Any) -> Any:
        if value is None or (type(value) is int and least <= value < end):
            return value
        raise OddValue

    return taken


def _real_number(value: Any) -> Any:
    if value is None or type(value) is float:
        return value
    if type(value) is int and -_EXACT <= value <= _EXACT:
        return float(value)
    raise OddValue


def _truth(value: Any) -> Any:
    if value is None or type(value) is bool:
        return value
    raise OddValue


def _text(value: Any) -> Any:
    if value is None or (type(value) is str and (value.isascii() or _is_encoded(value))):
        return value
    raise OddValue


def _is_encoded(text: str) -> bool:
    """Whether it can be: half a character cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _moment(unit: int) -> TakeIn:
    """Datetimes as ticks of a unit of so many nanoseconds."""

    def taken(value: Any) -> Any:
        if value is None:
            return None
        if type(value) is not datetime:
            raise OddValue
        since = value - (_NAIVE_EPOCH if value.tzinfo is None else _EPOCH)
        microseconds = (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
        ticks, left = divmod(microseconds * 1000, unit)
        if left or not -_INT64_END <= ticks < _INT64_END:
            raise OddValue
        return ticks

    return taken


def _nested(kind: pa.DataType) -> TakeIn:
    """Structs and lists as Arrow would give them back: all fields, in their order."""

    def taken(value: Any) -> Any:
        try:
            return None if value is None else pa.array([value], kind)[0].as_py()
        except REFUSED:
            raise OddValue from None

    return taken


def _nothing(value: Any) -> Any:
    if value is not None:
        raise OddValue


# -- values that the engines cannot compute with ---------------------------------------------------


def _check_of(kind: pa.DataType, unit: str, *, is_time: bool) -> Callable[[Any], None] | None:
    """What a value of a column must pass besides, if anything."""
    finer = 1
    if pa.types.is_timestamp(kind):
        finer = max(1, UNIT_NANOSECONDS[kind.unit] // UNIT_NANOSECONDS[unit])
    may_be_large = finer > 1 or pa.types.is_uint64(kind)
    if not is_time and not may_be_large:
        return None
    is_real = pa.types.is_floating(kind)
    least, most = -(_INT64_END // finer), (_INT64_END - 1) // finer

    def check(value: Any) -> None:
        if value is None:
            if is_time:
                raise OddValue
        elif not (value - value == 0.0 if is_real else least <= value <= most):
            raise OddValue

    return check
