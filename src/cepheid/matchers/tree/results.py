"""Found matches to bindings: those that EMIT wants, in the order of output."""

from collections.abc import Callable, Iterator

import numpy as np

from cepheid.matchers.bindings import Bindings, joined_bindings
from cepheid.matchers.emit import in_order, keep_non_overlapping, output_order
from cepheid.matchers.tree import layout as at
from cepheid.matchers.tree.layout import TreeState, TreeTables
from cepheid.matchers.tree.listing import listed
from cepheid.pattern.query import EmitMode
from cepheid.plan.tree.plan import TreePlan

PIECE = 1 << 17
"""How many matches are handed out at a time at most: Arrow's lists have an end."""

COMPLETION = (at.FOUND_LAST, at.FOUND_EVENT, at.FOUND_CLOSED, at.FOUND_TIME)
"""What the matches of one group agree on, what counts most last."""


class TreeResults:
    """Turns found matches into bindings. What a block of events completes may be found piece by piece, and
    matches that complete by time alone may come after others that are found later: they are held until all of
    those that they are ordered with are known."""

    def __init__(self, plan: TreePlan, tables: TreeTables, expect: Callable[[int], None]) -> None:
        """`expect` is told of matches before they are listed."""
        self.emit = plan.query.emit
        self.tables = tables
        self.trailing = bool(plan.trailing)
        self.expect = expect
        self._held: list[tuple[np.ndarray, Bindings]] = []

    def take(self, found: np.ndarray, state: TreeState, complete: bool, last: bool) -> Iterator[Bindings]:
        """The matches that can be handed out now. `complete` says that all matches that complete with those
        found are found, and `last` that the batch is over."""
        if found.shape[0]:
            if self.emit.mode is EmitMode.ALL:
                self.expect(found.shape[0] + sum(rows.shape[0] for rows, _ in self._held))
            self._held.append((found.copy(), listed(self.tables, state, found[:, at.FOUND_ROW])[0]))
        if not self._held or not (last if self.trailing else complete):
            return
        rows = np.concatenate([told for told, _ in self._held])
        bindings = joined_bindings([each for _, each in self._held])
        self._held = []
        order = output_order(bindings, self.completion(rows), is_sorted=not self.trailing)
        chosen = _CHOSEN[self.emit.mode](self, order, rows, bindings, state.parts)
        for start in range(0, chosen.size, PIECE):
            yield in_order(bindings, chosen[start : start + PIECE])

    def completion(self, found: np.ndarray) -> list[np.ndarray]:
        """When each match completed, as sort keys, the first one last."""
        time = found[:, at.FOUND_TIME].copy()
        keys = [found[:, at.FOUND_EVENT], found[:, at.FOUND_CLOSED]]
        return [*keys, time.view(np.float64) if self.tables.real_time else time]

    # -- which of them EMIT wants ------------------------------------------------------------------

    def everything(self, order: np.ndarray, *others: object) -> np.ndarray:
        """All matches."""
        return order

    def first(self, order: np.ndarray, found: np.ndarray, *others: object) -> np.ndarray:
        """The first matches of each group."""
        assert self.emit.count is not None
        group = groups_of(found)[order]
        within = np.argsort(group, kind="stable")
        _, begins, sizes = np.unique(group[within], return_index=True, return_counts=True)
        rank = np.empty(order.size, np.int64)
        rank[within] = np.arange(order.size) - np.repeat(begins, sizes)
        chosen: np.ndarray = order[rank < self.emit.count]
        return chosen

    def longest(self, order: np.ndarray, found: np.ndarray, *others: object) -> np.ndarray:
        """The longest match of each group, of several the first."""
        group = groups_of(found)[order]
        tried = np.lexsort((np.arange(order.size), -found[order, at.FOUND_EVENTS], group))
        _, begins = np.unique(group[tried], return_index=True)
        chosen: np.ndarray = order[np.sort(tried[begins])]
        return chosen

    def apart(
        self, order: np.ndarray, found: np.ndarray, bindings: Bindings, parts: np.ndarray
    ) -> np.ndarray:
        """The matches that do not overlap an earlier one: short ones first, then those that started first."""
        sizes = [found[:, at.FOUND_START], found[:, at.FOUND_EVENTS]]
        tried = output_order(bindings, [*sizes, *self.completion(found)], is_sorted=False)
        kept = np.zeros(found.shape[0], np.bool_)
        partitions, starts, lasts = (
            found[:, k].copy() for k in (at.FOUND_PARTITION, at.FOUND_START, at.FOUND_LAST)
        )
        keep_non_overlapping(tried, partitions, starts, lasts, parts[:, at.FLOOR], kept)
        chosen: np.ndarray = order[kept[order]]
        return chosen


def groups_of(found: np.ndarray) -> np.ndarray:
    """The group of each match: those of one completion and one last event."""
    _, group = np.unique(found[:, list(COMPLETION)], axis=0, return_inverse=True)
    numbered: np.ndarray = group.reshape(-1)
    return numbered


_CHOSEN: dict[EmitMode, Callable[..., np.ndarray]] = {
    EmitMode.ALL: TreeResults.everything,
    EmitMode.FIRST: TreeResults.first,
    EmitMode.LONGEST: TreeResults.longest,
    EmitMode.NON_OVERLAPPING: TreeResults.apart,
}
