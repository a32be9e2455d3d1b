"""A batch of events as the columns and bit masks that kernels read."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cepheid import expressions as ex
from cepheid.events import EventSchema
from cepheid.matchers.codes import TextCodes
from cepheid.matchers.evaluate import evaluate, numbers
from cepheid.pattern.types import ValueType
from cepheid.plan.program import Column, EventTest


class BatchRows:
    """The events of a batch as the rows that one-event expressions are evaluated over."""

    def __init__(self, batch: pa.RecordBatch, schema: EventSchema, unit: str) -> None:
        self.batch = batch
        self.schema = schema
        self.unit = unit
        self.length = batch.num_rows
        self._plain: dict[ex.Expression, pa.Array] = {}

    def leaf(self, node: ex.Expression) -> pa.Array:
        """An attribute's values, as plain numbers, truth values or text."""
        assert isinstance(node, ex.Element)
        if node not in self._plain:
            column = self.batch.column(self.schema.column_of(node.name) or node.name)
            self._plain[node] = plain(field_of(column, node.path), self.unit)
        return self._plain[node]


def field_of(values: pa.Array, path: Sequence[str]) -> pa.Array:
    """A field of structs, by the names that lead to it; null where a struct on the way is."""
    for name in path:
        values = values.dictionary_decode() if pa.types.is_dictionary(values.type) else values
        values = pc.struct_field(values, name)
    return values


def plain(values: pa.Array, unit: str) -> pa.Array:
    """Numbers as int64 or float64, times as ticks, text as text."""
    kind = values.type
    if pa.types.is_dictionary(kind):
        return plain(values.dictionary_decode(), unit)
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        zone = kind.tz if pa.types.is_timestamp(kind) else None
        return values.cast(pa.timestamp(unit, zone)).cast(pa.int64())
    if pa.types.is_duration(kind):
        return values.cast(pa.duration(unit)).cast(pa.int64())
    if pa.types.is_time(kind):
        return values.cast(pa.time64("us"), safe=False).cast(pa.int64())
    if pa.types.is_integer(kind):
        return values if kind == pa.int64() else values.cast(pa.int64())
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return values if kind == pa.float64() else values.cast(pa.float64())
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return values.cast(pa.string())
    return values


def event_masks(
    tests: Sequence[EventTest], rows: BatchRows, counts: Sequence[list[int]] | None = None
) -> np.ndarray:
    """For each event a word whose bit k says whether it passes test k; `counts` of test k go up by how many
    pass its type, if it has one, and then each condition after the others."""
    mask = np.zeros(rows.length, np.int64)
    types: dict[str, np.ndarray] = {}
    for bit, test in enumerate(tests):
        passed = passes(test, rows, types, None if counts is None else counts[bit])
        mask |= np.int64(1 << bit) if passed is None else passed.astype(np.int64) << bit
    return mask


def no_counts(test: EventTest) -> list[int]:
    """What `event_masks` counts up for a test: its type, if it has one, and its conditions."""
    return [0] * max((test.type is not None) + len(test.conditions), 1)


def passes(
    test: EventTest, rows: BatchRows, types: dict[str, np.ndarray], counts: list[int] | None = None
) -> np.ndarray | None:
    """Which events pass a test; None if all do. `counts` go up by how many pass it so far, step by step."""
    passed: np.ndarray | None = None
    steps: list[np.ndarray] = []
    if test.type is not None:
        if test.type not in types:
            types[test.type] = _has_type(test.type, rows)
        passed = types[test.type]
        steps.append(passed)
    for condition in test.conditions:
        held = holds(condition, rows)
        passed = held if passed is None else passed & held
        steps.append(passed)
    if counts is not None:
        for step, number in enumerate(map(np.count_nonzero, steps) if steps else [rows.length]):
            counts[step] += int(number)
    return passed


def holds(condition: ex.Expression, rows: BatchRows) -> np.ndarray:
    """Where a condition is true."""
    truth = evaluate(condition, rows).cast(pa.bool_())
    found: np.ndarray = pc.fill_null(truth, False).to_numpy(zero_copy_only=False)
    return found


def _has_type(name: str, rows: BatchRows) -> np.ndarray:
    assert rows.schema.type is not None
    column = rows.batch.column(rows.schema.type)
    if pa.types.is_dictionary(column.type):
        code = pc.index(column.dictionary.cast(pa.string()), name).as_py()
        found = pc.equal(column.indices, code)
    else:
        found = pc.equal(column, name)
    return np.asarray(pc.fill_null(found, False).to_numpy(zero_copy_only=False))


def event_columns(
    columns: Sequence[Column], rows: BatchRows, codes: TextCodes
) -> tuple[np.ndarray, np.ndarray]:
    """The planned columns as int64 bits, and where they are not null."""
    bits = np.zeros((len(columns), rows.length), np.int64)
    valid = np.zeros((len(columns), rows.length), np.uint8)
    for k, column in enumerate(columns):
        values = evaluate(column.expression, rows)
        if column.type is ValueType.STRING and not pa.types.is_null(values.type):
            bits[k] = codes.encode(values)
            valid[k] = np.asarray(values.is_valid()).view(np.uint8)
            continue
        if column.type is ValueType.FLOAT and values.type != pa.float64():
            values = values.cast(pa.float64(), safe=False)
        bits[k], valid[k] = numbers(values)
    return bits, valid


def fits(values: pa.Array, unit: str) -> bool:
    """Whether values can be computed with."""
    if pa.types.is_struct(values.type):
        return all(fits(field_of(values, (field.name,)), unit) for field in values.type)
    try:
        plain(values, unit)
    except pa.ArrowInvalid:
        return False
    return True
