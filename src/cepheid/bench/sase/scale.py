"""Beyond the paper: a million partitions, the memory of a long stream, how soon the first answer comes."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from cepheid.bench.harness import child_environment, in_fresh_process, measure, resident_bytes
from cepheid.bench.results import Chart, Figure, Row, Section, at_most
from cepheid.bench.sase.queries import QueryTemplate, whole_run
from cepheid.bench.sase.sizes import SaseSizes
from cepheid.errors import CepheidError
from cepheid.query import query
from cepheid.sources.generate import BATCH_ROWS, STOCKS_SCHEMA, stock_batches, stocks

GIGABYTE = 1e9
MEGABYTE = 1e6
BY_KEY = (
    "PATTERN SEQ(stock a, stock b) WHERE skip_till_next_match "
    "{ [symbol] AND a.volume > 900 AND b.volume < 150 } WITHIN 5 EVENTS"
)
FOLDED_BATCH = 1 << 20
SAMPLES = 200
SMALL_QUERY = "PATTERN SEQ(stock a, stock b) WHERE [symbol] AND b.price > a.price + 3 WITHIN 10"
SMALL_EVENTS = 1000

TIMES_BAR, PEAK_BAR, GROWTH_BAR, WARM_BAR = 3.0, 3 * GIGABYTE, 1.1, 2.0


def partitions(sizes: SaseSizes) -> Section:
    """The same events over few keys and over very many."""
    size, few, many = sizes.partition_events, sizes.few_keys, sizes.many_keys
    times = in_fresh_process(partition_times, size=size, few=few, many=many, repeat=sizes.repeat)
    memory = in_fresh_process(partition_memory, size=size, keys=many)
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
            at_most(
                f"{many:,} keys against {few:,}: time", TIMES_BAR, ratio, f"{size:,} events, best to best"
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


def over_keys(size: int, keys: int, generated_keys: int) -> pa.Table:
    """Events of many symbols, folded onto fewer: all else stays the same."""
    batches = stock_batches(size, 1, symbols=generated_keys, batch_rows=FOLDED_BATCH)
    events = pa.Table.from_batches(batches, schema=STOCKS_SCHEMA).combine_chunks()
    if keys == generated_keys:
        return events
    folded = (events.column("symbol").to_numpy() - 1) % keys + 1
    return events.set_column(1, "symbol", pa.array(folded))


def partition_times(size: int, few: int, many: int, repeat: int) -> dict[str, Any]:
    """The same events over few keys and over many, in turns."""
    asked = query(BY_KEY)
    runs = {str(keys): whole_run(asked, over_keys(size, keys, many)) for keys in (few, many)}
    matches = {name: len(run()) for name, run in runs.items()}
    timings = measure(runs, repeat)
    return {
        name: {"best": timing.best, "median": timing.median, "matches": matches[name]}
        for name, timing in timings.items()
    }


def partition_memory(size: int, keys: int) -> dict[str, Any]:
    """One run over many keys, for its peak of memory."""
    matches = whole_run(query(BY_KEY), over_keys(size, keys, keys))()
    return {"matches": len(matches), "state_bytes": matches.stats["peak_state_bytes"]}


def memory(sizes: SaseSizes) -> Section:
    """A long stream through one session."""
    told = in_fresh_process(memory_curve, size=sizes.stream_events, batch_rows=_batch_rows(sizes), window=500)
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


def memory_curve(size: int, batch_rows: int, window: int) -> dict[str, Any]:
    """A long stream through one session: memory and state as it goes."""
    session = QueryTemplate("p2", "s3", window).parsed().session(STOCKS_SCHEMA, time="time", type="type")
    samples: list[dict[str, int]] = []
    every = max(size // batch_rows // SAMPLES, 1)
    matches = 0
    for number, batch in enumerate(stock_batches(size, 1, batch_rows=batch_rows), 1):
        matches += session.push(batch).num_rows
        if number % every == 0:
            stats = session.stats
            samples.append(
                {"events": stats["events"], "resident": resident_bytes(), "state": stats["state_bytes"]}
            )
            _say_share(stats["events"] / size)
    matches += session.close().num_rows
    return {"matches": matches, "seconds": session.stats["seconds"], "samples": samples}


def _say_share(done: float) -> None:
    if sys.stderr.isatty():
        print(f"\r  {done:4.0%}", end="\r" if done >= 1 else "", file=sys.stderr, flush=True)


def _batch_rows(sizes: SaseSizes) -> int:
    """Batches as they come, but at least a few dozen of them."""
    return min(BATCH_ROWS, max(sizes.stream_events // 40, 1))


def _quarter(values: np.ndarray, number: int) -> float:
    """The median of one quarter of the samples."""
    size = max(values.size // 4, 1)
    return float(np.median(values[number * size : (number + 1) * size] if values.size >= 4 else values))


def first_answer(sizes: SaseSizes) -> Section:
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
