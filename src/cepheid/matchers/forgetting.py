"""Forget keys and texts that nothing in the window refers to: a stream may have new ones for ever.

An engine knows where its state holds them. When it is worth looking there, and how texts get new numbers, is
the same for all.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from cepheid.matchers.codes import KeyCodes, TextCodes
from cepheid.plan.plan import QueryPlan
from cepheid.plan.summaries import SUMMARIES

SPARE = 1 << 20
"""How many keys or texts may pile up, some 100 bytes each, before it is worth looking which are alive."""


@dataclass(slots=True)
class Piles:
    """How many keys and texts were alive when someone last looked."""

    forgets_keys: bool
    constant_texts: int  # those of the query come first, and always stay
    live_keys: int = 0
    live_texts: int = 0

    def many_keys(self, keys: KeyCodes) -> bool:
        """Whether enough keys have piled up."""
        return self.forgets_keys and keys.count > 2 * self.live_keys + SPARE

    def many_texts(self, texts: TextCodes) -> bool:
        """Whether enough texts have piled up."""
        return len(texts.texts) > 2 * self.live_texts + SPARE


def may_forget_keys(plan: QueryPlan, waits_for_events: bool) -> bool:
    """Not where rows are known by the number of an event in its partition: it would begin anew."""
    is_numbered = waits_for_events and plan.query.emit.mode in SUMMARIES
    return bool(plan.query.keys) and not is_numbered


def number_texts_anew(places: Iterable[np.ndarray], texts: TextCodes, constants: int) -> None:
    """Keep the first texts, which are the query's own, and those that stand in some places; give them new
    numbers there."""
    places = list(places)
    alive = np.zeros(len(texts.texts), np.bool_)
    alive[:constants] = True
    for values in places:
        alive[values[(values >= 0) & (values < alive.size)]] = True
    kept = np.flatnonzero(alive)
    renumbered = np.zeros(alive.size, np.int64)
    renumbered[kept] = np.arange(kept.size)
    for values in places:
        values[:] = renumbered[np.clip(values, 0, alive.size - 1)]
    texts.keep_only(kept)
