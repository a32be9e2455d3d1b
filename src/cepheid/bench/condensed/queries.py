"""The queries of the paper's experiments, and the events they are asked of."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from cepheid.matches import Matches
from cepheid.query import Query, query

LOWEST, HIGHEST, STRIDE = 0.0, 100.0, 5.0
"""Query 2: the prices of a random walk, and how far a step goes at most."""

CODES, WATCHED = 800, "600210"
ROUND_SECONDS = 5
TICK = 0.01
LEAST_TICKS, MOST_TICKS = 950, 1050
TICKS, CHANCES = (-2, -1, 0, 1, 2), (0.05, 0.15, 0.6, 0.15, 0.05)
"""Query 3: every code has a price every five seconds, which moves by a few ticks."""


def sequence_below(classes: int, window: int, emit: str = "COUNT") -> str:
    """Query 2: the first class is dearer than each that follows it, within so many steps."""
    names = [f"T{number}" for number in range(1, classes + 1)]
    dearer = [f"T1.price > {name}.price" for name in names[1:]]
    named = [f"{name}.name = 'name{number}'" for number, name in enumerate(names, 1)]
    return f"PATTERN {';'.join(names)} WHERE {' AND '.join(dearer + named)} WITHIN {window} EMIT {emit}"


def random_walk(classes: int, steps: int, seed: int, first_step: int = 0) -> pa.Table:
    """An event of each class a step, in the order of the classes; prices walk and are held at both ends."""
    dice = np.random.default_rng(seed)
    price = dice.uniform(LOWEST, HIGHEST, classes)
    prices = np.empty((steps, classes))
    for step in range(steps):
        prices[step] = price
        price = np.clip(price + dice.uniform(-STRIDE, STRIDE, classes), LOWEST, HIGHEST)
    names = [f"name{number}" for number in range(1, classes + 1)]
    return _table(first_step + np.arange(steps), "name", names, prices)


def overtaking(window: int, emit: str = "COUNT") -> str:
    """Query 3: a code that is cheaper than the watched one, and later dearer, within so many seconds."""
    return (
        "PATTERN T1;T2;T3;T4 WHERE T1.code = T3.code AND T2.code = T4.code "
        f"AND T2.code = '{WATCHED}' AND T1.price < T2.price - 0.02 AND T3.price > T4.price + 0.02 "
        f"WITHIN {window} EMIT {emit}"
    )


def exchange(rounds: int, seed: int, codes: int = CODES) -> pa.Table:
    """A price of each code every five seconds, the watched code among them."""
    dice = np.random.default_rng(seed)
    ticks = np.round(dice.uniform(LEAST_TICKS, MOST_TICKS, codes)).astype(np.int64)
    prices = np.empty((rounds, codes))
    for number in range(rounds):
        prices[number] = ticks * TICK
        moved = ticks + dice.choice(TICKS, codes, p=CHANCES)
        ticks = np.clip(moved, LEAST_TICKS, MOST_TICKS)
    first = int(WATCHED) - codes // 2
    return _table(
        np.arange(rounds) * ROUND_SECONDS, "code", list(map(str, range(first, first + codes))), prices
    )


def _table(times: np.ndarray, column: str, names: list[str], prices: np.ndarray) -> pa.Table:
    """An event of each name at each time."""
    named = pa.DictionaryArray.from_arrays(
        pa.array(np.tile(np.arange(len(names), dtype=np.int32), times.size)), pa.array(names)
    )
    return pa.table(
        {
            "time": np.repeat(times.astype(np.int64), len(names)),
            column: named.cast(pa.string()),
            "price": prices.ravel(),
        }
    )


def on_tree(text: str, condense: str, index: bool = True, **options: Any) -> Query:
    """A query on the tree engine, an event at a time."""
    return query(text).using("tree", condense=condense, index=index, batch=1, **options)


def whole_run(asked: Query, events: pa.Table) -> Callable[[], Matches]:
    """A run from an Arrow table to an Arrow table."""
    return partial(asked.run, events, time="time")
