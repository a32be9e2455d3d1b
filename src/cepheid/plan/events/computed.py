"""The columns that a query computes with; what it only passes on may hold any value."""

from __future__ import annotations

from cepheid import expressions as ex
from cepheid.plan.output import bare_column
from cepheid.plan.plan import QueryPlan


def computed_columns(plan: QueryPlan) -> set[str]:
    """The columns that conditions and computed results read."""
    roots = [*plan.query.conjuncts, *(node for node in plan.results if _is_computed(node, plan))]
    return {
        plan.schema.column_of(node.name) or node.name
        for root in roots
        for node in ex.walk(root)
        if isinstance(node, ex.Attribute | ex.Element)
    }


def _is_computed(node: ex.Expression, plan: QueryPlan) -> bool:
    if isinstance(node, ex.Aggregate) and node.function == "collect":
        return node.argument is not None and bare_column(node.argument, plan.schema) is None
    is_least = isinstance(node, ex.Aggregate)  # min and max of a column are computed, though of its type
    return is_least or bare_column(node, plan.schema) is None
