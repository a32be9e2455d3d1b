"""Events without a schema, in whatever form users have them, as the columns in which they travel."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from numbers import Number
from typing import Any

import pyarrow as pa

from cepheid.errors import BindingError
from cepheid.events import bind, is_text, order_columns
from cepheid.matchers.shown import readable_rows
from cepheid.plan.loose.stream import LooseStream, loose_stream
from cepheid.runners.stream.frames import is_pandas, with_index, without_periods
from cepheid.runners.stream.intake import as_table, take_in
from cepheid.runners.stream.left_out import REFUSED
from cepheid.runners.stream.loose_values import (
    OddEvent,
    as_moment,
    inexact_number,
    json_event,
    with_long_numbers,
)
from cepheid.runners.stream.storable import storable_type


@dataclass(frozen=True, slots=True)
class LooseBinding:
    """Which attributes are the time, the type and the tie-breakers of events without a schema."""

    time: str
    type: str | None = None
    order: tuple[str, ...] = ()
    time_unit: str | None = None

    @staticmethod
    def of(
        time: Any, type: Any = None, order: Sequence[str] | str | None = (), time_unit: Any = None
    ) -> LooseBinding:
        """A binding that any stream could have."""
        ties = order_columns(order)
        roles = {name: pa.int64() for name in (time, *ties) if isinstance(name, str)}
        roles |= {type: pa.string()} if isinstance(type, str) else {}
        found = bind(pa.schema(list(roles.items())), time, type, ties, time_unit)
        return LooseBinding(time, type, ties, found.time_unit)

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes that have a role."""
        return (self.time, *(() if self.type is None else (self.type,)), *self.order)

    def stream(self, time_type: pa.DataType, ties: Iterable[pa.DataType]) -> LooseStream:
        """The stream whose times and tie-breakers have these types."""
        order = list(zip(self.order, ties, strict=True))
        found = loose_stream(time_type, self.time, self.type, order, self.time_unit)
        bind(found.schema.columns, self.time, self.type, self.order, self.time_unit)
        return found

    def likely_streams(self) -> list[LooseStream]:
        """What the stream may be, as long as no event has said it: its times are numbers or timestamps."""
        kinds = [pa.int64()] if self.time_unit is not None else [pa.timestamp("us", "UTC"), pa.int64()]
        return [self.stream(kind, [pa.int64()] * len(self.order)) for kind in kinds]


@dataclass(slots=True)
class LooseEvents:
    """Events that were taken apart: the values that have a role, and each event as JSON."""

    binding: LooseBinding
    rows: list[dict[str, Any]] = field(default_factory=list)  # of the roles
    texts: list[str] = field(default_factory=list)
    moments: list[str | None] = field(default_factory=list)
    odd: list[tuple[str, str]] = field(default_factory=list)  # what is no good event, and why
    columns: Mapping[str, pa.ChunkedArray] = field(default_factory=dict)  # of a table: these have the roles
    places: list[int] = field(default_factory=list)  # of the events in the table

    def take(self, event: Any, place: int) -> None:
        """One more event."""
        if not isinstance(event, Mapping) or not event:
            why = "is empty" if event == {} else "is not a dict"
            self.odd.append((repr(event)[:200], f"event {place} {why}"))
            return
        try:
            text, moments = json_event(event)
        except (OddEvent, RecursionError) as error:
            why = str(error) if isinstance(error, OddEvent) else "it is nested too deep"
            self.odd.append((repr(event)[:1000].encode("utf-8", "replace").decode(), why))
            return
        roles = {name: event.get(name) for name in self.binding.names}
        for name in (self.binding.time, self.binding.type):
            if name is not None and roles[name] is None:
                self.odd.append((text, f"it has no '{name}'"))
                return
        roles[self.binding.time] = as_moment(roles[self.binding.time])
        self.rows.append(roles)
        self.texts.append(text)
        self.moments.append(moments)
        self.places.append(place)

    def without_inexact(self, paths: Iterable[tuple[str, ...]]) -> LooseEvents:
        """The same without events in which a number that is computed with is no float64."""
        asked = list(paths)
        reasons = {place: inexact_number(self.texts[place], asked) for place in with_long_numbers(self.texts)}
        if not any(reasons.values()):
            return self
        kept = LooseEvents(self.binding, odd=[*self.odd], columns=self.columns)
        for number in range(len(self.texts)):
            why = reasons.get(number)
            if why is not None:
                kept.odd.append((self.texts[number], why))
                continue
            for name in ("rows", "texts", "moments", "places"):
                getattr(kept, name).append(getattr(self, name)[number])
        return kept

    def bad_rows(self, stream: LooseStream) -> tuple[pa.Table, list[str]]:
        """What is no good event, as rows that have only its text, and the reasons."""
        rows = [{stream.event: text} for text, _ in self.odd]
        return pa.Table.from_pylist(rows, schema=stream.schema.columns), [why for _, why in self.odd]

    def travelling(self, stream: LooseStream) -> list[dict[str, Any]] | pa.Table:
        """The good events in the columns in which they travel."""
        if self.columns:
            places = pa.array(self.places, pa.int64())  # a list without any has no type of its own
            taken = {name: column.take(places) for name, column in self.columns.items()}
            texts = {
                stream.event: pa.array(self.texts, pa.string()),
                stream.moments: pa.array(self.moments, pa.string()),
            }
            return pa.table(taken | texts)
        beside = zip(self.rows, self.texts, self.moments, strict=True)
        return [row | {stream.event: text, stream.moments: moments} for row, text, moments in beside]

    # -- what the stream is ------------------------------------------------------------------------

    def stream(self) -> LooseStream | None:
        """The stream that these events begin; None if none of them has a time."""
        kind = self._time_type()
        return None if kind is None else self.binding.stream(kind, map(self._tie_type, self.binding.order))

    def _time_type(self) -> pa.DataType | None:
        time = self.binding.time
        if time in self.columns:
            return storable_type(self.columns[time].type) if self.rows else None
        return next((kind for row in self.rows if (kind := time_type(row[time])) is not None), None)

    def _tie_type(self, name: str) -> pa.DataType:
        if name in self.columns:
            return storable_type(self.columns[name].type)
        known = (row[name] for row in self.rows if row[name] is not None)
        try:
            found = pa.infer_type(list(itertools.islice(known, 1)))
        except REFUSED:
            found = pa.null()
        return pa.float64() if pa.types.is_null(found) else found


def time_type(value: Any) -> pa.DataType | None:
    """The type of a time column that begins with this value; None if it is no time."""
    if isinstance(value, bool) or not isinstance(value, int | float | date):
        return None
    try:
        found = pa.infer_type([value])
    except REFUSED:
        return None
    if not isinstance(value, datetime) or pa.types.is_null(found):
        return None if pa.types.is_null(found) or value != value else found
    return pa.timestamp("us", found.tz) if found.unit != "ns" else found


# -- any form --------------------------------------------------------------------------------------


def loose_events(events: Any, binding: LooseBinding) -> LooseEvents:
    """Events in any form, taken apart."""
    found = LooseEvents(binding)
    events, are_dicts = as_dicts(events)
    if not are_dicts:
        events, found.columns = _opened(with_index(events, binding.names), binding)
    for place, event in enumerate(events):
        found.take(event, place)
    return found


def as_dicts(events: Any) -> tuple[Any, bool]:
    """The same events, and whether they are dicts: then their attributes need not be alike."""
    if isinstance(events, Mapping):
        return [events], True
    if isinstance(events, list | tuple):
        return events, not events or isinstance(events[0], Mapping)
    if isinstance(events, Iterator):
        first = list(itertools.islice(events, 1))
        return itertools.chain(first, events), bool(first) and isinstance(first[0], Mapping)
    return events, False


def are_mixed(events: Iterable[Any]) -> bool:
    """Whether an attribute of dicts holds values of several kinds."""
    kinds: dict[Any, set[type]] = {}
    for event in events:
        if isinstance(event, Mapping):
            for name, value in event.items():
                if value is not None:
                    kinds.setdefault(name, set()).add(_kind(value))
    return any(len(found) > 1 for found in kinds.values())


def _kind(value: Any) -> type:
    """What values of one column have in common: numbers may be whole or not."""
    kind = type(value)
    if kind is bool or kind is str:
        return kind
    return next((known for known in (Number, Mapping, date) if isinstance(value, known)), kind)


def _opened(events: Any, binding: LooseBinding) -> tuple[Iterable[Any], Mapping[str, pa.ChunkedArray]]:
    """The events of a table one by one, and those of its columns that have a role."""
    if is_pandas(events):
        return _of_frame(without_periods(events), binding), {}
    table = as_table(events)
    if table is None:
        intake = take_in(events)
        table = pa.Table.from_batches(list(intake.batches), schema=intake.schema)
    _expect(binding, table.column_names)
    kind = table.schema.field(binding.time).type
    there = [name for name in binding.names if name in table.column_names]
    roles = {} if is_text(kind) else {name: table.column(name) for name in there}
    return readable_rows(table), roles


def _of_frame(frame: Any, binding: LooseBinding) -> list[dict[str, Any]]:
    """The rows of a frame of pandas, whose columns may hold anything."""
    if not frame.columns.is_unique:
        raise BindingError("a column is there twice: rename one of them")
    _expect(binding, list(frame.columns))
    whole = frame.astype(object)
    rows: list[dict[str, Any]] = whole.where(frame.notna(), None).to_dict("records")
    return rows


def _expect(binding: LooseBinding, names: Sequence[Any]) -> None:
    repeated = sorted({name for name in names if list(names).count(name) > 1})
    if repeated:
        raise BindingError(f"a batch has more than one column named '{repeated[0]}': rename one of them")
    for role, name in (("time", binding.time), ("type", binding.type)):
        if name is not None and name not in names:
            known = ", ".join(map(str, names[:12]))
            raise BindingError(f"the events have no column '{name}' for {role}=; they have {known}")
