"""Events for the A-Seq benchmark: trades of twenty stocks at a steady rate, as the thesis generates them too.

The thesis takes 10,000 real trades and does not say how dense they are. Twenty stocks and its benefit
model, which fits its measurements with 500 events of a stock in a window of 1,000 ms, mean ten events a ms.
"""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

TYPES = (
    "DELL", "IPIX", "QQQ", "AMAT", "MSFT", "CSCO", "INTC", "ORCL", "YHOO", "RIMM",
    "AMAZ", "FB", "IBM", "VMW", "GOOG", "LNKD", "NTAP", "EBAY", "AAPL", "ADBE",
)  # fmt: skip
SEED = 7
TOP_PRICE = 1_000


def trades(
    size: int, *, density: int, accounts: int = 1, shares: Mapping[str, float] | None = None, seed: int = SEED
) -> pa.Table:
    """Trades at so many a ms; some stocks have `shares` of the stream, the others have the rest alike."""
    random = np.random.default_rng(seed)
    ticks = np.arange(size, dtype=np.int64) * 1_000 // density
    columns = {
        "time": pa.array(ticks, pa.timestamp("us")),
        "type": _types(random, size, shares or {}),
        "price": pa.array(random.integers(1, TOP_PRICE + 1, size)),
        "account": pa.array(random.integers(0, accounts, size)),
    }
    return pa.table(columns)


def ticking(size: int, seed: int = SEED) -> pa.Table:
    """Times 0, 1, 2, … and types alone: a window of n ticks holds n events."""
    random = np.random.default_rng(seed)
    return pa.table({"time": pa.array(np.arange(size, dtype=np.int64)), "type": _types(random, size, {})})


def _types(random: np.random.Generator, size: int, shares: Mapping[str, float]) -> pa.Array:
    rest = (1 - sum(shares.values())) / (len(TYPES) - len(shares))
    bounds = np.cumsum([shares.get(name, rest) for name in TYPES])[:-1]
    codes = np.searchsorted(bounds, random.random(size), "right").astype(np.int8)
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(TYPES))


def most_active(events: pa.Table, first: str, microseconds: int) -> int:
    """The most events of a type in one window: the active starts, and A-Seq's objects."""
    column = events.column("type").combine_chunks()
    chosen = column.indices.to_numpy() == TYPES.index(first)
    time = events.column("time").to_numpy().astype("datetime64[us]").astype(np.int64)[chosen]
    if time.size == 0:
        return 0
    left = np.searchsorted(time, time - microseconds, "left")
    return int((np.arange(1, time.size + 1) - left).max())
