"""HAVING: which rows of AGG are given, as a test over the row's columns."""

from dataclasses import replace

import pyarrow as pa

from cepheid import expressions as ex
from cepheid.errors import QueryCheckError
from cepheid.events import EventSchema
from cepheid.pattern.fold import fold_expression, with_children
from cepheid.pattern.literals import nearest
from cepheid.pattern.query import EmitMode
from cepheid.pattern.types import ValueType, type_of
from cepheid.plan.aggregate.output import aggregate_schema
from cepheid.plan.aggregate.plan import AggregateColumn, AggregatePlan, RowTest, TwoStepPlan
from cepheid.plan.aggregate.values import AggregateValues
from cepheid.plan.coerce import coerce
from cepheid.plan.engine import QueryEngine
from cepheid.plan.plan import QueryPlan

_MATCHER = "cepheid.matchers.aggregate.having.having_matcher"


def row_test(header: QueryPlan, table: AggregateValues) -> RowTest | None:
    """The test of a query's rows, if it has one; refuses names that no column of a row has."""
    assert header.query.aggregation is not None
    having = header.query.aggregation.having
    if having is None:
        return None
    columns = aggregate_schema(header, tuple(_as_whole(item, table) for item in table.items))
    schema = EventSchema(columns, "time")
    condition = coerce(_over_columns(having, columns.names), schema)
    kind = type_of(condition, schema)
    if kind not in (ValueType.BOOL, ValueType.NULL):
        raise QueryCheckError(f"HAVING needs a condition, and this is {kind.value}", span=having.span)
    return RowTest(condition, schema, header.query.emit.mode is EmitMode.ON_RISE)


def _as_whole(item: AggregateColumn, table: AggregateValues) -> AggregateColumn:
    """A column as conditions see it: counts and sums of whole numbers are such, however wide they get."""
    is_whole = item.value is None or (
        item.function == "sum" and table.columns[table.values[item.value].column].type is not ValueType.FLOAT
    )
    return replace(item, type=pa.int64()) if is_whole else item


def _over_columns(having: ex.Expression, names: list[str]) -> ex.Expression:
    """The condition with each name as the row has it: COUNT is the column `count`, unless it has a name."""

    def column(node: ex.Expression, below: list[ex.Expression]) -> ex.Expression:
        if not isinstance(node, ex.Element):
            return with_children(node, below)
        if node.name in names:
            return node
        if node.name.lower() in names:
            return replace(node, name=node.name.lower())
        raise QueryCheckError(
            f"a row of this AGG has no column '{node.name}'",
            span=node.span,
            hint=nearest(node.name, names) or f"it has {', '.join(names[:12])}",
        )

    return fold_expression(having, column)


def tested_rows(engine: QueryEngine, test: RowTest | None) -> tuple[QueryEngine, RowTest | None]:
    """The engine with a matcher that tests rows, around the one that makes them."""
    if test is None:
        return engine, None
    return replace(engine, matcher=_MATCHER), replace(test, matcher=engine.matcher)


def having_lines(plan: AggregatePlan | TwoStepPlan) -> list[str]:
    """What is told of the test."""
    if plan.having is None:
        return []
    what = "becomes true, in each group" if plan.having.rises else "is true"
    return [f"{plan.having}  →  only rows where it {what}"]
