"""Found matches to bindings: those that EMIT wants, in the order of output."""

from collections.abc import Callable, Iterator

import numpy as np

from cepheid.matchers.bindings import Bindings, joined_bindings, permuted_bindings
from cepheid.matchers.emit import in_order, keep_non_overlapping, output_order
from cepheid.matchers.nfa import layout as at
from cepheid.matchers.nfa.construct import count_events, list_events, list_singles, unlist_events
from cepheid.matchers.nfa.gather import gather_ways, group_bounds
from cepheid.matchers.nfa.layout import NfaState, NfaTables
from cepheid.matchers.nfa.unfolding import unfolded
from cepheid.matchers.ways.counting import counts
from cepheid.matchers.ways.extremes import longest, shortest
from cepheid.matchers.ways.listing import list_matches
from cepheid.matchers.ways.ways import Ways
from cepheid.pattern.query import EmitMode
from cepheid.plan.nfa.plan import NfaPlan

PIECE = 1 << 17
"""How many matches are handed out at a time at most: Arrow's lists have an end."""

Told = tuple[np.ndarray, Bindings]
"""Matches, and the found row that tells when each completed."""


class NfaResults:
    """Turns found matches into bindings. Matches that complete by time alone can come after
    others that are found later, so a query with such matches is put in order batch by batch; where
    matches are not found in their order (`in_order`), all of them are at the end."""

    def __init__(
        self, plan: NfaPlan, tables: NfaTables, expect: Callable[[int], None], *, in_order: bool = True
    ) -> None:
        """`expect` is told of matches before they are built: they may be many times larger."""
        self.variables = len(plan.automaton.positions)
        self.singles = not any(each.kleene or each.optional for each in plan.automaton.positions)
        self.emit = plan.query.emit
        self.one_stream = tables.strategy == at.STRICT
        self.tables = tables
        self.in_order = in_order
        self.holds = tables.trailing or not in_order
        self.expect = expect
        self._held: list[Told] = []
        self._marks = np.zeros(0, np.int32)

    def take(
        self, found: np.ndarray, state: NfaState, nodes: int, merged: bool, last: bool
    ) -> Iterator[Bindings]:
        """The matches that can be handed out now; `merged` says that runs were, so that found rows may stand
        for many matches."""
        if not self.holds:
            for rows, bindings in self._told(found, state, nodes, merged):
                if self.emit.mode is EmitMode.ALL and bindings.count > 1:
                    yield in_order(bindings, self._ordered(bindings, self.completion(rows)))
                else:
                    yield bindings
            return
        self._held += self._told(found, state, nodes, merged)
        if not self._held or not last:
            return
        rows = np.concatenate([told for told, _ in self._held])
        bindings = joined_bindings([each for _, each in self._held])
        self._held = []
        order = self._ordered(bindings, self.completion(rows))
        if self.emit.mode is EmitMode.NON_OVERLAPPING:
            order = self._thinned(order, rows, bindings, state.parts)
        for start in range(0, order.size, PIECE):
            yield in_order(bindings, order[start : start + PIECE])

    # -- from found rows to matches ----------------------------------------------------------------

    def _told(self, found: np.ndarray, state: NfaState, nodes: int, merged: bool) -> Iterator[Told]:
        if found.shape[0] == 0:
            return
        if self.emit.mode is EmitMode.ALL or not self.in_order:
            told = self._all_of(found, state, merged)
            if told is not None:
                yield told
                return
        found, groups = self.grouped(found)
        for ways, first in gather_ways(self.tables, state, nodes, found, groups):
            for bindings, group in _EMITTED[self.emit.mode](self, ways):
                rows = found[groups[first + group]]
                rows[:, at.FOUND_EVENTS] = bindings.sizes
                yield rows, bindings

    def grouped(self, found: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The found rows by groups of one completion and one last event, and where each group begins."""
        if not self.tables.trailing:
            return found, group_bounds(found)
        keys = (at.FOUND_PARTITION, at.FOUND_LAST, at.FOUND_EVENT, at.FOUND_CLOSED, at.FOUND_TIME)
        found = found[np.lexsort([found[:, key] for key in keys])]
        if self.emit.mode is EmitMode.NON_OVERLAPPING:  # of one row all matches have one start
            return found, np.arange(found.shape[0] + 1)
        return found, group_bounds(found)

    def list_all(self, ways: Ways) -> Iterator[tuple[Bindings, np.ndarray]]:
        """Every match of the groups: so many that it is worth counting them first."""
        self.expect(sum(counts(ways)))
        return list_matches(ways, self.variables)

    def list_first(self, ways: Ways) -> Iterator[tuple[Bindings, np.ndarray]]:
        """The first matches of each group."""
        assert self.emit.count is not None
        return list_matches(ways, self.variables, self.emit.count)

    def list_longest(self, ways: Ways) -> Iterator[tuple[Bindings, np.ndarray]]:
        """The longest match of each group."""
        yield longest(ways, self.variables), np.arange(ways.count)

    def list_shortest(self, ways: Ways) -> Iterator[tuple[Bindings, np.ndarray]]:
        """The shortest match of each group: it ends the others, which overlap it."""
        yield shortest(ways, self.variables), np.arange(ways.count)

    def _all_of(self, found: np.ndarray, state: NfaState, merged: bool) -> Told | None:
        """Every match: a found row is one, unless its run was merged with others before. None if they are
        very many."""
        if self.emit.mode is EmitMode.ALL:
            self.expect(found.shape[0])
        many = state.nodes[found[:, at.FOUND_NODE], at.LINK_MANY] != 0 if merged else np.zeros(0, np.bool_)
        if not many.any():
            return found.copy(), self._construct(found, state)
        folded, alone = np.flatnonzero(many), np.flatnonzero(~many)
        listed = unfolded(self.tables, state, found[folded], self.variables)
        if listed is None or alone.size == 0:
            return None if listed is None else (found[listed[0]], listed[1])
        rows = np.concatenate([alone, folded[listed[0]]])
        order = np.argsort(rows, kind="stable")
        bindings = joined_bindings([self._construct(found[alone], state), listed[1]])
        return found[rows[order]], permuted_bindings(bindings, order)

    def _construct(self, found: np.ndarray, state: NfaState) -> Bindings:
        """The matches of runs that were never merged: each found row is one."""
        if self.singles:
            ones = np.empty((self.variables, found.shape[0]), np.int32)
            if list_singles(state.nodes, found, ones):
                offsets = np.tile(np.arange(found.shape[0] + 1), (self.variables, 1))
                return _bound(found, state, offsets, tuple(ones))
        lengths = np.zeros((self.variables, found.shape[0]), np.int64)
        count_events(state.nodes, found, lengths)
        offsets = np.zeros((self.variables, found.shape[0] + 1), np.int64)
        np.cumsum(lengths, axis=1, out=offsets[:, 1:])
        events = []
        written = self._unlisted(state.nodes.shape[0])  # a node is of one variable
        for variable in range(self.variables):
            listed = np.empty(offsets[variable, -1], np.int32)
            list_events(state.nodes, found, variable, offsets[variable], listed, written)
            events.append(listed)
        unlist_events(state.nodes, found, written)
        return _bound(found, state, offsets, tuple(events))

    def _unlisted(self, nodes: int) -> np.ndarray:
        """Room to mark nodes in; between two uses none is marked, so that it need not be filled each time."""
        if self._marks.size < nodes:
            self._marks = np.full(nodes, at.NONE, np.int32)
        return self._marks

    # -- order -------------------------------------------------------------------------------------

    def completion(self, found: np.ndarray) -> list[np.ndarray]:
        """When each match completed, as sort keys, the first one last: found in this order already
        unless some complete by time alone."""
        keys = [found[:, at.FOUND_EVENT], found[:, at.FOUND_CLOSED]]
        return [*keys, self._completion_time(found)] if self.holds else keys

    def _ordered(self, bindings: Bindings, keys: list[np.ndarray]) -> np.ndarray:
        """The matches by these keys, and equal ones by their events."""
        return output_order(bindings, keys, is_sorted=not self.holds and len(keys) <= 2)

    def _completion_time(self, found: np.ndarray) -> np.ndarray:
        """When each match completed: at its last event, or as its window closed."""
        time = found[:, at.FOUND_TIME].copy()
        return time.view(np.float64) if self.tables.real_time else time

    def _thinned(
        self, order: np.ndarray, found: np.ndarray, bindings: Bindings, parts: np.ndarray
    ) -> np.ndarray:
        """Of `order`, the matches that do not overlap an earlier one: short ones first, then those that
        started first."""
        sizes = [found[:, at.FOUND_START], found[:, at.FOUND_EVENTS]]
        tried = self._ordered(bindings, [*sizes, *self.completion(found)])
        kept = np.zeros(found.shape[0], np.bool_)
        partitions = found[:, at.FOUND_PARTITION].copy()
        if self.one_stream:
            partitions[:] = 0
        starts, lasts = found[:, at.FOUND_START].copy(), found[:, at.FOUND_LAST].copy()
        keep_non_overlapping(tried, partitions, starts, lasts, parts[:, at.FLOOR], kept)
        if self.one_stream:
            parts[:, at.FLOOR] = parts[0, at.FLOOR]
        chosen: np.ndarray = order[kept[order]]
        return chosen


_EMITTED: dict[EmitMode, Callable[[NfaResults, Ways], Iterator[tuple[Bindings, np.ndarray]]]] = {
    EmitMode.ALL: NfaResults.list_all,
    EmitMode.FIRST: NfaResults.list_first,
    EmitMode.LONGEST: NfaResults.list_longest,
    EmitMode.NON_OVERLAPPING: NfaResults.list_shortest,
}


def _bound(
    found: np.ndarray, state: NfaState, offsets: np.ndarray, events: tuple[np.ndarray, ...]
) -> Bindings:
    return Bindings(
        offsets=offsets,
        events=events,
        first=found[:, at.FOUND_FIRST_ROW].copy(),
        last=found[:, at.FOUND_LAST_ROW].copy(),
        hashes=state.nodes[found[:, at.FOUND_NODE], at.NODE_HASH : at.NODE_HASH + 2].view(np.uint64),
    )
