"""What an automaton asks of events, in words."""

from typing import Protocol

from cepheid import expressions as ex
from cepheid.expressions import Index
from cepheid.pattern.fold import fold_expression, with_children
from cepheid.pattern.render import render_expression
from cepheid.plan.positions import Position
from cepheid.plan.program import Condition, EventTest, Load
from cepheid.plan.states.predicates import BEGIN

BIT = "one event: a bit of its mask"
_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")


class Named(Protocol):
    """What stands in the pattern under a name: a position, or an absence."""

    @property
    def variable(self) -> str:
        """The name."""


def test_told(test: EventTest, position: Position, edge: str) -> str:
    """A one-event test of a variable as a formula."""
    parts = [test.type or "any event", *(element_told(node, position, edge) for node in test.conditions)]
    return " AND ".join(parts)


def element_told(node: ex.Expression, of: Named, edge: str) -> str:
    """A condition over one event, with the variable that the event is bound to."""
    kleene = isinstance(of, Position) and of.kleene
    index = Index.ONLY if not kleene else Index.FIRST if edge == BEGIN else Index.CURRENT
    return render_expression(_bound(node, of.variable, index))


def _bound(root: ex.Expression, variable: str, index: Index) -> ex.Expression:
    def bind(node: ex.Expression, below: list[ex.Expression]) -> ex.Expression:
        if isinstance(node, ex.Element):
            return ex.Attribute(variable, index, node.name, node.path)
        return with_children(node, below)

    return fold_expression(root, bind)


def conditions_told(conditions: tuple[Condition, ...]) -> list[str]:
    """Conditions between events."""
    return [render_expression(condition.source) for condition in conditions]


def how(condition: Condition) -> str:
    """How a condition between events is tested."""
    value = condition.value
    direct = isinstance(value, Load) or (
        value.operation in _COMPARISONS and all(isinstance(side, Load) for side in value.arguments)
    )
    way = "two values compared" if direct else "interpreted"
    return f"{way}, for every event looked back at" if condition.ranges_over else way
