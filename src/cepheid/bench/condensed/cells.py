"""A cell: the same events asked by several sides in turns, which have to count the same.

A side that takes long has fewer rounds than the others; its first is dropped unless it is the only one.
"""

import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from cepheid.bench.condensed.queries import on_tree, whole_run
from cepheid.bench.harness import in_turn
from cepheid.errors import CepheidError
from cepheid.matches import Matches
from cepheid.query import Query

ALWAYS, NEVER, AUTO = "always", "never", "auto"
WAYS = (NEVER, ALWAYS, AUTO)
NAMED = {ALWAYS: "condensed", NEVER: "not condensed", AUTO: "auto"}


@dataclass(frozen=True, slots=True)
class SideFigures:
    """What one side of a cell did, and how long it took."""

    matches: int
    pairs: int
    composites: int
    state_bytes: int
    shape: str  # of the tree, where there is one
    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The seconds of processor time in the middle."""
        return statistics.median(self.seconds)

    @property
    def work(self) -> int:
        """What it tested and made: the paper counts its saving in these, not in seconds."""
        return self.pairs + self.composites


@dataclass(frozen=True, slots=True)
class Cell:
    """One place of a table or a curve."""

    name: str
    events: int
    sides: Mapping[str, SideFigures]

    def microseconds(self, side: str) -> float:
        """Of processor time, an event."""
        return self.sides[side].median * 1e6 / self.events

    def saved(self, slow: str = NEVER, fast: str = ALWAYS) -> float:
        """How many times as much one side tests and makes as the other."""
        return self.sides[slow].work / max(self.sides[fast].work, 1)

    def faster(self, slow: str = NEVER, fast: str = ALWAYS) -> float:
        """How many times as long one side takes as the other."""
        return self.sides[slow].median / max(self.sides[fast].median, 1e-9)

    @property
    def against_better(self) -> float:
        """How long `auto` takes, as a multiple of the better of the other two."""
        better = min(self.sides[ALWAYS].median, self.sides[NEVER].median)
        return self.sides[AUTO].median / max(better, 1e-9)


def ways_of(text: str, index: bool = True) -> dict[str, Query]:
    """A query on the tree engine: not condensed, condensed, and as the engine sees fit. All are joined from
    the left: if sides had shapes of their own, the shapes would be compared too."""
    return {way: on_tree(text, way, index, shape="left") for way in WAYS}


def measured_cell(
    name: str, asked: Mapping[str, Query], events: pa.Table, repeat: int, budget: float
) -> Cell:
    """Every side in turns, until it has taken its part of the budget; an error if they differ in what they
    count."""
    runs = {side: whole_run(one, events) for side, one in asked.items()}
    spent: dict[str, list[float]] = {side: [] for side in runs}
    told: dict[str, dict[str, Any]] = {}
    for number in range(repeat + 1):
        for side in in_turn(list(runs), number):
            if number and sum(spent[side]) >= budget / len(runs):
                continue
            began = time.process_time()
            matches = runs[side]()
            spent[side].append(time.process_time() - began)
            told[side] = {**matches.stats, "matches": counted(matches)}
    if len({each["matches"] for each in told.values()}) > 1:
        counts = ", ".join(f"{side} {each['matches']:,}" for side, each in told.items())
        raise CepheidError(f"the sides of {name} differ in what they count: {counts}")
    return Cell(name, events.num_rows, {side: _found(told[side], spent[side]) for side in runs})


def _found(stats: Mapping[str, Any], rounds: list[float]) -> SideFigures:
    seconds = tuple(rounds[1:] or rounds)
    pairs, composites = stats.get("pairs_tested", 0), stats.get("composites", 0)
    shape = stats.get("shape", "")
    return SideFigures(stats["matches"], pairs, composites, stats["peak_state_bytes"], shape, seconds)


def counted(matches: Matches) -> int:
    """The sum of the counts that EMIT COUNT gave."""
    return sum(int(count) for count in matches.table["count"].to_pylist())


def geometric_mean(values: list[float]) -> float:
    """The mean of ratios."""
    return statistics.geometric_mean(values)
