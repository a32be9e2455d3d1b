"""What the nodes of a tree have done, over the whole run: also those of shapes that it had before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from cepheid.matchers.tree import layout as at
from cepheid.plan.tree.plan import TreePlan


class NodeWork(NamedTuple):
    """Of one node: the pairs that it tested, the composites and groups that it made, and for how many
    composites these groups stand."""

    pairs: int = 0
    composites: int = 0
    groups: int = 0
    stood_for: float = 0.0

    def plus(self, other: NodeWork) -> NodeWork:
        """Both together."""
        return NodeWork(
            self.pairs + other.pairs,
            self.composites + other.composites,
            self.groups + other.groups,
            self.stood_for + other.stood_for,
        )


Work = dict[str, NodeWork]
"""By the variables below a node, which say in any shape what it joins; the root is the last of its shape."""


def work_of(plan: TreePlan, tally: np.ndarray) -> Work:
    """What the nodes of one shape have done."""
    stood_for = tally[:, at.STOOD_FOR].copy().view(np.float64).tolist()
    return {
        _variables(plan, number): NodeWork(row[at.TESTED], row[at.MADE], row[at.GROUPS_MADE], size)
        for number, (row, size) in enumerate(zip(tally.tolist(), stood_for, strict=True))
    }


def together(one: Work, other: Work) -> Work:
    """The work of two shapes; nodes of the second come first."""
    names = dict.fromkeys([*other, *one])
    return {name: one.get(name, NodeWork()).plus(other.get(name, NodeWork())) for name in names}


def work_by_node(work: Work) -> dict[str, dict[str, int]]:
    """As users read it."""
    return {name: {"pairs_tested": each.pairs, "composites": each.composites} for name, each in work.items()}


def degrees(work: Work) -> dict[str, float]:
    """The condensation degree of each node below the root that has made a composite."""
    whole = max(work, key=lambda name: name.count(" "), default="")
    return {
        name: each.groups / each.stood_for
        for name, each in work.items()
        if name != whole and each.stood_for > 0
    }


def saved(work: Work) -> list[list[str | float]]:
    """As JSON holds it."""
    return [[name, *each] for name, each in work.items()]


def restored(rows: Iterable[list[str | float]]) -> Work:
    """From what was saved."""
    return dict(_rows(rows))


def _rows(rows: Iterable[list[str | float]]) -> Iterator[tuple[str, NodeWork]]:
    for name, pairs, composites, groups, stood_for in rows:
        yield str(name), NodeWork(int(pairs), int(composites), int(groups), float(stood_for))


def _variables(plan: TreePlan, number: int) -> str:
    """The variables below a node."""
    return " ".join(plan.positions[place].variable for place in sorted(plan.nodes[number].members))
