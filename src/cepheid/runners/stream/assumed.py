"""A stream that some queries could run over, where none is given: what they name, in types that fit.

Only for explanations: what is shared depends on the queries, and hardly on the types of their attributes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import islice, product

import pyarrow as pa

from cepheid import expressions as ex
from cepheid.errors import CepheidError, QueryError
from cepheid.events import EventSchema
from cepheid.pattern.nodes import atoms
from cepheid.pattern.query import PatternQuery
from cepheid.plan.workload.composition import Composition

TIME, TYPE = "time", "type"
KINDS = (pa.int64(), pa.string(), pa.bool_(), pa.timestamp("us"))
CLOCKS = ((pa.timestamp("us"), None), (pa.int64(), None), (pa.int64(), "ms"))
MOST_TRIES = 4_000


def assumed_stream(
    trees: Mapping[str, PatternQuery], composition: Composition, plan: Callable[[EventSchema], object]
) -> EventSchema:
    """A stream over which all queries can be planned."""
    named = {name for query, tree in trees.items() for name in _named(tree, composition.feeders[query])}
    names = sorted(named - {TIME, TYPE})
    for clock, unit in CLOCKS:
        for kinds in islice(product(KINDS, repeat=len(names)), MOST_TRIES):
            columns = pa.schema([(TIME, clock), (TYPE, pa.string()), *zip(names, kinds, strict=True)])
            stream = EventSchema(columns, TIME, TYPE, (), unit)
            with suppress(QueryError):
                plan(stream)
                return stream
    raise CepheidError(
        "what this workload shares depends on its stream: say its columns, as in w.explain(schema, time=…)"
    )


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
