"""Events in whatever form users have them, as Arrow batches of one schema."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from cepheid.errors import BindingError
from cepheid.runners.stream.columns import column_of
from cepheid.runners.stream.frames import is_pandas, without_periods
from cepheid.runners.stream.left_out import REFUSED, LeftOut, refuse_asked, without_misfits
from cepheid.runners.stream.storable import storable_batch, storable_schema
from cepheid.sources.files import EventFiles, open_events


@dataclass(slots=True)
class Intake:
    """A stream of batches; rows that could not be read at all are in `unread`, with the reason, and columns
    in `left_out`."""

    schema: pa.Schema
    batches: Iterable[pa.RecordBatch]
    unread: list[dict[str, str]] = field(default_factory=list)
    files: EventFiles | None = None
    rows: int | None = None
    left_out: LeftOut = field(default_factory=dict)

    def only(self, columns: Sequence[str]) -> Intake:
        """The same events; of files, only these columns are read."""
        if self.files is None or len(columns) == len(self.schema.names):
            return self
        files = self.files.select(columns)
        return _storable(Intake(files.schema, files, self.unread, files, self.rows, self.left_out))

    def unreadable(self) -> list[dict[str, str]]:
        """What could not be read, once the batches have been."""
        lines = [
            {"reason": f"{row.file}, line {row.line}: {row.reason}", "text": row.text}
            for row in (self.files.bad if self.files is not None else [])
        ]
        return [*self.unread, *lines]


def take_in(events: Any, columns: Sequence[str] | None = None) -> Intake:
    """Any table, reader, path or iterable as batches; only `columns` where a file allows it."""
    return _storable(_opened(events, columns))


def _storable(intake: Intake) -> Intake:
    schema = storable_schema(intake.schema)
    batches = (storable_batch(batch, schema) for batch in intake.batches)
    return replace(intake, schema=schema, batches=batches)


def _opened(events: Any, columns: Sequence[str] | None) -> Intake:
    if isinstance(events, str | Path) or _is_paths(events):
        files = open_events([events] if isinstance(events, str | Path) else list(events), columns=columns)
        return Intake(files.schema, files, files=files, rows=files.rows)
    if isinstance(events, EventFiles):
        return Intake(events.schema, events, files=events, rows=events.rows)
    if type(events).__module__.startswith("pyspark."):
        raise BindingError(
            "the events are on Spark: cepheid.spark.match(df, q, time=…) finds the matches there, and "
            "df.toArrow() brings the events here"
        )
    found = _table_of(events)
    if found is not None:
        table, left_out = found
        return Intake(table.schema, table.to_batches(), rows=table.num_rows, left_out=left_out)
    if isinstance(events, pa.RecordBatchReader):
        return Intake(events.schema, _read(events))
    if hasattr(events, "__arrow_c_stream__") and not isinstance(events, pa.ChunkedArray):
        return _from_stream(events)
    if isinstance(events, Mapping | bytes) or not isinstance(events, Iterable):
        raise BindingError(
            f"events cannot be read from {type(events).__name__}: pass an Arrow table or reader, a pandas or "
            "Polars data frame, dicts, or the paths of files"
        )
    return _from_iterable(iter(events))


def as_table(events: Any) -> pa.Table | None:
    """A whole table, whichever library made it; None if it is something else."""
    found = _table_of(events)
    if found is None:
        return None
    table, left_out = found
    refuse_asked(left_out, left_out)
    return table


def _table_of(events: Any) -> tuple[pa.Table, LeftOut] | None:
    """A whole table, and which of its columns could not be taken in."""
    if isinstance(events, pa.Table):
        return events, {}
    if isinstance(events, pa.RecordBatch):
        return pa.Table.from_batches([events]), {}
    if is_pandas(events):
        return _from_pandas(events)
    module = type(events).__module__.split(".")[0]
    if module == "polars" and hasattr(events, "collect"):
        return _from_polars(events.collect())
    if module == "polars" and hasattr(events, "columns"):
        return _from_polars(events)
    return None


def _from_pandas(frame: Any) -> tuple[pa.Table, LeftOut]:
    try:
        return pa.Table.from_pandas(without_periods(frame), preserve_index=False), {}
    except REFUSED as error:
        refused = f"the data frame does not convert to Arrow: {_first_line(error)}"
    try:
        return without_misfits(without_periods(frame))
    except REFUSED:
        raise BindingError(refused) from None


def _from_polars(frame: Any) -> tuple[pa.Table, LeftOut]:
    opaque = [name for name, kind in frame.schema.items() if str(kind) == "Object"]
    why = "the column '{}' holds Python objects, which events cannot: cast it, or drop it"
    try:
        return frame.drop(opaque).to_arrow(), {name: why.format(name) for name in opaque}
    except REFUSED as error:
        raise BindingError(f"the data frame does not convert to Arrow: {_first_line(error)}") from None


def _from_stream(events: Any) -> Intake:
    try:
        reader = pa.RecordBatchReader.from_stream(events)
    except (pa.ArrowException, ValueError, TypeError) as error:
        raise BindingError(
            f"events cannot be read from {type(events).__name__}: {_first_line(error)}"
        ) from None
    return Intake(reader.schema, _read(reader))


def _read(reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
    try:
        yield from reader
    except pa.ArrowException as error:
        raise BindingError(f"the reader of events failed: {_first_line(error)}") from error


def _is_paths(events: Any) -> bool:
    return (
        isinstance(events, list | tuple)
        and len(events) > 0
        and all(isinstance(item, str | Path) for item in events)
    )


def _from_iterable(items: Iterator[Any]) -> Intake:
    head = next(items, None)
    if head is None:
        return Intake(pa.schema([]), [], rows=0)
    everything = itertools.chain([head], items)
    if isinstance(head, Mapping):
        return _from_dicts(everything)
    first = as_table(head)
    if first is None:
        raise BindingError(f"events cannot be read from items of {type(head).__name__}: pass dicts or tables")
    return Intake(first.schema, _table_batches(everything, first.schema))


def _table_batches(items: Iterator[Any], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    for number, item in enumerate(items):
        table = as_table(item)
        if table is None:
            raise BindingError(f"a batch of events is {type(item).__name__}, and should be a table")
        if sorted(table.column_names) != sorted(schema.names):
            raise BindingError(
                f"batch {number} has the columns {', '.join(table.column_names)}, "
                f"and the first has {', '.join(schema.names)}"
            )
        try:
            fitted = table.select(schema.names).cast(schema)
        except pa.ArrowException as error:
            raise BindingError(
                f"batch {number} has other types than the first: {_first_line(error)}"
            ) from None
        yield from fitted.to_batches()


def _from_dicts(items: Iterator[Any]) -> Intake:
    given = list(items)
    rows = [row for row in given if isinstance(row, Mapping) and row]
    unread = [
        {
            "reason": f"event {i} is not a dict" if row != {} else f"event {i} is empty",
            "text": repr(row)[:200],
        }
        for i, row in enumerate(given)
        if not (isinstance(row, Mapping) and row)
    ]
    names = {str(name): name for row in rows for name in row}
    arrays: list[pa.Array] = []
    misfits: dict[int, str] = {}
    for name, key in names.items():
        array, bad = column_of([row.get(key) for row in rows], name)
        arrays.append(array)
        for index, reason in bad.items():
            misfits.setdefault(index, reason)
    table = pa.Table.from_arrays(arrays, names=list(names))
    if misfits:
        unread += [
            {"reason": reason, "text": repr(dict(rows[i]))[:1000]} for i, reason in sorted(misfits.items())
        ]
        table = table.filter(pa.array([i not in misfits for i in range(len(rows))]))
    return Intake(table.schema, table.to_batches(), unread, rows=table.num_rows)


def _first_line(error: BaseException) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
