"""The timeline of what a set of profiles told: rows whose events stand in a JSON text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from cepheid.errors import CepheidError
from cepheid.events import EventSchema, time_values
from cepheid.views.match_timeline import BoundEvent, MatchEvents, checked_most, timeline_of
from cepheid.views.run_record import RunRecord
from cepheid.views.timeline import Timeline

Bound = tuple[int, str, str, dict[str, Any]]
"""The number of the match, its profile and variable, the variable's label, and the event."""


def timeline_of_told(table: pa.Table, record: RunRecord, by: str | None, most: int, events: Any) -> Timeline:
    """The picture of the first matches that were told."""
    schema = record.plan.schema
    count = min(table.num_rows, checked_most(most))
    texts = table.column("match").slice(0, count).to_pylist()
    bound = [each for match, text in enumerate(texts) for each in _events(match, text, schema)]
    if table.num_rows and not bound:
        raise CepheidError(
            "timeline() needs the events of the matches, and these profiles return none: leave RETURN out, "
            "or return whole variables beside the rest (RETURN a, b, a.price)"
        )
    moments = _moments([row[schema.time] for *_, row in bound], schema)
    found = [
        BoundEvent(match, variable, label, time, row)
        for (match, variable, label, row), time in zip(bound, moments, strict=True)
    ]
    shown = sorted({event.match for event in found})
    beside = None if events is None else record.take_in(events)
    return timeline_of(MatchEvents(table.num_rows, shown, found), schema, None, by, beside)


def _events(match: int, text: str, schema: EventSchema) -> Iterator[Bound]:
    """The events of one match: the objects that have a time."""
    for variable, value in json.loads(text).items():
        several = isinstance(value, list)
        for place, event in enumerate(value if several else [value], 1):
            if isinstance(event, dict) and schema.time in event:
                yield match, variable, f"{variable}[{place}]" if several else variable, event


def _moments(values: list[Any], schema: EventSchema) -> list[int | float]:
    """Times as JSON has them, as the numbers of the time column."""
    found: list[int | float] = time_values(pa.array(values).cast(schema.type_of(schema.time))).tolist()
    return found
