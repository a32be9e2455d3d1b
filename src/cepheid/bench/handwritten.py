"""One query of the SASE+ paper written by hand, as a yardstick for the engine.

    PATTERN SEQ(stock+ a[], stock b)
    WHERE skip_till_next_match { [symbol] AND a[1].price % 500 = 0
                                 AND a[i].price > a[i-1].price AND b.volume < 150 }
    WITHIN W EVENTS

It knows all that the engine must find out: the columns and their types, that no value is null, that all
events are stocks and in order, that symbols are 1 to n, and that a run splits in no other way than into
a match and itself. Its output is the engine's table, without `match_id`, which needs a hash of each event.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from cepheid.matchers.jit import kernel

NUMBERS = ("time", "symbol", "price", "volume")


def rising_prices(events: pa.Table, window: int) -> pa.Table:
    """The matches of the query in a table of `cepheid.sources.generate.stocks`."""
    columns = [events.column(name).combine_chunks().to_numpy() for name in NUMBERS]
    kinds = events.column("type").combine_chunks()
    _, symbol, price, volume = columns
    symbols = int(symbol.max(initial=0))
    matches, taken = count_matches(symbol, price, volume, window, *_room(symbols, window))
    offsets = np.zeros(matches + 1, np.int32)
    elements, completing = np.empty(taken, np.int32), np.empty(matches, np.int32)
    chains = np.empty((symbols, window, window), np.int32)
    list_matches(symbol, price, volume, window, *_room(symbols, window), chains, offsets, elements, completing)
    codes = kinds.indices.to_numpy()
    lists = pa.ListArray.from_arrays(pa.array(offsets), _structs(columns, codes, kinds.dictionary, elements))
    return pa.table({"a": lists, "b": _structs(columns, codes, kinds.dictionary, completing)})


def _room(symbols: int, window: int) -> tuple[np.ndarray, ...]:
    """Per symbol: events so far, first and next live run, and each run's start, last price and length.

    Runs of a symbol live in a ring: they start one an event at most, and end in the order they started.
    """
    counters = (np.zeros(symbols, np.int64) for _ in range(3))
    runs = (np.empty((symbols, window), np.int64) for _ in range(3))
    return (*counters, *runs)


def _structs(columns: list[np.ndarray], codes: np.ndarray, kinds: pa.Array, rows: np.ndarray) -> pa.StructArray:
    numbers = [pa.array(_gathered(column, rows)) for column in columns]
    types = pa.DictionaryArray.from_arrays(pa.array(_gathered(codes, rows)), kinds)
    return pa.StructArray.from_arrays([*numbers, types], names=[*NUMBERS, "type"])


def _gathered(values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    result = np.empty(rows.size, values.dtype)
    gather(values, rows, result)
    return result


@kernel
def gather(values, rows, result):
    """Values by row, with no check of bounds."""
    for k in range(rows.size):
        result[k] = values[np.uint32(rows[k])]


@kernel
def count_matches(symbol, price, volume, window, seen, head, tail, start, last, length):
    """How many matches there are, and how many events they take in `a`."""
    matches, taken = 0, 0
    for e in range(symbol.size):
        s = symbol[e] - 1
        while head[s] < tail[s] and seen[s] - start[s, head[s] % window] >= window:
            head[s] += 1
        for r in range(head[s], tail[s]):
            k = r % window
            if volume[e] < 150:
                matches += 1
                taken += length[s, k]
            if price[e] > last[s, k]:
                last[s, k] = price[e]
                length[s, k] += 1
        if price[e] % 500 == 0:
            k = tail[s] % window
            start[s, k], last[s, k], length[s, k] = seen[s], price[e], 1
            tail[s] += 1
        seen[s] += 1
    return matches, taken


@kernel
def list_matches(
    symbol, price, volume, window, seen, head, tail, start, last, length, chains, offsets, elements, completing
):
    """The same once more, with the events of each run kept, and copied for each match."""
    matches, taken = 0, 0
    for e in range(symbol.size):
        s = symbol[e] - 1
        while head[s] < tail[s] and seen[s] - start[s, head[s] % window] >= window:
            head[s] += 1
        for r in range(head[s], tail[s]):
            k = r % window
            if volume[e] < 150:
                for i in range(length[s, k]):
                    elements[taken + i] = chains[s, k, i]
                taken += length[s, k]
                completing[matches] = e
                matches += 1
                offsets[matches] = taken
            if price[e] > last[s, k]:
                chains[s, k, length[s, k]] = e
                last[s, k] = price[e]
                length[s, k] += 1
        if price[e] % 500 == 0:
            k = tail[s] % window
            start[s, k], last[s, k], length[s, k] = seen[s], price[e], 1
            chains[s, k, 0] = e
            tail[s] += 1
        seen[s] += 1
