"""From parsed text to regular tree patterns: one method per alternative of the grammar."""

import re
from typing import Any

from lark import Token

from cepheid.errors import QuerySyntaxError, Span
from cepheid.pattern.twig import nodes as tn

MAX_DIGITS = 100

_SPELLINGS = {"≠": "!=", "≤": "<=", "≥": ">="}
_BLANK = re.compile(r"\s+")


def _span(children: list[Any]) -> Span:
    """The stretch that the tokens and nodes of an alternative cover."""
    spans = [
        Span(child.start_pos or 0, child.end_pos or 0) if isinstance(child, Token) else child.span
        for child in children
        if isinstance(child, Token) or getattr(child, "span", None) is not None
    ]
    return Span(spans[0].start, spans[-1].end)


def _plain(token: Token) -> str:
    """A sign or name without the blanks in it."""
    return _BLANK.sub("", token)


def _named(token: Token) -> str | None:
    return None if token.type == "STAR" else _plain(token)


class TwigLowering:
    """Called by the parser bottom-up, with the children of one alternative."""

    def start(self, children: list[Any]) -> tn.TwigPattern:
        path: tn.TreePath = children[0]
        return path

    def about_root(self, children: list[Any]) -> tn.TwigPattern:
        return tn.Siblings(children[0])

    # ------------------------------------------------------------ paths

    def path(self, children: list[Any]) -> tn.TreePath:
        *steps, attribute, compared = children
        return tn.TreePath(tuple(steps), attribute, compared, span=_span(children))

    def attribute_path(self, children: list[Any]) -> tn.TreePath:
        attribute, compared = children
        return tn.TreePath((), attribute, compared, span=_span(children))

    def step(self, children: list[Any]) -> tn.TreeStep:
        axis, tag, mark, *conditions = children
        return tn.TreeStep(
            tn.Axis(_plain(axis)), _named(tag), mark, tuple(conditions), span=_span([axis, tag])
        )

    def bare_step(self, children: list[Any]) -> tn.TreeStep:
        tag, mark, *conditions = children
        return tn.TreeStep(tn.Axis.CHILD, _named(tag), mark, tuple(conditions), span=_span([tag]))

    def tag(self, children: list[Token]) -> Token:
        return children[0]

    def mark(self, children: list[Token]) -> str:
        return str(children[1])

    def attribute_below(self, children: list[Any]) -> tn.AttributeTail:
        axis, at, name, mark = children
        return _attribute(tn.Axis(_plain(axis)), [axis, at, name], mark)

    def attribute_here(self, children: list[Any]) -> tn.AttributeTail:
        at, name, mark = children
        return _attribute(tn.Axis.CHILD, [at, name], mark)

    def comparison(self, children: list[Token]) -> tn.Against:
        sign, constant = children
        operator = _SPELLINGS.get(sign, _plain(sign))
        if constant.type == "STRING":
            quote = constant[0]
            return tn.Against(operator, constant[1:-1].replace(quote * 2, quote))
        return tn.Against(operator, _number(constant))

    # ------------------------------------------------------------ conditions

    def nth(self, children: list[Token]) -> tn.TreeCondition:
        number = _number(children[1])
        if number != int(number):
            raise QuerySyntaxError("a position is a whole number", span=_span(children), hint="write [2]")
        return tn.NthSibling(int(number))

    def last(self, children: list[Token]) -> tn.TreeCondition:
        return tn.LastSibling()

    def exists(self, children: list[Any]) -> tn.TreeCondition:
        return tn.Exists(children[1])

    def siblings(self, children: list[Any]) -> tn.TreeCondition:
        return tn.Siblings(_expression(children[1]))

    # ------------------------------------------------------------ sibling expressions

    def alternatives(self, children: list[Any]) -> tn.SiblingExpression:
        return _expression(children[0])

    def either(self, children: list[Any]) -> tn.SiblingExpression:
        return tn.EitherOf(tuple(map(_expression, children[::2])))

    ordered = repeated = alternatives

    def in_order(self, children: list[Any]) -> tn.SiblingExpression:
        return tn.InOrder(tuple(map(_expression, children[::2])))

    def repetition(self, children: list[Any]) -> tn.SiblingExpression:
        return tn.Repeated(_expression(children[0]), str(children[1]))

    def group(self, children: list[Any]) -> tn.SiblingExpression:
        return _expression(children[1])

    group_of_path = group


def _expression(part: Any) -> tn.SiblingExpression:
    """A path inside an expression is an item of it."""
    if isinstance(part, tn.TreePath):
        return tn.Item(part)
    expression: tn.SiblingExpression = part
    return expression


def _attribute(axis: tn.Axis, tokens: list[Token], mark: str | None) -> tn.AttributeTail:
    name = _named(tokens[-1])
    if mark is not None:
        raise QuerySyntaxError(
            f"the attribute @{name or '*'} cannot be marked: only elements are returned",
            span=_span(tokens),
            hint="mark its element: the attributes come with it",
        )
    return tn.AttributeTail(axis, name, span=_span(tokens))


def _number(token: Token) -> float:
    if len(token) > MAX_DIGITS:
        raise QuerySyntaxError(f"the number has more than {MAX_DIGITS} characters", span=_span([token]))
    return float(_plain(token))
