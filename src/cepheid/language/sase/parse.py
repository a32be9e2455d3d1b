"""The query language: text to `PatternQuery`.

    parse("PATTERN SEQ(Shelf s, ~Register r, Exit e) WITHIN 12 hours")

The parser calls the lowering bottom-up while it reads, so no depth of nesting can exhaust the
stack; what is nested too deep is refused before anything walks the tree.
"""

import functools
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from lark import Lark
from lark.exceptions import UnexpectedInput

from cepheid.errors import QueryError, QuerySyntaxError, Span
from cepheid.expressions import And, Call, Expression, walk
from cepheid.language.grammar import Grammar
from cepheid.language.sase.clauses import Having, ParsedQuery, QueryLowering, Where
from cepheid.language.sase.errors import explain
from cepheid.language.sase.expressions import EquivalenceTest
from cepheid.language.sase.foreign import NAMES_ELSEWHERE
from cepheid.language.sase.parameters import Parameters, giving
from cepheid.language.sase.references import BareName, row_condition
from cepheid.pattern.aggregates import Prior, misplaced_prior
from cepheid.pattern.fold import MAX_DEPTH, too_deep_expression, too_deep_pattern
from cepheid.pattern.query import Aggregation, Emit, Equivalence, PatternQuery, ReturnItem, Strategy
from cepheid.pattern.resolve import resolve
from cepheid.pattern.words import STRATEGIES

GRAMMAR = Grammar("sase", ("query", "conditions", "return_items"))
MAX_LENGTH = 256 * 1024

_BRACKETS = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|--[^\n]*|[()]""")


def parse(text: str, parameters: Parameters | None = None) -> PatternQuery:
    """The query that the text says; raises `QuerySyntaxError` with the place and a probable fix."""
    parsed: ParsedQuery = _parse(text, "query", parameters)
    try:
        return resolve(_query(parsed))
    except QueryError as error:
        raise error.with_text(text) from None


def parse_conditions(
    text: str, parameters: Parameters | None = None
) -> tuple[tuple[Equivalence, ...], tuple[Expression, ...]]:
    """The equivalence tests and the conjuncts of the inside of a WHERE."""
    condition: Expression = _parse(text, "conditions", parameters)
    try:
        return _conjuncts(condition)
    except QueryError as error:
        raise error.with_text(text) from None


def parse_returns(text: str, parameters: Parameters | None = None) -> tuple[ReturnItem, ...]:
    """The items of the inside of a RETURN."""
    items: tuple[ReturnItem, ...] = _parse(text, "return_items", parameters)
    try:
        _verify(item.expression for item in items)
        return items
    except QueryError as error:
        raise error.with_text(text) from None


def parse_bare(text: str) -> Expression:
    """Conditions as they were written, where names alone may stand for attributes of one event."""
    condition: Expression = _parse(text, "conditions", None)
    return condition


def parse_having(text: str, parameters: Parameters | None = None) -> Expression:
    """The condition of the inside of a HAVING."""
    condition = row_condition(_parse(text, "conditions", parameters))
    try:
        _verify([condition])
        return condition
    except QueryError as error:
        raise error.with_text(text) from None


# ---------------------------------------------------------------- text to nodes


@functools.cache
def _parser() -> Lark:
    return GRAMMAR.parser(QueryLowering())


def _parse(text: str, start: str, parameters: Parameters | None) -> Any:
    try:
        _refuse_excess(text)
        with giving(parameters or Parameters({})):
            return _parser().parse(text, start=start)
    except UnexpectedInput as error:
        raise explain(error, text, start) from None
    except QueryError as error:
        raise error.with_text(text) from None


def _refuse_excess(text: str) -> None:
    if len(text) > MAX_LENGTH:
        raise QuerySyntaxError(
            f"the query has {len(text):,} characters, and the limit is {MAX_LENGTH:,}: "
            "keep long lists of values in the data, not in the query"
        )
    level = 0
    for found in _BRACKETS.finditer(text):
        level += {"(": 1, ")": -1}.get(found.group(), 0)
        if level > MAX_DEPTH:
            raise QuerySyntaxError(
                f"parentheses are nested more than {MAX_DEPTH} deep, which is the limit",
                span=Span(*found.span()),
            )


# ---------------------------------------------------------------- nodes to a query


def _query(parsed: ParsedQuery) -> PatternQuery:
    deep = too_deep_pattern(parsed.pattern)
    if deep is not None:
        raise QuerySyntaxError(f"the pattern is nested more than {MAX_DEPTH} deep", span=deep.span)
    where: Where = parsed.clauses.get("WHERE", Where(Strategy.ANY, None))
    equivalences, conjuncts = _conjuncts(where.condition) if where.condition else ((), ())
    returns: tuple[ReturnItem, ...] | None = parsed.clauses.get("RETURN")
    aggregation = _with_having(parsed.clauses.get("AGG"), parsed.clauses.get("HAVING"))
    _verify(item.expression for item in returns or ())
    _verify(item.argument for item in (aggregation.items if aggregation else ()))
    return PatternQuery(
        parsed.pattern,
        where.strategy,
        equivalences,
        conjuncts,
        parsed.clauses.get("WITHIN"),
        returns,
        aggregation,
        parsed.clauses.get("EMIT", Emit()),
    )


def _with_having(aggregation: Aggregation | None, having: Having | None) -> Aggregation | None:
    if having is None:
        return aggregation
    if aggregation is None:
        raise QuerySyntaxError(
            "HAVING is about the rows of AGG, and there is no AGG",
            span=having.span,
            hint="conditions on events and matches follow WHERE",
        )
    condition = row_condition(having.condition)
    _verify([condition])
    return replace(aggregation, having=condition)


def _conjuncts(condition: Expression) -> tuple[tuple[Equivalence, ...], tuple[Expression, ...]]:
    flat = list(_flattened(condition))
    tests = tuple(Equivalence(x.attributes, span=x.span) for x in flat if isinstance(x, EquivalenceTest))
    conjuncts = tuple(x for x in flat if not isinstance(x, EquivalenceTest))
    _verify(conjuncts)
    return tests, conjuncts


def _flattened(condition: Expression) -> Iterator[Expression]:
    pending = [condition]
    while pending:
        top = pending.pop()
        if isinstance(top, And):
            pending.extend(reversed(top.operands))
        else:
            yield top


def _verify(expressions: Iterable[Expression | None]) -> None:
    """Refuse what is nested too deep, and what stands where it has no meaning."""
    for expression in expressions:
        if expression is None:
            continue
        deep = too_deep_expression(expression)
        if deep is not None:
            raise QuerySyntaxError(
                f"the expression is nested more than {MAX_DEPTH} deep, which is the limit; "
                "each operator of a chain such as x + y + z is a level",
                span=deep.span,
            )
        _refuse_misplaced(expression)


def _refuse_misplaced(root: Expression) -> None:
    for node in walk(root):
        match node:
            case BareName(name=name) if name.lower() in STRATEGIES:
                raise QuerySyntaxError(
                    f"the conditions of {name} should stand in braces",
                    span=node.span,
                    hint=f"write WHERE {name} {{ … }}",
                )
            case Call(function="length", arguments=(BareName(name=name),)):
                raise QuerySyntaxError(
                    f"'{name}' alone is not a value",
                    span=node.span,
                    hint=f"length() is of text, as in length({name}.x); the number of events is {name}.len",
                )
            case BareName(name=name):
                raise QuerySyntaxError(
                    f"'{name}' alone is not a value",
                    span=node.span,
                    hint=NAMES_ELSEWHERE.get(name.lower())
                    or f"an attribute needs its variable, as in a.{name}; "
                    f"a variable its attribute, as in {name}.x; a string its quotes, as in '{name}'",
                )
            case Prior():
                raise misplaced_prior(node, QuerySyntaxError)
            case EquivalenceTest():
                raise QuerySyntaxError(
                    "an equivalence test [ … ] stands only in the top-level AND of WHERE", span=node.span
                )
