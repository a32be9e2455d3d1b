"""Conditions on one event, whose attributes need no variable: `page = '/' AND price > 10`."""

from cepheid.errors import QueryError, QuerySyntaxError
from cepheid.expressions import Aggregate, Attribute, Expression, Index, Length, walk
from cepheid.language.sase.expressions import EquivalenceTest
from cepheid.language.sase.parse import parse_bare
from cepheid.language.sase.references import BareName
from cepheid.pattern.aggregates import Prior


def about(variable: str, conditions: str) -> str:
    """The conditions as they stand in a query that binds the event to a variable: `s1.page = '/'`."""
    found = parse_bare(conditions)
    try:
        places = sorted({place for node in walk(found) if (place := _place(node)) is not None}, reverse=True)
    except QueryError as error:
        raise error.with_text(conditions) from None
    text = conditions
    for place in places:
        text = f"{text[:place]}{variable}.{text[place:]}"
    return text


def _place(node: Expression) -> int | None:
    """Where the name of an attribute begins; None for what is no attribute."""
    match node:
        case EquivalenceTest():
            raise QuerySyntaxError("a condition on one event has no equivalence test [ … ]", span=node.span)
        case Aggregate():
            raise QuerySyntaxError("a condition on one event has no aggregate", span=node.span)
        case Prior() | Attribute(index=int() | Index.FIRST | Index.LAST | Index.CURRENT | Index.PREVIOUS):
            raise QuerySyntaxError(
                "a condition on one event has no index: it is no repetition", span=node.span
            )
        case BareName() | Attribute() | Length():
            assert node.span is not None
            return node.span.start
        case _:
            return None
