"""What a stream should have found by now, from one process that sees all its events in order."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from cepheid.events import event_times
from cepheid.plan.plan import QueryPlan
from cepheid.runners.embedded.session import Session
from cepheid.runners.stream.order import in_order
from cepheid.runners.stream.terms import Terms


def newest_time(events: pa.Table, plan: QueryPlan) -> Any:
    """The newest time among good events, or None."""
    return event_times(events, plan.schema).max().item() if events.num_rows else None


def certain_ids(plan: QueryPlan, events: pa.Table, lateness: Any = 0) -> list[str]:
    """The ids of the matches that are certain once all of these good events were seen, sorted.

    Windows that are still open do not tell yet, and neither do events that their ties may still join.
    """
    if events.num_rows == 0:
        return []
    watermark = newest_time(events, plan) - lateness
    time = event_times(events, plan.schema)
    ready = time <= watermark if lateness == 0 else time < watermark
    session: Session[pa.Table] = Session(plan, Terms(on_late="fail", max_matches=10**6, max_state=10**9))
    whole = pa.schema([plan.schema.columns.field(name) for name in plan.schema.columns.names])
    chosen = in_order(events.filter(pa.array(ready)), plan.schema, ties="content")
    columns = [
        chosen.column(field.name)
        if field.name in chosen.column_names
        else pa.nulls(chosen.num_rows, field.type)
        for field in whole
    ]
    found = session.push(pa.Table.from_arrays(columns, schema=whole)).column("match_id").to_pylist()
    found += session._taken(session._nothing, watermark).column("match_id").to_pylist()
    return sorted(found)
