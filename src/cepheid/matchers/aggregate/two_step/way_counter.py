"""The first step of AGG over AND: matches stay a graph, and those with the same first and last event are one
row of what they come to."""

from itertools import pairwise

import numpy as np
import pyarrow as pa

from cepheid.errors import LimitError
from cepheid.events import EventBatch
from cepheid.matchers.aggregate.two_step import by_first as by
from cepheid.matchers.aggregate.two_step.build import FirstStep
from cepheid.matchers.aggregate.two_step.by_first import Cells, Summed, sum_up
from cepheid.matchers.aggregate.two_step.matches import BuiltMatches
from cepheid.matchers.aggregate.two_step.totals import Measure
from cepheid.matchers.packed_rows import read_ways
from cepheid.matchers.store import EventStore
from cepheid.matchers.ways import layout as way
from cepheid.matchers.ways.shared import SharedWays
from cepheid.matchers.windows import FAR

_FOUND = 4096

Found = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Rows of a group, a first and a last event with how many matches they have; by measure, whole and real."""


class WayCounter(FirstStep):
    """Adds up the matches of graphs, by their first and last events."""

    def matches(self, batch: EventBatch, since: int) -> BuiltMatches:
        """What the events of a batch complete."""
        table = self._found(batch, since)
        found = [piece for rows in table.to_batches() if rows.num_rows for piece in self._summed(rows)] or [
            self._nothing(0)
        ]
        told, whole, real = (np.concatenate([each[k] for each in found], axis=min(k, 1)) for k in range(3))
        self.built += told.shape[0]
        return BuiltMatches(
            {
                "first": told[:, by.FIRST].copy(),
                "begun": self._begun(told[:, by.FIRST]),
                **self._ended(told[:, by.LAST].copy()),
                "end": np.full(told.shape[0], FAR, np.int64),
                "count": told[:, by.COUNT].copy(),
                **self._measured(whole, real),
            },
            {},
        )

    def _nothing(self, size: int) -> Found:
        measures = len(self.tally.measures) - 1
        return (
            np.zeros((size, by.FOUND_WIDTH), np.int64),
            np.zeros((measures, size), np.int64),
            np.zeros((measures, size)),
        )

    def _measured(self, whole: np.ndarray, real: np.ndarray) -> dict[str, np.ndarray]:
        return {
            measure.name: self.tally.as_kept(measure, (real if measure.dtype is np.float64 else whole)[j])
            for j, measure in enumerate(self.tally.measures[1:])
        }

    def _summed(self, rows: pa.RecordBatch) -> list[Found]:
        """What the matches of some packed rows come to, piece by piece."""
        ways, store = read_ways(rows, self.plan.inner)
        values = self._values(ways, store)
        cells = Cells.of_size(values.kinds.size, ways.rows.shape[0])
        changed = np.flatnonzero(np.diff(ways.pieces[:, 0])) + 1
        bounds = [0, *changed.tolist(), ways.count]
        return [
            found
            for first, end in pairwise(bounds)
            for found in self._of_piece(ways, values, cells, first, end)
        ]

    def _of_piece(self, ways: SharedWays, values: Summed, cells: Cells, first: int, end: int) -> list[Found]:
        begin, stop = ways.pieces[first].tolist()
        firsts = np.unique(values.positions[begin:stop])
        place = np.array([0, 0, first, end, begin, stop], np.int64)
        room = self._nothing(max(_FOUND, end - first))
        told: list[Found] = []
        answer = by.FULL
        while answer == by.FULL:
            place[1] = 0
            answer = sum_up(ways.rows, values, cells, ways.roots, ways.roots_of, firsts, place, room)
            if answer == by.TOO_LARGE:
                raise LimitError(
                    "AGG over AND counts matches with one first and one last event in int64, and there are "
                    "more. Bound them: a shorter WITHIN, an equivalence test [key], or more conditions"
                )
            told.append(
                (room[0][: place[1]].copy(), room[1][:, : place[1]].copy(), room[2][:, : place[1]].copy())
            )
        return told

    def _values(self, ways: SharedWays, store: EventStore) -> Summed:
        """What each row gives to each measure."""
        measures = self.tally.measures[1:]
        size = ways.rows.shape[0]
        known = np.flatnonzero(ways.rows[:, way.ROW] >= 0)
        listed = np.asarray(store.column(self.plan.position, ways.rows[known, way.ROW])).astype(np.int64)
        positions = np.full(size, -1, np.int64)
        positions[known] = listed
        whole, real = np.zeros((len(measures), size), np.int64), np.zeros((len(measures), size))
        for j, measure in enumerate(measures):
            into = real if measure.dtype is np.float64 else whole
            into[j] = measure.identity
            of_variable = ways.rows[:, way.POSITION] == self.tally.variable_of(measure)
            own = np.flatnonzero(of_variable & (positions >= 0))
            into[j, own] = self.tally.of_event(measure, self.events, self.events.places(positions[own]))
        identities = np.array([[_whole_identity(each)] for each in measures], np.int64).reshape(-1, 1)
        kinds = np.array([_kind(each) for each in measures], np.int64)
        return Summed(kinds, whole, real, identities, positions)


def _whole_identity(measure: Measure) -> int:
    return 0 if isinstance(measure.identity, float) else measure.identity


def _kind(measure: Measure) -> int:
    real = measure.dtype is np.float64
    if measure.name.startswith("low_"):
        return by.ADD_LOW
    if measure.ufunc is np.add:
        return by.ADD_REAL if real else by.ADD
    if measure.ufunc is np.minimum:
        return by.LEAST_REAL if real else by.LEAST
    return by.MOST_REAL if real else by.MOST
