"""A stream that some queries could be asked of, where none is given: what they name, in types that fit.

Only for explanations: what is shared depends on the queries, and hardly on the types of their attributes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice, product
from typing import Any

import pyarrow as pa

from cepheid import expressions as ex
from cepheid.errors import CepheidError, QueryError
from cepheid.pattern.nodes import atoms
from cepheid.pattern.query import PatternQuery
from cepheid.plan.workload.composition import Composition
from cepheid.query import Query

TIME, TYPE = "time", "type"
KINDS = (pa.int64(), pa.string(), pa.bool_(), pa.timestamp("us"))
CLOCKS = ((pa.timestamp("us"), None), (pa.int64(), None), (pa.int64(), "ms"))
MOST_TRIES = 4_000


def assumed_stream(
    queries: Mapping[str, Query], composition: Composition, plan: Callable[..., Any]
) -> tuple[pa.Schema, dict[str, Any]]:
    """Columns, and what is said of them, over which all queries can be planned."""
    named = {
        name for query, each in queries.items() for name in _named(each.tree, composition.feeders[query])
    }
    names = sorted(named - {TIME, TYPE})
    for clock, unit in CLOCKS:
        binding = {"time": TIME, "type": TYPE, "time_unit": unit}
        for kinds in islice(product(KINDS, repeat=len(names)), MOST_TRIES):
            schema = pa.schema([(TIME, clock), (TYPE, pa.string()), *zip(names, kinds, strict=True)])
            if _accepts(plan, schema, binding):
                return schema, binding
    raise CepheidError(
        "what this workload shares depends on its stream: say its columns, as in w.explain(schema, time=…)"
    )


def _accepts(plan: Callable[..., Any], schema: pa.Schema, binding: dict[str, Any]) -> bool:
    try:
        plan(schema, **binding)
    except QueryError:
        return False
    return True


def _named(tree: PatternQuery, feeders: tuple[str, ...]) -> Iterator[str]:
    """The attributes of the stream that a query reads, tests or groups by."""
    derived = {atom.variable for atom in atoms(tree.pattern) if atom.type in feeders}
    yield from tree.keys
    roots = [*tree.conjuncts]
    roots += [item.expression for item in tree.returns or () if item.expression is not None]
    if tree.aggregation is not None:
        yield from tree.aggregation.group_by
        roots += [item.argument for item in tree.aggregation.items if item.argument is not None]
    for root in roots:
        of: set[str] = set()  # the variables of the aggregates that elements are of
        for node in ex.walk(root):
            if isinstance(node, ex.Aggregate):
                of.add(node.variable)
            named = {node.variable} if isinstance(node, ex.Attribute) else of
            if isinstance(node, ex.Attribute | ex.Element) and not named & derived:
                yield node.name
