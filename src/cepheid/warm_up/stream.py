"""A small stream that all families are run over."""

from typing import Any

import pyarrow as pa

from cepheid.query import query

EVENTS = pa.table({"t": range(8), "k": list("ABABCABC"), "x": [float(time) for time in range(8)]})
ONE_STREAM: dict[str, Any] = {"time": "t", "type": "k"}


def run(text: str, engine: str, **options: str) -> None:
    """Run a query over the table."""
    query(text).using(engine, **options).run(EVENTS, **ONE_STREAM)
