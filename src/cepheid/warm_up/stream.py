"""A small stream that all families are run over."""

from typing import Any

import pyarrow as pa

from cepheid.query import query

EVENTS = pa.table(
    {
        "t": range(8),
        "k": list("ABABCABC"),
        "x": [float(time) for time in range(8)],
        "n": range(8),
        "p": [1, 1, 2, 2, 1, 2, 2, 1],
    }
)
LONG = pa.concat_tables([EVENTS] * 64)
ONE_STREAM: dict[str, Any] = {"time": "t", "type": "k"}


def with_real_time(events: pa.Table) -> pa.Table:
    """The same events, at times that are no whole numbers."""
    return events.set_column(0, "t", events.column("t").cast(pa.float64()))


def run(text: str, engine: str = "auto", events: pa.Table = EVENTS, **options: str) -> None:
    """Run a query over a table."""
    query(text).using(engine, **options).run(events, **ONE_STREAM)


def push(text: str, engine: str = "auto", **options: str) -> None:
    """Push the events into a session one by one, let time pass, go on from a snapshot, and close it."""
    session = query(text).using(engine, **options).session(EVENTS.schema, **ONE_STREAM)
    for row in range(EVENTS.num_rows):
        session.push(EVENTS.slice(row, 1))
    session.advance(20)
    session.snapshot()
    session.close()
