"""Forget partitions and groups that no held event and no match refers to."""

from dataclasses import replace

import numpy as np

from cepheid.matchers.aggregate.two_step.events import HeldEvents
from cepheid.matchers.aggregate.two_step.matches import BuiltMatches
from cepheid.matchers.aggregate.two_step.settled import Settled


def only_used(events: HeldEvents, settled: Settled, alive: BuiltMatches) -> BuiltMatches:
    """The matches, with partitions and groups numbered anew; the others are dropped."""
    columns = dict(alive.columns)
    if events.keys.parts:
        kept = _used(events.partition, alive["partition"])
        events.keys = events.keys.only(kept)
        events.counts = events.counts[kept] if events.counts.size else events.counts
        events.arrays["partition"] = _renumbered(events.partition, kept)
        columns["partition"] = _renumbered(alive["partition"], kept)
    if events.plan.group:
        kept = _used(events.group, alive["group"], settled.groups)
        events.groups = events.groups.only(kept)
        settled.keep(kept)
        events.arrays["group"] = _renumbered(events.group, kept)
        columns["group"] = _renumbered(alive["group"], kept)
    return replace(alive, columns=columns)


def _used(*codes: np.ndarray) -> np.ndarray:
    found: np.ndarray = np.unique(np.concatenate(codes))
    return found[found >= 0]


def _renumbered(codes: np.ndarray, kept: np.ndarray) -> np.ndarray:
    return np.where(codes < 0, codes, np.searchsorted(kept, codes))
