"""What a workload costs each for itself, with prefixes in common, and by a plan of shared substrings.

Prefix trees need no connects, so they are free to have: whatever a plan counts stands in a tree too, shared
substrings and what queries keep alike. What a plan saves is therefore to be compared with what prefix trees
save without it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace

from cepheid.plan.aggregate.sharing.benefit import cost_of
from cepheid.plan.aggregate.sharing.chops import Chop, chop
from cepheid.plan.aggregate.sharing.prefix_tree import NO_PARENT, PreTree, prefix_tree
from cepheid.plan.aggregate.sharing.rated import Rated
from cepheid.plan.aggregate.sharing.sharing_plan import SharingPlan
from cepheid.plan.aggregate.sharing.workload import SharedQuery, Steps


@dataclass(frozen=True, slots=True)
class Estimate:
    """Costs a window, in the model's units."""

    separate: float  # each query by itself
    prefixes: float  # whole queries in prefix trees
    shared: float  # the plan's segments in prefix trees, connected

    @property
    def sharing_pays(self) -> bool:
        """Whether the plan beats what prefix trees give without it."""
        return self.shared < self.prefixes


def estimate(plan: SharingPlan, model: Rated) -> Estimate:
    """What the workload of a plan costs, with the plan and without."""
    workload = plan.workload
    whole = tuple(chop(query, ()) for query in workload)
    each = sum(cost_of(model, query, one) for query, one in zip(workload, whole, strict=True))
    strings = ((query.name, query.steps, query.window) for query in workload)
    return Estimate(
        each,
        _counted(model, strings) + _connected(model, workload, whole),
        _counted(model, plan.segments()) + _connected(model, workload, plan.chops),
    )


def _counted(model: Rated, strings: Iterable[tuple[str, Steps, Hashable]]) -> float:
    by_window: dict[Hashable, list[tuple[str, Steps]]] = {}
    for label, steps, window in strings:
        by_window.setdefault(window, []).append((label, steps))
    return sum(_tree_cost(model, prefix_tree(group), window) for window, group in by_window.items())


def _tree_cost(model: Rated, tree: PreTree, window: Hashable) -> float:
    """A start creates one counter, and each other node is one count to update in every active counter."""
    total = 0.0
    starts: list[float] = []
    for node in tree.nodes:
        rate = model.rates[window, node.step]
        if node.parent == NO_PARENT:
            starts.append(rate)
            total += model.units.start * rate
        else:
            starts.append(starts[node.parent])
            total += model.units.update * rate * starts[-1]
    return total


def _connected(model: Rated, workload: Iterable[SharedQuery], chops: Iterable[Chop]) -> float:
    """Connects and triggers, without what counting the segments costs."""
    total = 0.0
    for query, segments in zip(workload, chops, strict=True):
        total += cost_of(model, query, tuple(replace(each, shared=0) for each in segments))
    return total
