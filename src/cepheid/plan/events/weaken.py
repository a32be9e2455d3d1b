"""A condition over one event, weakened to forms that any reader of events can test.

What comes out is true wherever the condition is true, and perhaps elsewhere. Columns are compared
with literals of their own type or with each other, in AND and OR; what cannot be said so is left
out. Since only "true" counts, null and false are one: negations move inwards, until a comparison
turns round. `NOT (y > 5)` of a float stays, because it holds for NaN and `y <= 5` does not.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from fractions import Fraction
from typing import Any

import pyarrow as pa

from cepheid import expressions as ex
from cepheid.events import EventSchema
from cepheid.pattern.fold import INT64, with_children
from cepheid.pattern.types import ValueType, type_of, value_type
from cepheid.plan.events.branches import Branch, branches_of
from cepheid.plan.events.grid import EXACT, beside_decimals, beside_moments, on_grid
from cepheid.plan.events.logic import FALSE, TRUE, all_of, any_of

INVERSE = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_MIRRORED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_MOST_LETTERS = 2**30


@dataclass(slots=True)
class Weakening:
    """Weakens the conditions of one stream, and lists what it leaves out."""

    schema: EventSchema
    opaque: frozenset[str] = frozenset()  # columns whose values the reader compares otherwise
    left_out: list[ex.Expression] = field(default_factory=list)

    def weaker(self, conditions: Iterable[ex.Expression]) -> ex.Expression:
        """What is true wherever all conditions are."""
        return self._conjunction(tuple(conditions), False)

    def _of(self, node: ex.Expression, negated: bool) -> ex.Expression | None:
        """What is true wherever the node is; wherever it is false, if negated. None if nothing is known."""
        weaken = _WEAKEN.get(type(node))
        return None if weaken is None else weaken(self, node, negated)

    def _conjunction(self, operands: tuple[ex.Expression, ...], negated: bool) -> ex.Expression:
        kept = []
        for operand in operands:
            found = self._of(operand, negated)
            if found is None:
                self.left_out.append(ex.Not(operand) if negated else operand)
            else:
                kept.append(found)
        return all_of(kept)

    def _disjunction(self, operands: tuple[ex.Expression, ...], negated: bool) -> ex.Expression | None:
        known = len(self.left_out)
        kept = []
        for operand in operands:
            found = self._of(operand, negated)
            if found is None or found == TRUE:
                del self.left_out[known:]  # the whole is left out, not its parts
                return found
            kept.append(found)
        return any_of(kept)

    def _logic(self, node: ex.And | ex.Or, negated: bool) -> ex.Expression | None:
        join = self._conjunction if isinstance(node, ex.And) is not negated else self._disjunction
        return join(node.operands, negated)

    def _literal(self, node: ex.Literal, negated: bool) -> ex.Expression:
        return TRUE if isinstance(node.value, bool) and node.value is not negated else FALSE

    def _column_of_truth(self, node: ex.Element, negated: bool) -> ex.Expression | None:
        if self._type(node) is ValueType.NULL:
            return FALSE
        column = self._column(node)
        return ex.Not(column) if column is not None and negated else column

    def _in(self, node: ex.In, negated: bool) -> ex.Expression | None:
        tests = tuple(ex.Comparison("=", node.operand, choice) for choice in node.choices)
        return self._logic(ex.Or(tests), negated is not node.negated)

    def _between(self, node: ex.Between, negated: bool) -> ex.Expression | None:
        low = ex.Comparison(">=", node.operand, node.low)
        high = ex.Comparison("<=", node.operand, node.high)
        return self._logic(ex.And((low, high)), negated is not node.negated)

    def _like(self, node: ex.Like, negated: bool) -> ex.Expression | None:
        if self._type(node.operand) is ValueType.NULL:
            return FALSE
        text = self._text(node.operand)
        if text is None or "\\" in node.pattern:  # what an odd escape means differs
            return None
        return ex.Like(text, node.pattern, negated is not node.negated)

    def _is_null(self, node: ex.IsNull, negated: bool) -> ex.Expression | None:
        if isinstance(node.operand, ex.Literal):
            return FALSE if (node.operand.value is None) is (negated is not node.negated) else TRUE
        if not isinstance(node.operand, ex.Element) or node.operand.path:
            return None
        name = self.schema.column_of(node.operand.name) or node.operand.name
        return ex.IsNull(ex.Element(name), negated is not node.negated)

    def _comparison(self, node: ex.Comparison, negated: bool) -> ex.Expression | None:
        operator, left, right = node.operator, node.left, node.right
        if isinstance(left, ex.Literal):
            operator, left, right = _MIRRORED[operator], right, left
        branches = branches_of(node, self.schema)
        if branches is not None:
            return self._by_branches(node, branches, negated)
        kinds = {self._type(left), self._type(right)}
        is_numeric = kinds <= {ValueType.INT, ValueType.FLOAT}
        if ValueType.NULL in kinds or (is_numeric and (_has_null(left) or _has_null(right))):
            return FALSE
        column = self._column(left)
        if column is not None and isinstance(right, ex.Literal):
            return self._with_literal(operator, column, right, negated)
        return self._with_value(operator, left, right, negated, kinds)

    def _by_branches(
        self, node: ex.Comparison, branches: list[Branch], negated: bool
    ) -> ex.Expression | None:
        """Where the comparison is true, it is so with one of the values that it may be of."""
        known = len(self.left_out)
        kept, is_exact = [], True
        for branch in branches:
            found = self._of(branch.comparison, negated)
            if found is None:
                del self.left_out[known:]
                return None
            guards = [self._of(guard, False) for guard in branch.guards]
            is_exact = is_exact and (found == FALSE or (branch.is_exact and None not in guards))
            kept.append(all_of([*(guard for guard in guards if guard is not None), found]))
        del self.left_out[known:]
        if not is_exact:
            self.left_out.append(ex.Not(node) if negated else node)
        return any_of(kept)

    def _with_literal(
        self, operator: str, column: ex.Element, literal: ex.Literal, negated: bool
    ) -> ex.Expression | None:
        kind, value = self.schema.type_of(column.name), literal.value
        if isinstance(value, datetime):
            return beside_moments(_turned(operator, negated), column, literal, kind)
        if pa.types.is_decimal(kind) and isinstance(value, int | float):
            return beside_decimals(_turned(operator, negated), column, Fraction(value), kind.scale)
        if pa.types.is_integer(kind) and isinstance(value, float):
            if abs(value) < EXACT:
                return on_grid(_turned(operator, negated), column, Fraction(value), ex.Literal)
        elif isinstance(value, int) and value not in INT64:
            return None
        elif pa.types.is_floating(kind) and isinstance(value, int):
            literal = ex.Literal(float(value))
        return _compared(operator, column, literal, negated, self._is_real(column, literal))

    def _with_value(
        self, operator: str, left: ex.Expression, right: ex.Expression, negated: bool, kinds: set[ValueType]
    ) -> ex.Expression | None:
        if kinds <= {ValueType.INT, ValueType.FLOAT}:
            one, other = self._number(left), self._number(right)
        else:
            one, other = self._value(left), self._value(right)
            if isinstance(one, ex.Element) and isinstance(other, ex.Element):
                if self._arrow(one) != self._arrow(other):
                    return None
        if one is None or other is None or not any(isinstance(n, ex.Element) for n in ex.walk(one)):
            return None
        return _compared(operator, one, other, negated, ValueType.FLOAT in kinds)

    def _column(self, node: ex.Expression) -> ex.Element | None:
        """The column that a node is, by its name in the stream, if its values can be compared."""
        if not isinstance(node, ex.Element) or node.path:
            return None
        name = self.schema.column_of(node.name) or node.name
        is_plain = name not in self.opaque and _is_comparable(self.schema.type_of(name))
        return ex.Element(name) if is_plain else None

    def _value(self, node: ex.Expression) -> ex.Expression | None:
        """A column of any kind, or a text."""
        return self._text(node) if self._type(node) is ValueType.STRING else self._column(node)

    def _text(self, node: ex.Expression) -> ex.Expression | None:
        """A column of text, a literal, and what everyone makes of them alike."""
        match node:
            case ex.Literal():
                return node
            case ex.Element():
                return self._column(node)
            case ex.Call(function="substr" | "concat", arguments=arguments):
                texts = arguments if node.function == "concat" else arguments[:1]
                found = [known for text in texts if (known := self._plain_text(text)) is not None]
                if len(found) < len(texts) or not all(map(_is_short, arguments[len(texts) :])):
                    return None
                return replace(node, arguments=(*found, *arguments[len(texts) :]))
            case _:
                return None

    def _plain_text(self, node: ex.Expression) -> ex.Expression | None:
        """A text that functions of text take everywhere: not one in a view, nor null."""
        found = self._text(node)
        if isinstance(found, ex.Element) and not _is_plain_text(self._arrow(found)):
            return None
        return None if isinstance(found, ex.Literal) and not isinstance(found.value, str) else found

    def _number(self, node: ex.Expression) -> ex.Expression | None:
        """Arithmetic over columns and literals that everyone computes alike, to the last bit."""
        match node:
            case ex.Element():
                column = self._column(node)
                is_decimal = column is not None and pa.types.is_decimal(self._arrow(column))
                return None if is_decimal else column
            case ex.Literal(value=int() as value) if value not in INT64:
                return None
            case ex.Literal():
                return node
            case ex.Negative() | ex.Arithmetic() | ex.Call(function="abs"):
                return _over(node, map(self._number, ex.children(node)))
            case ex.Call(function="length"):
                return _over(node, map(self._plain_text, ex.children(node)))
            case _:
                return None

    def _type(self, node: ex.Expression) -> ValueType:
        return type_of(node, self.schema)

    def _arrow(self, column: ex.Expression) -> pa.DataType:
        assert isinstance(column, ex.Element)
        return self.schema.type_of(column.name)

    def _is_real(self, *nodes: ex.Expression) -> bool:
        return any(self._type(node) is ValueType.FLOAT for node in nodes)


_WEAKEN: dict[type[ex.Expression], Callable[[Weakening, Any, bool], ex.Expression | None]] = {
    ex.Literal: Weakening._literal,
    ex.Element: Weakening._column_of_truth,
    ex.Not: lambda to, node, negated: to._of(node.operand, not negated),
    ex.And: Weakening._logic,
    ex.Or: Weakening._logic,
    ex.In: Weakening._in,
    ex.Between: Weakening._between,
    ex.Like: Weakening._like,
    ex.IsNull: Weakening._is_null,
    ex.Comparison: Weakening._comparison,
}


def _over(node: ex.Expression, below: Iterable[ex.Expression | None]) -> ex.Expression | None:
    """The node over what its parts became, if each became something."""
    parts = list(below)
    known = [part for part in parts if part is not None]
    return with_children(node, known) if len(known) == len(parts) else None


def _is_comparable(kind: pa.DataType) -> bool:
    """Not times of day, durations, unsigned 64-bit and 16-bit floats: they are seldom, and readers differ."""
    if pa.types.is_uint64(kind) or pa.types.is_float16(kind):
        return False
    return value_type(kind) not in (None, ValueType.TIME, ValueType.DURATION, ValueType.NULL)


def _is_plain_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _is_short(node: ex.Expression) -> bool:
    """Whether a number is written in the query, and fits 32 bits with room to spare."""
    return isinstance(node, ex.Literal) and type(node.value) is int and abs(node.value) < _MOST_LETTERS


def _has_null(node: ex.Expression) -> bool:
    return any(isinstance(item, ex.Literal) and item.value is None for item in ex.walk(node))


def _turned(operator: str, negated: bool) -> str:
    return INVERSE[operator] if negated else operator


def _compared(
    operator: str, left: ex.Expression, right: ex.Expression, negated: bool, is_real: bool
) -> ex.Expression:
    if negated and is_real and operator not in ("=", "!="):
        return ex.Not(ex.Comparison(operator, left, right))
    return ex.Comparison(_turned(operator, negated), left, right)
