"""Incoming rows as the columns that a session was told to expect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from cepheid.events import EventSchema
from cepheid.runners.embedded.intake import column_of, take_in
from cepheid.runners.embedded.side import SideOutput


def fit_rows(batch: Any, schema: EventSchema, bad: SideOutput) -> pa.Table:
    """The rows with the stream's columns and types; those that do not fit are bad."""
    if isinstance(batch, Mapping):
        batch = [batch]
    if isinstance(batch, list) and all(isinstance(row, Mapping) for row in batch):
        return _fit_dicts(batch, schema.columns, bad)
    intake = take_in(batch)
    table = pa.Table.from_batches(list(intake.batches), schema=intake.schema)
    bad.add_unread(intake.unreadable())
    if table.schema.equals(schema.columns):
        return table
    return _fit_table(table, schema.columns, bad)


def _fit_dicts(rows: list[Mapping[str, Any]], columns: pa.Schema, bad: SideOutput) -> pa.Table:
    fitted = {name: column_of([row.get(name) for row in rows], name, columns.field(name).type) for name in columns.names}
    return _without_misfits(fitted, columns, len(rows), bad)


def _fit_table(table: pa.Table, columns: pa.Schema, bad: SideOutput) -> pa.Table:
    fitted: dict[str, tuple[pa.Array, dict[int, str]]] = {}
    for field in columns:
        if field.name not in table.column_names:
            fitted[field.name] = (pa.nulls(table.num_rows, field.type), {})
            continue
        column = table.column(field.name)
        try:
            fitted[field.name] = (column.cast(field.type).combine_chunks(), {})
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            fitted[field.name] = _cast_one_by_one(column, field)
    return _without_misfits(fitted, columns, table.num_rows, bad)


def _cast_one_by_one(column: pa.ChunkedArray, field: pa.Field) -> tuple[pa.Array, dict[int, str]]:
    values: list[Any] = []
    misfits: dict[int, str] = {}
    for index, value in enumerate(column):
        try:
            values.append(value.cast(field.type).as_py())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            values.append(None)
            misfits[index] = f"{field.name}: {value.as_py()!r} does not fit {field.type}"
    return pa.array(values, field.type), misfits


def _without_misfits(
    fitted: Mapping[str, tuple[pa.Array, dict[int, str]]], columns: pa.Schema, count: int, bad: SideOutput
) -> pa.Table:
    arrays = [fitted[name][0] for name in columns.names]
    table = pa.Table.from_arrays(arrays, schema=columns)
    reasons: dict[int, str] = {}
    for _, misfits in fitted.values():
        for index, reason in misfits.items():
            reasons.setdefault(index, reason)
    if not reasons:
        return table
    misfit = sorted(reasons)
    bad.add(table.take(pa.array(misfit)), [reasons[index] for index in misfit])
    return table.filter(pa.array([index not in reasons for index in range(count)]))
