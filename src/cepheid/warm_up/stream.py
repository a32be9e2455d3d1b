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
ENDLESS = pa.concat_tables([EVENTS] * 800)
ENDLESS = ENDLESS.set_column(0, "t", pa.array(range(ENDLESS.num_rows)))
"""So many events that what is out of the window is dropped."""

ONE_STREAM: dict[str, Any] = {"time": "t", "type": "k"}


def with_real_time(events: pa.Table) -> pa.Table:
    """The same events, at times that are no whole numbers."""
    return events.set_column(0, "t", events.column("t").cast(pa.float64()))


def with_clocks(events: pa.Table) -> pa.Table:
    """The same events, at times of a calendar."""
    return events.set_column(0, "t", events.column("t").cast(pa.timestamp("us")))


def run(text: str, engine: str = "auto", events: pa.Table = EVENTS, **options: str) -> None:
    """Run a query over a table."""
    query(text).using(engine, **options).run(events, **ONE_STREAM)


def push(text: str, engine: str = "auto", events: pa.Table = EVENTS, **options: str) -> None:
    """Push the events into a session one by one, let time pass, write a snapshot, and close it."""
    session = query(text).using(engine, **options).session(events.schema, **ONE_STREAM)
    for row in range(events.num_rows):
        session.push(events.slice(row, 1))
    session.advance(pa.scalar(20).cast(events.schema.field("t").type).as_py())
    session.snapshot()
    session.close()
