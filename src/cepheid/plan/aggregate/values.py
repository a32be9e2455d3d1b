"""The values that AGG aggregates, each listed once."""

import pyarrow as pa

from cepheid import expressions as ex
from cepheid.errors import QueryCheckError, UnsupportedError
from cepheid.pattern.aggregates import aggregate
from cepheid.pattern.query import AggregateItem
from cepheid.pattern.types import ValueType, type_of
from cepheid.plan.aggregate.plan import AggregateColumn, AggregatedValue
from cepheid.plan.coerce import coerce
from cepheid.plan.output import arrow_type
from cepheid.plan.plan import QueryPlan
from cepheid.plan.positions import Position
from cepheid.plan.program import Column
from cepheid.plan.states.predicates import element_of
from cepheid.plan.states.steps import Step

_ORDERED = tuple(kind for kind in ValueType if kind is not ValueType.BOOL)


class AggregateValues:
    """Collects the columns that aggregates read, and the events of which steps, or positions, they are of."""

    def __init__(self, header: QueryPlan, steps: tuple[Step | Position, ...]) -> None:
        assert header.query.aggregation is not None
        self.schema, self.unit, self.steps = header.schema, header.unit, steps
        self.columns: list[Column] = []
        self.values: list[AggregatedValue] = []
        self.results: list[ex.Expression] = []
        self.items = tuple(self._item(item) for item in header.query.aggregation.items)

    def _item(self, item: AggregateItem) -> AggregateColumn:
        """A column of the result; the type of a count or a whole sum follows when it is sized."""
        if item.argument is None:
            return AggregateColumn(item.name or item.function, item.function, None, pa.int64())
        argument = coerce(item.argument, self.schema)
        variables = ex.variables(argument)
        if len(variables) != 1:
            what = "the attributes of several variables" if variables else "what names no variable"
            raise UnsupportedError(
                f"{item.function.upper()} over {what} is not supported",
                span=item.span,
                hint="aggregate over one variable",
            )
        (variable,) = variables
        if any(isinstance(node, ex.Length | ex.Aggregate) for node in ex.walk(argument)):
            raise UnsupportedError(
                f"{item.function.upper()} is over values of events, and this is one of the whole match",
                span=item.span,
                hint=f"name an attribute of '{variable}'",
            )
        kind = type_of(argument, self.schema)
        if item.function in ("min", "max") and kind not in _ORDERED:
            raise UnsupportedError(
                f"{item.function.upper()} of {kind.value} is not supported by AGG",
                span=item.span,
                hint="it is over numbers, times and texts",
            )
        value = self._value(variable, element_of(argument), kind)
        whole = aggregate(item.function, argument, item.span, QueryCheckError)
        self.results.append(whole)
        type_ = pa.float64() if item.function in ("sum", "avg") else arrow_type(whole, self.schema, self.unit)
        return AggregateColumn(item.name or _name_of(item, variable), item.function, value, type_)

    def _value(self, variable: str, expression: ex.Expression, kind: ValueType) -> int:
        column = Column(expression, kind)
        if column not in self.columns:
            self.columns.append(column)
        steps = tuple(step.variable == variable for step in self.steps)
        value = AggregatedValue(self.columns.index(column), steps)
        if value not in self.values:
            self.values.append(value)
        return self.values.index(value)


def _name_of(item: AggregateItem, variable: str) -> str:
    if isinstance(item.argument, ex.Attribute):
        return "_".join((item.function, variable, item.argument.name, *item.argument.path))
    return f"{item.function}_{variable}"
