"""Incoming rows as the columns that a session was told to expect."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from cepheid.errors import BindingError
from cepheid.events import EventSchema
from cepheid.runners.stream.columns import Misfits, column_as, column_of
from cepheid.runners.stream.frames import with_index
from cepheid.runners.stream.intake import take_in
from cepheid.runners.stream.left_out import refuse_asked
from cepheid.runners.stream.side import SideOutput

Fitted = dict[str, tuple[pa.Array, Misfits]]


def fit_rows(batch: Any, schema: EventSchema, bad: SideOutput) -> pa.Table:
    """The rows with the stream's columns and types; those that do not fit are bad."""
    if isinstance(batch, Mapping):
        batch = [batch]
    if isinstance(batch, list) and all(isinstance(row, Mapping) for row in batch):
        return _without_misfits(_fit_dicts(batch, schema.columns), schema.columns, len(batch), bad)
    intake = take_in(with_index(batch, schema.columns.names))
    refuse_asked(intake.left_out, schema.columns.names)
    table = pa.Table.from_batches(list(intake.batches), schema=intake.schema)
    bad.add_unread(intake.unreadable())
    if table.schema.equals(schema.columns):
        return table
    return _without_misfits(_fit_table(table, schema.columns), schema.columns, table.num_rows, bad)


def _fit_dicts(rows: list[Mapping[str, Any]], columns: pa.Schema) -> Fitted:
    return {
        field.name: column_of([row.get(field.name) for row in rows], field.name, field.type)
        for field in columns
    }


def _fit_table(table: pa.Table, columns: pa.Schema) -> Fitted:
    names = table.column_names
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise BindingError(f"a batch has more than one column named '{repeated[0]}': rename one of them")
    absent = pa.nulls(table.num_rows)
    return {
        field.name: column_as(table.column(field.name), field.name, field.type)
        if field.name in names
        else (absent.cast(field.type), {})
        for field in columns
    }


def _without_misfits(fitted: Fitted, columns: pa.Schema, count: int, bad: SideOutput) -> pa.Table:
    table = pa.Table.from_arrays([fitted[name][0] for name in columns.names], schema=columns)
    reasons: Misfits = {}
    for _, misfits in fitted.values():
        for index, reason in misfits.items():
            reasons.setdefault(index, reason)
    if not reasons:
        return table
    misfit = sorted(reasons)
    bad.add(table.take(pa.array(misfit)), [reasons[index] for index in misfit])
    return table.filter(pa.array([index not in reasons for index in range(count)]))
