"""Silences that were not long enough: the longest ones, and the events that ended them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cepheid.matchers.evaluate import evaluate
from cepheid.pattern import nodes as pt
from cepheid.plan.positions import type_name
from cepheid.plan.windows import ticks_of
from cepheid.runners.embedded.why.asked import AskedQuery
from cepheid.runners.embedded.why.candidate import PartialMatch
from cepheid.runners.embedded.why.stops import Stop, StopKind
from cepheid.runners.embedded.why.stretch import EventStretch
from cepheid.runners.embedded.why.values import OneEventRows

MOST = 10  # of each SILENCE


@dataclass(frozen=True, slots=True)
class BrokenSilences:
    """The gaps between the events that a SILENCE is about."""

    asked: AskedQuery
    stretch: EventStretch

    def stops(self, now: float) -> Iterator[Stop]:
        """The longest gaps that were no silence, and those that are none yet."""
        for node in pt.walk(self.asked.query.pattern):
            if isinstance(node, pt.Silence):
                yield from self._of(node, now)

    def _of(self, node: pt.Silence, now: float) -> Iterator[Stop]:
        limit = float(ticks_of(node.duration, self.asked.schema))
        before, after = self._gaps(self._rows(node))
        times = np.append(self.stretch.time, now)
        lengths = times[after] - times[before]
        short = np.flatnonzero(lengths <= limit)
        for place in short[np.argsort(-lengths[short], kind="stable")][:MOST].tolist():
            row = int(after[place]) if after[place] < len(self.stretch) else None
            first = int(before[place])
            candidate = PartialMatch({node.variable: (first,)}, 0, None, first, first)
            yield Stop(candidate, StopKind.SILENCE, node.variable, row)

    def _rows(self, node: pt.Silence) -> np.ndarray:
        """The events that qualify, by conditions on them alone."""
        rows: np.ndarray = self.stretch.of_type(type_name(node, self.asked.schema.type is not None))
        rows = rows[self.stretch.partition[rows] >= 0]
        for each in self.asked.conditions:
            if each.names == {node.variable}:
                held = evaluate(each.expression, OneEventRows(self.stretch, rows)).fill_null(False)
                rows = rows[np.asarray(held)]
        return rows

    def _gaps(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """From each event to the next of its partition; after the last one, to now."""
        partition = self.stretch.partition[rows]
        order = np.lexsort((rows, partition))
        before = rows[order]
        after = np.append(before[1:], len(self.stretch))
        is_last = np.append(partition[order][1:] != partition[order][:-1], True)[: before.size]
        return before, np.where(is_last, len(self.stretch), after[: before.size])
