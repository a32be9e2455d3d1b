"""The first step of AGG over AND: matches stay a graph, and those with the same first and last event are one
row of what they come to."""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa

from cepheid.events import EventBatch
from cepheid.matchers.aggregate.two_step import by_first as by
from cepheid.matchers.aggregate.two_step.build import FirstStep
from cepheid.matchers.aggregate.two_step.by_first import Cells, Summed, most_ways, sum_up
from cepheid.matchers.aggregate.two_step.matches import BuiltMatches
from cepheid.matchers.aggregate.two_step.remainders import from_remainders, moduli
from cepheid.matchers.aggregate.two_step.totals import LOW_BITS, LOW_MASK, Measure
from cepheid.matchers.aggregate.wide import narrowed
from cepheid.matchers.packed_rows import read_ways
from cepheid.matchers.store import EventStore
from cepheid.matchers.ways import layout as way
from cepheid.matchers.ways.shared import SharedWays
from cepheid.matchers.windows import FAR

_FOUND = 4096

_SURE_BITS = 62
"""Numbers of so many bits are surely right in int64."""


@dataclass(frozen=True, slots=True)
class FirstAndLast:
    """What matches with one first and one last event come to, a row for each such pair."""

    rows: np.ndarray  # a group, a first and a last event
    counts: np.ndarray  # of matches
    whole: list[np.ndarray]  # by measure
    real: np.ndarray


class WayCounter(FirstStep):
    """Adds up the matches of graphs, by their first and last events."""

    def matches(self, batch: EventBatch, since: int) -> BuiltMatches:
        """What the events of a batch complete."""
        table = self._found(batch, since)
        found = [piece for rows in table.to_batches() if rows.num_rows for piece in self._summed(rows)]
        told = np.concatenate([np.zeros((0, by.FOUND_WIDTH), np.int64), *(each.rows for each in found)])
        self.built += told.shape[0]
        return BuiltMatches(
            {
                "first": told[:, by.FIRST].copy(),
                "begun": self._begun(told[:, by.FIRST]),
                **self._ended(told[:, by.LAST].copy()),
                "end": np.full(told.shape[0], FAR, np.int64),
                "count": np.concatenate([np.zeros(0, np.int64), *(each.counts for each in found)]),
                **self._measured(found),
            },
            {},
        )

    def _measured(self, found: list[FirstAndLast]) -> dict[str, np.ndarray]:
        columns = {}
        for j, measure in enumerate(self.tally.measures[1:]):
            own = [(each.real if measure.dtype is np.float64 else each.whole)[j] for each in found]
            numbers = np.concatenate([np.zeros(0, measure.dtype), *own])
            columns[measure.name] = self.tally.as_kept(measure, numbers)
        for high, low in self._halves():
            whole = columns[high]
            columns[high], columns[low] = narrowed(whole >> LOW_BITS), (whole & LOW_MASK).astype(np.int64)
        return columns

    def _halves(self) -> list[tuple[str, str]]:
        """The measures that are halves of whole numbers. On the ways, the high one has all of the number."""
        highs = [each.name for each in self.tally.measures if each.name.startswith("high_")]
        return [(high, high.replace("high_", "low_")) for high in highs]

    def _summed(self, rows: pa.RecordBatch) -> list[FirstAndLast]:
        """What the matches of some packed rows come to, piece by piece."""
        ways, store = read_ways(rows, self.plan.inner)
        values = self._values(ways, store)
        cells = Cells.of_size(values.kinds.size, ways.rows.shape[0])
        changed = np.flatnonzero(np.diff(ways.pieces[:, 0])) + 1
        bounds = [0, *changed.tolist(), ways.count]
        return [self._of_piece(ways, values, cells, first, end) for first, end in pairwise(bounds)]

    def _of_piece(self, ways: SharedWays, values: Summed, cells: Cells, first: int, end: int) -> FirstAndLast:
        bits = self._bits(ways, values, first, end)
        if bits <= _SURE_BITS:
            told, whole, real = self._modulo(ways, values, cells, first, end)
            return FirstAndLast(told, told[:, by.COUNT], list(whole), real)
        by_modulus = moduli(bits)
        parts = [
            self._modulo(ways, _remainders(values, modulus), cells, first, end) for modulus in by_modulus
        ]
        told, whole, real = parts[0]
        return FirstAndLast(
            told,
            narrowed(from_remainders([each[0][:, by.COUNT] for each in parts], by_modulus)),
            [
                narrowed(from_remainders([each[1][j] for each in parts], by_modulus))
                if kind == by.ADD
                else whole[j]
                for j, kind in enumerate(values.kinds.tolist())
            ],
            real,
        )

    def _bits(self, ways: SharedWays, values: Summed, first: int, end: int) -> int:
        """How large the whole numbers of a piece may become, besides their sign."""
        begin, stop = ways.pieces[first].tolist()
        logarithm: float = most_ways(ways.rows, begin, stop, np.zeros(ways.rows.shape[0]))
        roots = int(np.diff(ways.roots_of[first : end + 1]).max())
        count = math.ceil(logarithm * (1 + 1e-9)) + 1 + roots.bit_length()
        added = values.whole[values.kinds == by.ADD, begin:stop]
        if not added.size:
            return count
        largest = max(abs(int(added.min())), abs(int(added.max())))
        longest: int = stop - begin  # so many events a match has at most
        return count + longest.bit_length() + largest.bit_length()

    def _modulo(
        self, ways: SharedWays, values: Summed, cells: Cells, first: int, end: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows of a group, a first and a last event with how many matches they have; by measure, whole and
        real. Whole numbers are as they are, or remainders."""
        begin, stop = ways.pieces[first].tolist()
        firsts = np.unique(values.positions[begin:stop])
        place = np.array([0, 0, first, end, begin, stop], np.int64)
        size, measures = max(_FOUND, end - first), values.kinds.size
        room = (
            np.zeros((size, by.FOUND_WIDTH), np.int64),
            np.zeros((measures, size), np.int64),
            np.zeros((measures, size)),
        )
        told: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        answer = by.FULL
        while answer == by.FULL:
            place[1] = 0
            answer = sum_up(ways.rows, values, cells, ways.roots, ways.roots_of, firsts, place, room)
            told.append(
                (room[0][: place[1]].copy(), room[1][:, : place[1]].copy(), room[2][:, : place[1]].copy())
            )
        rows, whole, real = (np.concatenate([each[k] for each in told], axis=min(k, 1)) for k in range(3))
        return rows, whole, real

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
        names = [measure.name for measure in measures]
        for high, low in self._halves():
            upper, lower = names.index(high), names.index(low)
            whole[upper] = (whole[upper] << LOW_BITS) + whole[lower]
            whole[lower] = 0
        identities = np.array([[_whole_identity(each)] for each in measures], np.int64).reshape(-1, 1)
        kinds = np.array([_kind(each) for each in measures], np.int64)
        return Summed(by.PLAIN, kinds, whole, real, identities, positions)


def _remainders(values: Summed, modulus: int) -> Summed:
    """The same, with remainders of whatever is added up."""
    whole = values.whole.copy()
    added = values.kinds == by.ADD
    whole[added] %= modulus
    return values._replace(modulus=modulus, whole=whole)


def _whole_identity(measure: Measure) -> int:
    return 0 if isinstance(measure.identity, float) else measure.identity


def _kind(measure: Measure) -> int:
    real = measure.dtype is np.float64
    if measure.ufunc is np.add:
        return by.ADD_REAL if real else by.ADD
    if measure.ufunc is np.minimum:
        return by.LEAST_REAL if real else by.LEAST
    return by.MOST_REAL if real else by.MOST
