"""Conjuncts to where they are tested: one-event ones to masks, separable ones to columns and
slots that the kernel compares, the rest to operations of the kernel's interpreter."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cepheid import expressions as ex
from cepheid.errors import UnsupportedError
from cepheid.expressions import Index, Scope
from cepheid.pattern.fold import fold_expression, with_children
from cepheid.pattern.functions import CALENDAR
from cepheid.pattern.types import ValueType, type_of
from cepheid.plan.positions import Position
from cepheid.plan.program import Apply, Capture, Condition, Load, Source
from cepheid.plan.states.text import TEXT_FUNCTIONS, constant_arguments
from cepheid.plan.states.values import ValueTable

BEGIN, TAKE, LEAVE, ABSENT = "begin", "take", "leave", "absent"

_CAPTURES = {
    "count": Capture.COUNT,
    "sum": Capture.SUM,
    "avg": Capture.MEAN,
    "min": Capture.MIN,
    "max": Capture.MAX,
    "first": Capture.FIRST,
    "last": Capture.LAST,
}
RANGING = frozenset({Index.CURRENT, Index.PREVIOUS, Scope.PRIOR})
_FROM_SECOND = frozenset({Index.FIRST, Index.PREVIOUS, Scope.PRIOR})
_WHOLE = frozenset({Index.LAST, Scope.WHOLE, "len"})


def references(node: ex.Expression) -> dict[str, set[object]]:
    """Which events of which variables an expression names: Index, number, Scope or "len" per variable."""
    found: dict[str, set[object]] = {}
    for item in ex.walk(node):
        match item:
            case ex.Attribute(variable=variable, index=index):
                found.setdefault(variable, set()).add(index)
            case ex.Length(variable=variable):
                found.setdefault(variable, set()).add("len")
            case ex.Aggregate(variable=variable, scope=scope):
                found.setdefault(variable, set()).add(scope)
    return found


def edges_of(kinds: set[object], kleene: bool) -> tuple[str, ...]:
    """The edges of its last variable that a conjunct belongs to."""
    if not kleene:
        return (BEGIN,)
    if kinds & _WHOLE or any(isinstance(kind, int) for kind in kinds):
        return (LEAVE,)
    if kinds & _FROM_SECOND and kinds & RANGING:
        return (TAKE,)
    return (BEGIN, TAKE) if kinds & RANGING else (BEGIN,)


def element_of(node: ex.Expression) -> ex.Expression:
    """An expression over one event, freed of which variable the event is bound to."""
    return fold_expression(node, _freed)


def _freed(node: ex.Expression, below: list[ex.Expression]) -> ex.Expression:
    return ex.Element(node.name, node.path) if isinstance(node, ex.Attribute) else with_children(node, below)


def single_source(node: ex.Expression) -> tuple[str, Index | int] | None:
    """The one event that an expression is over, if there is just one."""
    found: set[tuple[str, Index | int]] = set()
    for item in ex.walk(node):
        if isinstance(item, ex.Length | ex.Aggregate):
            return None
        if isinstance(item, ex.Attribute):
            found.add((item.variable, item.index))
    if len(found) != 1:
        return None
    source = found.pop()
    return None if isinstance(source[1], int) and _knows_null(node) else source


def _knows_null(node: ex.Expression) -> bool:
    """Whether it may be something of an event that is not there: only `a[2]` may be none, and then the value
    is not that of any event."""
    return any(
        isinstance(item, ex.And | ex.Or | ex.IsNull | ex.Case)
        or (isinstance(item, ex.Call) and item.function == "coalesce")
        for item in ex.walk(node)
    )


@dataclass(frozen=True, slots=True)
class Lowering:
    """Turns one conjunct into a `Condition` on one edge of one variable."""

    values: ValueTable
    positions: tuple[Position, ...]
    places: Mapping[str, int]  # variable to position
    current: str  # the variable whose edge, or whose absence, it is
    edge: str
    unit: str

    def conditions(self, conjunct: ex.Expression, pieces: Sequence[ex.Expression]) -> list[Condition]:
        """A conjunct in pieces, ready for the kernel. What one names must be there for each of them."""
        lowered = [self.condition(piece) for piece in pieces]
        requires = self._required(references(conjunct))
        return [replace(each, requires=requires) for each in lowered]

    def condition(self, conjunct: ex.Expression) -> Condition:
        """The conjunct, ready for the kernel."""
        named = {name: kinds for name, kinds in references(conjunct).items() if name in self.places}
        ranged = [
            name
            for name, kinds in sorted(named.items(), key=lambda item: self.places[item[0]])
            if kinds & RANGING and not (name == self.current and self.edge in (BEGIN, TAKE))
        ]
        return Condition(
            value=self._lower(conjunct),
            requires=self._required(named),
            ranges_over=tuple(self.places[name] for name in ranged),
            from_second=tuple(bool(named[name] & _FROM_SECOND) for name in ranged),
            source=conjunct,
        )

    def _required(self, named: Iterable[str]) -> tuple[int, ...]:
        """Of the variables named, those that a match may lack."""
        places = [self.places[name] for name in named if name in self.places and name != self.current]
        return tuple(sorted(place for place in places if self.positions[place].optional))

    def _lower(self, node: ex.Expression) -> Load | Apply:
        source = single_source(node)
        if source is not None:
            return self._event_value(*source, element_of(node))
        lower = _LOWER.get(type(node))
        if lower is None:
            raise UnsupportedError("this function over several events is not supported", span=node.span)
        return lower(self, node)

    def _event_value(self, variable: str, index: Index | int, expression: ex.Expression) -> Load:
        if variable == self.current:
            if self.edge == ABSENT:
                return replace(self.values.column(expression), source=Source.CANDIDATE)
            if self.edge != LEAVE and (
                index in (Index.ONLY, Index.CURRENT) or (index is Index.FIRST and self.edge == BEGIN)
            ):
                return self.values.column(expression)
        place = self.places[variable]
        taking = variable == self.current and self.edge == TAKE
        if index is Index.CURRENT:
            return self.values.remember(place, self.values.column(expression))
        if index is Index.PREVIOUS:
            previous = self.values.slot(place, Capture.LAST, expression)
            return previous if taking else self.values.remember(place, previous)
        if isinstance(index, int):
            return self.values.nth(place, index, expression)
        capture = Capture.LAST if index is Index.LAST else Capture.FIRST
        return self.values.slot(place, capture, expression)

    def _aggregate(self, node: ex.Aggregate) -> Load:
        place = self.places[node.variable]
        if node.distinct:
            assert node.argument is not None
            slot = self.values.distinct(place, node.argument)
        else:
            capture = Capture.LENGTH if node.argument is None else _CAPTURES[node.function]
            slot = self.values.slot(place, capture, node.argument)
        taking = node.variable == self.current and self.edge == TAKE
        return self.values.remember(place, slot) if node.scope is Scope.PRIOR and not taking else slot

    def _literal(self, node: ex.Literal) -> Load:
        return self.values.constant(node.value, type_of(node, self.values.schema))

    def _negative(self, node: ex.Negative) -> Apply:
        operand = self._lower(node.operand)
        return Apply("negate", (operand,), operand.type)

    def _arithmetic(self, node: ex.Arithmetic) -> Apply:
        left, right = self._lower(node.left), self._lower(node.right)
        kind = type_of(node, self.values.schema)
        if kind is ValueType.FLOAT:
            left, right = self.values.as_float(left), self.values.as_float(right)
        return Apply(node.operator, (left, right), kind)

    def _comparison(self, node: ex.Comparison) -> Apply:
        return self._compare(node.operator, self._lower(node.left), self._lower(node.right))

    def _compare(self, operator: str, left: Load | Apply, right: Load | Apply) -> Apply:
        if ValueType.FLOAT in (left.type, right.type):
            left, right = self.values.as_float(left), self.values.as_float(right)
        return Apply(operator, (left, right), ValueType.BOOL)

    def _connective(self, operation: str, operands: tuple[Load | Apply, ...]) -> Load | Apply:
        result = operands[0]
        for operand in operands[1:]:
            result = Apply(operation, (result, operand), ValueType.BOOL)
        return result

    def _negated(self, value: Load | Apply, negated: bool) -> Load | Apply:
        return Apply("not", (value,), ValueType.BOOL) if negated else value

    def _in(self, node: ex.In) -> Load | Apply:
        operand = self._lower(node.operand)
        tests = tuple(self._compare("=", operand, self._lower(choice)) for choice in node.choices)
        return self._negated(self._connective("or", tests), node.negated)

    def _between(self, node: ex.Between) -> Load | Apply:
        operand = self._lower(node.operand)
        low = self._compare(">=", operand, self._lower(node.low))
        high = self._compare("<=", operand, self._lower(node.high))
        return self._negated(self._connective("and", (low, high)), node.negated)

    def _call(self, node: ex.Call) -> Load | Apply:
        kind = type_of(node, self.values.schema)
        if node.function == "coalesce":
            return self._coalesce([self._lower(argument) for argument in node.arguments], kind)
        if node.function in TEXT_FUNCTIONS:
            return self._text_function(node, kind)
        operand = self._lower(node.arguments[0])
        if node.function in CALENDAR:
            _refuse_zone(node)
            second = self.values.constant(10**9 if self.unit == "ns" else 10**6, ValueType.INT)
            return Apply(node.function, (operand, second), kind)
        if node.function == "sqrt":
            operand = self.values.as_float(operand)
        elif node.function != "abs" and operand.type is ValueType.INT:
            return operand
        return Apply(node.function, (operand,), operand.type)

    def _coalesce(self, values: list[Load | Apply], kind: ValueType) -> Load | Apply:
        *values, found = self._alike(values, kind)
        for value in reversed(values):
            unknown = Apply("is_null", (value,), ValueType.BOOL)
            found = Apply("choose", (unknown, found, value), kind)
        return found

    def _case(self, node: ex.Case) -> Load | Apply:
        kind = type_of(node, self.values.schema)
        lowered = [self._lower(item) for item in (*node.results, node.otherwise)]
        *results, found = self._alike(lowered, kind)
        for condition, result in reversed(list(zip(node.conditions, results, strict=True))):
            found = Apply("choose", (self._lower(condition), result, found), kind)
        return found

    def _alike(self, values: list[Load | Apply], kind: ValueType) -> list[Load | Apply]:
        return [self.values.as_float(v) for v in values] if kind is ValueType.FLOAT else values

    def _text_function(self, node: ex.Call, kind: ValueType) -> Load | Apply:
        constants = constant_arguments(node)
        if None in constants:
            return self.values.constant(None, kind)
        return self._of_text(node.function, constants, self._lower(node.arguments[0]), kind)

    def _of_text(
        self, name: str, constants: tuple[Any, ...], operand: Load | Apply, kind: ValueType
    ) -> Apply:
        number = self.values.constant(self.values.text_function(name, constants), ValueType.INT)
        return Apply("text", (operand, number), kind)

    def _like(self, node: ex.Like) -> Load | Apply:
        found = self._of_text("like", (node.pattern,), self._lower(node.operand), ValueType.BOOL)
        return self._negated(found, node.negated)


def _refuse_zone(node: ex.Call) -> None:
    """Kernels do not know when the clocks of a zone change."""
    if node.zone is not None:
        raise UnsupportedError(
            f"{node.function}() of a timestamp in {node.zone} that is computed from several events is not "
            "supported in WHERE",
            span=node.span,
            hint=f"apply {node.function}() to one event's attribute",
        )


_LOWER: dict[type[ex.Expression], Callable[[Lowering, Any], Load | Apply]] = {
    ex.Literal: Lowering._literal,
    ex.Length: lambda low, node: low.values.slot(low.places[node.variable], Capture.LENGTH, None),
    ex.Aggregate: Lowering._aggregate,
    ex.Negative: Lowering._negative,
    ex.Arithmetic: Lowering._arithmetic,
    ex.Comparison: Lowering._comparison,
    ex.And: lambda low, node: low._connective("and", tuple(low._lower(n) for n in node.operands)),
    ex.Or: lambda low, node: low._connective("or", tuple(low._lower(n) for n in node.operands)),
    ex.Not: lambda low, node: low._negated(low._lower(node.operand), True),
    ex.In: Lowering._in,
    ex.Between: Lowering._between,
    ex.IsNull: lambda low, node: low._negated(
        Apply("is_null", (low._lower(node.operand),), ValueType.BOOL), node.negated
    ),
    ex.Call: Lowering._call,
    ex.Case: Lowering._case,
    ex.Like: Lowering._like,
}
