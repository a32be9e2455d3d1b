"""Rules about RETURN, AGG and EMIT that need no stream."""

from collections.abc import Callable

from cepheid.errors import QueryCheckError
from cepheid.expressions import Aggregate, Attribute, Call, Expression, Length, children, walk
from cepheid.pattern.check_conditions import declared_atoms, prior_scope, unknown_variable
from cepheid.pattern.functions import MATCH_FUNCTIONS
from cepheid.pattern.nodes import Absent, Atom
from cepheid.pattern.query import AggregateItem, EmitMode, PatternQuery, ReturnItem, Strategy

_AGGREGATION_MODES = (EmitMode.ALL, EmitMode.ON_CLOSE, EmitMode.ON_RISE, EmitMode.EVERY)
_MATCH_MODES = tuple(mode for mode in EmitMode if mode not in _AGGREGATION_MODES[1:])


def returned_variables_are_bound(query: PatternQuery) -> None:
    """RETURN and AGG name only variables that have events in a complete match, and say which event."""
    declared = declared_atoms(query)
    for item in query.returns or ():
        variable = item.star if item.whole is None else item.whole
        if variable is None:
            continue
        named = Length(variable, span=item.span)
        if variable not in declared:
            raise (
                _unknown(item, declared, named) if item.whole else unknown_variable(variable, declared, named)
            )
        if isinstance(declared[variable], Absent):
            raise _nothing_to_return(variable, named)
    for expression in _results(query):
        for node in walk(expression):
            if isinstance(node, Attribute) and isinstance(declared[node.variable], Absent):
                raise _nothing_to_return(node.variable, node)
            if prior_scope(node):
                raise QueryCheckError(
                    "in a match that is complete, no event is being taken: a[i] has no meaning here",
                    span=node.span,
                    hint="use a[1], a[last], an aggregate over a, or collect(a.attribute)",
                )


def _unknown(item: ReturnItem, declared: dict[str, Atom], named: Expression) -> QueryCheckError:
    """`RETURN price`: a variable that is not declared, or an attribute without its variable."""
    error = unknown_variable(item.whole or "", declared, named)
    of_one = f"an attribute needs its variable, as in {next(iter(declared))}.{item.whole}"
    return QueryCheckError(error.message, span=named.span, hint=f"{error.hint}; {of_one}")


def _results(query: PatternQuery) -> list[Expression]:
    returned = [item.expression for item in query.returns or () if item.expression is not None]
    items = query.aggregation.items if query.aggregation else ()
    return [*returned, *(item.argument for item in items if item.argument is not None)]


def _nothing_to_return(variable: str, node: Expression) -> QueryCheckError:
    return QueryCheckError(
        f"'{variable}' is negated: in a match there is no such event to return", span=node.span
    )


def lists_stand_alone(query: PatternQuery) -> None:
    """`collect(x)` is a list, and no operator takes one."""
    for expression in _results(query):
        for node in walk(expression):
            for child in children(node):
                if isinstance(child, Aggregate) and child.function == "collect":
                    raise QueryCheckError(
                        "collect() gives a list, and stands alone in RETURN",
                        span=child.span,
                        hint="put the expression inside: collect(a.price * 2)",
                    )


def output_names_differ(query: PatternQuery) -> None:
    """No two columns get one name by AS, nor the name of a column that every row has."""
    taken = {"match_id"}
    for item in query.returns or ():
        if item.name is not None:
            _take_name(item, taken)


def _take_name(item: ReturnItem | AggregateItem, taken: set[str]) -> None:
    if item.name in taken:
        raise QueryCheckError(
            f"two columns of the result are named '{item.name}'", span=item.span, hint="use another AS name"
        )
    taken.add(item.name or "")


def aggregation_is_whole(query: PatternQuery) -> None:
    """AGG stands instead of RETURN, over all matches, and over attributes of single events."""
    if query.aggregation is None:
        return
    span = query.aggregation.span
    if query.returns is not None:
        raise QueryCheckError("AGG and RETURN exclude each other", span=span, hint="keep one of them")
    if query.strategy is not Strategy.ANY:
        raise QueryCheckError(
            f"AGG is over all matches and needs skip_till_any_match, not {query.strategy.value}", span=span
        )
    names = {"time", *query.aggregation.group_by}
    for item in query.aggregation.items:
        if item.name is not None:
            _take_name(item, names)
        for node in walk(item.argument) if item.argument is not None else ():
            if isinstance(node, Aggregate) or (isinstance(node, Call) and node.function in MATCH_FUNCTIONS):
                raise QueryCheckError(
                    "an aggregate in AGG is over attributes, as in SUM(b.price)", span=node.span
                )


def having_is_about_rows(query: PatternQuery) -> None:
    """HAVING is about the columns of a row, which no variable has."""
    if query.aggregation is None or query.aggregation.having is None:
        return
    for node in walk(query.aggregation.having):
        if isinstance(node, _OF_MATCHES) or (isinstance(node, Call) and node.function in MATCH_FUNCTIONS):
            raise QueryCheckError(
                "HAVING is about the columns of a row of AGG, and this is about a match",
                span=node.span,
                hint="name the column: AGG COUNT AS n, AVG(b.price) AS mean HAVING n >= 10 AND mean > 5",
            )


_OF_MATCHES = (Attribute, Length, Aggregate)


def emit_fits(query: PatternQuery) -> None:
    """Some modes of EMIT are for AGG alone, others for matches alone."""
    mode, with_agg = query.emit.mode, query.aggregation is not None
    if with_agg and mode not in _AGGREGATION_MODES:
        raise QueryCheckError(
            f"EMIT {mode.value} is for matches, and AGG gives none",
            span=query.emit.span,
            hint="with AGG: EMIT ALL, EMIT ON CLOSE, EMIT EVERY 1 min, or with HAVING, EMIT ON RISE",
        )
    if not with_agg and mode not in _MATCH_MODES:
        raise QueryCheckError(
            f"EMIT {mode.value} needs AGG", span=query.emit.span, hint="add AGG COUNT, or use EMIT ALL"
        )
    if mode is EmitMode.ON_RISE and (query.aggregation is None or query.aggregation.having is None):
        raise QueryCheckError(
            "EMIT ON RISE gives the rows where HAVING becomes true, and there is no HAVING",
            span=query.emit.span,
            hint="add a condition on the row, such as HAVING n >= 10",
        )
    if mode is EmitMode.COUNT and query.returns is not None:
        raise QueryCheckError(
            "EMIT COUNT gives numbers, and RETURN is for matches",
            span=query.emit.span,
            hint="leave out RETURN, or use EMIT COMPRESSED, which counts too",
        )
    if mode is EmitMode.FIRST and (query.emit.count is None or query.emit.count < 1):
        raise QueryCheckError("EMIT FIRST needs a number, 1 or more", span=query.emit.span)


CLAUSE_RULES: tuple[Callable[[PatternQuery], None], ...] = (
    returned_variables_are_bound,
    lists_stand_alone,
    output_names_differ,
    aggregation_is_whole,
    having_is_about_rows,
    emit_fits,
)
