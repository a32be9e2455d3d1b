"""Which events are bound to which variable, for many matches at once."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from cepheid.expressions import Index


@dataclass(frozen=True, slots=True)
class Bindings:
    """The events of matches, as rows of the event store: per variable a list for each match."""

    offsets: np.ndarray  # variable, match + 1
    events: tuple[np.ndarray, ...]  # variable: the lists, one after the other
    first: np.ndarray  # of each match
    last: np.ndarray
    hashes: np.ndarray  # uint64: match, lane

    @property
    def count(self) -> int:
        """How many matches."""
        return int(self.first.size)

    def lengths(self, variable: int) -> np.ndarray:
        """How many events a variable has in each match."""
        return np.diff(self.offsets[variable])

    @property
    def sizes(self) -> np.ndarray:
        """How many events each match has."""
        total: np.ndarray = np.diff(self.offsets, axis=1).sum(axis=0)
        return total

    def at(self, variable: int, index: Index | int) -> np.ndarray:
        """The row of the only, first, last or n-th event of a variable; -1 if there is none."""
        offsets = self.offsets[variable]
        if isinstance(index, int):
            return self._nth(variable, index)
        present = offsets[1:] > offsets[:-1]
        if present.all() and offsets[-1] == self.count:
            return self.events[variable]
        edge = offsets[1:] - 1 if index is Index.LAST else offsets[:-1]
        result = np.full(self.count, -1, np.int32)
        result[present] = self.events[variable][edge[present]]
        return result

    def _nth(self, variable: int, ordinal: int) -> np.ndarray:
        result = np.full(self.count, -1, np.int32)
        present = self.lengths(variable) >= ordinal
        result[present] = self.events[variable][self.offsets[variable][:-1][present] + ordinal - 1]
        return result


def permuted_bindings(bindings: Bindings, order: np.ndarray) -> Bindings:
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


def joined_bindings(parts: Sequence[Bindings]) -> Bindings:
    """The matches of all parts, one after the other."""
    if len(parts) == 1:
        return parts[0]
    variables = len(parts[0].events)
    offsets = [
        np.concatenate([[0], np.cumsum(np.concatenate([part.lengths(v) for part in parts]))])
        for v in range(variables)
    ]
    return Bindings(
        np.array(offsets),
        tuple(np.concatenate([part.events[v] for part in parts]) for v in range(variables)),
        np.concatenate([part.first for part in parts]),
        np.concatenate([part.last for part in parts]),
        np.concatenate([part.hashes for part in parts]),
    )


def ended_by_time(bindings: Bindings, time: np.ndarray) -> Bindings:
    """The same matches, with the first and the last event of each by the times of the store's rows: where the
    events are listed variable by variable, these need not be the first and the last of the list."""
    first, last = bindings.first.copy(), bindings.last.copy()
    for variable in range(len(bindings.events)):
        begin, end = bindings.at(variable, Index.FIRST), bindings.at(variable, Index.LAST)
        is_first = (begin >= 0) & (time[begin] < time[first])
        is_last = (end >= 0) & (time[end] > time[last])
        first[is_first], last[is_last] = begin[is_first], end[is_last]
    return replace(bindings, first=first, last=last)


def ended_by_row(bindings: Bindings) -> Bindings:
    """The same for events of one store, whose rows are in the order of events."""
    first, last = bindings.first.copy(), bindings.last.copy()
    for variable in range(len(bindings.events)):
        begin, end = bindings.at(variable, Index.FIRST), bindings.at(variable, Index.LAST)
        np.copyto(first, begin, where=(begin >= 0) & (begin < first))
        np.copyto(last, end, where=end > last)
    return replace(bindings, first=first, last=last)
