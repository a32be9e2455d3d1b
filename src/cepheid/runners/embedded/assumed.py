"""A stream that some queries could be asked of, where none is given: what they name, in types that fit.

Only for explanations: what is shared depends on the queries, and hardly on the types of their attributes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice, product
from typing import Any

import pyarrow as pa

from cepheid import expressions as ex
from cepheid.errors import CepheidError, QueryError
from cepheid.pattern.query import PatternQuery
from cepheid.runners.embedded.query import Query

TIME, TYPE = "time", "type"
KINDS = (pa.int64(), pa.string(), pa.bool_(), pa.timestamp("us"))
CLOCKS = ((pa.timestamp("us"), None), (pa.int64(), None), (pa.int64(), "ms"))
MOST_TRIES = 4_000


def assumed_stream(queries: Iterable[Query]) -> tuple[pa.Schema, dict[str, Any]]:
    """Columns, and what is said of them, that all queries accept."""
    listed = list(queries)
    names = sorted({name for each in listed for name in _named(each.tree)} - {TIME, TYPE})
    for clock, unit in CLOCKS:
        binding = {"time": TIME, "type": TYPE, "time_unit": unit}
        for kinds in islice(product(KINDS, repeat=len(names)), MOST_TRIES):
            schema = pa.schema([(TIME, clock), (TYPE, pa.string()), *zip(names, kinds, strict=True)])
            if all(_accepts(each, schema, binding) for each in listed):
                return schema, binding
    raise CepheidError(
        "what this workload shares depends on its stream: say its columns, as in w.explain(schema, time=…)"
    )


def _accepts(query: Query, schema: pa.Schema, binding: dict[str, Any]) -> bool:
    try:
        query.plan(schema, **binding)
    except QueryError:
        return False
    return True


def _named(tree: PatternQuery) -> Iterator[str]:
    """The attributes that a query reads, tests or groups by."""
    yield from tree.keys
    roots = [*tree.conjuncts]
    roots += [item.expression for item in tree.returns or () if item.expression is not None]
    if tree.aggregation is not None:
        yield from tree.aggregation.group_by
        roots += [item.argument for item in tree.aggregation.items if item.argument is not None]
    for root in roots:
        for node in ex.walk(root):
            if isinstance(node, ex.Attribute | ex.Element):
                yield node.name
