"""Conditions over attributes of any kind, as conditions over loose columns, each of which has one kind.

`t.value > 26` becomes `t.value (number) > 26`. Where both sides may be of several kinds, as in `a.x < b.x`, a
comparison is true if it is for one of them: the others are null. Constants stay as they are, in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from cepheid import expressions as ex
from cepheid.errors import QueryCheckError
from cepheid.pattern.functions import FUNCTIONS, MATCH_FUNCTIONS
from cepheid.plan.loose.kinds import OF_TYPE, SUMS, Kinds, ValueKind, is_loose, kinds_of
from cepheid.plan.loose.stream import Form, LooseColumn, LooseStream

NULL = ex.Literal(None)


class LooseConditions:
    """Lowers expressions, and lists the columns that they read."""

    def __init__(self, stream: LooseStream) -> None:
        self.stream = stream
        self.columns: dict[LooseColumn, None] = {}

    def kinds(self, node: ex.Expression) -> Kinds:
        """The kinds that an expression may be of."""
        return kinds_of(node, self.stream)

    def column(self, path: tuple[str, ...], form: Form) -> str:
        """The name of a loose column."""
        column = LooseColumn(path, form)
        self.columns[column] = None
        return column.name

    def held(self, node: ex.Expression, form: Form) -> ex.Expression:
        """An attribute in some form; of an aggregate, that of its argument."""
        if isinstance(node, ex.Aggregate):
            assert node.argument is not None
            return replace(node, argument=self.held(node.argument, form))
        assert isinstance(node, ex.Attribute | ex.Element)
        return replace(node, name=self.column((node.name, *node.path), form), path=())

    # -- values ------------------------------------------------------------------------------------

    def value(self, node: ex.Expression, kind: ValueKind) -> ex.Expression:
        """The value of an expression where it is of a kind; null where it is of another."""
        if is_loose(node, self.stream):
            return self.held(node, kind.value)
        rule = _VALUES.get(type(node))
        if rule is not None:
            return rule(self, node, kind)
        return self.condition(node, exactly=True) if type(node) in _CONDITIONS else node

    def if_possible(self, node: ex.Expression, kind: ValueKind) -> ex.Expression:
        """The same; null if it can never be of the kind."""
        return self.value(node, kind) if kind in self.kinds(node) else NULL

    def number(self, node: ex.Expression) -> ex.Expression:
        """A number."""
        return self.value(node, ValueKind.NUMBER)

    def only_value(self, node: ex.Expression) -> ex.Expression:
        """The value of an expression of one kind."""
        (kind,) = self.kinds(node)
        return self.value(node, kind)

    # -- conditions --------------------------------------------------------------------------------

    def condition(self, node: ex.Expression, *, exactly: bool = False) -> ex.Expression:
        """A condition; unless `exactly`, it may be null where it should be false."""
        rule = _CONDITIONS.get(type(node))
        return self.value(node, ValueKind.TRUTH) if rule is None else rule(self, node, exactly)

    def any_of(self, parts: list[ex.Expression], exactly: bool, span: Any) -> ex.Expression:
        """Of conditions of which all but one are null, that one."""
        if len(parts) == 1:
            return parts[0]
        return ex.Call("coalesce", tuple(parts), span=span) if exactly else ex.Or(tuple(parts), span=span)


# -- rules for values ------------------------------------------------------------------------------


def _aggregate(to: LooseConditions, node: ex.Aggregate, kind: ValueKind) -> ex.Expression:
    if node.argument is None:
        return node
    if node.function == "count":
        form = Form.KEY if node.distinct else Form.PRESENCE
        if is_loose(node.argument, to.stream):
            return replace(node, argument=to.held(node.argument, form))
        return replace(node, argument=to.value(node.argument, _likely(to.kinds(node.argument))))
    wanted = ValueKind.NUMBER if node.function in ("sum", "avg") else kind
    return replace(node, argument=to.value(node.argument, wanted))


def _likely(kinds: Kinds) -> ValueKind:
    """The kind that is taken where any would do."""
    return ValueKind.NUMBER if ValueKind.NUMBER in kinds else min(kinds, key=lambda kind: kind.name)


def _arithmetic(to: LooseConditions, node: ex.Arithmetic, kind: ValueKind) -> ex.Expression:
    left, right = to.kinds(node.left), to.kinds(node.right)
    pairs = SUMS.get((node.operator, kind), ((ValueKind.NUMBER, ValueKind.NUMBER),))
    fitting = (pair for pair in pairs if pair[0] in left and pair[1] in right)
    x, y = next(fitting, (_likely(left), _likely(right)))
    return replace(node, left=to.value(node.left, x), right=to.value(node.right, y))


def _call(to: LooseConditions, node: ex.Call, kind: ValueKind) -> ex.Expression:
    if node.function in MATCH_FUNCTIONS:
        return node
    signature = FUNCTIONS[node.function]
    if signature.alike:
        return first_there(to, node, lambda each: to.if_possible(each, kind))
    wanted = (OF_TYPE[signature.accepts(place)[0]] for place in range(len(node.arguments)))
    arguments = (to.value(each, one) for each, one in zip(node.arguments, wanted, strict=True))
    return replace(node, arguments=tuple(arguments))


def first_there(
    to: LooseConditions, node: ex.Call, lowered: Callable[[ex.Expression], ex.Expression]
) -> ex.Expression:
    """`coalesce`: the first that is not null is chosen, whatever kind it is of."""
    *others, last = node.arguments
    if not others:
        return lowered(last)
    there = tuple(is_null(to, each, negated=True) for each in others)
    return ex.Case(there, tuple(map(lowered, others)), lowered(last), span=node.span)


def _case(to: LooseConditions, node: ex.Case, kind: ValueKind) -> ex.Expression:
    return chosen(to, node, lambda each: to.if_possible(each, kind))


def chosen(
    to: LooseConditions, node: ex.Case, lowered: Callable[[ex.Expression], ex.Expression]
) -> ex.Expression:
    """`CASE`: each result is lowered in the same way."""
    conditions = tuple(to.condition(each) for each in node.conditions)
    results = tuple(lowered(each) for each in node.results)
    return replace(node, conditions=conditions, results=results, otherwise=lowered(node.otherwise))


_VALUES: dict[type[ex.Expression], Callable[[LooseConditions, Any, ValueKind], ex.Expression]] = {
    ex.Aggregate: _aggregate,
    ex.Negative: lambda to, node, kind: replace(node, operand=to.number(node.operand)),
    ex.Arithmetic: _arithmetic,
    ex.Call: _call,
    ex.Case: _case,
}


# -- rules for conditions --------------------------------------------------------------------------


def _logic(to: LooseConditions, node: ex.And | ex.Or, exactly: bool) -> ex.Expression:
    return replace(node, operands=tuple(to.condition(each, exactly=exactly) for each in node.operands))


def _comparison(to: LooseConditions, node: ex.Comparison, exactly: bool) -> ex.Expression:
    left, right = to.kinds(node.left), to.kinds(node.right)
    both = left & right
    if not both:
        _refuse_several(node, (left, node.left), (right, node.right))
        return replace(node, left=to.only_value(node.left), right=to.only_value(node.right))
    if not exactly and node.operator == "=" and _is_held(node.left, to) and _is_held(node.right, to):
        return replace(node, left=to.held(node.left, Form.KEY), right=to.held(node.right, Form.KEY))
    if node.operator not in ("=", "!=") and len(both) > 1:
        both -= {ValueKind.TRUTH}
    ordered = sorted(both, key=lambda kind: list(ValueKind).index(kind))
    parts: list[ex.Expression] = [
        replace(node, left=to.value(node.left, kind), right=to.value(node.right, kind)) for kind in ordered
    ]
    return to.any_of(parts, exactly, node.span)


def _is_held(node: ex.Expression, to: LooseConditions) -> bool:
    """Whether it is an attribute of any kind, or that of the first or last event of several."""
    if isinstance(node, ex.Aggregate) and node.function in ("first", "last"):
        return node.argument is not None and is_loose(node.argument, to.stream)
    return is_loose(node, to.stream)


def _refuse_several(node: ex.Expression, *sides: tuple[Kinds, ex.Expression]) -> None:
    if any(len(kinds) > 1 for kinds, _ in sides):
        raise QueryCheckError(
            "an attribute of an event without a schema is a number, a text, a truth value or a time, and is "
            "compared here with something else",
            span=node.span,
            hint="compare it with one of these, or give the session a schema",
        )


def _in(to: LooseConditions, node: ex.In, exactly: bool) -> ex.Expression:
    own = to.kinds(node.operand)
    if len(own) == 1:
        choices = tuple(to.value(each, *own) for each in node.choices)
        return replace(node, operand=to.only_value(node.operand), choices=choices)
    parts: list[ex.Expression] = []
    for group in _alike(to, node):
        kinds = own & to.kinds(group[0])
        if len(kinds) == 1:
            (kind,) = kinds
            choices = tuple(to.value(each, kind) for each in group)
            parts.append(replace(node, operand=to.value(node.operand, kind), choices=choices))
        else:
            sign = "!=" if node.negated else "="
            parts += [
                _comparison(to, ex.Comparison(sign, node.operand, each, span=node.span), True)
                for each in group
            ]
    if len(parts) == 1:
        return parts[0]
    return ex.And(tuple(parts), span=node.span) if node.negated else ex.Or(tuple(parts), span=node.span)


def _alike(to: LooseConditions, node: ex.In) -> Iterable[list[ex.Expression]]:
    """The choices, those of one kind together where they stand side by side."""
    groups: list[list[ex.Expression]] = []
    for each in node.choices:
        if groups and to.kinds(groups[-1][0]) == to.kinds(each):
            groups[-1].append(each)
        else:
            groups.append([each])
    return groups


def _between(to: LooseConditions, node: ex.Between, exactly: bool) -> ex.Expression:
    own = to.kinds(node.operand)
    ends = [own & to.kinds(node.low), own & to.kinds(node.high)]
    if len(own) == 1 or (ends[0] == ends[1] and len(ends[0]) == 1):
        (kind,) = own if len(own) == 1 else ends[0]
        low, high = to.value(node.low, kind), to.value(node.high, kind)
        return replace(node, operand=to.value(node.operand, kind), low=low, high=high)
    signs = ((">=", node.low), ("<=", node.high))
    sides = tuple(ex.Comparison(sign, node.operand, end, span=node.span) for sign, end in signs)
    both = _logic(to, ex.And(sides, span=node.span), exactly or node.negated)
    return ex.Not(both, span=node.span) if node.negated else both


def is_null(to: LooseConditions, operand: ex.Expression, *, negated: bool = False) -> ex.Expression:
    """Whether an expression has no value of any kind."""
    if _is_held(operand, to):
        return ex.IsNull(to.held(operand, Form.PRESENCE), negated, span=operand.span)
    kinds = to.kinds(operand)
    if isinstance(operand, ex.Call) and len(kinds) > 1:
        parts = tuple(is_null(to, each, negated=negated) for each in operand.arguments)
        joined = ex.Or if negated else ex.And
        return parts[0] if len(parts) == 1 else joined(parts, span=operand.span)
    if isinstance(operand, ex.Case) and len(kinds) > 1:
        return chosen(to, operand, lambda each: is_null(to, each, negated=negated))
    return ex.IsNull(to.value(operand, _likely(kinds)), negated, span=operand.span)


_CONDITIONS: dict[type[ex.Expression], Callable[[LooseConditions, Any, bool], ex.Expression]] = {
    ex.And: _logic,
    ex.Or: _logic,
    ex.Not: lambda to, node, exactly: replace(node, operand=to.condition(node.operand, exactly=True)),
    ex.Comparison: _comparison,
    ex.In: _in,
    ex.Between: _between,
    ex.Like: lambda to, node, exactly: replace(node, operand=to.value(node.operand, ValueKind.TEXT)),
    ex.IsNull: lambda to, node, exactly: is_null(to, node.operand, negated=node.negated),
}
