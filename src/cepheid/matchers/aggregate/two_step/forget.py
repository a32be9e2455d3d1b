"""Forget partitions, groups and texts that no held event and no match refers to."""

from dataclasses import replace

import numpy as np

from cepheid.matchers.aggregate.two_step.events import HeldEvents
from cepheid.matchers.aggregate.two_step.matches import BuiltMatches
from cepheid.matchers.aggregate.two_step.settled import Settled
from cepheid.matchers.aggregate.two_step.totals import Tally
from cepheid.matchers.used_texts import keep_used_texts
from cepheid.pattern.types import ValueType


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


def forget_texts(events: HeldEvents, tally: Tally, settled: Settled, alive: BuiltMatches) -> None:
    """Number the texts that are still held anew, in place; drop the others."""
    columns = [row for row, column in enumerate(events.plan.columns) if column.type is ValueType.STRING]
    held = [(events.bits[row], events.valid[row] != 0) for row in columns]
    for name in [measure.name for measure in tally.measures if measure.is_text]:
        held += [(codes, codes >= 0) for codes in (alive[name], settled.totals[name])]
    keep_used_texts(tally.texts, held)


def _used(*codes: np.ndarray) -> np.ndarray:
    found: np.ndarray = np.unique(np.concatenate(codes))
    return found[found >= 0]


def _renumbered(codes: np.ndarray, kept: np.ndarray) -> np.ndarray:
    return np.where(codes < 0, codes, np.searchsorted(kept, codes))
