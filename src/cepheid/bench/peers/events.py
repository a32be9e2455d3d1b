"""The events that all peers are given: in an Arrow table, in a file that Java reads, and in Parquet.

A time every 7 ms, so that no two events are exactly a window of 10 s apart: engines differ in whether a match
may be as long as its window, and none of them has to say so here.
"""

from pathlib import Path

import numpy as np
import pyarrow as pa

SEED = 7
GAP = 7  # milliseconds
KINDS = "ABCD"


def events_of(size: int, symbols: int) -> pa.Table:
    """Events of four kinds in equal parts, with symbols that are texts and prices that are anything."""
    rng = np.random.default_rng(SEED)
    times, prices = GAP * np.arange(size, dtype=np.int64), rng.integers(1, 1001, size).astype(np.float64)
    codes, kinds = rng.integers(0, symbols, size), rng.integers(0, len(KINDS), size)
    names = pa.array([f"S{number}" for number in range(symbols)])
    return pa.table(
        {
            "ts": pa.array(times, pa.timestamp("ms")),
            "price": prices,
            "symbol": names.take(pa.array(codes)),
            "kind": pa.array(list(KINDS)).take(pa.array(kinds)),
        }
    )


def write_for_java(events: pa.Table, path: Path) -> None:
    """Their number, then the columns one after the other, as Peer.java reads them."""
    times = events["ts"].cast(pa.int64()).to_numpy()
    symbols = [int(name[1:]) for name in events["symbol"].to_pylist()]
    kinds = [KINDS.index(kind) for kind in events["kind"].to_pylist()]
    with path.open("wb") as file:
        for column, kind in (
            ([len(times)], "<i8"),
            (times, "<i8"),
            (events["price"].to_numpy(), "<f8"),
            (symbols, "<i4"),
            (kinds, "<i4"),
        ):
            file.write(np.asarray(column, kind).tobytes())
