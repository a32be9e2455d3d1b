"""The events that the Spark benchmark runs over: Parquet files in the order of time, as a history is kept.

Times are distinct, so that "after" means the same to a join as to a query. Symbols and kinds are texts,
as they are in most logs; `venue` and `note` are columns that no query asks for.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

START = 1_767_225_600_000_000  # 2026-01-01, in microseconds
GAP = 1_000  # microseconds between two events
GROUP_ROWS = 1 << 17
PRICES = 1000.0
VENUES = 12


@dataclass(frozen=True, slots=True)
class Trades:
    """How many events of how many symbols, of which kinds; the same for the same seed."""

    events: int
    symbols: int = 1_000
    kinds: int = 2
    seed: int = 7


def events_of(stream: Trades) -> pa.Table:
    """Events of kinds A, B, C, … in equal parts, with prices and volumes that are anything."""
    rng = np.random.default_rng(stream.seed)
    size = stream.events
    times = pa.array(START + GAP * np.arange(size), pa.timestamp("us", "UTC"))
    kinds = [chr(ord("A") + number) for number in range(stream.kinds)]
    symbols = [f"S{number:06d}" for number in range(stream.symbols)]
    return pa.table(
        {
            "ts": times,
            "kind": _texts(rng.integers(0, len(kinds), size), kinds),
            "symbol": _texts(rng.integers(0, len(symbols), size), symbols),
            "price": np.round(rng.random(size) * PRICES, 2),
            "volume": rng.integers(1, 1001, size),
            "venue": _texts(rng.integers(0, VENUES, size), [f"venue {number}" for number in range(VENUES)]),
            "note": rng.integers(0, 1 << 40, size),
        }
    )


def _texts(codes: np.ndarray, texts: list[str]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(texts)).cast(pa.string())


def write_events(stream: Trades, folder: Path, files: int = 8) -> str:
    """Write them as so many files, each newer than the one before; the folder's path."""
    folder.mkdir(parents=True, exist_ok=True)
    table = events_of(stream)
    rows = -(-stream.events // files)
    for number in range(files):
        path = folder / f"part-{number:05d}.parquet"
        pq.write_table(table.slice(number * rows, rows), path, row_group_size=GROUP_ROWS)
        written = START // 1_000_000 + number  # a stream of files takes the oldest first
        os.utime(path, (written, written))
    return str(folder)
