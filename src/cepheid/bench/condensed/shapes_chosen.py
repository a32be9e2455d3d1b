"""Whether the shape that is chosen for a query costs about as little as the best of all its shapes.

Queries are drawn by chance: SEQ, AND and both in each other, of three to five parts, with comparisons and
equalities between some of them. So are the streams: each type has a rate of its own, and `w` changes slowly,
so that two events of one window are more alike than any two.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import cepheid
from cepheid.errors import LimitError
from cepheid.pattern.nodes import atoms
from cepheid.plan.tree.shapes import all_shapes

QUERIES, EVENTS = 50, 20_000
_PATTERNS = (
    "SEQ({0}, {1}, {2})",
    "SEQ({0}, {1}, {2}, {3})",
    "SEQ({0}, {1}, {2}, {3}, {4})",
    "AND({0}, {1}, {2})",
    "AND({0}, {1}, {2}, {3})",
    "AND({0}, {1}, {2}, {3}, {4})",
    "SEQ({0}, AND({1}, {2}), {3})",
    "SEQ({0}, AND({1}, {2}, {3}), {4})",
    "AND({0}, SEQ({1}, {2}), {3})",
    "AND({0}, SEQ({1}, {2}, {3}), {4})",
    "AND(SEQ({0}, {1}), SEQ({2}, {3}), {4})",
)
_CONDITIONS = ("{0}.v < {1}.v", "{0}.v > {1}.v + 40", "{0}.k = {1}.k", "{0}.w < {1}.w", "{0}.v + {1}.v < 70")
_BINDING: dict[str, Any] = {"time": "time", "type": "type"}
_MOST_STATE = 1 << 28


@dataclass(frozen=True, slots=True)
class ShapeRow:
    """A query, how many pairs the joins of the shape that was chosen test, and those of the best and of the
    worst of all shapes; and the same of pairs and composites together."""

    query: str
    shapes: int
    chosen: str
    best: str
    pairs: int
    fewest: int
    most: int
    work: int  # pairs and composites of the chosen shape
    least_work: int

    @property
    def ratio(self) -> float:
        """How many times the fewest pairs the chosen shape tests."""
        return max(self.pairs, 1) / max(self.fewest, 1)

    @property
    def work_ratio(self) -> float:
        """The same of pairs and composites."""
        return max(self.work, 1) / max(self.least_work, 1)


def shapes_chosen(queries: int = QUERIES, events: int = EVENTS, seed: int = 1) -> Iterator[ShapeRow]:
    """A row for each of so many random queries, over so many events each."""
    for number in range(queries):
        rng = random.Random(f"{seed}-{number}")
        yield shape_row(random_query(rng), random_stream(rng, events))


def shape_row(text: str, stream: pa.Table) -> ShapeRow:
    """What the shape that is chosen for a query tests over a stream, beside all others."""
    query = cepheid.query(text)
    types = [atom.type for atom in atoms(query.tree.pattern)]
    leaves = pc.sum(pc.is_in(stream.column("type"), pa.array(types))).as_py()
    pairs: dict[str, int] = {}
    works: list[int] = []
    for shape in all_shapes(query.tree.pattern):
        try:
            found = query.using("tree", shape=shape, condense="never").run(
                stream, **_BINDING, max_state=_MOST_STATE
            )
        except LimitError:
            continue
        pairs[shape] = int(found.stats["pairs_tested"])
        works.append(_work(found, leaves))
    chosen = query.using("tree", condense="never").run(stream, **_BINDING, max_state=_MOST_STATE)
    best = min(pairs, key=lambda shape: pairs[shape])
    return ShapeRow(
        query=text,
        shapes=len(pairs),
        chosen=chosen.stats["shape"],
        best=best,
        pairs=int(chosen.stats["pairs_tested"]),
        fewest=pairs[best],
        most=max(pairs.values()),
        work=_work(chosen, leaves),
        least_work=min(works),
    )


def _work(found: cepheid.Matches, leaves: int) -> int:
    """Pairs and composites, without the events by themselves, which every shape has."""
    return int(found.stats["pairs_tested"]) + int(found.stats["composites"]) - leaves


def random_query(rng: random.Random) -> str:
    """A query with conditions between some of its variables."""
    pattern = rng.choice(_PATTERNS)
    size = 1 + max(int(place) for place in pattern if place.isdigit())
    names = "abcde"[:size]
    parts = pattern.format(*(f"{name.upper()} {name}" for name in names))
    wanted = rng.randint(size - 1, size + 1)
    conditions = [rng.choice(_CONDITIONS).format(*rng.sample(names, 2)) for _ in range(wanted)]
    conditions = list(dict.fromkeys(conditions))
    window = rng.randint(10, 60 if size < 5 else 24)
    return f"PATTERN {parts} WHERE {' AND '.join(conditions)} WITHIN {window} EMIT COUNT"


def random_stream(rng: random.Random, events: int) -> pa.Table:
    """Events of five types, each with a rate of its own."""
    chance = np.random.default_rng(rng.getrandbits(32))
    rates = np.array([rng.choice((1, 2, 4, 8, 16)) for _ in range(5)], np.float64)
    return pa.table(
        {
            "time": np.cumsum(chance.integers(0, 3, events)),
            "type": np.array(list("ABCDE"))[chance.choice(5, events, p=rates / rates.sum())],
            "v": chance.integers(0, 100, events),
            "k": chance.integers(0, rng.choice((3, 10, 100)), events),
            "w": np.cumsum(chance.normal(size=events)),
        }
    )
