"""Ways of sharing work between runs, side by side: what each finds, and how long it takes."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from cepheid.bench.harness import Timing, measure_pieces, median_ratio
from cepheid.bench.sase.queries import SESSION_ROWS, OutputSize, QueryTemplate
from cepheid.bench.sase.sizes import SaseSizes
from cepheid.bench.stages import MatchingClock
from cepheid.errors import CepheidError

MOST_REPEATS = 25

BASIC, MERGING, AUTO, BACKTRACKING = "basic", "merging", "auto", "backtracking"


@dataclass(frozen=True, slots=True)
class Finding:
    """What a run found: the ids of its rows, how long its matches are, and its own statistics."""

    rows: pa.ChunkedArray  # their match_id
    listed: int  # the summed lengths of the matches that were listed
    stats: Mapping[str, Any]

    def figure(self, name: str) -> int:
        """A number that the run says about itself."""
        return int(self.stats[name])

    @property
    def steps(self) -> int:
        """How often a run read an event."""
        return self.figure("run_steps")


Run = Callable[[], Iterator[Finding | None]]
"""A run in pieces; the last of them is what it found."""


def whole(template: QueryTemplate, sharing: str, events: pa.Table) -> Run:
    """A run over a table, end to end; all that it finds is there at once."""
    asked = template.parsed(sharing)

    def run() -> Iterator[Finding | None]:
        found = asked.run(events, time="time", type="type")
        yield Finding(found.table.column("match_id"), _listed(found.table), found.stats)

    return run


def fed(template: QueryTemplate, sharing: str, events: pa.Table, batch_rows: int) -> Run:
    """A session that is fed batch by batch. Its rows are dropped, since they might not fit in memory."""
    asked = template.parsed(sharing)

    def run() -> Iterator[Finding | None]:
        session = asked.session(events.schema, time="time", type="type")
        rows, listed = [], 0
        for piece in [*events.to_batches(max_chunksize=batch_rows), None]:
            table = session.close() if piece is None else session.push(piece)
            rows.append(table.select(["match_id"]))
            listed += _listed(table)
            yield None
        yield Finding(pa.concat_tables(rows).column("match_id"), listed, session.stats)

    return run


def _listed(table: pa.Table) -> int:
    return OutputSize.of(table).events if "a" in table.column_names else 0


@dataclass(frozen=True, slots=True)
class SharingTimes:
    """How long each way of sharing took in each round, end to end and in matching alone; all found the same.

    Speeds are those of the best round, ratios are medians over the rounds. In a round all ways take turns,
    batch by batch, so that what disturbs the machine for a while disturbs all of them.
    """

    events: int
    found: Mapping[str, Finding]
    timings: Mapping[str, Timing]
    matching: Mapping[str, Sequence[float]]  # seconds, by round

    def speed(self, name: str) -> int:
        """Events a second, end to end."""
        return round(self.events / self.timings[name].best)

    def matching_speed(self, name: str) -> int:
        """Events a second, of matching alone."""
        return round(self.events / max(min(self.matching[name]), 1e-9))

    def faster(self, name: str, other: str = BASIC) -> float:
        """How many times the throughput of another one, end to end."""
        return median_ratio(self.timings[other].cpu, self.timings[name].cpu)

    def matching_faster(self, name: str, other: str = BASIC) -> float:
        """How many times the throughput of another one, in matching alone."""
        return median_ratio(self.matching[other], self.matching[name])

    def listing(self, name: str) -> float:
        """Nanoseconds outside of matching for each event of a match."""
        spent = self.timings[name].best - min(self.matching[name])
        return spent * 1e9 / max(self.found[name].listed, 1)

    def steps_saved(self, name: str, other: str = BASIC) -> float:
        """How many times as many steps the other way takes."""
        return self.found[other].steps / max(self.found[name].steps, 1)


def compared(label: str, runs: Mapping[str, Run], events: int, sizes: SaseSizes) -> SharingTimes:
    """Check that all runs find the same, then measure them in turns; short ones more often, against noise."""
    began = time.perf_counter()
    found = agreed(label, runs)
    spent = max(time.perf_counter() - began, 1e-6)
    repeat = max(sizes.rounds, min(int(sizes.sharing_seconds / spent), MOST_REPEATS))
    with MatchingClock() as clock:
        timings = measure_pieces(clock.watching(runs), repeat)
    return SharingTimes(events, found, timings, clock.seconds)


def agreed(label: str, runs: Mapping[str, Run]) -> dict[str, Finding]:
    """What each run finds; they must find the same, in the same order."""
    found = {name: _found(run) for name, run in runs.items()}
    first, *others = found
    for other in others:
        if not found[first].rows.equals(found[other].rows):
            raise CepheidError(f"'{first}' and '{other}' differ in their matches of {label}")
    return found


def _found(run: Run) -> Finding:
    *_, found = run()
    assert found is not None
    return found


def compared_whole(
    template: QueryTemplate, sharings: Sequence[str], events: pa.Table, sizes: SaseSizes
) -> SharingTimes:
    """Ways of sharing over a table, end to end."""
    runs = {sharing: whole(template, sharing, events) for sharing in sharings}
    return compared(template.name, runs, events.num_rows, sizes)


def compared_fed(
    template: QueryTemplate, sharings: Sequence[str], events: pa.Table, sizes: SaseSizes
) -> SharingTimes:
    """Ways of sharing in sessions that are fed batches."""
    runs = {sharing: fed(template, sharing, events, SESSION_ROWS) for sharing in sharings}
    return compared(template.name, runs, events.num_rows, sizes)


def ratio(value: float) -> float:
    """A ratio as it stands in a table."""
    return round(value, 2)


def listed_ratios(named: Sequence[tuple[str, float]]) -> str:
    """Ratios by name, for the note of a figure."""
    return ", ".join(f"{name} {value:.2f}×" for name, value in named)


def range_of(named: Sequence[tuple[str, float]]) -> str:
    """From the least to the largest of them."""
    values = [value for _, value in named]
    return f"{min(values):.2f} to {max(values):.2f}×"
