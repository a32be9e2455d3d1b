"""The ends of periods among the events of a batch, so that a kernel passes all of them in one go."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from cepheid.matchers.aggregate.algebra import layout as at
from cepheid.matchers.aggregate.algebra.layout import ClassedEvents

TICK = 0
"""The class of such an end."""


AT_ONCE = 1 << 16
"""About so many events are mixed with moments at a time: copies of more leave the processor's cache."""


def with_ticks(
    events: ClassedEvents, start: int, seen: np.ndarray, moments: np.ndarray
) -> Iterator[ClassedEvents]:
    """The events from a place on, and these moments, each behind so many events of the batch; in pieces."""
    first = 0
    while first < moments.size:
        last = max(first + 1, int(np.searchsorted(seen, start + AT_ONCE, "right")))
        yield _mixed(events, start, seen[first:last], moments[first:last])
        start, first = int(seen[last - 1]), last


def _mixed(events: ClassedEvents, start: int, seen: np.ndarray, moments: np.ndarray) -> ClassedEvents:
    stop, count = int(seen[-1]), moments.size
    edges = [start, *seen.tolist()]

    def mixed(values: np.ndarray, inserted: np.ndarray) -> np.ndarray:
        if edges[1] == stop:  # all of them come at the end
            return np.concatenate([values[..., start:stop], inserted], axis=-1, dtype=values.dtype)
        pieces = [
            piece
            for number, (begin, end) in enumerate(pairwise(edges))
            for piece in (values[..., begin:end], inserted[..., number : number + 1])
        ]
        return np.concatenate(pieces, axis=-1, dtype=values.dtype)

    def mixed_if_any(values: np.ndarray, inserted: int) -> np.ndarray:
        more = np.full((*values.shape[:-1], count), inserted, values.dtype)
        return mixed(values, more) if values.size else values

    return ClassedEvents(
        mixed(events.classes, np.full(count, TICK)),
        mixed(events.time, moments.view(np.int64)),
        mixed_if_any(events.partitions, at.NOWHERE),
        mixed_if_any(events.groups, 0),
        mixed_if_any(events.columns, 0),
        mixed_if_any(events.valid, 0),
    )


def rest(events: ClassedEvents, start: int) -> ClassedEvents:
    """The events from a place on."""
    if start == 0:
        return events
    return ClassedEvents(*(np.ascontiguousarray(values[..., start:]) for values in events))
