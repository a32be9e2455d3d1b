"""Whether a tree takes the better shape when the rates of two types swap at half time.

In the first half the first type of a SEQ comes often and the last one rarely, in the second half it is the
other way round. Each shape is best in one of the halves.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

import cepheid
from cepheid.plan.tree.shape import AUTO
from cepheid.plan.tree.shapes import all_shapes
from cepheid.runners.embedded.session import Session

EVENTS, REPEATS, PUSHED = 600_000, 3, 20_000
_QUERY = """PATTERN SEQ(A a, B b, C c)
    WHERE a.v + b.v < 150 AND b.v + c.v < 150 AND a.k = c.k AND a.v < c.v - 60
    WITHIN 300 EMIT COUNT"""
_RATES = (0.9, 0.09, 0.01)


@dataclass(frozen=True, slots=True)
class SwapRow:
    """A shape, and the processor time that each half takes in it: medians, in seconds."""

    shape: str
    first: float
    second: float
    pairs_and_composites: int
    shape_changes: int


def swapped_rates(events: int = EVENTS, repeats: int = REPEATS, condense: str = "never") -> list[SwapRow]:
    """A row for each fixed shape, then one for the shape that is chosen as the query runs. All of them must
    find the same."""
    stream, query = swapped_stream(events), cepheid.query(_QUERY)
    shapes = [*all_shapes(query.tree.pattern), AUTO]
    runs: dict[str, list[tuple[float, float]]] = {shape: [] for shape in shapes}
    figures: dict[str, tuple[int, int]] = {}
    found: pa.Table | None = None
    for _ in range(repeats):
        for shape in shapes:
            asked = query.using("tree", shape=shape, condense=condense)
            session = asked.session(stream.schema, time="time", type="type")
            table, times = _pushed(session, stream)
            found = table if found is None else found
            if not table.equals(found):
                raise AssertionError(f"the shape {shape} finds something else")
            runs[shape].append(times)
            stats = session.stats
            work = stats["pairs_tested"] + stats["composites"]
            figures[shape] = work, stats.get("shape_changes", 0)
    return [SwapRow(shape, *_medians(runs[shape]), *figures[shape]) for shape in shapes]


def _pushed(session: Session[pa.Table], stream: pa.Table) -> tuple[pa.Table, tuple[float, float]]:
    half, found, times = stream.num_rows // 2, [], []
    for part in (stream.slice(0, half), stream.slice(half)):
        began = time.process_time()
        found += list(_pieces(session, part))
        times.append(time.process_time() - began)
    found.append(session.close())
    return pa.concat_tables(found), (times[0], times[1])


def _pieces(session: Session[pa.Table], part: pa.Table) -> Iterator[pa.Table]:
    for start in range(0, part.num_rows, PUSHED):
        yield session.push(part.slice(start, PUSHED))


def _medians(times: list[tuple[float, float]]) -> tuple[float, float]:
    first, second = zip(*times, strict=True)
    return statistics.median(first), statistics.median(second)


def swapped_stream(events: int) -> pa.Table:
    """Three types; the rates of the first and the last one swap at half time."""
    chance = np.random.default_rng(1)
    half = events // 2
    kinds = [chance.choice(3, half, p=_RATES), chance.choice(3, events - half, p=_RATES[::-1])]
    return pa.table(
        {
            "time": np.arange(events),
            "type": np.array(list("ABC"))[np.concatenate(kinds)],
            "v": chance.integers(0, 100, events),
            "k": chance.integers(0, 20, events),
        }
    )
