"""What a query tells, as events of the queries that name it: matches, rows at events, rows at moments."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cepheid.events import EventBatch, time_values
from cepheid.matchers.joining import decoded, join_arrays
from cepheid.matchers.workload.places import as_places, no_places, words_of, words_of_moments
from cepheid.plan.plan import QueryPlan
from cepheid.plan.workload.derived import last_columns
from cepheid.plan.workload.rows import BEHIND


@dataclass(frozen=True, slots=True)
class Derived:
    """What a query told, as events: their type, and those columns that they have, by name."""

    type: str
    count: int
    columns: dict[str, pa.Array]


class Feeder(ABC):
    """Makes events of what a query tells that others name."""

    def __init__(self, number: int, name: str, plan: QueryPlan, place: pa.Field) -> None:
        self.number, self.name, self.plan, self.place = number, name, plan, place
        self.told = 0  # how many events it has made

    def rows(self, found: pa.Table) -> pa.Table:
        """What was found, as the user asked for it."""
        return found

    def events(self, found: pa.Table, given: EventBatch) -> Derived:
        """What was found after these events, as events in their order."""
        columns: dict[str, pa.Array] = {}
        if found.num_rows:
            columns = self._columns([join_arrays(column.chunks) for column in found.columns], given)
        self.told += found.num_rows
        self._look_at(given)
        return Derived(self.name, found.num_rows, columns)

    @abstractmethod
    def _columns(self, found: list[pa.Array], given: EventBatch) -> dict[str, pa.Array]:
        """The columns of the events: what was asked for, their time, tie-breakers and place."""

    def _look_at(self, given: EventBatch) -> None:  # noqa: B027  (most have no need to)
        """These events are over."""

    def _behind(self, places: pa.Array) -> pa.Array:
        """Directly after these events, and after what they brought before."""
        words = words_of(places).copy()
        rows = np.arange(words.shape[0])
        level = 1 + 2 * np.count_nonzero(words[:, 1::2], axis=1)
        words[rows, level] = self.number + 1
        words[rows, level + 1] = self.told + rows
        return as_places(words, places.type)

    def saved(self) -> Any:
        """What a snapshot keeps."""
        return self.told

    def restore(self, saved: Any) -> None:
        """Go on from a snapshot."""
        self.told = saved


class MatchFeeder(Feeder):
    """Of matches: each stands after its last event."""

    def __init__(self, number: int, name: str, plan: QueryPlan, place: pa.Field) -> None:
        super().__init__(number, name, plan, place)
        self._width = len(plan.output or ())
        self._end = self._width + len(last_columns(plan, place))

    def rows(self, found: pa.Table) -> pa.Table:
        """The matches without what tells of their last events."""
        columns = found.columns
        return pa.Table.from_arrays([*columns[: self._width], columns[-1]], schema=self.plan.output_schema)

    def _columns(self, found: list[pa.Array], given: EventBatch) -> dict[str, pa.Array]:
        schema, step = self.plan.schema, 1 + len(self.plan.schema.order)
        time, *last = found[self._width : self._end]  # see last_columns
        places = last[::step]
        place = pc.max_element_wise(*places)
        assert self.plan.output is not None
        events = dict(zip((column.name for column in self.plan.output), found, strict=False))
        for number, name in enumerate(schema.order, 1):
            events[name] = _of_the_last(place, places, last[number::step])
        return events | {schema.time: time, self.place.name: self._behind(place)}


class RowFeeder(Feeder):
    """Of rows of AGG at events: each stands after its event. The plan carries what tells of that."""

    def __init__(self, number: int, name: str, plan: QueryPlan, place: pa.Field, asked: pa.Schema) -> None:
        super().__init__(number, name, plan, place)
        self._asked = asked
        self._last_group = len(asked) - _items(plan)

    def rows(self, found: pa.Table) -> pa.Table:
        """The rows without what tells of their events."""
        return pa.Table.from_arrays(self._without_carried(found.columns), schema=self._asked)

    def _without_carried(self, columns: list[Any]) -> list[Any]:
        return [*columns[: self._last_group], *columns[self._last_group + len(self.plan.carried) :]]

    def _columns(self, found: list[pa.Array], given: EventBatch) -> dict[str, pa.Array]:
        events = dict(zip(self._asked.names, self._without_carried(found), strict=True))
        events[self.plan.schema.time] = found[0]
        events |= dict(zip(self.plan.carried, found[self._last_group :], strict=False))
        return events | {self.place.name: self._behind(events[self.place.name])}


class MomentFeeder(Feeder):
    """Of rows of EMIT EVERY: each stands behind all events of its time; those of one moment by group."""

    def __init__(self, number: int, name: str, plan: QueryPlan, place: pa.Field) -> None:
        super().__init__(number, name, plan, place)
        self._last = 0  # the number in the stream of the last event that was given
        self._names = plan.output_schema.names
        self._groups = len(self._names) - 1 - _items(plan)

    def _columns(self, found: list[pa.Array], given: EventBatch) -> dict[str, pa.Array]:
        moments = time_values(found[0])
        if self._groups:
            order = _by_values([pa.array(moments), *found[1 : 1 + self._groups]])
            found, moments = [column.take(order) for column in found], moments[order.to_numpy()]
        seen = np.searchsorted(given.time, moments, "right")
        before = np.append(np.uint64(self._last), self._numbers(given))[seen]
        words = no_places(moments.size, self.place.type)
        words[:, 0], words[:, 1], words[:, 2] = before, BEHIND, words_of_moments(moments)
        events = dict(zip(self._names, found, strict=True))
        events[self.plan.schema.time] = found[0]
        return events | {self.place.name: self._behind(as_places(words, self.place.type))}

    def _numbers(self, given: EventBatch) -> np.ndarray:
        """Of these events, or of those that they come of, the numbers in the stream."""
        return words_of(given.data.column(self.place.name))[:, 0].astype(np.uint64)

    def _look_at(self, given: EventBatch) -> None:
        """Moments that are yet to come are after the last of these events."""
        if given.time.size:
            self._last = int(self._numbers(given)[-1])

    def saved(self) -> Any:
        """What a snapshot keeps."""
        return [self.told, self._last]

    def restore(self, saved: Any) -> None:
        """Go on from a snapshot."""
        self.told, self._last = saved


def _items(plan: QueryPlan) -> int:
    assert plan.query.aggregation is not None
    return len(plan.query.aggregation.items)


def _by_values(columns: list[pa.Array]) -> pa.Array:
    """The order of rows by these columns, one after the other; null comes first."""
    keys = [key for column in columns for key in (column.is_valid(), decoded(column))]
    table = pa.table({str(number): key for number, key in enumerate(keys)})
    return pc.sort_indices(table, sort_keys=[(name, "ascending") for name in table.column_names])


def _of_the_last(place: pa.Array, places: list[pa.Array], values: list[pa.Array]) -> pa.Array:
    """The value of the variable that holds the last event."""
    found = decoded(values[0])
    for here, candidate in zip(places[1:], values[1:], strict=True):
        is_last = pc.fill_null(pc.equal(here, place), False)
        found = pc.if_else(is_last, decoded(candidate), found)
    return found
