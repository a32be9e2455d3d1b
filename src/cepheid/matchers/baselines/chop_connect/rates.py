"""How often the steps of shared queries happen: what a plan of sharing is chosen by."""

from collections.abc import Callable, Hashable, Iterable

import numpy as np

from cepheid.events import EventBatch
from cepheid.matchers.codes import KeyCodes
from cepheid.matchers.masks import BatchRows, event_masks
from cepheid.plan.aggregate.plan import AggregatePlan
from cepheid.plan.aggregate.sharing.eligible import CounterScope, StepTest, shared_query
from cepheid.plan.aggregate.sharing.workload import Step
from cepheid.plan.program import WindowTest


def rates_of(plans: Iterable[AggregatePlan], batch: EventBatch) -> Callable[[Step, Hashable], float]:
    """The events of each step in a window, of one partition, on the average over the events of a batch."""
    rates: dict[tuple[Hashable, Step], float] = {}
    shares: dict[Hashable, tuple[np.ndarray, float]] = {}
    for plan in plans:
        query = shared_query("", plan)
        rows = BatchRows(batch.data, plan.schema, plan.unit)
        assert isinstance(query.window, CounterScope)
        if query.window not in shares:
            shares[query.window] = _share(query.window, batch)
        used, share = shares[query.window]
        for step in query.steps:
            assert isinstance(step, StepTest)
            if (query.window, step) not in rates:
                passed = event_masks([step.test], rows) != 0
                rates[query.window, step] = float(np.count_nonzero(passed & used)) * share
    return lambda step, window: rates[window, step]


def _share(scope: CounterScope, batch: EventBatch) -> tuple[np.ndarray, float]:
    """Which events are in a partition, and the share of them that is in one window of one partition."""
    names = (*scope.keys, *scope.alike)
    codes = KeyCodes(len(names)).encode([batch.data.column(name) for name in names], batch.data.num_rows)
    used = codes >= 0
    sizes = np.bincount(codes[used]).astype(np.float64)
    if sizes.size == 0:
        return used, 0.0
    # of the partition that an event is in, so that large ones count as often as they have events
    of_partition = float((sizes**2).sum() / sizes.sum() ** 2)
    return used, of_partition * _of_window(scope.window, batch)


def _of_window(window: WindowTest | None, batch: EventBatch) -> float:
    if window is None:
        return 1.0
    if window.counts_events:
        return min(1.0, float(window.limit + 1) / int(batch.data.num_rows))
    span = float(batch.time[-1]) - float(batch.time[0])
    return min(1.0, float(window.limit) / span) if span > 0 else 1.0
