"""How large the aggregated values of a table are: what is known of them bounds their sums."""

import pyarrow as pa
import pyarrow.compute as pc

from cepheid import expressions as ex
from cepheid.pattern.types import ValueType
from cepheid.plan.aggregate.plan import Aggregated

UNKNOWN = (1 << 63) - 1


def largest_values(plan: Aggregated, table: pa.Table) -> tuple[int, ...]:
    """Of each aggregated column, what no value exceeds in size; a computed one may be anything."""
    return tuple(
        _largest(table.column(name))
        if column.type is ValueType.INT and (name := _own(column.expression, plan)) is not None
        else UNKNOWN
        for column in plan.columns
    )


def _own(expression: ex.Expression, plan: Aggregated) -> str | None:
    if not isinstance(expression, ex.Element) or expression.path:
        return None
    return plan.schema.column_of(expression.name)


def _largest(column: pa.ChunkedArray) -> int:
    if pa.types.is_dictionary(column.type) or not pa.types.is_integer(column.type):
        return UNKNOWN
    ends = pc.min_max(column).as_py()
    return max(abs(int(ends["min"] or 0)), abs(int(ends["max"] or 0)))
