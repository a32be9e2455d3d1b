"""What EMIT COUNT and EMIT COMPRESSED give: a row for each completing event, about all that it completes."""

import json
from dataclasses import replace

import pyarrow as pa

from cepheid.events import EventSchema
from cepheid.pattern.query import Emit, EmitMode, PatternQuery
from cepheid.pattern.render import render
from cepheid.plan.magnitude import exact_type
from cepheid.plan.output import MATCH_ID
from cepheid.plan.plan import QueryPlan

TIME, COUNT = "time", "count"
SUMMARIES = (EmitMode.COUNT, EmitMode.COMPRESSED)

METADATA = b"cepheid"
"""Where the schema of compressed matches keeps the query that they are of, so that they can be expanded."""

EDGES = pa.list_(pa.struct([("source", pa.int32()), ("target", pa.int32())]))
ROOTS = pa.list_(pa.int32())
IDENTITY = pa.binary(16)


def emitted_schema(header: QueryPlan, bits: int) -> pa.Schema:
    """The columns that a query gives, by its EMIT; a count has at most so many bits."""
    schema, query = header.schema, header.query
    if query.emit.mode not in SUMMARIES:
        return header.output_schema
    fields = [
        pa.field(TIME, schema.columns.field(schema.time).type),
        *(pa.field(key, schema.columns.field(key).type) for key in summary_keys(query)),
        pa.field(COUNT, exact_type(bits)),
    ]
    if query.emit.mode is EmitMode.COUNT:
        return pa.schema([*fields, (MATCH_ID, pa.string())])
    events = pa.struct([schema.columns.field(name) for name in header.needed])
    nodes = pa.list_(pa.struct([("variable", pa.string()), ("event", events), ("identity", IDENTITY)]))
    fields += [pa.field("nodes", nodes), pa.field("edges", EDGES), pa.field("roots", ROOTS)]
    about = {METADATA: _described(header.original, schema)}
    return pa.schema([*fields, (MATCH_ID, pa.string())], metadata=about)


def packed_schema(plan: QueryPlan) -> pa.Schema:
    """The columns of compressed matches as a run keeps them: rows that one event after the other completes
    share their graph. Links are numbers within the `ways` of a row, entries within its `entries`."""
    fields = [field for field in plan.output_schema if field.name not in _GRAPH]
    event = plan.output_schema.field("nodes").type.value_type.field("event")
    entry = pa.struct([("variable", pa.int16()), event, ("identity", IDENTITY)])
    link = pa.struct([(name, pa.int32()) for name in LINKS])
    fields += [pa.field(ENTRIES, pa.list_view(entry)), pa.field(WAYS, pa.list_view(link))]
    return pa.schema([*fields, ("roots", ROOTS)])


def is_packed(plan: QueryPlan) -> bool:
    """Whether a plan gives compressed matches as a run keeps them."""
    return WAYS in plan.output_schema.names


def summary_keys(query: PatternQuery) -> tuple[str, ...]:
    """The columns of the equivalence tests, where they do not bear the name of another column of the row."""
    return tuple(dict.fromkeys(key for key in query.keys if key not in (TIME, COUNT, MATCH_ID, *_GRAPH)))


_GRAPH = ("nodes", "edges", "roots")
ENTRIES, WAYS, LINKS = "$entries", "$ways", ("entry", "previous", "sibling")
"""Columns that no query can name."""


def _described(original: PatternQuery, schema: EventSchema) -> bytes:
    """The query with EMIT ALL, and how it is bound to the stream."""
    return json.dumps(
        {
            "query": render(replace(original, emit=Emit())),
            "time": schema.time,
            "type": schema.type,
            "order": list(schema.order),
            "time_unit": schema.time_unit,
        }
    ).encode()
