"""Events in whatever form users have them, as Arrow batches of one schema."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from cepheid.errors import BindingError
from cepheid.sources.files import EventFiles, open_events

_DICTS_A_BATCH = 65_536


@dataclass(slots=True)
class Intake:
    """A stream of batches; rows that could not be read at all are in `unread`, with the reason."""

    schema: pa.Schema
    batches: Iterable[pa.RecordBatch]
    unread: list[dict[str, str]] = field(default_factory=list)
    files: EventFiles | None = None
    rows: int | None = None

    def unreadable(self) -> list[dict[str, str]]:
        """What could not be read, once the batches have been."""
        lines = [
            {"reason": f"{row.file}, line {row.line}: {row.reason}", "text": row.text}
            for row in (self.files.bad if self.files is not None else [])
        ]
        return [*self.unread, *lines]


def take_in(events: Any, columns: Sequence[str] | None = None) -> Intake:
    """Any table, reader, path or iterable as batches; only `columns` where a file allows it."""
    if isinstance(events, str | Path) or _is_paths(events):
        files = open_events([events] if isinstance(events, str | Path) else list(events), columns=columns)
        return Intake(files.schema, files, files=files, rows=files.rows)
    table = as_table(events)
    if table is not None:
        return Intake(table.schema, table.to_batches(), rows=table.num_rows)
    if isinstance(events, pa.RecordBatchReader):
        return Intake(events.schema, events)
    if isinstance(events, EventFiles):
        return Intake(events.schema, events, files=events, rows=events.rows)
    if isinstance(events, Mapping) or not isinstance(events, Iterable):
        raise BindingError(
            f"events cannot be read from {type(events).__name__}: pass an Arrow table or reader, a pandas or "
            "Polars data frame, dicts, or the paths of files"
        )
    return _from_iterable(iter(events))


def as_table(events: Any) -> pa.Table | None:
    """A whole table, whichever library made it; None if it is something else."""
    if isinstance(events, pa.Table):
        return events
    if isinstance(events, pa.RecordBatch):
        return pa.Table.from_batches([events])
    module = type(events).__module__.split(".")[0]
    if module == "pandas" and hasattr(events, "columns"):
        return _from_pandas(events)
    if module == "polars" and hasattr(events, "to_arrow"):
        return events.to_arrow()
    if module == "polars" and hasattr(events, "collect"):
        return events.collect().to_arrow()
    return None


def _from_pandas(frame: Any) -> pa.Table:
    try:
        return pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.ArrowInvalid, pa.ArrowTypeError, ValueError) as error:
        raise BindingError(f"the data frame does not convert to Arrow: {_first_line(error)}") from None


def _is_paths(events: Any) -> bool:
    return (
        isinstance(events, list | tuple)
        and len(events) > 0
        and all(isinstance(item, str | Path) for item in events)
    )


def _from_iterable(items: Iterator[Any]) -> Intake:
    head = next(items, None)
    if head is None:
        return Intake(pa.schema([]), [])
    everything = itertools.chain([head], items)
    if isinstance(head, Mapping):
        return _from_dicts(everything)
    first = as_table(head)
    if first is None:
        raise BindingError(f"events cannot be read from items of {type(head).__name__}: pass dicts or tables")
    return Intake(first.schema, _table_batches(everything, first.schema))


def _table_batches(items: Iterator[Any], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    for item in items:
        table = as_table(item)
        if table is None:
            raise BindingError(f"a batch of events is {type(item).__name__}, and should be a table")
        yield from table.select(schema.names).cast(schema).to_batches()


def _from_dicts(items: Iterator[Any]) -> Intake:
    rows = list(items)
    odd = [i for i, row in enumerate(rows) if not isinstance(row, Mapping)]
    unread = [{"reason": f"event {i} is not a dict", "text": repr(rows[i])[:200]} for i in odd]
    rows = [row for row in rows if isinstance(row, Mapping)]
    names = list(dict.fromkeys(str(name) for row in rows for name in row))
    arrays, misfits = [], {}
    for name in names:
        array, bad = column_of([row.get(name) for row in rows], name)
        arrays.append(array)
        for index, reason in bad.items():
            misfits.setdefault(index, reason)
    table = pa.Table.from_arrays(arrays, names=names)
    if misfits:
        unread += [
            {"reason": reason, "text": repr(dict(rows[i]))[:1000]} for i, reason in sorted(misfits.items())
        ]
        table = table.filter(pa.array([i not in misfits for i in range(len(rows))]))
    return Intake(table.schema, table.to_batches(), unread, rows=table.num_rows)


def column_of(
    values: list[Any], name: str, kind: pa.DataType | None = None
) -> tuple[pa.Array, dict[int, str]]:
    """Python values as one Arrow column, and what does not fit its type, by index."""
    try:
        return pa.array(values, kind), {}
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError, TypeError):
        pass
    if kind is None:
        kind = _first_type(values)
    fitted: list[Any] = []
    misfits: dict[int, str] = {}
    for index, value in enumerate(values):
        try:
            pa.array([value], kind)
            fitted.append(value)
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError, TypeError):
            fitted.append(None)
            misfits[index] = f"{name}: {value!r} does not fit {kind}"
    return pa.array(fitted, kind), misfits


def _first_type(values: list[Any]) -> pa.DataType:
    """The type that most values have; integers among floats are floats."""
    kinds: dict[pa.DataType, int] = {}
    for value in values:
        if value is None:
            continue
        try:
            kind = pa.infer_type([value])
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, TypeError):
            continue
        kinds[kind] = kinds.get(kind, 0) + 1
    if pa.int64() in kinds and pa.float64() in kinds:
        kinds[pa.float64()] += kinds.pop(pa.int64())
    return max(kinds, key=lambda kind: kinds[kind]) if kinds else pa.null()


def _first_line(error: BaseException) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
