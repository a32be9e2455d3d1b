"""`avg(a[..i-1].price * a.volume)`: from what was written to an aggregate over one variable's events."""

from dataclasses import dataclass

from cepheid.errors import QueryError, Span
from cepheid.expressions import Aggregate, Attribute, Element, Expression, Index, Length, Scope
from cepheid.pattern.fold import fold_expression, with_children


@dataclass(frozen=True, slots=True)
class Prior(Expression):
    """`a[..i-1].price`, or `a[..i-1]` with no attribute; allowed only in an aggregate."""

    variable: str
    name: str | None
    path: tuple[str, ...] = ()


def aggregate(
    function: str, argument: Expression, span: Span | None, error: type[QueryError], distinct: bool = False
) -> Aggregate:
    """The aggregate of an expression over the attributes of one variable."""
    if distinct and function != "count":
        raise error(
            f"DISTINCT stands only in count(), not in {function}()",
            span=span,
            hint="write count(DISTINCT a.x)",
        )
    sources: list[tuple[str, Scope]] = []
    inner = fold_expression(argument, lambda node, below: _element(node, below, sources, error))
    variable, scope = _one_source(function, sources, argument, error)
    return Aggregate(function, variable, scope, inner, distinct, span=span)


def misplaced_prior(node: Prior, error: type[QueryError]) -> QueryError:
    """The error for `a[..i-1]` outside an aggregate."""
    return error(
        f"{node.variable}[..i-1] is several events, and stands only in an aggregate",
        span=node.span,
        hint=f"write avg({node.variable}[..i-1].attribute), or count, sum, min, max, first, last",
    )


def _element(
    node: Expression, below: list[Expression], sources: list[tuple[str, Scope]], error: type[QueryError]
) -> Expression:
    """The node with its references made relative to the aggregate's events; notes what they named."""
    match node:
        case Attribute(variable=variable, index=Index.ONLY, name=name, path=path):
            sources.append((variable, Scope.WHOLE))
            return Element(name, path, span=node.span)
        case Prior(variable=variable, name=str(name), path=path):
            sources.append((variable, Scope.PRIOR))
            return Element(name, path, span=node.span)
        case Length(variable=variable):
            sources.append((variable, Scope.WHOLE))
            return Element("len", span=node.span)
        case Aggregate():
            raise error("aggregates cannot be nested", span=node.span)
        case Attribute(variable=variable, name=name):
            raise error(
                "an aggregate runs over all events, and this names one of them",
                span=node.span,
                hint=f"write {variable}.{name} for all of them, {variable}[..i-1].{name} for all before",
            )
        case _:
            return with_children(node, below)


def _one_source(
    function: str, seen: list[tuple[str, Scope]], argument: Expression, error: type[QueryError]
) -> tuple[str, Scope]:
    sources = list(dict.fromkeys(seen))
    if len(sources) == 1:
        return sources[0]
    if not sources:
        raise error(
            f"{function}() needs an attribute of a Kleene variable",
            span=argument.span,
            hint=f"write {function}(a.price) or {function}(a[..i-1].price)",
        )
    if len({variable for variable, _ in sources}) > 1:
        named = " and ".join(f"'{variable}'" for variable, _ in sources[:2])
        raise error(f"an aggregate is over one variable, and this names {named}", span=argument.span)
    raise error("an aggregate is over the whole variable or over a[..i-1], not both", span=argument.span)
