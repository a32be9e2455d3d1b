"""The index over primitives: each stored once, whoever refers to it.

    index = PrimitiveIndex(schema, unit)
    ids = index.add(template, [constants, …])      # int32 [profile, variable of the template]
    state = index.state()                          # nothing is waited for yet
    events = index.read(batch)
    n = find(index.tables, state, events, e, hits)

Primitives may be added at any time; then `tables` are others, and a state has to be `widened`. An index that
several runs share is to be forked first.
"""

# mypy: allow-untyped-calls

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np

from cepheid.events import EventBatch, EventSchema
from cepheid.matchers.profile.pool import layout as at
from cepheid.matchers.profile.pool.growing import GrowingArray
from cepheid.matchers.profile.pool.kernel import insert_many
from cepheid.matchers.profile.pool.layout import PoolEvents, PoolState, PoolTables
from cepheid.matchers.profile.pool.placed import Placed
from cepheid.matchers.profile.pool.programs import Programs, Words
from cepheid.matchers.profile.pool.ranges import restore_peaks
from cepheid.matchers.profile.pool.reading import BatchReader
from cepheid.matchers.profile.pool.sampling import Sample
from cepheid.pattern.constants import Constant
from cepheid.pattern.template import Template
from cepheid.plan.profile.primitives import Shape, shape_of

ENOUGH = 256
"""Events from which it can be told how many pass a test."""

NumberOf = dict[tuple[Constant, ...], int]


class PrimitiveIndex:
    """Owns the tables of a pool. What is waited for is a state of its own, so runs may share an index."""

    def __init__(self, schema: EventSchema, unit: str) -> None:
        self.schema, self.unit = schema, unit
        self.words, self.sample = Words.over(schema, unit), Sample()
        self.placed = Placed()
        self._shapes: dict[str, tuple[Shape, NumberOf]] = {}
        self._of_template: dict[Template, list[tuple[Shape, NumberOf]]] = {}
        self._primitives = GrowingArray(np.int32, at.PRIMITIVE_WIDTH)
        self._tables: PoolTables | None = None
        self._reader = BatchReader()
        self._read = 0  # events so far
        self._is_improved = False

    @property
    def count(self) -> int:
        """How many primitives there are."""
        return self._primitives.count

    @property
    def bytes(self) -> int:
        """How much the tables take."""
        return sum(array.nbytes for array in self.tables)

    # -- adding ------------------------------------------------------------------------------------

    def add(self, template: Template, profiles: Sequence[tuple[Constant, ...]]) -> np.ndarray:
        """The primitives of profiles of one template: a row a profile, a column a variable."""
        ids = np.empty((len(profiles), len(template.variables)), np.int32)
        for k, variable in enumerate(template.variables):
            shape, known = self._shape(template, k)
            before, shift = len(known), self.count - len(known)
            rows = [template.constants_of(variable, constants) for constants in profiles]
            ids[:, k] = [known.setdefault(row, len(known) + shift) for row in rows]
            if len(known) > before:
                numbers = np.arange(self.count, self.count + len(known) - before, dtype=np.int32)
                self._primitives.append(np.zeros((numbers.size, at.PRIMITIVE_WIDTH), np.int32))
                self._place(shape, list(islice(known, before, None)), numbers)
        return ids

    def _shape(self, template: Template, k: int) -> tuple[Shape, NumberOf]:
        """The shape of a variable; those that are written alike are one, unlike `x + 1` and `x + 1.0`."""
        if template not in self._of_template:
            shapes = [shape_of(template, variable, self.schema) for variable in template.variables]
            self._of_template[template] = [self._shapes.setdefault(repr(each), (each, {})) for each in shapes]
        return self._of_template[template][k]

    def _place(self, shape: Shape, rows: list[tuple[Constant, ...]], numbers: np.ndarray) -> None:
        """Let primitives of one shape be found."""
        constants: list[Sequence[Any]] = list(zip(*rows, strict=True))
        programs = Programs(self.words, constants, len(rows))
        self._primitives.rows[numbers] = self.placed.add(shape, programs, numbers, self.sample)
        self._tables = None

    # -- what kernels see --------------------------------------------------------------------------

    @property
    def tables(self) -> PoolTables:
        """The index as kernels read it."""
        if self._tables is None:
            self._tables = self.placed.tables(self._primitives.rows, self.words)
        return self._tables

    def state(self) -> PoolState:
        """A pool in which nothing is waited for."""
        counters, stack = np.zeros(at.COUNTERS, np.int64), np.zeros(at.STACK, np.int32)
        fresh = PoolState(
            np.zeros((0, at.WAITED_WIDTH), np.int32),
            np.zeros(0, np.int32),
            np.zeros((0, at.LINK_WIDTH), np.int32),
            np.zeros((0, at.ENTRY_WIDTH), np.int64),
            stack,
            counters,
        )
        return self.widened(fresh)

    def widened(self, state: PoolState) -> PoolState:
        """The same state, with room for primitives that were added."""
        tables, old = self.tables, state.entries.shape[0]
        known = state.waited.shape[0]
        if known == self.count and state.links.shape[0] == tables.places.size:
            return state
        wider = state._replace(
            waited=longer(state.waited, self.count, 0),
            heads=longer(state.heads, self.placed.slots.count, at.NONE),
            links=longer(state.links, tables.places.size, at.NONE),
            entries=np.concatenate([state.entries, tables.entries[old:]]),
        )
        _write_places(wider, tables, known)
        wider.links[:, at.SLOT] = tables.places  # of those that were there too: trees are planted anew
        for leaves in self.placed.leaves_since(old):
            restore_peaks(tables, wider, leaves)
        return wider

    def read(self, batch: EventBatch) -> PoolEvents:
        """A batch as kernels read it."""
        events, texts = self._reader.read(batch, self.tables, self.words, self.placed.types)
        self.sample.take(events, texts)
        self._read += batch.count
        return events

    # -- others ------------------------------------------------------------------------------------

    def improve(self, counters: np.ndarray) -> None:
        """Choose anew by what each primitive is found, once: if there are events by which that can be told,
        and many primitives were tested in vain. States have to be `moved` then."""
        in_vain = int(counters[at.TESTED] - counters[at.FOUND])
        if not self._is_improved and self.sample.count >= ENOUGH and in_vain > 2 * self._read:
            self.rebuild()

    def rebuild(self) -> None:
        """Choose anew by what each primitive is found."""
        self.placed, self._tables, self._is_improved = Placed(), None, True
        for shape, known in self._shapes.values():
            self._place(shape, list(known), np.fromiter(known.values(), np.int32, len(known)))

    def moved(self, state: PoolState) -> PoolState:
        """A state with the same primitives waited for, after these were placed anew."""
        fresh = self.state()
        insert_many(self.tables, fresh, np.flatnonzero(state.waited[:, at.TIMES]).astype(np.int32))
        fresh.waited[: state.waited.shape[0], at.TIMES] = state.waited[:, at.TIMES]
        fresh.counters[:] = state.counters
        return fresh

    def fork(self) -> PrimitiveIndex:
        """The same index, to which primitives may be added that others do not see."""
        fresh = PrimitiveIndex(self.schema, self.unit)
        fresh.words, fresh.placed, fresh.sample = self.words.fork(), self.placed.fork(), self.sample
        fresh._shapes = {name: (shape, dict(known)) for name, (shape, known) in self._shapes.items()}
        fresh._of_template = {
            template: [fresh._shapes[repr(shape)] for shape, _ in pairs]
            for template, pairs in self._of_template.items()
        }
        fresh._primitives = self._primitives.fork()
        fresh._read, fresh._is_improved = self._read, self._is_improved
        return fresh


def _write_places(state: PoolState, tables: PoolTables, first: int) -> None:
    """Write down which places the primitives from the first on have."""
    rows = tables.primitives[first:]
    state.waited[first:, at.FIRST_PLACE] = rows[:, at.PLACES]
    state.waited[first:, at.END_PLACE] = rows[:, at.PLACES_END]
    has_tests = rows[:, at.TESTS] < rows[:, at.TESTS_END]
    owners = 2 * np.arange(first, first + rows.shape[0], dtype=np.int32) + has_tests
    counts = rows[:, at.PLACES_END] - rows[:, at.PLACES]
    starts = rows[:, at.PLACES] - (np.cumsum(counts, dtype=np.int32) - counts)
    places = np.repeat(starts, counts)
    places += np.arange(places.size, dtype=np.int32)
    state.links[places, at.OWNER] = np.repeat(owners, counts)


def longer(array: np.ndarray, size: int, fill: int) -> np.ndarray:
    """An array with more rows; what was there stays."""
    if array.shape[0] == size:
        return array
    found = np.full((size, *array.shape[1:]), fill, array.dtype)
    found[: array.shape[0]] = array
    return found
