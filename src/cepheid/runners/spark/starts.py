"""A stream beside the user's: at every start of a streaming query it has something new, and a row if asked.

Spark runs no micro-batch while nothing new is there, and gives no other hook at a start: a checkpoint that
does not fit would be found out only when data arrives. With this stream, every start has a first micro-batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import uuid4
from weakref import WeakSet

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.types import StructType

from cepheid.errors import UnsupportedError

try:
    from pyspark.sql.streaming.datasource import ReadAllAvailable, SupportsTriggerAvailableNow
except ImportError:  # before Spark 4.2 such a stream would join all that is available into one micro-batch
    HAS_STARTS = False
else:
    HAS_STARTS = True

NAME = "cepheid_start"
STARTED = "started"
ROWS = "rows"
"""An option: how many rows there are at a start; none unless told."""

_registered: WeakSet[SparkSession] = WeakSet()


def with_starts(events: DataFrame) -> DataFrame:
    """The same events, in a stream that has a micro-batch at every start."""
    if not HAS_STARTS:
        return events
    started = _registered_in(events.sparkSession).readStream.format(NAME).load()
    nothing = [F.lit(None).cast(field.dataType).alias(field.name) for field in events.schema]
    return events.unionAll(started.select(*nothing))


def starts(session: SparkSession) -> DataFrame:
    """A stream with one row at every start of a streaming query."""
    if not HAS_STARTS:
        raise UnsupportedError("profiles over a streaming DataFrame need Spark 4.2 or later")
    return _registered_in(session).readStream.format(NAME).option(ROWS, "1").load()


def _registered_in(session: SparkSession) -> SparkSession:
    if session not in _registered:  # Spark warns of what is registered twice
        session.dataSource.register(Starts)
        _registered.add(session)
    return session


class Starts(DataSource):
    """The source of the stream, as Spark knows it."""

    @classmethod
    def name(cls) -> str:
        return NAME

    def schema(self) -> str:
        return f"{STARTED} boolean"

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        return _reader(int(self.options.get(ROWS, "0")))


def _reader(rows: int) -> DataSourceStreamReader:
    class Reader(DataSourceStreamReader, SupportsTriggerAvailableNow):
        """Made once a start; its position is its own, so that it differs from that of any start before."""

        def __init__(self) -> None:
            self._position = {"start": uuid4().hex}

        def initialOffset(self) -> dict[str, Any]:
            return {"start": ""}

        def getDefaultReadLimit(self) -> ReadAllAvailable:
            return ReadAllAvailable()

        def prepareForTriggerAvailableNow(self) -> None:
            """What is available never changes."""

        def latestOffset(self, start: dict[str, Any], limit: Any) -> dict[str, Any]:
            return self._position

        def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
            """One, also where there are no rows: without it, no worker would run."""
            return [InputPartition(rows if start != end else 0)]

        def read(self, partition: InputPartition) -> Iterator[tuple[Any, ...]]:
            return iter([(True,)] * partition.value)

    return Reader()
