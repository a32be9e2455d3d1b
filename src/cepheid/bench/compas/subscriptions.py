"""Profiles of one part by the thousand, and streams in which each event satisfies a given number of them.

Where ten are satisfied, profiles are about ten attributes in turn, and an event satisfies one of each.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from cepheid.profiles import ProfileSet, profile, profiles

EQUALITIES, RANGES, LIKE = "equalities", "ranges", "LIKE"
KINDS = (EQUALITIES, RANGES, LIKE)
STREAM: dict[str, Any] = {"time": "time", "type": "type"}
WIDTH = 10
"""Of a range: they lie side by side."""

_CONDITIONS: dict[str, Callable[[str, int], str]] = {
    EQUALITIES: lambda name, k: f"a.{name} = {k}",
    RANGES: lambda name, k: f"a.{name} >= {WIDTH * k} AND a.{name} < {WIDTH * (k + 1)}",
    LIKE: lambda name, k: f"a.{name} LIKE '%{word(k)}%'",
}

_LETTERS = str.maketrans("0123456789", "ghijklmnop")


def word(k: int) -> str:
    """A word of eight letters, another one for each number."""
    return f"{(k * 2_654_435_761) % 2**32:08x}".translate(_LETTERS)


def attributes(satisfied: int) -> list[str]:
    """What profiles are about."""
    return [f"x{k}" for k in range(max(satisfied, 1))]


def texts(kind: str, satisfied: int, count: int) -> Iterator[str]:
    """The texts of so many profiles."""
    names = attributes(satisfied)
    for k in range(count):
        condition = _CONDITIONS[kind](names[k % len(names)], k // len(names))
        yield f"PATTERN A a WHERE {condition} RETURN a.time AS time"


def subscriptions(kind: str, satisfied: int, count: int, method: str = "one_step") -> ProfileSet:
    """A set of so many profiles."""
    made = {f"p{k}": profile(text) for k, text in enumerate(texts(kind, satisfied, count))}
    return profiles(made, method=method)


def events(kind: str, satisfied: int, profiles: int, count: int, start: int = 0) -> pa.Table:
    """Events from a time on, of which each satisfies so many of the profiles."""
    chance, names = np.random.default_rng(start + 1), attributes(satisfied)
    columns: dict[str, object] = {
        "time": np.arange(start, start + count),
        "type": pa.DictionaryArray.from_arrays(np.zeros(count, np.int8), ["A"]),
    }
    for name in names:
        chosen = chance.integers(0, profiles // len(names), count)
        columns[name] = _values(kind, chosen if satisfied else -1 - chosen, start)
    return pa.table(columns)


def _values(kind: str, chosen: np.ndarray, start: int) -> object:
    if kind != LIKE:
        return chosen * WIDTH + WIDTH // 2 if kind == RANGES else chosen
    words = (word(int(k)) if k >= 0 else "zzzzzzzz" for k in chosen)
    return [f"GET /{each}/{start + e:09d}/index.html" for e, each in enumerate(words)]
