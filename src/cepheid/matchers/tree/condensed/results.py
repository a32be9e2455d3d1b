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
from cepheid.matchers.tree.condensed.text_order import as_joined, text_order
from cepheid.matchers.tree.layout import TreeState, TreeTables
from cepheid.matchers.tree.results import PIECE
from cepheid.matchers.ways.counting import counts
from cepheid.matchers.ways.listing import UNLIMITED, list_matches
from cepheid.matchers.ways.shared import SharedWays, shared
from cepheid.matchers.ways.sorted_listing import list_sorted
from cepheid.matchers.ways.ways import Ways
from cepheid.pattern.query import EmitMode
from cepheid.plan.summaries import SUMMARIES, is_packed
from cepheid.plan.tree.condensing import has_one_row_an_event, order_of_ways
from cepheid.plan.tree.plan import TreePlan

_SURE = float(2**62)
_ORDERED = (EmitMode.FIRST, EmitMode.LONGEST, EmitMode.COMPRESSED)
"""What is answered without listing all, and asks for the order of output."""


class CondensedResults:
    """Turns found members into tables. Ways come in the order of the text, so that only what EMIT wants is
    listed; where it wants all, they come as the tree has them, and are put in order when they are listed."""

    def __init__(self, plan: TreePlan, tables: TreeTables, expect: Callable[[int], None]) -> None:
        """`expect` is told of matches before they are listed."""
        self.plan = plan
        self.emit = plan.query.emit
        self.tables = tables
        self.expect = expect
        self.variables = len(plan.positions)
        self.meets = has_one_row_an_event(plan)
        self.joined = order_of_ways(plan, plan.root)
        self.is_ordered = self.joined == tuple(sorted(self.joined))
        self.order = (text_order if self.emit.mode in _ORDERED else as_joined)(plan)
        self.shares = self.emit.mode is EmitMode.COUNT or is_packed(plan)
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
        gather = gather_shared if self.shares else gather_ways
        for ways, first in gather(self.tables, state, self.order, found, groups):
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
                yield from self._sorted(ways)
                return
        limit = self.emit.count if mode is EmitMode.FIRST else None
        limit = UNLIMITED if limit is None else limit
        if mode is EmitMode.LONGEST:
            found = list_sorted(ways, self.variables, 1, longest=True)
        else:
            found = (list_matches if self.meets else list_sorted)(ways, self.variables, limit)
        yield from (bindings for bindings, _ in found)

    def _sorted(self, ways: Ways) -> Iterator[Bindings]:
        """All matches in the order of output."""
        parts = list(list_matches(ways, self.variables, order=self.joined))
        bindings = joined_bindings([each for each, _ in parts])
        order = output_order(bindings, [np.concatenate([group for _, group in parts])], is_sorted=False)
        for start in range(0, order.size, PIECE):
            yield in_order(bindings, order[start : start + PIECE])

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
        graph = ways if self.emit.mode is EmitMode.COMPRESSED else None
        return self._table(found, groups, shared(ways).counts(), graph, store)

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


def _first_bound(found: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Of each group a found row whose last event is bound to the first variable."""
    some = found[groups[0] : groups[-1], at.FOUND_POSITION]
    group = np.repeat(np.arange(groups.size - 1), np.diff(groups))
    chosen: np.ndarray = groups[0] + np.lexsort((some, group))[groups[:-1] - groups[0]]
    return chosen
