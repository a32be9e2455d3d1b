"""A why over events without a schema, as a service records them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pyarrow as pa

from cepheid.events import END
from cepheid.matchers.joining import join_arrays
from cepheid.matchers.loose_columns import LooseReading
from cepheid.pattern.profile import ProfileTerms
from cepheid.pattern.query import PatternQuery
from cepheid.plan.loose.query import lowered_query
from cepheid.plan.loose.stream import LooseStream
from cepheid.runners.embedded.why.ask import Question, answered
from cepheid.runners.embedded.why.candidate import Effort
from cepheid.runners.embedded.why.found import EngineMatches
from cepheid.runners.stream.compiling import announce_compiling
from cepheid.runners.stream.loose import LooseEvents
from cepheid.runners.stream.order import in_order
from cepheid.why import Why


@dataclass(frozen=True, slots=True)
class AskedProfile:
    """A profile that is asked about, and how far time has come for it, in ticks."""

    text: str
    tree: PatternQuery
    terms: ProfileTerms
    until: float = END


def why_in_loose(
    profile: AskedProfile, stream: LooseStream, events: LooseEvents, notes: tuple[str, ...] = ()
) -> Why:
    """What came how far in events that were accepted in this order."""
    announce_compiling()
    tree = replace(profile.tree, returns=None)
    lowered = lowered_query(tree, stream)
    travelling = events.travelling(stream)
    rows = travelling if isinstance(travelling, pa.Table) else _table(travelling, stream)
    columns = [join_arrays(column.chunks) for column in rows.columns] if rows.num_rows else []
    batch = pa.RecordBatch.from_arrays(columns, schema=rows.schema) if columns else _nothing(rows.schema)
    wide = pa.Table.from_batches([LooseReading(stream, lowered.columns).rows(batch)])
    ordered = in_order(wide.select(lowered.schema.columns.names), lowered.schema)
    question = Question(
        profile.text,
        EngineMatches(lowered.query, profile.terms, until=profile.until),
        lowered.schema,
        tree.conjuncts,
        dict(zip(lowered.query.keys, tree.keys, strict=True)),
        stream.event,
        Effort(),
    )
    return answered(question, ordered, None, notes)


def _table(rows: list[dict[str, object]], stream: LooseStream) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=stream.schema.columns)


def _nothing(schema: pa.Schema) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([], schema=schema)
