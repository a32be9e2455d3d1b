"""A query over a loose stream as one over loose columns, which any engine runs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from cepheid import expressions as ex
from cepheid.errors import QueryCheckError
from cepheid.events import EventSchema
from cepheid.expressions import Index
from cepheid.pattern.nodes import Absent, Kleene, atoms
from cepheid.pattern.query import Equivalence, PatternQuery, ReturnItem
from cepheid.plan.loose.kinds import ValueKind, is_loose
from cepheid.plan.loose.lowering import NULL, LooseConditions, chosen, first_there
from cepheid.plan.loose.stream import Form, LooseColumn, LooseStream
from cepheid.plan.output import name_of


@dataclass(frozen=True, slots=True)
class LoweredQuery:
    """A query over loose columns."""

    query: PatternQuery
    columns: tuple[LooseColumn, ...]
    schema: EventSchema  # all that the query reads
    json: frozenset[str]  # the results that are JSON texts already


def lowered_query(query: PatternQuery, stream: LooseStream) -> LoweredQuery:
    """The query that an engine runs over a loose stream."""
    to = LooseConditions(stream)
    tests = tuple(_key_test(to, test) for test in query.equivalences)
    conjuncts = tuple(to.condition(each) for each in query.conjuncts)
    returned = list(_returned(to, query))
    lowered = replace(
        query, equivalences=tests, conjuncts=conjuncts, returns=tuple(item for item, _ in returned)
    )
    columns = tuple(sorted(to.columns, key=lambda column: column.name))
    texts = frozenset(item.name for item, is_text in returned if is_text and item.name is not None)
    return LoweredQuery(lowered, columns, stream.with_columns(columns), texts)


def _key_test(to: LooseConditions, test: Equivalence) -> Equivalence:
    names = (
        to.column((name,), Form.KEY) if is_loose(ex.Element(name), to.stream) else name
        for name in test.attributes
    )
    return replace(test, attributes=tuple(names))


# -- what is returned ------------------------------------------------------------------------------


def _returned(to: LooseConditions, query: PatternQuery) -> Iterator[tuple[ReturnItem, bool]]:
    """The items of RETURN, and whether their values are JSON texts."""
    several = {atom.variable for atom in atoms(query.pattern) if isinstance(atom, Kleene)}
    for item in _items(query):
        if item.star is not None:
            raise QueryCheckError(
                f"what {item.star}.* is cannot be told before the events come, as the session has no schema",
                span=item.span,
                hint=f"write {item.star} for the whole event, name its attributes, or give a schema",
            )
        if item.whole is not None:
            yield _whole(item.whole, to.stream.event, item.whole in several, item), True
            continue
        assert item.expression is not None
        name, kinds = item.name or name_of(item.expression), None
        is_list = isinstance(item.expression, ex.Aggregate) and item.expression.function == "collect"
        if not is_list:
            kinds = to.kinds(item.expression)
        if kinds is not None and (len(kinds) == 1 or isinstance(item.expression, ex.Arithmetic)):
            kind = ValueKind.NUMBER if ValueKind.NUMBER in kinds else next(iter(kinds), ValueKind.NUMBER)
            yield replace(item, expression=to.value(item.expression, kind), name=name), False
            continue
        shown = _as_json(to, item.expression)
        is_json = shown is not None
        yield replace(item, expression=shown if is_json else _listed(to, item.expression), name=name), is_json


def _items(query: PatternQuery) -> Iterable[ReturnItem]:
    if query.returns is not None:
        return query.returns
    return [ReturnItem(None, whole=a.variable) for a in atoms(query.pattern) if not isinstance(a, Absent)]


def _whole(variable: str, event: str, is_several: bool, item: ReturnItem) -> ReturnItem:
    name = item.name or variable
    if is_several:  # no `collect`, which is an empty list in a branch of OR that was not taken
        return ReturnItem(None, name, whole=variable, columns=(event,), span=item.span)
    return ReturnItem(ex.Attribute(variable, Index.ONLY, event), name, span=item.span)


def _as_json(to: LooseConditions, node: ex.Expression) -> ex.Expression | None:
    """An expression whose value is the JSON of what it should be; None for a list that is none of JSON."""
    match node:
        case ex.Attribute() | ex.Element() if is_loose(node, to.stream):
            return to.held(node, Form.JSON)
        case ex.Aggregate(argument=argument) if argument is not None:
            if is_loose(argument, to.stream):
                return to.held(node, Form.JSON)
            return None if node.function == "collect" else _refused(node)
        case ex.Literal(value=None):
            return NULL
        case ex.Literal(value=bool() | int() | float() | str() as value):
            return ex.Literal(json.dumps(value, ensure_ascii=False), span=node.span)
        case ex.Call(function="coalesce"):
            return first_there(to, node, lambda each: _as_json(to, each) or NULL)
        case ex.Case():
            return chosen(to, node, lambda each: _as_json(to, each) or NULL)
        case _:
            return _refused(node)


def _refused(node: ex.Expression) -> ex.Expression:
    raise QueryCheckError(
        "what is returned here may be of several kinds, and this part of it is computed",
        span=node.span,
        hint="return the parts one by one, or give the session a schema",
    )


def _listed(to: LooseConditions, node: ex.Expression) -> ex.Expression:
    """`collect` of something that is computed."""
    assert isinstance(node, ex.Aggregate) and node.argument is not None
    kinds = to.kinds(node.argument)
    kind = ValueKind.NUMBER if ValueKind.NUMBER in kinds else next(iter(kinds))
    return replace(node, argument=to.value(node.argument, kind))
