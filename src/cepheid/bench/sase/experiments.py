"""The experiments of the SASE+ paper: predicates and strategies, windows, other streams; one loop by hand."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from cepheid.bench.harness import measure
from cepheid.bench.results import Chart, Figure, Section, at_most
from cepheid.bench.sase.queries import (
    PREDICATES,
    SEED,
    SESSION_ROWS,
    STRATEGIES,
    OutputSize,
    QueryTemplate,
    drained,
    same_matches,
    whole_run,
)  # fmt: skip
from cepheid.bench.sase.sizes import SaseSizes
from cepheid.bench.stages import stages_of
from cepheid.errors import CepheidError
from cepheid.matchers.baselines.handwritten import rising_prices
from cepheid.matches import Matches
from cepheid.sources.generate import stocks

GOOD_FIT = 0.95
GROWS = 1.5  # a fit needs an output that the window changes at least so much

SPEED_BAR, RATIO_BAR = 3_000_000, 3.0


def by_hand(sizes: SaseSizes) -> Section:
    """p2s3 against a loop that does nothing else, in turns."""
    template = QueryTemplate("p2", "s3")
    events = stocks(sizes.headline_events, SEED)
    engine = whole_run(template.parsed(), events)
    found = engine()
    if not same_matches(found.table, rising_prices(events, template.window)):
        raise CepheidError("the engine and the loop written by hand differ in their matches of p2s3")
    output = OutputSize.of(found.table)
    del found
    timings = measure(
        {"cepheid": engine, "by hand": lambda: rising_prices(events, template.window)}, sizes.headline_repeat
    )
    rows = tuple(
        {
            "contender": name,
            "events/s (cpu, best)": round(events.num_rows / timing.best),
            "events/s (cpu, median)": round(events.num_rows / timing.median),
            "events/s (wall, best)": round(events.num_rows / timing.best_wall),
            "matches": output.matches,
            "events in matches": output.events,
        }
        for name, timing in timings.items()
    )
    speed = events.num_rows / timings["cepheid"].best
    ratio = timings["cepheid"].best / timings["by hand"].best
    usual = events.num_rows / timings["cepheid"].median
    wall = events.num_rows / timings["cepheid"].best_wall
    middle = timings["cepheid"].median / timings["by hand"].median
    return Section(
        "p2s3, and the same written by hand",
        f"{template.text} over {events.num_rows:,} events of two symbols whose price rises with probability "
        "0.7: from an Arrow table to an Arrow table, every match materialised, on one core. The loop written "
        "by hand knows the query and the columns, and leaves out match_id; both outputs were found equal "
        "before the clock started. The two take turns; a first run of each was thrown away.",
        rows,
        (Chart("contender", "events/s (cpu, best)", kind="bar", title="events a second, p2s3"),),
        (
            Figure(
                "p2s3 end to end",
                "at least 3 M events/s",
                f"{speed / 1e6:.2f} M events/s",
                speed >= SPEED_BAR,
                f"best by processor time; median {usual / 1e6:.2f} M; best by wall clock {wall / 1e6:.2f} M",
            ),
            at_most(
                "p2s3 against the loop by hand",
                RATIO_BAR,
                ratio,
                f"best to best; median to median {middle:.2f}×",
            ),
        ),
    )


def predicates(sizes: SaseSizes) -> Section:
    """Experiment 1: each predicate under each strategy, W = 500."""
    events = stocks(sizes.predicate_events, SEED)
    templates = [QueryTemplate(predicate, strategy) for predicate in PREDICATES for strategy in STRATEGIES]
    runs = {template.name: whole_run(template.parsed(), events) for template in templates}
    timings = measure(runs, sizes.repeat)
    rows = [_profiled(name, run, events.num_rows, timings[name].best) for name, run in runs.items()]
    return Section(
        "Experiment 1: predicates and strategies",
        f"W = 500, {events.num_rows:,} events, two symbols, price rising with probability 0.7. p1 is true; "
        "p2 asks for a rising price; p3 compares with an aggregate of what was taken. s2 is "
        "partition_contiguity, s3 skip_till_next_match. Shares of the time: matching steps the automaton, "
        "construction makes the table of matches; the rest reads the events.",
        tuple(rows),
        (Chart("query", "events/s", kind="bar", log_y=True, title="throughput (figure 8a)"),),
    )


def _profiled(name: str, run: Callable[[], Matches], events: int, seconds: float) -> dict[str, Any]:
    found = run()
    output, steps = OutputSize.of(found.table), found.stats["run_steps"]
    del found
    stages = stages_of(run)
    return {
        "query": name,
        "events/s": round(events / seconds),
        "run steps/event": round(steps / events, 3),
        "matches": output.matches,
        "events/match": round(output.average, 1),
        "ns/output event": round(seconds * 1e9 / max(output.events, 1), 1),
        "matching": f"{stages.matching:.0%}" if stages else "–",
        "construction": f"{stages.construction:.0%}" if stages else "–",
    }


WINDOWED = (
    *(("p1", "s3"), ("p2", "s2"), ("p2", "s3")),
    *(("p3min", "s2"), ("p3min", "s3"), ("p3max", "s3"), ("p3avg", "s3")),
)


def windows(sizes: SaseSizes) -> Section:
    """Experiment 2: the window grows; and the cost against what comes out."""
    events = stocks(sizes.window_events, SEED)
    rows = list(_windowed(events, sizes))
    names = dict.fromkeys(row["query"] for row in rows)
    fits = {name: fit for name in names if (fit := _fit(name, rows)) is not None}
    worst = min((fit.r_squared for fit in fits.values()), default=None)
    figure = Figure(
        "cost against output complexity",
        f"linear: R² at least {GOOD_FIT}",
        "nothing to fit" if worst is None else f"R² at least {worst:.3f}",
        None if worst is None else worst >= GOOD_FIT,
        "R², ns an output event: " + "; ".join(f"{name} {fit}" for name, fit in fits.items()),
    )
    return Section(
        "Experiment 2: windows, and the cost of output",
        f"{events.num_rows:,} events through a session in batches of {SESSION_ROWS:,}, matches materialised "
        "and dropped. The output complexity is the summed length of all matches; the cost should be linear "
        "in it.",
        tuple(rows),
        (
            Chart("W", "events/s", "query", log_y=True, from_zero=False, title="throughput (figure 8b)"),
            Chart("output events", "seconds", "query", title="cost against output complexity (figure 8c)"),
        ),
        (figure,),
    )


def _windowed(events: pa.Table, sizes: SaseSizes) -> Iterator[dict[str, Any]]:
    for predicate, strategy in WINDOWED:
        asked = {window: QueryTemplate(predicate, strategy, window).parsed() for window in sizes.windows}
        runs = {str(window): partial(drained, asked[window], events, SESSION_ROWS) for window in asked}
        outputs = {name: run() for name, run in runs.items()}
        for name, timing in measure(runs, sizes.repeat).items():
            yield {
                "query": predicate + strategy,
                "W": int(name),
                "events/s": round(events.num_rows / timing.best),
                "matches": outputs[name].matches,
                "output events": outputs[name].events,
                "seconds": round(timing.best, 4),
            }


@dataclass(frozen=True, slots=True)
class Fit:
    """A line through cost and output."""

    r_squared: float
    nanoseconds: float  # an output event

    def __str__(self) -> str:
        return f"{self.r_squared:.3f}, {self.nanoseconds:.1f}"


def _fit(name: str, rows: list[dict[str, Any]]) -> Fit | None:
    """A line through cost and output of one query, if its windows give at least three different outputs:
    through two, any line fits, and noise decides."""
    output = np.array([row["output events"] for row in rows if row["query"] == name], float)
    seconds = np.array([row["seconds"] for row in rows if row["query"] == name])
    steps = np.diff(np.sort(output)) > 0.05 * output.max()
    if steps.sum() < 2 or output.max() < GROWS * output.min():
        return None
    slope, start = np.polyfit(output, seconds, 1)
    spread = float(((seconds - seconds.mean()) ** 2).sum())
    missed = float(((seconds - slope * output - start) ** 2).sum())
    return Fit(1 - missed / max(spread, 1e-12), float(slope) * 1e9)


def rises(sizes: SaseSizes) -> Section:
    """Other streams: prices that rise less often."""
    streams = {rise: stocks(sizes.predicate_events, SEED, rise=rise) for rise in sizes.rises}
    rows = []
    for predicate in ("p1", "p2", "p3min"):
        asked = QueryTemplate(predicate, "s3").parsed()
        runs = {str(rise): whole_run(asked, events) for rise, events in streams.items()}
        outputs = {name: OutputSize.of(run().table) for name, run in runs.items()}
        for name, timing in measure(runs, sizes.repeat).items():
            rows.append(
                {
                    "query": predicate + "s3",
                    "p": float(name),
                    "events/s": round(sizes.predicate_events / timing.best),
                    "matches": outputs[name].matches,
                    "events/match": round(outputs[name].average, 1),
                }
            )
    return Section(
        "Other streams: how often the price rises",
        "W = 500, skip_till_next_match. Where prices rise less often, p2 takes fewer events a match, and a "
        "price stays longer where runs start.",
        tuple(rows),
        (Chart("p", "events/s", "query", log_y=True, from_zero=False, title="throughput by rise of price"),),
    )
