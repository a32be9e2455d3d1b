"""What a condensed tree found, as matches or as rows about all that one event completes."""

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
import pyarrow as pa

from cepheid.matchers.bindings import Bindings, ended_by_row, joined_bindings
from cepheid.matchers.completions import Completions, completion_table
from cepheid.matchers.emit import in_order, output_order
from cepheid.matchers.rows import match_table
from cepheid.matchers.store import EventStore
from cepheid.matchers.tree import layout as at
from cepheid.matchers.tree.condensed.counting import UNKNOWN
from cepheid.matchers.tree.condensed.gather import gather_shared, gather_ways
from cepheid.matchers.tree.layout import TreeState, TreeTables
from cepheid.matchers.tree.results import PIECE
from cepheid.matchers.ways import layout as way
from cepheid.matchers.ways.counting import counts
from cepheid.matchers.ways.listing import UNLIMITED, list_matches
from cepheid.matchers.ways.plaiting import plaited
from cepheid.matchers.ways.shared import SharedWays, shared
from cepheid.matchers.ways.sorted_listing import list_sorted
from cepheid.matchers.ways.ways import Ways
from cepheid.pattern.query import EmitMode
from cepheid.plan.summaries import SUMMARIES, is_packed
from cepheid.plan.tree.condensing import has_one_row_an_event, lists_in_order, order_of_ways
from cepheid.plan.tree.plan import TreePlan

_OF_VARIABLE = 40
"""How far a variable's number is shifted beside that of an event of the store."""
_SURE = float(2**62)
_AT_ONCE = 1 << 16
"""How many matches are listed at a time where only some of them are wanted."""

GroupedBindings = tuple[Bindings, np.ndarray]
"""Matches, and the group of each."""


class CondensedResults:
    """Turns found members into tables. Only what EMIT wants is listed, if the ways come in the order of
    output; else all matches are listed, some at a time, and put in order."""

    def __init__(self, plan: TreePlan, tables: TreeTables, expect: Callable[[int], None]) -> None:
        """`expect` is told of matches before they are listed."""
        self.plan = plan
        self.emit = plan.query.emit
        self.tables = tables
        self.expect = expect
        self.variables = len(plan.positions)
        self.is_ordered = lists_in_order(plan)
        self.meets = has_one_row_an_event(plan)
        self.order = order_of_ways(plan, plan.root)
        self.shares = self.emit.mode is EmitMode.COUNT or (is_packed(plan) and self.is_ordered)
        self.gathered = 0  # rows of ways that were written to tell matches, or to count them
        self._held: list[np.ndarray] = []

    def take(
        self, found: np.ndarray, state: TreeState, store: EventStore, complete: bool
    ) -> Iterator[pa.Table]:
        """The tables that can be handed out now: `complete` says that all that the last event completes is
        found."""
        if found.shape[0]:
            self._held.append(found.copy())
        if not self._held or not complete:
            return
        found = np.concatenate(self._held)
        self._held = []
        changed = np.flatnonzero(np.diff(found[:, at.FOUND_EVENT])) + 1
        groups = np.concatenate([[0], changed, [found.shape[0]]]).astype(np.int64)
        if self.tables.counts and (found[:, at.FOUND_EVENTS] != UNKNOWN).all():
            yield self._counted(found, groups, store)
            return
        gathered = (gather_shared if self.shares else gather_ways)(self.tables, state, found, groups)
        for ways, first in gathered:
            self.gathered += ways.rows.shape[0]
            if self.emit.mode in SUMMARIES:
                yield self._summary(ways, found, groups[first : first + ways.count + 1], store)
            else:
                assert isinstance(ways, Ways)
                for bindings in self._chosen(ways):
                    yield match_table(self.plan, ended_by_row(bindings), store)

    # -- matches -----------------------------------------------------------------------------------

    def _chosen(self, ways: Ways) -> Iterator[Bindings]:
        mode = self.emit.mode
        if mode is EmitMode.ALL:
            self.expect(sum(counts(ways)))
        if not self.is_ordered:
            yield from self._chosen_of_all(ways)
            return
        limit = self.emit.count if mode is EmitMode.FIRST else None
        limit = UNLIMITED if limit is None else limit
        if mode is EmitMode.LONGEST:
            found = list_sorted(ways, self.variables, 1, longest=True)
        else:
            found = (list_matches if self.meets else list_sorted)(ways, self.variables, limit)
        yield from (bindings for bindings, _ in found)

    def _chosen_of_all(self, ways: Ways) -> Iterator[Bindings]:
        bindings, _ = self._sorted(ways) if self.emit.mode is EmitMode.ALL else self._best(ways)
        for start in range(0, bindings.count, PIECE):
            yield in_order(bindings, np.arange(start, min(start + PIECE, bindings.count)))

    def _sorted(self, ways: Ways) -> GroupedBindings:
        """All matches in the order of output, and the group of each."""
        return _in_order_of_output(list(list_matches(ways, self.variables, order=self.order)))

    def _best(self, ways: Ways) -> GroupedBindings:
        """The matches that are wanted. All are listed, some at a time, and no others are held."""
        choose, held = _CHOSEN[self.emit.mode], list[GroupedBindings]()
        for piece in list_matches(ways, self.variables, at_once=_AT_ONCE, order=self.order):
            bindings, group = _in_order_of_output([*held, piece])
            chosen = choose(self, bindings, group)
            held = [(in_order(bindings, chosen), group[chosen])]
        return held[0]

    def first(self, bindings: Bindings, group: np.ndarray) -> np.ndarray:
        """The first matches of each group."""
        assert self.emit.count is not None
        begins = np.searchsorted(group, group)
        chosen: np.ndarray = np.flatnonzero(np.arange(group.size) - begins < self.emit.count)
        return chosen

    def longest(self, bindings: Bindings, group: np.ndarray) -> np.ndarray:
        """The longest match of each group, of several the first."""
        tried = np.lexsort((np.arange(group.size), -bindings.sizes, group))
        chosen: np.ndarray = tried[np.searchsorted(group, np.unique(group))]
        return chosen

    # -- rows about all that an event completes ----------------------------------------------------

    def _counted(self, found: np.ndarray, groups: np.ndarray, store: EventStore) -> pa.Table:
        numbers = found[:, at.FOUND_EVENTS]
        if numbers.astype(np.float64).sum() < _SURE:
            totals = np.add.reduceat(numbers, groups[:-1]).tolist()
        else:
            listed = numbers.tolist()
            totals = [sum(listed[begin:end]) for begin, end in pairwise(groups.tolist())]
        return self._table(found, groups, totals, None, store)

    def _summary(
        self, ways: Ways | SharedWays, found: np.ndarray, groups: np.ndarray, store: EventStore
    ) -> pa.Table:
        numbers = shared(ways).counts()
        graph: Ways | SharedWays | None = None
        if self.emit.mode is EmitMode.COMPRESSED:
            graph = ways if self.is_ordered or isinstance(ways, SharedWays) else self._plaited(ways, numbers)
        return self._table(found, groups, numbers, graph, store)

    def _table(
        self,
        found: np.ndarray,
        groups: np.ndarray,
        numbers: list[int],
        graph: Ways | SharedWays | None,
        store: EventStore,
    ) -> pa.Table:
        first = _first_bound(found, groups)
        identities = found[first, at.FOUND_IDENTITY : at.FOUND_IDENTITY + 2].copy().view(np.uint64)
        completions = Completions(found[first, at.FOUND_STORED].copy(), identities, numbers, graph)
        return completion_table(self.plan, completions, store)

    def _plaited(self, ways: Ways, numbers: list[int]) -> Ways:
        """The graph of all matches, in the order of output."""
        self.expect(sum(numbers))
        bindings, _ = self._sorted(ways)
        key = (ways.rows[:, way.POSITION] << _OF_VARIABLE) + ways.rows[:, way.ROW]
        known, places = np.unique(key, return_index=True)
        identities = [
            ways.rows[
                places[np.searchsorted(known, (v << _OF_VARIABLE) + events.astype(np.int64))], way.IDENTITY :
            ]
            for v, events in enumerate(bindings.events)
        ]
        begins = np.concatenate([[0], np.cumsum(np.array(numbers, np.int64))]).astype(np.int64)
        return plaited(bindings, np.concatenate(identities), begins)


def _in_order_of_output(parts: list[GroupedBindings]) -> GroupedBindings:
    bindings = joined_bindings([each for each, _ in parts])
    group = np.concatenate([each for _, each in parts])
    order = output_order(bindings, [group], is_sorted=False)
    return in_order(bindings, order), group[order]


def _first_bound(found: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Of each group a found row whose last event is bound to the first variable."""
    some = found[groups[0] : groups[-1], at.FOUND_POSITION]
    group = np.repeat(np.arange(groups.size - 1), np.diff(groups))
    chosen: np.ndarray = groups[0] + np.lexsort((some, group))[groups[:-1] - groups[0]]
    return chosen


_CHOSEN: dict[EmitMode, Callable[..., np.ndarray]] = {
    EmitMode.FIRST: CondensedResults.first,
    EmitMode.LONGEST: CondensedResults.longest,
}
