"""Stock events, as in the experiments of the SASE+ paper.

Prices are a random walk that rises with probability `rise`, and falls or stays otherwise, in equal parts.
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

TOP_PRICE = 1000
TOP_VOLUME = 1000
BATCH_ROWS = 65_536

STOCKS_SCHEMA = pa.schema(
    [
        ("time", pa.int64()),
        ("symbol", pa.int64()),
        ("price", pa.int64()),
        ("volume", pa.int64()),
        ("type", pa.dictionary(pa.int8(), pa.string())),
    ]
)


def stocks(size: int, seed: int, *, symbols: int = 2, rise: float = 0.7) -> pa.Table:
    """`size` stock events: time 0, 1, 2, …; symbol 1..symbols; price and volume within 1..1000."""
    batches = stock_batches(size, seed, symbols=symbols, rise=rise)
    return pa.Table.from_batches(batches, schema=STOCKS_SCHEMA).combine_chunks()


def stock_batches(
    size: int, seed: int, *, symbols: int = 2, rise: float = 0.7, batch_rows: int = BATCH_ROWS
) -> Iterator[pa.RecordBatch]:
    """The same events batch by batch, for sizes that do not fit in memory."""
    _check_stocks(size, seed, symbols, rise, batch_rows)
    return _stock_batches(size, seed, symbols, rise, batch_rows)


def _stock_batches(
    size: int, seed: int, symbols: int, rise: float, batch_rows: int
) -> Iterator[pa.RecordBatch]:
    # One stream of random numbers a column, one number a row: so the batch size changes nothing.
    chosen, stepped, traded, started = (
        np.random.Generator(np.random.PCG64(child)) for child in np.random.SeedSequence(seed).spawn(4)
    )
    height = started.integers(0, TOP_PRICE, symbols)
    for start in range(0, size, batch_rows):
        count = min(batch_rows, size - start)
        symbol = (chosen.random(count) * symbols).astype(np.int64)
        walk, height = _walk(symbol, _steps(stepped.random(count), rise), height)
        yield pa.RecordBatch.from_arrays(
            [
                pa.array(np.arange(start, start + count)),
                pa.array(symbol + 1),
                pa.array(walk % TOP_PRICE + 1),
                pa.array((traded.random(count) * TOP_VOLUME).astype(np.int64) + 1),
                pa.DictionaryArray.from_arrays(pa.array(np.zeros(count, np.int8)), pa.array(["stock"])),
            ],
            schema=STOCKS_SCHEMA,
        )


def _steps(draw: np.ndarray, rise: float) -> np.ndarray:
    """+1 with probability `rise`; -1 and 0 share the rest."""
    return np.where(draw < rise, 1, np.where(draw < (1 + rise) / 2, -1, 0))


def _walk(symbol: np.ndarray, step: np.ndarray, height: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each event's height on its symbol's walk, and where each walk stands afterwards."""
    order = np.argsort(symbol, kind="stable")
    total = np.cumsum(step[order])
    counts = np.bincount(symbol, minlength=len(height))
    ends = np.cumsum(counts)
    at_end = np.concatenate(([0], total))[ends]
    before = np.concatenate(([0], at_end[:-1]))
    walk = np.empty_like(total)
    walk[order] = total + np.repeat(height - before, counts)
    return walk, height + at_end - before


def _check_stocks(size: int, seed: int, symbols: int, rise: float, batch_rows: int) -> None:
    least_of = {"size": (size, 0), "seed": (seed, 0), "symbols": (symbols, 1), "batch_rows": (batch_rows, 1)}
    for name, (value, least) in least_of.items():
        if value < least:
            raise ValueError(f"{name} is {value}, and should be at least {least}")
    if not 0 <= rise <= 1:
        raise ValueError(f"rise is {rise}, and should be a probability between 0 and 1")
