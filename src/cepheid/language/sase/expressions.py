"""From parsed text to expression trees: one method per alternative of the grammar."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from lark import Token

from cepheid import expressions as ex
from cepheid.errors import QuerySyntaxError, Span
from cepheid.language.sase.parameters import parameter
from cepheid.language.sase.references import BareName, ReferenceLowering
from cepheid.language.sase.words import (
    Word,
    cover,
    did_you_mean,
    duration,
    exact,
    number,
    span_of,
    timestamp,
    unquoted,
)
from cepheid.time import Duration

OPERATORS = {"==": "=", "<>": "!="}


@dataclass(frozen=True, slots=True)
class EquivalenceTest(ex.Expression):
    """`[k, l]`, which is allowed only as a top-level conjunct."""

    attributes: tuple[str, ...]


def _constant(value: bool | None) -> Callable[[Any, list[Token]], ex.Expression]:
    return lambda lowering, children: ex.Literal(value, span=span_of(children[0]))


def _like_pattern(token: Token) -> str:
    if token.type == "STRING":
        return unquoted(token)
    value = parameter(token, span_of(token)).value
    if not isinstance(value, str):
        raise QuerySyntaxError("LIKE needs a text", span=span_of(token), hint=f"{token} is {value!r}")
    return value


class ExpressionLowering(ReferenceLowering):
    """Called by the parser bottom-up, with the children of one alternative."""

    # ------------------------------------------------------------ logic

    def conditions(self, children: list[ex.Expression]) -> ex.Expression:
        return children[0]

    def disjunction(self, children: list[Any]) -> ex.Expression:
        return ex.Or(tuple(c for c in children if isinstance(c, ex.Expression)), span=cover(children))

    def condition_and(self, children: list[Any]) -> ex.Expression:
        return ex.And(tuple(c for c in children if isinstance(c, ex.Expression)), span=cover(children))

    def not_(self, children: list[Any]) -> ex.Expression:
        return ex.Not(children[1], span=cover(children))

    def equivalence(self, children: list[Any]) -> ex.Expression:
        names = tuple(c.text for c in children if isinstance(c, Word))
        return EquivalenceTest(names, span=cover(children))

    # ------------------------------------------------------------ predicates

    def comparison(self, children: list[Any]) -> ex.Expression:
        """A chain `x = y = z` is its comparisons, joined by AND."""
        links = tuple(
            ex.Comparison(
                OPERATORS.get(children[at], str(children[at])),
                children[at - 1],
                children[at + 1],
                span=cover(children[at - 1 : at + 2]),
            )
            for at in range(1, len(children), 2)
        )
        return links[0] if len(links) == 1 else ex.And(links, span=cover(children))

    def in_(self, children: list[Any]) -> ex.Expression:
        operand, negation, _, *choices, _ = children
        return ex.In(operand, tuple(choices), negation is not None, span=cover(children))

    def between(self, children: list[Any]) -> ex.Expression:
        operand, negation, _, low, _, high = children
        return ex.Between(operand, low, high, negation is not None, span=cover(children))

    def like(self, children: list[Any]) -> ex.Expression:
        operand, negation, _, text = children
        return ex.Like(operand, _like_pattern(text), negation is not None, span=cover(children))

    def is_null(self, children: list[Any]) -> ex.Expression:
        operand, _, negation, _ = children
        return ex.IsNull(operand, negation is not None, span=cover(children))

    # ------------------------------------------------------------ arithmetic

    def arithmetic(self, children: list[Any]) -> ex.Expression:
        left, operator, right = children
        _refuse_name_with_a_dash(left, operator, right)
        return ex.Arithmetic(str(operator), left, right, span=cover(children))

    def concatenation(self, children: list[Any]) -> ex.Expression:
        """`x || y || z` is one concat(x, y, z)."""
        left, _, right = children
        is_chain = isinstance(left, ex.Call) and left.function == "concat"
        return ex.Call("concat", (*(left.arguments if is_chain else (left,)), right), span=cover(children))

    def when(self, children: list[Any]) -> tuple[ex.Expression, ex.Expression]:
        return children[1], children[3]

    def case(self, children: list[Any]) -> ex.Expression:
        _, *branches, _, otherwise, _ = children
        conditions, results = zip(*branches, strict=True)
        span = Span(span_of(children[0]).start, span_of(children[-1]).end)
        return ex.Case(conditions, results, otherwise or ex.Literal(None), span=span)

    def negative(self, children: list[Any]) -> ex.Expression:
        return ex.Negative(children[1], span=cover(children))

    def negative_number(self, children: list[Any]) -> ex.Expression:
        value = children[1].value
        if isinstance(value, Duration):
            return ex.Literal(Duration(-value.amount, value.unit), span=cover(children))
        return ex.Literal(-value, span=cover(children))

    def parenthesised(self, children: list[Any]) -> ex.Expression:
        inner: ex.Expression = children[1]
        return replace(inner, span=cover(children))

    # ------------------------------------------------------------ literals

    def plain_number(self, children: list[Token]) -> ex.Expression:
        return ex.Literal(number(children[0]), span=span_of(children[0]))

    def percentage(self, children: list[Token]) -> ex.Expression:
        digits = Token("NUMBER", children[0][:-1], children[0].start_pos, end_pos=children[0].end_pos)
        return ex.Literal(float(exact(digits) / 100), span=span_of(children[0]))

    def duration_literal(self, children: list[Token]) -> ex.Expression:
        return ex.Literal(duration(*children), span=cover(children))

    def string(self, children: list[Token]) -> ex.Expression:
        return ex.Literal(unquoted(children[0]), span=span_of(children[0]))

    def typed_literal(self, children: list[Any]) -> ex.Expression:
        kind, text = children
        if kind.lower != "timestamp":
            raise QuerySyntaxError(
                f"a string after '{kind.text}' has no meaning",
                span=cover(children),
                hint=did_you_mean(kind.text, ["timestamp", "like"])
                or ("a duration is 5 min" if kind.lower == "interval" else "write TIMESTAMP '…'"),
            )
        return ex.Literal(timestamp(unquoted(text), span_of(text)), span=cover(children))

    def parameter(self, children: list[Token]) -> ex.Expression:
        return parameter(children[0], span_of(children[0]))

    true, false, null = _constant(True), _constant(False), _constant(None)


def _refuse_name_with_a_dash(left: ex.Expression, operator: Token, right: ex.Expression) -> None:
    """`a.unit-price`: a name alone, right after a minus, is the rest of another name."""
    if operator.type != "MINUS" or not isinstance(left, ex.Attribute) or not isinstance(right, BareName):
        return
    if span_of(left).end == span_of(operator).start and span_of(operator).end == span_of(right).start:
        raise QuerySyntaxError(
            f"'{right.name}' alone is not a value",
            span=right.span,
            hint=f"a name with a dash stands in backquotes: {left.variable}.`{left.name}-{right.name}`",
        )
