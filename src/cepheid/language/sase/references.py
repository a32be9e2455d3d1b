"""References to events in parsed text: `a.price`, `a[i-1].price`, `a.len`, `avg(a[..i-1].price)`.

A name alone (`count(a)`) and all earlier events (`a[..i-1]`) are nodes only until their context is known.
"""

from dataclasses import dataclass
from typing import Any

from lark import Token

from cepheid.errors import QuerySyntaxError, Span
from cepheid.expressions import Aggregate, Attribute, Call, Element, Expression, Index, Length, Scope
from cepheid.language.sase.foreign import function_hint
from cepheid.language.sase.words import Word, cover, word
from cepheid.pattern.aggregates import Prior, aggregate
from cepheid.pattern.fold import fold_expression, with_children
from cepheid.pattern.functions import AGGREGATES, FUNCTIONS
from cepheid.pattern.words import STRATEGIES

MOST_DIGITS = 9
"""Of an index: no variable holds more events than that."""


@dataclass(frozen=True, slots=True)
class BareName(Expression):
    """A name alone, which is allowed only in `count(a)`."""

    name: str


@dataclass(frozen=True, slots=True)
class EventIndex:
    """What stands between `[` and `]` after a variable; the index is None for `..i-1`."""

    span: Span
    index: Index | int | None = None
    owner: str | None = None  # `a` in `a[a.len]`
    known: bool = True


class ReferenceLowering:
    """Called by the parser bottom-up, with the children of one alternative."""

    def name(self, children: list[Token]) -> Word:
        return word(children[0])

    def bare_name(self, children: list[Word]) -> Expression:
        return BareName(children[0].text, span=children[0].span)

    def attribute(self, children: list[Word]) -> Expression:
        """`a.len` is a length; `resolve` makes it an attribute if `a` is no Kleene variable."""
        variable, name, *fields = children
        if name.text == "len" and not name.quoted and not fields:
            return Length(variable.text, span=cover(children))
        return Attribute(variable.text, Index.ONLY, name.text, _texts(fields), span=cover(children))

    def indexed_attribute(self, children: list[Any]) -> Expression:
        variable, _, position, _, name, *fields = children
        index = _index_of(variable, position)
        if index is None:
            return Prior(variable.text, name.text, _texts(fields), span=cover(children))
        return Attribute(variable.text, index, name.text, _texts(fields), span=cover(children))

    def indexed_name(self, children: list[Any]) -> Expression:
        variable, _, position, _ = children
        span = cover(children)
        if _index_of(variable, position) is not None:
            raise QuerySyntaxError(
                "an event is not a value: name one of its attributes",
                span=span,
                hint=f"write {variable.text}[…].attribute",
            )
        return Prior(variable.text, None, span=span)

    def index_number(self, children: list[Token]) -> EventIndex:
        digits = str(children[0])
        if not digits.isdigit() or len(digits) > MOST_DIGITS or int(digits) == 0:
            return EventIndex(cover(children), Index.FIRST, known=False)
        return EventIndex(cover(children), Index.FIRST if int(digits) == 1 else int(digits))

    def index_word(self, children: list[Word]) -> EventIndex:
        index = {"i": Index.CURRENT, "last": Index.LAST}.get(children[0].lower)
        return EventIndex(cover(children), index, known=index is not None)

    def index_before(self, children: list[Any]) -> EventIndex:
        return EventIndex(cover(children), Index.PREVIOUS, known=_is_i_minus_1(children))

    def index_prior(self, children: list[Any]) -> EventIndex:
        return EventIndex(cover(children), known=_is_i_minus_1(children[1:]))

    def index_length(self, children: list[Word]) -> EventIndex:
        return EventIndex(cover(children), Index.LAST, children[0].text, known=children[1].lower == "len")

    # ------------------------------------------------------------ calls

    def distinct_call(self, children: list[Any]) -> Expression:
        function, _, argument, _ = children
        if isinstance(argument, BareName):
            raise QuerySyntaxError(
                "count(DISTINCT …) needs an attribute",
                span=argument.span,
                hint=f"write count(DISTINCT {argument.name}.attribute)",
            )
        if function.lower not in AGGREGATES:
            raise QuerySyntaxError(
                f"DISTINCT stands only in count(), not in {function.text}()",
                span=function.span,
                hint="write count(DISTINCT a.x)",
            )
        return aggregate(function.lower, argument, cover(children), QuerySyntaxError, distinct=True)

    def call(self, children: list[Any]) -> Expression:
        function: Word = children[0]
        arguments = [c for c in children[1:-1] if c is not None]
        if function.lower in AGGREGATES:
            return _aggregate(function, arguments, cover(children))
        if function.lower not in FUNCTIONS:
            raise QuerySyntaxError(
                f"there is no function '{function.text}'",
                span=function.span,
                hint=function_hint(function.text),
            )
        return Call(function.lower, tuple(arguments), span=cover(children))


def row_condition(condition: Expression) -> Expression:
    """The condition of a HAVING, where a name alone is a column of the row."""

    def column(node: Expression, below: list[Expression]) -> Expression:
        if isinstance(node, BareName):
            return Element(node.name, span=node.span)
        return with_children(node, below)

    return fold_expression(condition, column)


def _texts(words: list[Word]) -> tuple[str, ...]:
    return tuple(word.text for word in words)


def _index_of(variable: Word, position: EventIndex) -> Index | int | None:
    if variable.lower in STRATEGIES:
        raise QuerySyntaxError(
            f"the conditions of {variable.text} should stand in braces",
            span=variable.span,
            hint=f"write WHERE {variable.text} {{ … }}",
        )
    if not position.known:
        raise QuerySyntaxError(
            f"'{variable.text}' has no such index",
            span=position.span,
            hint="an index is 1 (the first), 2 (the second) and so on, i (the one being taken), "
            "i-1 (the one before), ..i-1 (all before, in an aggregate), last or a.len (the last)",
        )
    if position.owner not in (None, variable.text):
        raise QuerySyntaxError(
            f"the length of '{position.owner}' is no index into '{variable.text}'",
            span=position.span,
            hint=f"write {variable.text}[{variable.text}.len] or {variable.text}[last]",
        )
    return position.index


def _is_i_minus_1(children: list[Any]) -> bool:
    return children[0].lower == "i" and str(children[2]) == "1"


def _aggregate(function: Word, arguments: list[Expression], span: Span) -> Expression:
    name = function.lower
    if len(arguments) != 1:
        raise QuerySyntaxError(f"{name}() takes one argument, not {len(arguments)}", span=span)
    match arguments[0]:
        case BareName(name=variable):
            return _count(name, variable, Scope.WHOLE, span)
        case Prior(variable=variable, name=None):
            return _count(name, variable, Scope.PRIOR, span)
        case argument:
            return aggregate(name, argument, span, QuerySyntaxError)


def _count(function: str, variable: str, scope: Scope, span: Span) -> Expression:
    if function != "count":
        raise QuerySyntaxError(
            f"{function}() needs an attribute", span=span, hint=f"write {function}({variable}.attribute)"
        )
    return Aggregate(function, variable, scope, None, span=span)
