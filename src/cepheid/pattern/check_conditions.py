"""Rules about expressions that need no stream: which variable may stand where, and how."""

import math
from collections.abc import Callable, Iterator

from cepheid import expressions as ex
from cepheid.errors import QueryCheckError
from cepheid.expressions import children, variables, walk
from cepheid.pattern.aggregates import Prior, misplaced_prior
from cepheid.pattern.fold import INT64, MAX_DEPTH, too_deep_expression
from cepheid.pattern.functions import AGGREGATES, FUNCTIONS, MATCH_FUNCTIONS
from cepheid.pattern.literals import nearest
from cepheid.pattern.nodes import Absent, Atom, Kleene, atoms
from cepheid.pattern.query import PatternQuery
from cepheid.pattern.regexps import REGEXPS, check_regexp


def every_expression(query: PatternQuery) -> Iterator[ex.Expression]:
    """The conjuncts, what RETURN returns and what AGG aggregates."""
    yield from query.conjuncts
    yield from (item.expression for item in query.returns or () if item.expression is not None)
    if query.aggregation is not None:
        yield from (item.argument for item in query.aggregation.items if item.argument is not None)


def every_node(query: PatternQuery) -> Iterator[ex.Expression]:
    """Every node of these expressions."""
    for expression in every_expression(query):
        yield from walk(expression)


def declared_atoms(query: PatternQuery) -> dict[str, Atom]:
    """The atom of each variable."""
    return {atom.variable: atom for atom in atoms(query.pattern)}


def expressions_are_bounded(query: PatternQuery) -> None:
    """No expression is nested too deep, and every number fits its type."""
    for expression in every_expression(query):
        deep = too_deep_expression(expression)
        if deep is not None:
            raise QueryCheckError(f"the expression is nested more than {MAX_DEPTH} deep", span=deep.span)
        for node in walk(expression):
            match node:
                case ex.Literal(value=int(value)) if value not in INT64:
                    raise QueryCheckError(
                        "the integer does not fit 64 bits", span=node.span, hint="write it as a float: 1e20"
                    )
                case ex.Literal(value=float(value)) if not math.isfinite(value):
                    raise QueryCheckError(f"{value} cannot be written in a query", span=node.span)


def variables_are_known(query: PatternQuery) -> None:
    """Every variable that is named is declared in the pattern."""
    declared = declared_atoms(query)
    for node in every_node(query):
        if isinstance(node, ex.Attribute | ex.Length | ex.Aggregate) and node.variable not in declared:
            raise unknown_variable(node.variable, declared, node)


def unknown_variable(name: str, declared: dict[str, Atom], node: ex.Expression) -> QueryCheckError:
    """The error for a variable that the pattern does not declare."""
    known = ", ".join(f"'{variable}'" for variable in list(declared)[:12])
    return QueryCheckError(
        f"the pattern declares no variable '{name}'",
        span=node.span,
        hint=nearest(name, declared) or f"it declares {known}",
    )


def references_fit_their_variables(query: PatternQuery) -> None:
    """Kleene variables are indexed or aggregated, single ones are neither."""
    declared = declared_atoms(query)
    inside_agg = {id(item.argument) for item in query.aggregation.items} if query.aggregation else set()
    for expression in every_expression(query):
        for node in walk(expression):
            match node:
                case ex.Attribute(variable=variable):
                    may_be_plain = id(expression) in inside_agg
                    _check_index(node, isinstance(declared[variable], Kleene), may_be_plain)
                case ex.Aggregate(variable=variable) if not isinstance(declared[variable], Kleene):
                    raise QueryCheckError(
                        f"'{variable}' holds one event, and {node.function}() is over several",
                        span=node.span,
                        hint=f"write {variable}.attribute, or declare it as Type+ {variable}[]",
                    )
                case ex.Length(variable=variable) if not isinstance(declared[variable], Kleene):
                    raise QueryCheckError(
                        f"'{variable}' holds one event and has no length",
                        span=node.span,
                        hint=f"declare it as Type+ {variable}[]",
                    )


def _check_index(node: ex.Attribute, kleene: bool, may_be_plain: bool) -> None:
    variable, name = node.variable, node.name
    if kleene and node.index is ex.Index.ONLY and not may_be_plain:
        raise QueryCheckError(
            f"'{variable}' holds several events: say which",
            span=node.span,
            hint=f"write {variable}[i].{name} for each, {variable}[1].{name}, {variable}[last].{name}, "
            f"or an aggregate such as avg({variable}.{name})"
            + (f"; the number of events is {variable}.len" if name in ("count", "length", "size") else ""),
        )
    if isinstance(node.index, int) and node.index < 1:
        raise QueryCheckError(
            f"'{variable}' has no event number {node.index}", span=node.span, hint="the first is number 1"
        )
    if not kleene and node.index is not ex.Index.ONLY:
        raise QueryCheckError(
            f"'{variable}' holds one event and takes no index",
            span=node.span,
            hint=f"write {variable}.{name}, or declare it as Type+ {variable}[]",
        )


def aggregates_are_plain(query: PatternQuery) -> None:
    """Aggregates have an argument over their own events, and do not nest."""
    for expression in every_expression(query):
        pending: list[tuple[ex.Expression, ex.Aggregate | None]] = [(expression, None)]
        while pending:
            node, around = pending.pop()
            _check_place(node, around)
            inner = node if isinstance(node, ex.Aggregate) else around
            pending.extend((child, inner) for child in children(node))


def _check_place(node: ex.Expression, around: ex.Aggregate | None) -> None:
    match node:
        case Prior():
            raise misplaced_prior(node, QueryCheckError)
        case ex.Element(name=name) if around is None:
            raise QueryCheckError(
                f"'{name}' of all earlier events stands only in an aggregate",
                span=node.span,
                hint=f"write avg(a[..i-1].{name})",
            )
        case ex.Aggregate() if around is not None:
            raise QueryCheckError("aggregates cannot be nested", span=node.span)
        case ex.Aggregate(function=function) if function not in AGGREGATES:
            raise QueryCheckError(
                f"there is no aggregate '{function}'", span=node.span, hint=nearest(function, AGGREGATES)
            )
        case ex.Aggregate(function=function, argument=None, distinct=distinct) if (
            function != "count" or distinct
        ):
            raise QueryCheckError(f"{function}() needs an attribute", span=node.span)
        case ex.Attribute() | ex.Length() if around is not None:
            raise QueryCheckError("an aggregate is over the events of one variable", span=node.span)


def functions_are_known(query: PatternQuery) -> None:
    """Functions exist and have their number of arguments."""
    for node in every_node(query):
        if not isinstance(node, ex.Call):
            continue
        if node.function not in FUNCTIONS:
            raise QueryCheckError(
                f"there is no function '{node.function}'",
                span=node.span,
                hint=nearest(node.function, FUNCTIONS),
            )
        signature = FUNCTIONS[node.function]
        if not signature.fits(len(node.arguments)):
            raise QueryCheckError(
                f"{node.function}() takes {signature}, not {len(node.arguments)}", span=node.span
            )
        if node.function in REGEXPS:
            check_regexp(node)


def conditions_ask_about_events(query: PatternQuery) -> None:
    """`collect`, `first_time()` and `last_time()` are for RETURN."""
    for conjunct in query.conjuncts:
        for node in walk(conjunct):
            if isinstance(node, ex.Aggregate) and node.function == "collect":
                raise QueryCheckError("collect() stands only in RETURN", span=node.span)
            if isinstance(node, ex.Call) and node.function in MATCH_FUNCTIONS:
                raise QueryCheckError(
                    f"{node.function}() stands only in RETURN",
                    span=node.span,
                    hint="in WHERE, name the variable: v.time",
                )


def negated_variables_stand_apart(query: PatternQuery) -> None:
    """A conjunct names at most one negated variable."""
    negated = {v for v, atom in declared_atoms(query).items() if isinstance(atom, Absent)}
    for conjunct in query.conjuncts:
        named = sorted(variables(conjunct) & negated)
        if len(named) > 1:
            raise QueryCheckError(
                f"a condition cannot name two negated variables, '{named[0]}' and '{named[1]}'",
                span=conjunct.span,
                hint="each absence is judged by itself, against the selected events",
            )


def like_patterns_are_whole(query: PatternQuery) -> None:
    """A backslash in LIKE escapes a character, so it cannot be the last."""
    for node in every_node(query):
        if isinstance(node, ex.Like):
            trailing = len(node.pattern) - len(node.pattern.rstrip("\\"))
            if trailing % 2:
                raise QueryCheckError(
                    "the LIKE pattern ends in a backslash that escapes nothing",
                    span=node.span,
                    hint="write \\\\ for a backslash",
                )


def prior_scope(node: ex.Expression) -> bool:
    """Whether the node is relative to the event being taken: `a[i]`, `a[i-1]`, `a[..i-1]`."""
    match node:
        case ex.Attribute(index=ex.Index.CURRENT | ex.Index.PREVIOUS) | ex.Aggregate(scope=ex.Scope.PRIOR):
            return True
        case _:
            return False


CONDITION_RULES: tuple[Callable[[PatternQuery], None], ...] = (
    expressions_are_bounded,
    variables_are_known,
    references_fit_their_variables,
    aggregates_are_plain,
    functions_are_known,
    conditions_ask_about_events,
    negated_variables_stand_apart,
    like_patterns_are_whole,
)
