"""Generated events, the same for the same seed whatever the size of the batches."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from cepheid.sources.generate.sensors import SENSORS_SCHEMA, sensor_batches, sensors
from cepheid.sources.generate.stocks import BATCH_ROWS, STOCKS_SCHEMA, stock_batches, stocks

__all__ = [
    "BATCH_ROWS",
    "GENERATORS",
    "PLANNED",
    "SENSORS_SCHEMA",
    "STOCKS_SCHEMA",
    "Generator",
    "sensor_batches",
    "sensors",
    "stock_batches",
    "stocks",
]


@dataclass(frozen=True, slots=True)
class Generator:
    """One kind of events that can be made: its columns, and its batches from a size, a seed and options."""

    schema: pa.Schema
    batches: Callable[..., Iterator[pa.RecordBatch]]
    options: tuple[str, ...] = ()


GENERATORS = {
    "stocks": Generator(STOCKS_SCHEMA, stock_batches, ("symbols", "rise")),
    "sensors": Generator(SENSORS_SCHEMA, sensor_batches, ("rooms",)),
}
"""What `cepheid generate` can make, by name."""

PLANNED = ("clicks", "xmark", "treebank", "dblp")
"""Names that are reserved, and refused until they exist."""
