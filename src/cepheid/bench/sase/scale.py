"""Beyond the paper: a million partitions, the memory of a long stream, how soon the first answer comes."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from cepheid.bench.child import BY_KEY
from cepheid.bench.harness import child_environment, in_fresh_process
from cepheid.bench.results import Chart, Figure, Row, Section
from cepheid.bench.sase.sizes import Sizes
from cepheid.errors import CepheidError
from cepheid.sources.generate import BATCH_ROWS, stocks

GIGABYTE = 1e9
MEGABYTE = 1e6
SMALL_QUERY = "PATTERN SEQ(stock a, stock b) WHERE [symbol] AND b.price > a.price + 3 WITHIN 10"
SMALL_EVENTS = 1000

TIMES_BAR, PEAK_BAR, GROWTH_BAR, WARM_BAR = 3.0, 3 * GIGABYTE, 1.1, 2.0


def partitions(sizes: Sizes) -> Section:
    """The same events over few keys and over very many."""
    size, few, many = sizes.partition_events, sizes.few_keys, sizes.many_keys
    times = in_fresh_process("partition_times", size=size, few=few, many=many, repeat=sizes.repeat)
    memory = in_fresh_process("partition_memory", size=size, keys=many)
    rows = tuple(
        {
            "keys": keys,
            "events": size,
            "events/s": round(size / times[str(keys)]["best"]),
            "seconds": round(times[str(keys)]["best"], 3),
            "matches": times[str(keys)]["matches"],
        }
        for keys in (few, many)
    )
    ratio = times[str(many)]["best"] / times[str(few)]["best"]
    peak = memory["peak_resident"]
    return Section(
        "Many partitions",
        f"{BY_KEY} over {size:,} events. Both streams hold the same events; on one, symbols are folded onto "
        f"{few:,}. They take turns in one process; the peak of memory is of a process that runs the "
        f"{many:,} keys alone, the table of events included.",
        rows,
        figures=(
            Figure(
                f"{many:,} keys against {few:,}: time",
                "less than 3×",
                f"{ratio:.2f}×",
                ratio < TIMES_BAR,
                f"{size:,} events, best to best",
            ),
            Figure(
                f"{many:,} keys: peak of memory",
                "under 3 GB",
                f"{peak / GIGABYTE:.2f} GB",
                peak < PEAK_BAR,
                f"state {memory['state_bytes'] / MEGABYTE:.0f} MB",
            ),
        ),
    )


def memory(sizes: Sizes) -> Section:
    """A long stream through one session."""
    told = in_fresh_process(
        "memory_curve", size=sizes.stream_events, batch_rows=_batch_rows(sizes), window=500
    )
    samples = told["samples"]
    events = np.array([sample["events"] for sample in samples], float)
    resident = np.array([sample["resident"] for sample in samples], float)
    state = np.array([sample["state"] for sample in samples], float)
    early, late = _quarter(resident, 1), _quarter(resident, 3)
    drift = (
        float(np.polyfit(events[events.size // 4 :], resident[events.size // 4 :], 1)[0])
        if events.size > 8
        else 0
    )
    kept = samples[:: max(len(samples) // 10, 1)]
    return Section(
        "Memory of a long stream",
        f"p2s3, W = 500, a session fed {sizes.stream_events:,} events in batches of {_batch_rows(sizes):,}; "
        f"{told['matches']:,} matches handed out and dropped. Resident memory holds the interpreter and the "
        "compiled kernels besides.",
        tuple(
            {
                "events": sample["events"],
                "resident MB": round(sample["resident"] / MEGABYTE, 1),
                "state MB": round(sample["state"] / MEGABYTE, 1),
            }
            for sample in kept
        ),
        (Chart("million events", "MB", "memory", title="memory as the stream goes by"),),
        (
            Figure(
                f"memory over {sizes.stream_events / 1e6:,.0f} M events",
                "flat: the last quarter within 1.1× of the second",
                f"{late / early:.2f}×",
                late / early <= GROWTH_BAR,
                f"{late / MEGABYTE:.0f} MB resident, state {state.max() / MEGABYTE:.1f} MB at most, "
                f"drift {drift:+.3f} bytes an event",
            ),
        ),
        tuple(
            {"million events": sample["events"] / 1e6, "MB": sample[key] / MEGABYTE, "memory": key}
            for sample in samples
            for key in ("resident", "state")
        ),
    )


def _batch_rows(sizes: Sizes) -> int:
    """Batches as they come, but at least a few dozen of them."""
    return min(BATCH_ROWS, max(sizes.stream_events // 40, 1))


def _quarter(values: np.ndarray, number: int) -> float:
    """The median of one quarter of the samples."""
    size = max(values.size // 4, 1)
    return float(np.median(values[number * size : (number + 1) * size] if values.size >= 4 else values))


def first_answer(sizes: Sizes) -> Section:
    """`cepheid run` of a small query, from the shell to the answer."""
    with tempfile.TemporaryDirectory() as folder:
        events = Path(folder) / "events.parquet"
        pq.write_table(stocks(SMALL_EVENTS, 1), events)
        _answer(events)
        warm = [_answer(events) for _ in range(sizes.starts)]
        rows = [_start_row("warm", warm)]
        figures = [_warm_figure(warm)]
        if sizes.cold_start:
            cold = _answer(events, NUMBA_CACHE_DIR=str(Path(folder) / "cold"))
            rows.append(_start_row("cold", [cold]))
            figures.append(_cold_figure(cold))
    return Section(
        "The first answer",
        f"cepheid run '{SMALL_QUERY}' over {SMALL_EVENTS:,} events in a Parquet file, as a process of its "
        "own, by the wall clock: interpreter, imports and loading of compiled kernels included.",
        tuple(rows),
        figures=tuple(figures),
    )


@dataclass(frozen=True, slots=True)
class Answer:
    """One `cepheid run`: how long it took, and what it said on standard error."""

    wall: float
    cpu: float
    said: str

    @property
    def compiling(self) -> str:
        """The line that says that kernels are compiled, if there is one."""
        return next((line for line in self.said.splitlines() if "compiling" in line), "")


def _start_row(start: str, answers: list[Answer]) -> Row:
    return {
        "start": start,
        "seconds (wall, median)": round(statistics.median(answer.wall for answer in answers), 2),
        "seconds (cpu, median)": round(statistics.median(answer.cpu for answer in answers), 2),
        "says": answers[0].compiling,
    }


def _warm_figure(answers: list[Answer]) -> Figure:
    walls = [answer.wall for answer in answers]
    middle = statistics.median(walls)
    note = (
        f"{min(walls):.2f} to {max(walls):.2f} s by the wall clock over {len(walls)} starts; processor time "
    )
    note += f"{statistics.median(answer.cpu for answer in answers):.2f} s"
    return Figure("warm cepheid run", "under 2 s", f"{middle:.2f} s", middle < WARM_BAR, note)


def _cold_figure(answer: Answer) -> Figure:
    said = answer.compiling
    took = f"{answer.wall:.0f} s, once per machine"
    return Figure("cold cepheid run", "says that it is compiling", said or "silent", bool(said), took)


def _answer(events: Path, **environment: str) -> Answer:
    command = [sys.executable, "-m", "cepheid", "run", SMALL_QUERY, "--events", str(events)]
    surroundings = child_environment(**environment)
    wall, cpu = time.perf_counter(), _children_seconds()
    done = subprocess.run(command, env=surroundings, capture_output=True, text=True, check=False)
    wall, cpu = time.perf_counter() - wall, _children_seconds() - cpu
    if done.returncode != 0:
        raise CepheidError(f"`cepheid run` of a small query failed:\n{done.stderr}")
    return Answer(wall, cpu, done.stderr)


def _children_seconds() -> float:
    used = os.times()
    return used.children_user + used.children_system
