"""The stretch of events that a why looks at, in their order, as the arrays that it searches."""

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cepheid.events import EventSchema, event_times
from cepheid.matchers.joining import join_arrays
from cepheid.matchers.masks import field_of, plain
from cepheid.matchers.windows import all_within
from cepheid.plan.program import WindowTest


@dataclass(slots=True)
class EventStretch:
    """Good events in their order; a row is an event's place among them."""

    table: pa.Table
    schema: EventSchema
    unit: str  # of timestamps in expressions
    keys: tuple[str, ...]  # the columns of all equivalence tests
    time: np.ndarray = field(init=False)
    codes: dict[str, np.ndarray] = field(init=False)  # of each key: a number a value, -1 for null
    partition: np.ndarray = field(init=False)  # a number a partition, -1 where a key is null
    ordinal: np.ndarray = field(init=False)  # of the event in its partition
    _plain: dict[tuple[str, tuple[str, ...]], pa.Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.time = event_times(self.table, self.schema)
        self.codes = {key: _codes(self._whole(key)) for key in self.keys}
        self.partition = _partitions(list(self.codes.values()), self.table.num_rows)
        self.ordinal = _ordinals(self.partition)

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def column(self, attribute: str, path: tuple[str, ...] = ()) -> pa.Array:
        """The values of an attribute as the evaluator computes with them, a row an event."""
        name = self.schema.column_of(attribute) or attribute
        if (name, path) not in self._plain:
            self._plain[name, path] = plain(field_of(self._whole(name), path), self.unit)
        return self._plain[name, path]

    def _whole(self, name: str) -> pa.Array:
        column = self.table.column(name)
        return join_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)

    def of_type(self, kind: str | None) -> np.ndarray:
        """The rows of events of a type, ascending; None: all of them."""
        if kind is None or self.schema.type is None:
            return np.arange(len(self))
        same = pc.fill_null(pc.equal(self.column(self.schema.type), kind), False)
        return np.flatnonzero(np.asarray(same))

    def spans(self, window: WindowTest, earlier: np.ndarray, later: np.ndarray) -> np.ndarray:
        """Whether a window reaches from the earlier events to the later ones, pair by pair."""
        moments = self.ordinal if window.counts_events else self.time
        return all_within(window, moments[earlier], moments[later])


def _codes(column: pa.Array) -> np.ndarray:
    """A number for each value; null, NaN and what is no plain value have -1, and agree with nothing."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_nested(column.type) or pa.types.is_null(column.type):
        return np.full(len(column), -1, np.int64)
    if pa.types.is_floating(column.type):
        real = column.cast(pa.float64())
        column = pc.if_else(pc.is_nan(real), None, pc.if_else(pc.equal(real, 0.0), 0.0, real))
    indices = column.dictionary_encode().indices.cast(pa.int64())
    return np.asarray(pc.fill_null(indices, -1))


def _partitions(codes: list[np.ndarray], count: int) -> np.ndarray:
    if not codes:
        return np.zeros(count, np.int64)
    together = np.stack(codes)
    _, numbers = np.unique(together, axis=1, return_inverse=True)
    return np.where((together >= 0).all(axis=0), numbers.reshape(-1), -1)


def _ordinals(partition: np.ndarray) -> np.ndarray:
    """The number of each event in its partition."""
    order = np.argsort(partition, kind="stable")
    sizes = np.unique(partition, return_counts=True)[1]
    within = np.arange(partition.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    found = np.empty(partition.size, np.int64)
    found[order] = within
    return found
