"""A stream that some queries could be asked of, where none is given: what they name, in types that fit.

Only for explanations. An attribute is of the type that it is compared with; of what is left open, types are
tried until the queries can be planned.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, product
from typing import Any

import pyarrow as pa

from cepheid import expressions as ex
from cepheid.errors import CepheidError, QueryError
from cepheid.events import EventSchema
from cepheid.pattern.functions import FUNCTIONS, ValueType
from cepheid.pattern.nodes import atoms
from cepheid.pattern.query import PatternQuery
from cepheid.plan.header import roots_of

Name = tuple[str, ...]
"""An attribute, or a field of structs, by the names that lead to it."""

TIME, TYPE = "time", "type"
KINDS = (pa.int64(), pa.string(), pa.bool_(), pa.timestamp("us"))
CLOCKS = ((pa.timestamp("us"), None), (pa.int64(), None), (pa.int64(), "ms"))
MOST_TRIES = 4_000

_TAKEN = {
    ValueType.INT: pa.int64(),
    ValueType.FLOAT: pa.float64(),
    ValueType.STRING: pa.string(),
    ValueType.TIMESTAMP: pa.timestamp("us"),
}
_LITERALS = ((bool, pa.bool_()), (int, pa.int64()), (float, pa.float64()), (str, pa.string()))


def assumed_stream(
    queries: Mapping[str, PatternQuery],
    feeders: Mapping[str, Sequence[str]],
    plan: Callable[[EventSchema], Any],
) -> EventSchema:
    """A stream over which all queries can be planned."""
    roots = [root for name, query in queries.items() for root in _roots(query, feeders[name])]
    keys = ((key,) for key in _keys(queries))
    names = sorted({*(name for root in roots for name in _named(root)), *keys} - {(TIME,), (TYPE,)})
    likely = _likely(roots)
    tried = [dict.fromkeys([*likely.get(name, ()), *KINDS]) for name in names]
    for clock, unit in CLOCKS:
        for kinds in islice(product(*tried), MOST_TRIES):
            columns = pa.schema(
                [(TIME, clock), (TYPE, pa.string()), *_fields(zip(names, kinds, strict=True))]
            )
            stream = EventSchema(columns, TIME, TYPE, (), unit)
            if _accepts(plan, stream):
                return stream
    raise CepheidError(
        "how this is run depends on its stream: say its columns, as in explain(schema, time=…)"
    )


def _fields(leaves: Iterable[tuple[Name, pa.DataType]]) -> list[pa.Field]:
    """Columns that have these, by the names that lead to each through structs."""
    found: dict[str, list[tuple[Name, pa.DataType]]] = {}
    for (name, *path), kind in leaves:
        found.setdefault(name, []).append((tuple(path), kind))
    structs = {name: [leaf for leaf in below if leaf[0]] for name, below in found.items()}
    return [
        pa.field(name, pa.struct(_fields(structs[name])) if structs[name] else below[0][1])
        for name, below in found.items()
    ]


def _accepts(plan: Callable[[EventSchema], Any], stream: EventSchema) -> bool:
    try:
        plan(stream)
    except QueryError:
        return False
    return True


def _keys(queries: Mapping[str, PatternQuery]) -> Iterator[str]:
    for query in queries.values():
        yield from query.keys
        yield from () if query.aggregation is None else query.aggregation.group_by


def _roots(query: PatternQuery, feeders: Sequence[str]) -> Iterator[ex.Expression]:
    """The expressions of a query that are about events of the stream, not about matches of its feeders."""
    derived = {atom.variable for atom in atoms(query.pattern) if atom.type in feeders}
    yield from (root for root in roots_of(query) if not ex.variables(root) & derived)


def _named(root: ex.Expression) -> Iterator[Name]:
    nodes = (node for node in ex.walk(root) if isinstance(node, ex.Attribute | ex.Element))
    yield from ((node.name, *node.path) for node in nodes)


def _likely(roots: Iterable[ex.Expression]) -> dict[Name, list[pa.DataType]]:
    """The types that functions take an attribute to be of, then those of literals in the same comparison."""
    nodes = [node for root in roots for node in ex.walk(root)]
    found: dict[Name, list[pa.DataType]] = {}
    for node in sorted(nodes, key=lambda node: not isinstance(node, ex.Call | ex.Like)):
        for name in _named(node):
            found.setdefault(name, []).extend(_suggested(node))
    return found


def _suggested(node: ex.Expression) -> list[pa.DataType]:
    match node:
        case ex.Like():
            return [pa.string()]
        case ex.Call(function=function) if function in FUNCTIONS:
            takes = FUNCTIONS[function].takes
            return [_TAKEN[kind] for kind in dict.fromkeys(chain(*takes)) if kind in _TAKEN]
        case ex.Comparison() | ex.In() | ex.Between():
            return [kind for leaf in ex.walk(node) for kind in _literal(leaf)]
        case _:
            return []


def _literal(node: ex.Expression) -> list[pa.DataType]:
    value = node.value if isinstance(node, ex.Literal) else None
    return [kind for python, kind in _LITERALS if isinstance(value, python)][:1]
