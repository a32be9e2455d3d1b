"""Generated events and documents: the same for the same seed, whatever the size of the batches."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from cepheid.sources.generate.clicks import CLICKS_SCHEMA, click_batches, clicks
from cepheid.sources.generate.dblp import dblp_blocks
from cepheid.sources.generate.sensors import SENSORS_SCHEMA, sensor_batches, sensors
from cepheid.sources.generate.stocks import BATCH_ROWS, STOCKS_SCHEMA, stock_batches, stocks
from cepheid.sources.generate.treebank import treebank_blocks
from cepheid.sources.generate.xmark import xmark_blocks

__all__ = [
    "BATCH_ROWS",
    "CLICKS_SCHEMA",
    "DOCUMENTS",
    "GENERATORS",
    "SENSORS_SCHEMA",
    "STOCKS_SCHEMA",
    "DocumentGenerator",
    "Generator",
    "click_batches",
    "clicks",
    "dblp_blocks",
    "sensor_batches",
    "sensors",
    "stock_batches",
    "stocks",
    "treebank_blocks",
    "xmark_blocks",
]


@dataclass(frozen=True, slots=True)
class Generator:
    """One kind of events that can be made: its columns, and its batches from a size, a seed and options."""

    schema: pa.Schema
    batches: Callable[..., Iterator[pa.RecordBatch]]
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentGenerator:
    """One kind of XML documents that can be made: its blocks of bytes from a size and a seed."""

    blocks: Callable[[float, int], Iterator[bytes]]
    meaning: str  # what its size is
    usual: float
    megabytes: float  # how many a size of 1 is, roughly


MEGABYTES = "in megabytes, such as 10, 0.5 or 2GB"

GENERATORS = {
    "stocks": Generator(STOCKS_SCHEMA, stock_batches, ("symbols", "rise")),
    "clicks": Generator(CLICKS_SCHEMA, click_batches, ("users",)),
    "sensors": Generator(SENSORS_SCHEMA, sensor_batches, ("rooms",)),
}
"""The events that `cepheid generate` can make, by name."""

DOCUMENTS = {
    "xmark": DocumentGenerator(xmark_blocks, "a factor, such as 0.1 for about 11.7 MB, or 20MB", 0.1, 117),
    "treebank": DocumentGenerator(treebank_blocks, MEGABYTES, 10, 1),
    "dblp": DocumentGenerator(dblp_blocks, MEGABYTES, 10, 1),
}
"""The documents that it can make."""
