"""Which conditions of a join are looked up: equalities between its sides by a hash of their values, and one
inequality by the least and the greatest value of many composites, which are passed over together."""

from collections.abc import Iterator
from dataclasses import dataclass

from cepheid.pattern.types import ValueType
from cepheid.plan.program import Apply, Condition, Load, Source
from cepheid.plan.tree.plan import TreePlan

MIRRORED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
UNORDERED = (ValueType.STRING, ValueType.BOOL, ValueType.NULL)  # texts are ordered by a rank that may change


@dataclass(frozen=True, slots=True)
class SideComparison:
    """A condition on two slots, one of a composite on each side of a join: `left operator right`."""

    condition: Condition
    operator: str
    left: int
    right: int
    type: ValueType

    @property
    def is_real(self) -> bool:
        """Whether the values are real numbers."""
        return self.type is ValueType.FLOAT


def hashed_equalities(plan: TreePlan, number: int) -> tuple[SideComparison, ...]:
    """The equalities by which a join finds what fits."""
    return tuple(each for each in _compared(plan, number) if each.operator == "=")


def ordered_comparison(plan: TreePlan, number: int) -> SideComparison | None:
    """The inequality by which a join passes over what does not fit: the first that there is."""
    found = (c for c in _compared(plan, number) if c.operator != "=" and c.type not in UNORDERED)
    return next(found, None)


def _compared(plan: TreePlan, number: int) -> Iterator[SideComparison]:
    """The comparisons of a join that may be looked up. One that names a variable which a match may lack holds
    where that is absent, so it cannot be."""
    node = plan.nodes[number]
    if not plan.index or node.left < 0:
        return
    left = plan.nodes[node.left].members
    for condition in node.conditions:
        value = condition.value
        if condition.requires or condition.ranges_over or not isinstance(value, Apply):
            continue
        slots = [a for a in value.arguments if isinstance(a, Load) and a.source is Source.SLOT]
        if value.operation not in MIRRORED or len(slots) != 2:
            continue
        is_left = [plan.slots[slot.index].position in left for slot in slots]
        if is_left == [True, False]:
            yield SideComparison(condition, value.operation, slots[0].index, slots[1].index, slots[0].type)
        elif is_left == [False, True]:
            operator = MIRRORED[value.operation]
            yield SideComparison(condition, operator, slots[1].index, slots[0].index, slots[0].type)
