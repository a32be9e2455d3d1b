"""The plan of the tree engine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from cepheid.pattern.types import ValueType
from cepheid.plan.mask_bits import in_order_of_bits
from cepheid.plan.plan import QueryPlan
from cepheid.plan.program import Column, Condition, EventTest, Remembered, Slot, TextFunction
from cepheid.plan.tree.grouping import Grouping
from cepheid.plan.tree.nodes import LeafTests, TreeAbsence, TreeNode

if TYPE_CHECKING:
    from cepheid.plan.tree.choice import ShapeChoice
    from cepheid.plan.tree.switch import CondenseChoice


@dataclass(frozen=True)
class TreePlan(QueryPlan):
    """Everything the tree engine needs."""

    nodes: tuple[TreeNode, ...]  # from the leaves to the root, which is the last
    leaves: tuple[LeafTests, ...]  # by position
    absences: tuple[TreeAbsence, ...]
    columns: tuple[Column, ...]
    slots: tuple[Slot, ...]
    constants: tuple[tuple[object, ValueType], ...]
    remembered: tuple[Remembered, ...]
    text_functions: tuple[TextFunction, ...]
    shape: str
    asked_shape: str
    index: bool
    batch: int
    asked_condense: str
    groupings: tuple[Grouping, ...]  # by node, if composites are condensed; else none
    shape_choice: ShapeChoice | None = None  # where some events said which shape is best
    condense_choice: CondenseChoice | None = None  # where some events said whether condensing pays

    @property
    def root(self) -> int:
        """The number of the root."""
        return len(self.nodes) - 1

    @property
    def tests(self) -> list[EventTest]:
        """One-event tests in the order of their bits."""
        begin, take = [leaf.begin for leaf in self.leaves], [leaf.take for leaf in self.leaves]
        return in_order_of_bits(self.positions, begin, take, [absence.test for absence in self.absences])

    @cached_property
    def trailing(self) -> tuple[int, ...]:
        """The absences that some match has no event after, so that it waits for a window to close."""
        return tuple(number for number, absence in enumerate(self.absences) if self.may_trail(absence))

    def may_trail(self, absence: TreeAbsence) -> bool:
        """Whether some match has no event after an absence that counts in it."""
        return absence.node == self.root and self._may_lack(absence.after, absence)

    def may_lead(self, absence: TreeAbsence) -> bool:
        """Whether some match has no event before an absence that counts in it."""
        return absence.node == self.root and self._may_lack(absence.before, absence)

    def _may_lack(self, side: frozenset[int], absence: TreeAbsence) -> bool:
        """An optional variable may be lacking, unless it is so only where the absence does not count."""
        return all(self.positions[place].optional for place in side)

    def tested_at(self, number: int) -> tuple[Condition, ...]:
        """All conditions that a node tests."""
        node = self.nodes[number]
        if node.position < 0:
            return node.conditions
        leaf = self.leaves[node.position]
        return (*node.conditions, *leaf.on_take, *leaf.on_leave)


def event_tests(plan: TreePlan) -> list[tuple[str, EventTest]]:
    """Each variable with what it asks of one event."""
    found: list[tuple[str, EventTest]] = []
    for position, leaf in zip(plan.positions, plan.leaves, strict=True):
        found.append((position.variable, leaf.begin))
        if position.kleene:
            found.append((position.variable, leaf.take))
    return [*found, *((absence.variable, absence.test) for absence in plan.absences)]
