"""Found matches to bindings: constructed, put in the order of output, thinned for NON OVERLAPPING."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cepheid.matchers.nfa import layout as at
from cepheid.matchers.nfa.construct import count_events, keep_non_overlapping, list_events, sort_groups
from cepheid.matchers.nfa.layout import State, Tables
from cepheid.matchers.rows import Bindings
from cepheid.pattern.query import EmitMode
from cepheid.plan.nodes import NfaPlan


class Results:
    """Turns found matches into bindings. Matches that complete by time alone can come after
    others that are found later, so a query with such matches is put in order batch by batch."""

    def __init__(self, plan: NfaPlan, tables: Tables) -> None:
        self.variables = len(plan.automaton.positions)
        self.non_overlapping = plan.query.emit.mode is EmitMode.NON_OVERLAPPING
        self.one_stream = tables.strategy == at.STRICT
        self.tables = tables
        self._held: list[tuple[np.ndarray, Bindings]] = []

    def take(self, found: np.ndarray, state: State, last: bool) -> Iterator[Bindings]:
        """The matches that can be handed out now."""
        if found.shape[0]:
            self._held.append((found.copy(), self._construct(found, state)))
        if not self._held or (self.tables.trailing and not last):
            return
        if self.tables.trailing:
            held = [_joined(self._held)]
        else:
            held = self._held
        self._held = []
        for rows, bindings in held:
            order = self._ordered(rows, bindings, self._completion(rows))
            if self.non_overlapping:
                order = self._thinned(order, rows, bindings, state.parts)
            if order.size:
                yield bindings if _is_sorted(order, bindings.count) else _permuted(bindings, order)

    def _construct(self, found: np.ndarray, state: State) -> Bindings:
        lengths = np.zeros((self.variables, found.shape[0]), np.int64)
        count_events(state.nodes, found, lengths)
        offsets = np.zeros((self.variables, found.shape[0] + 1), np.int64)
        np.cumsum(lengths, axis=1, out=offsets[:, 1:])
        events = []
        written = np.full(found[:, at.FOUND_NODE].max() + 1, at.NONE, np.int32)  # a node is of one variable
        for variable in range(self.variables):
            listed = np.empty(offsets[variable, -1], np.int32)
            list_events(state.nodes, found, variable, offsets[variable], listed, written)
            events.append(listed)
        return Bindings(
            offsets=offsets,
            events=tuple(events),
            first=found[:, at.FOUND_FIRST_ROW].copy(),
            last=found[:, at.FOUND_LAST_ROW].copy(),
            hashes=state.nodes[found[:, at.FOUND_NODE], at.NODE_HASH : at.NODE_HASH + 2].view(np.uint64),
        )

    def _completion(self, found: np.ndarray) -> list[np.ndarray]:
        """When each match completed, as sort keys, the first one last: found in this order already
        unless some complete by time alone."""
        keys = [found[:, at.FOUND_EVENT], found[:, at.FOUND_CLOSED]]
        return [*keys, self._completion_time(found)] if self.tables.trailing else keys

    def _ordered(self, found: np.ndarray, bindings: Bindings, keys: list[np.ndarray]) -> np.ndarray:
        """The matches by these keys, and equal ones by their events, variable by variable."""
        order = np.arange(found.shape[0])
        if self.tables.trailing or len(keys) > 2:
            order = np.lexsort(keys)
        groups = np.zeros(found.shape[0], np.int64)
        changed = np.zeros(found.shape[0], np.bool_)
        for key in keys:
            changed[1:] |= key[order][1:] != key[order][:-1]
        groups[order] = np.cumsum(changed)
        starts = np.concatenate([[0], np.cumsum([e.size for e in bindings.events])[:-1]]).astype(np.int64)
        flat = np.concatenate(bindings.events) if len(bindings.events) > 1 else bindings.events[0]
        sort_groups(groups, bindings.offsets, flat, starts, order, np.empty_like(order))
        return order

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
        tried = self._ordered(found, bindings, [*sizes, *self._completion(found)])
        kept = np.zeros(found.shape[0], np.bool_)
        partitions = found[:, at.FOUND_PARTITION].copy()
        if self.one_stream:
            partitions[:] = 0
        starts, lasts = found[:, at.FOUND_START].copy(), found[:, at.FOUND_LAST].copy()
        keep_non_overlapping(tried, partitions, starts, lasts, parts, kept)
        if self.one_stream:
            parts[:, at.FLOOR] = parts[0, at.FLOOR]
        chosen: np.ndarray = order[kept[order]]
        return chosen


def _is_sorted(order: np.ndarray, count: int) -> bool:
    return order.size == count and bool((order == np.arange(count)).all())


def _permuted(bindings: Bindings, order: np.ndarray) -> Bindings:
    """The matches of `order`, in that order."""
    offsets = np.zeros((bindings.offsets.shape[0], order.size + 1), np.int64)
    events = []
    for variable, listed in enumerate(bindings.events):
        lengths = bindings.lengths(variable)[order]
        np.cumsum(lengths, out=offsets[variable, 1:])
        within = np.arange(offsets[variable, -1]) - np.repeat(offsets[variable, :-1], lengths)
        events.append(listed[np.repeat(bindings.offsets[variable, :-1][order], lengths) + within])
    return Bindings(
        offsets, tuple(events), bindings.first[order], bindings.last[order], bindings.hashes[order]
    )


def _joined(held: list[tuple[np.ndarray, Bindings]]) -> tuple[np.ndarray, Bindings]:
    if len(held) == 1:
        return held[0]
    parts = [bindings for _, bindings in held]
    variables = len(parts[0].events)
    offsets = [
        np.concatenate([[0], np.cumsum(np.concatenate([part.lengths(v) for part in parts]))])
        for v in range(variables)
    ]
    return np.concatenate([rows for rows, _ in held]), Bindings(
        np.array(offsets),
        tuple(np.concatenate([part.events[v] for part in parts]) for v in range(variables)),
        np.concatenate([part.first for part in parts]),
        np.concatenate([part.last for part in parts]),
        np.concatenate([part.hashes for part in parts]),
    )
