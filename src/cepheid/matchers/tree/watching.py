"""Whether another shape would be better by now, from the events that came last.

It is looked at when an event costs clearly more or less than before, and else after four times as much work
each time: so looking takes a small part of all work, and a change is seen soon.
"""

from __future__ import annotations

from collections import deque

import numpy as np
import pyarrow as pa

from cepheid.events import EventBatch, FewEvents, time_values
from cepheid.matchers.tree.choosing import expected_best, in_chosen, measured_cost, reshaped
from cepheid.matchers.tree.sampling import is_finite, sampled
from cepheid.matchers.tree.stretch import some_events
from cepheid.plan.tree.best_shape import CostedShape
from cepheid.plan.tree.cost import node_costs
from cepheid.plan.tree.plan import TreePlan
from cepheid.plan.tree.shape import LEFT, tree_of
from cepheid.plan.tree.statistics import Statistics

_RECENT = 8_192
"""How many events are kept to be looked at, about."""
_WINDOWS, _ENOUGH = 3, 1_024
"""How many windows are looked at, and how many events at least."""
_FEWEST = 256
"""How many there must be."""
_FIRST_LOOK, _LONGER, _MOST_PATIENCE = 100_000, 4, 1 << 25
"""After how much work the first look is due, how many times that the next, and how much may pass at most."""
_SOON = 20_000
"""How much work is done at least between two looks."""
_SETTLED = 512
"""How many events are waited for then, so that what came before means nothing."""
_DRIFT = 1.5
"""How many times as much or as little an event costs where it is looked at at once."""
_CLEARLY = 2.0
"""How many times as much the shape at hand must be expected to cost, and to cost where both are tried."""
_SURELY = 3.0
"""How many times as much it must be expected to cost for the other to be taken without a trial."""
_MOST_TRIED = 100_000
"""How much the trial of the shape at hand may be expected to cost."""
_TRIED_SHAPES, _MOST_EVENTS_TRIED = 2, 4_096
"""How many shapes a condensed tree is tried in beside its own and that from the left, on how many events."""


class RecentEvents:
    """The events that came last."""

    def __init__(self) -> None:
        self._batches: deque[EventBatch] = deque()
        self.count = 0

    def add(self, batch: EventBatch) -> None:
        """Let these be the newest, and forget those that are old enough."""
        if batch.count == 0:
            return
        if batch.count > _RECENT:
            batch = _copied(some_events(batch, batch.count - _RECENT, batch.count))
        self._batches.append(batch)
        self.count += batch.count
        while self.count - self._batches[0].count >= _RECENT:
            self.count -= self._batches.popleft().count

    def batch(self, plan: TreePlan, begun: EventBatch | None, most: int) -> EventBatch:
        """Those of the last few windows in one batch, with those of a batch that is not over; so many of them
        at most."""
        newest = [] if begun is None or begun.count == 0 else [begun.data]
        table = pa.Table.from_batches([*self._joined(), *newest]).select(list(plan.needed))
        data = table.combine_chunks().to_batches()[0]
        time = time_values(data.column(plan.schema.time))
        start = time.size - min(_enough(plan, time), most)
        return some_events(EventBatch(data, time, time[-1].item()), start, time.size)

    def _joined(self) -> list[pa.RecordBatch]:
        """The batches, where many that came as a few values each are one."""
        found: list[pa.RecordBatch] = []
        few: list[FewEvents] = []
        for batch in self._batches:
            events = batch.events
            if isinstance(events, FewEvents):
                if few and few[0].names != events.names:
                    found.append(_as_one(few))
                    few = []
                few.append(events)
                continue
            if few:
                found.append(_as_one(few))
                few = []
            found.append(events)
        return [*found, _as_one(few)] if few else found


def _copied(batch: EventBatch) -> EventBatch:
    """The same events by themselves, so that the table that they came with can be forgotten."""
    data = batch.data.take(pa.array(np.arange(batch.count, dtype=np.int32)))
    return EventBatch(data, batch.time.copy(), batch.watermark)


def _enough(plan: TreePlan, time: np.ndarray) -> int:
    """How many events fill some windows, or are enough anyway."""
    held = time.size
    if plan.window is not None and plan.window.counts_events:
        held = int(plan.window.limit) + 1
    elif plan.window is not None:
        held = time.size - int(np.searchsorted(time, time[-1] - plan.window.limit))
    return min(max(_WINDOWS * held, _ENOUGH), _RECENT, time.size)


def _as_one(few: list[FewEvents]) -> pa.RecordBatch:
    rows = [row for events in few for row in events.rows]
    return FewEvents(rows, few[0].names, few[0].types).record_batch()


class ShapeWatch:
    """Says when a tree should have another shape."""

    def __init__(self) -> None:
        self.recent = RecentEvents()
        self._looked: tuple[int, int] | None = None  # events and work, at the last look
        self._asked = (0, 0)  # and when it was last asked
        self._usual: float | None = None  # what an event cost after the last look
        self._drift: int | None = None  # since which event it costs more, or less
        self._patience = _FIRST_LOOK

    def look(
        self, plan: TreePlan, seen: int, work: int, batch: EventBatch | None = None, done: int = 0
    ) -> TreePlan | None:
        """The plan in a better shape, if there is one by now: after so many events, and so many pairs tested
        and composites made. Of a batch that is not over so many events are done."""
        if not self._is_due(seen, work) or self.recent.count + done < _FEWEST:
            return None
        since = min(seen, _RECENT) if self._drift is None else seen - self._drift
        begun = None if batch is None else some_events(batch, max(done - _RECENT, 0), done)
        better = self._better(plan, self.recent.batch(plan, begun, since))
        unsure = better is None and self._drift is not None
        self._patience = _FIRST_LOOK if unsure else min(_LONGER * self._patience, _MOST_PATIENCE)
        self._looked, self._usual, self._drift = (seen, work), None, None
        return better

    def _is_due(self, seen: int, work: int) -> bool:
        if self._looked is None:  # a session that goes on from a snapshot begins with what was done before it
            self._looked = self._asked = (seen, work)
        events, done = seen - self._looked[0], work - self._looked[1]
        newest, cost = seen - self._asked[0], work - self._asked[1]
        if events < _FEWEST or newest < _FEWEST or done < _SOON:
            return done >= self._patience
        if self._usual is None:
            self._usual = done / events
        elif self._drift is None and not self._usual / _DRIFT <= cost / newest <= self._usual * _DRIFT:
            self._drift = self._asked[0]
        self._asked = seen, work
        return done >= self._patience or (self._drift is not None and seen - self._drift >= _SETTLED)

    def _better(self, plan: TreePlan, events: EventBatch) -> TreePlan | None:
        statistics = sampled(plan, events, events.count)
        if not is_finite(statistics):
            return None
        best = expected_best(plan, statistics)
        if plan.groupings:
            return self._better_condensed(plan, statistics, best, events)
        here = CostedShape(_joined_cost(plan, statistics), plan.shape)
        if best[0].text == plan.shape or here.cost < _CLEARLY * best[0].cost:
            return None
        if here.cost >= _SURELY * best[0].cost:
            return in_chosen(plan, best[0].text, statistics, best)
        share = min(1.0, _MOST_TRIED / max(here.cost, 1.0))
        if share * statistics.windows < 1.5:  # no window would be filled
            return None
        some = some_events(events, int(events.count * (1 - share)), events.count)
        return _if_clearly_better(plan, [reshaped(plan, best[0].text)], some, statistics, best)

    def _better_condensed(
        self, plan: TreePlan, statistics: Statistics, best: tuple[CostedShape, ...], events: EventBatch
    ) -> TreePlan | None:
        """No model knows how far groups go, so the shape at hand, the best ones without groups and that from
        the left are tried: with groups that takes little."""
        shapes = dict.fromkeys((*(each.text for each in best[:_TRIED_SHAPES]), _from_left(plan)))
        others = [reshaped(plan, shape) for shape in shapes if shape != plan.shape]
        some = some_events(events, max(events.count - _MOST_EVENTS_TRIED, 0), events.count)
        return _if_clearly_better(plan, others, some, statistics, best)


def _if_clearly_better(
    plan: TreePlan,
    others: list[TreePlan],
    events: EventBatch,
    statistics: Statistics,
    best: tuple[CostedShape, ...],
) -> TreePlan | None:
    """The best of other plans on some events, if the plan at hand costs clearly more. It is tried last, and
    only until that is seen: a shape that has become bad takes long."""
    if not others:
        return None
    tried = [(measured_cost(each, events), each) for each in others]
    least, other = min(tried, key=lambda each: each[0])
    here = measured_cost(plan, events, enough=_CLEARLY * least)
    if here <= least or here < _CLEARLY * least:  # both may be none, or too much to be tried
        return None
    costs = [CostedShape(cost, each.shape) for cost, each in [*tried, (here, plan)]]
    return in_chosen(other, other.shape, statistics, best, tuple(costs))


def _from_left(plan: TreePlan) -> str:
    """The shape that joins from the left."""
    return tree_of(plan.query.pattern, plan.positions, LEFT).shape


def _joined_cost(plan: TreePlan, statistics: Statistics) -> float:
    costs = zip(plan.nodes, node_costs(plan, statistics), strict=True)
    return sum(cost.total for node, cost in costs if node.left >= 0)
