"""One query of the SASE+ paper written by hand, as a yardstick for the engine.

    PATTERN SEQ(stock+ a[], stock b)
    WHERE skip_till_next_match { [symbol] AND a[1].price % 500 = 0
                                 AND a[i].price > a[i-1].price AND b.volume < 150 }
    WITHIN W EVENTS

It knows all that the engine must find out: the columns and their types, that no value is null, that all
events are stocks and in order, that symbols are 1 to n, and that a run splits in no other way than into
a match and itself. Its output is the engine's table, without `match_id`, which needs a hash of each event.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from cepheid.matchers.jit import kernel

NUMBERS = ("time", "symbol", "price", "volume")


class Stocks(NamedTuple):
    """The columns that the query asks about."""

    symbol: np.ndarray
    price: np.ndarray
    volume: np.ndarray


class Runs(NamedTuple):
    """The live runs of each symbol, in a ring: one starts at an event at most, and the oldest ends first."""

    seen: np.ndarray  # symbol: events so far
    head: np.ndarray  # symbol: the first live run
    tail: np.ndarray  # symbol: the next run to start
    start: np.ndarray  # symbol, run: the ordinal of its first event
    last: np.ndarray  # symbol, run: the price that the next event must exceed
    length: np.ndarray  # symbol, run


class Found(NamedTuple):
    """The matches: lists of rows for `a`, a row for `b`."""

    offsets: np.ndarray
    elements: np.ndarray
    completing: np.ndarray


def rising_prices(events: pa.Table, window: int) -> pa.Table:
    """The matches of the query in a table of `cepheid.sources.generate.stocks`."""
    columns = [events.column(name).combine_chunks().to_numpy() for name in NUMBERS]
    kinds = events.column("type").combine_chunks()
    stocks = Stocks(*columns[1:])
    symbols = int(stocks.symbol.max(initial=0))
    matches, taken = count_matches(stocks, no_runs(symbols, window), window)
    found = Found(np.zeros(matches + 1, np.int32), np.empty(taken, np.int32), np.empty(matches, np.int32))
    chains = np.empty((symbols, window, window), np.int32)
    list_matches(stocks, no_runs(symbols, window), window, chains, found)
    codes = kinds.indices.to_numpy().astype(np.int32)
    elements = _structs(columns, codes, kinds.dictionary, found.elements)
    completing = _structs(columns, codes, kinds.dictionary, found.completing)
    return pa.table({"a": pa.ListArray.from_arrays(pa.array(found.offsets), elements), "b": completing})


def no_runs(symbols: int, window: int) -> Runs:
    """Room for the runs of so many symbols."""
    counters = (np.zeros(symbols, np.int64) for _ in range(3))
    rings = (np.empty((symbols, window), np.int64) for _ in range(3))
    return Runs(*counters, *rings)


def _structs(
    columns: list[np.ndarray], codes: np.ndarray, kinds: pa.Array, rows: np.ndarray
) -> pa.StructArray:
    numbers = [pa.array(_gathered(column, rows)) for column in columns]
    types = pa.DictionaryArray.from_arrays(pa.array(_gathered(codes, rows)), kinds)
    return pa.StructArray.from_arrays([*numbers, types], names=[*NUMBERS, "type"])


def _gathered(values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    result = np.empty(rows.size, values.dtype)
    gather(values, rows, result)
    return result


@kernel
def gather(values: np.ndarray, rows: np.ndarray, result: np.ndarray) -> None:
    """Values by row, with no check of bounds."""
    for k in range(rows.size):
        result[k] = values[np.uint32(rows[k])]


@kernel
def count_matches(stocks: Stocks, runs: Runs, window: int) -> tuple[int, int]:
    """How many matches there are, and how many events they take in `a`."""
    matches, taken = 0, 0
    for e in range(stocks.symbol.size):
        s, price = stocks.symbol[e] - 1, stocks.price[e]
        completes = stocks.volume[e] < 150
        while runs.head[s] < runs.tail[s] and runs.seen[s] - runs.start[s, runs.head[s] % window] >= window:
            runs.head[s] += 1
        for r in range(runs.head[s], runs.tail[s]):
            k = r % window
            if completes:
                matches += 1
                taken += runs.length[s, k]
            if price > runs.last[s, k]:
                runs.last[s, k] = price
                runs.length[s, k] += 1
        if price % 500 == 0:
            k = runs.tail[s] % window
            runs.start[s, k], runs.last[s, k], runs.length[s, k] = runs.seen[s], price, 1
            runs.tail[s] += 1
        runs.seen[s] += 1
    return matches, taken


@kernel
def list_matches(stocks: Stocks, runs: Runs, window: int, chains: np.ndarray, found: Found) -> None:
    """The same once more, with the events of each run kept, and copied for each match."""
    matches, taken = 0, 0
    for e in range(stocks.symbol.size):
        s, price = stocks.symbol[e] - 1, stocks.price[e]
        completes = stocks.volume[e] < 150
        while runs.head[s] < runs.tail[s] and runs.seen[s] - runs.start[s, runs.head[s] % window] >= window:
            runs.head[s] += 1
        for r in range(runs.head[s], runs.tail[s]):
            k = r % window
            length = runs.length[s, k]
            if completes:
                for i in range(length):
                    found.elements[taken + i] = chains[s, k, i]
                taken += length
                found.completing[matches] = e
                matches += 1
                found.offsets[matches] = taken
            if price > runs.last[s, k]:
                chains[s, k, length] = e
                runs.last[s, k], runs.length[s, k] = price, length + 1
        if price % 500 == 0:
            k = runs.tail[s] % window
            runs.start[s, k], runs.last[s, k], runs.length[s, k] = runs.seen[s], price, 1
            chains[s, k, 0] = e
            runs.tail[s] += 1
        runs.seen[s] += 1
