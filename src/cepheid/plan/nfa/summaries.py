"""What EMIT COUNT and EMIT COMPRESSED give: a row for each completing event, about all that it completes."""

from __future__ import annotations

import json
from dataclasses import replace

import pyarrow as pa

from cepheid.errors import LimitError
from cepheid.events import EventSchema
from cepheid.pattern.query import Emit, EmitMode, PatternQuery
from cepheid.pattern.render import render
from cepheid.plan.automaton.automaton import Automaton
from cepheid.plan.automaton.steps import steps_of
from cepheid.plan.magnitude import DECIMAL_BITS, MAX_EVENTS, exact_type, ways_bits
from cepheid.plan.nfa.plan import NfaPlan
from cepheid.plan.output import MATCH_ID, OutputColumn, output_schema
from cepheid.plan.program import Absence, WindowTest

TIME, COUNT = "time", "count"
SUMMARIES = (EmitMode.COUNT, EmitMode.COMPRESSED)

METADATA = b"cepheid"
"""Where the schema of compressed matches keeps the query that they are of, so that they can be expanded."""

EDGES = pa.list_(pa.struct([("source", pa.int32()), ("target", pa.int32())]))
ROOTS = pa.list_(pa.int32())
IDENTITY = pa.binary(16)


def emitted_schema(
    query: PatternQuery,
    original: PatternQuery,
    schema: EventSchema,
    columns: tuple[OutputColumn, ...],
    needed: tuple[str, ...],
    bits: int,
) -> pa.Schema:
    """The columns that a query gives, by its EMIT."""
    if query.emit.mode not in SUMMARIES:
        return output_schema(columns)
    fields = [
        pa.field(TIME, schema.columns.field(schema.time).type),
        *(pa.field(key, schema.columns.field(key).type) for key in summary_keys(query)),
        pa.field(COUNT, exact_type(bits)),
    ]
    if query.emit.mode is EmitMode.COUNT:
        return pa.schema([*fields, (MATCH_ID, pa.string())])
    events = pa.struct([schema.columns.field(name) for name in needed])
    nodes = pa.list_(pa.struct([("variable", pa.string()), ("event", events), ("identity", IDENTITY)]))
    fields += [pa.field("nodes", nodes), pa.field("edges", EDGES), pa.field("roots", ROOTS)]
    return pa.schema([*fields, (MATCH_ID, pa.string())], metadata={METADATA: _described(original, schema)})


def summary_keys(query: PatternQuery) -> tuple[str, ...]:
    """The columns of the equivalence tests, where they do not bear the name of another column of the row."""
    return tuple(dict.fromkeys(key for key in query.keys if key not in (TIME, COUNT, MATCH_ID, *_GRAPH)))


_GRAPH = ("nodes", "edges", "roots")


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


def matches_bits(
    automaton: Automaton, absences: tuple[Absence, ...], window: WindowTest | None, events: int = MAX_EVENTS
) -> int:
    """The bits of the largest number of matches of one partition in a window of so many events."""
    if window is not None and window.counts_events:
        events = min(events, int(window.limit) + 1)
    try:
        return ways_bits(steps_of(automaton, absences), events)
    except LimitError:  # too many steps to tell: whatever it is, it is written in digits
        return DECIMAL_BITS + 1


def sized_summaries(plan: NfaPlan, events: int) -> NfaPlan:
    """The plan for windows that hold at most so many events: its counts may be narrower."""
    bits = matches_bits(plan.automaton, plan.absences, plan.window, events)
    counted = plan.output_schema.get_field_index(COUNT)
    field = pa.field(COUNT, exact_type(bits))
    return replace(plan, output_schema=plan.output_schema.set(counted, field))
