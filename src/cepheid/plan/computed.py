"""The columns that a query computes with; what it only passes on may hold any value."""

from collections.abc import Iterable

from cepheid import expressions as ex
from cepheid.events import EventSchema
from cepheid.plan.output import bare_column


def computed_columns(
    conditions: Iterable[ex.Expression], results: Iterable[ex.Expression], schema: EventSchema
) -> set[str]:
    """The columns that conditions and computed results read."""
    roots = [*conditions, *(node for node in results if _is_computed(node, schema))]
    return {
        schema.column_of(node.name) or node.name
        for root in roots
        for node in ex.walk(root)
        if isinstance(node, ex.Attribute | ex.Element)
    }


def _is_computed(node: ex.Expression, schema: EventSchema) -> bool:
    if isinstance(node, ex.Aggregate) and node.function == "collect":
        return node.argument is not None and bare_column(node.argument, schema) is None
    is_least = isinstance(node, ex.Aggregate)  # min and max of a column are computed, though of its type
    return is_least or bare_column(node, schema) is None
