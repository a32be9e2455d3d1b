"""Experiments 1 to 3 of the A-Seq thesis (5.2): length, window and density against building every match."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from cepheid.bench.aseq.events import TYPES, most_active, trades
from cepheid.bench.aseq.queries import DEFAULT, agreed, counted, counting, method_of, nanoseconds, runs_of
from cepheid.bench.aseq.sizes import AseqSizes
from cepheid.bench.harness import measure
from cepheid.bench.results import Chart, Figure, Row, Section, no_bar
from cepheid.matches import Matches

BUILDS, LISTS = "construction", "two_step"
COUNTS = (DEFAULT, "aseq")
STOCKS = ("DELL", "IPIX", "QQQ", "AMAT", "MSFT", "CSCO", "INTC", "ORCL", "YHOO", "RIMM")
RATIO_BAR = 10_000
THESIS_RATIO = 16_736

METHODS_TEXT = (
    "default and aseq count, over the longer stream; construction is the thesis's baseline, compiled: a "
    "stack of events for each step, every match built at its last event and written to a buffer, then "
    "aggregated; two_step lets the nfa engine make a table of all matches, and is left out where there are "
    "too many. What builds matches runs over a stream that is cut short where they would be too many; over "
    "it all methods were found to give the same rows."
)


@dataclass(frozen=True, slots=True)
class Setting:
    """One query over one kind of stream."""

    length: int
    window: int  # ms
    density: int  # events a ms

    @property
    def text(self) -> str:
        return counting(STOCKS[: self.length], f"{self.window} ms")

    @property
    def matches(self) -> float:
        """About how many matches an event completes, when the window is full."""
        inside = self.window * self.density / len(TYPES)
        return inside ** (self.length - 1) / math.factorial(self.length - 1) / len(TYPES)

    def events_for(self, most: int, sizes: AseqSizes) -> int:
        """Enough events for about `most` matches, but at least three windows of them."""
        return int(min(sizes.events, max(most / self.matches, 3 * self.window * self.density)))


def lengths(sizes: AseqSizes) -> Section:
    """Experiment 1: pattern length, at a window of 100 ms."""
    settings = [Setting(length, 100, sizes.density) for length in sizes.lengths]
    rows = [row for setting in settings for row in _measured(setting, sizes)]
    return Section(
        "Experiment 1: pattern length",
        f"{settings[-1].text} and its beginnings; {sizes.density} events a ms of {len(TYPES)} stocks. "
        f"{METHODS_TEXT} The thesis: A-Seq takes 1,200 ns an event at length 2 and little more at length 5; "
        f"building matches 20,000 ns at length 2 and {THESIS_RATIO:,} times A-Seq at length 5, and its "
        "memory grows likewise. Objects are counted as it does: for A-Seq the active first events; for the "
        "baseline events on stacks, pointers, and the matches of one event (of which only a buffer is kept).",
        tuple(rows),
        (
            Chart("length", "ns/event", "method", log_y=True, from_zero=False, title="time (figure 5.1a)"),
            Chart("length", "peak state bytes", "method", log_y=True, from_zero=False, title="memory (5.1b)"),
        ),
        (_ratio(rows, f"length {settings[-1].length}, {sizes.density} events a ms", bar=True),),
    )


def windows(sizes: AseqSizes) -> Section:
    """Experiment 2: windows of 100 to 500 ms, at length 3."""
    settings = [Setting(3, window, sizes.density) for window in sizes.windows]
    rows = [row for setting in settings for row in _measured(setting, sizes)]
    last = [row for row in rows if row["window ms"] == sizes.windows[-1]]
    return Section(
        "Experiment 2: windows",
        f"{settings[0].text} and larger windows. The thesis: building degrades much faster than A-Seq as the "
        "window grows, in time and in memory.",
        tuple(rows),
        (
            Chart("window ms", "ns/event", "method", log_y=True, from_zero=False, title="time (figure 5.2a)"),
            Chart(
                "window ms", "peak state bytes", "method", log_y=True, from_zero=False, title="memory (5.2b)"
            ),
        ),
        (_ratio(last, f"length 3, window {sizes.windows[-1]} ms", bar=False),),
    )


def densities(sizes: AseqSizes) -> Section:
    """Length 5 over streams of other densities, which the thesis does not tell."""
    settings = [Setting(max(sizes.lengths), 100, density) for density in sizes.densities]
    rows = [row for setting in settings for row in _measured(setting, sizes)]
    figures = tuple(
        _ratio(
            [row for row in rows if row["events/ms"] == density],
            f"length {settings[0].length}, {density} events a ms",
            bar=False,
        )
        for density in sizes.densities
    )
    return Section(
        "Length 5 and the density of the stream",
        "The matches that an event completes grow with the fourth power of the density, and the time to "
        "build them with it; counting does not see them. So one ratio means little without the density, "
        f"which the thesis does not tell beside its {THESIS_RATIO:,}.",
        tuple(rows),
        (Chart("events/ms", "ns/event", "method", log_y=True, from_zero=False, title="time by density"),),
        figures,
    )


def _measured(setting: Setting, sizes: AseqSizes) -> Iterator[dict[str, Any]]:
    events = trades(sizes.events, density=setting.density)
    short = events.slice(0, setting.events_for(sizes.most_built, sizes))
    brief = short.slice(0, setting.events_for(sizes.most_listed, sizes))
    lists = setting.matches * brief.num_rows <= 2 * sizes.most_listed
    checked = runs_of(setting.text, short, (BUILDS, *COUNTS))
    found = agreed(checked)
    counts = runs_of(setting.text, events, COUNTS)
    timings = measure(counts, sizes.repeat)
    for method in COUNTS:
        yield _row(setting, method, events, timings[method].best, counts[method]())
    built = measure({BUILDS: checked[BUILDS]}, 1 if setting.matches > 1_000 else sizes.repeat, discarded=0)
    yield _row(setting, BUILDS, short, built[BUILDS].best, found[BUILDS])
    if lists:
        listing = runs_of(setting.text, brief, (LISTS, DEFAULT))
        listed = agreed(listing)
        seconds = measure({LISTS: listing[LISTS]}, 1, discarded=0)[LISTS].best
        yield _row(setting, LISTS, brief, seconds, listed[LISTS])


def _row(setting: Setting, method: str, events: pa.Table, seconds: float, found: Matches) -> dict[str, Any]:
    built = found.stats.get("built", 0)
    starts = most_active(events, STOCKS[0], setting.window * 1_000)
    return {
        "length": setting.length,
        "window ms": setting.window,
        "events/ms": setting.density,
        "method": method,
        "events": events.num_rows,
        "ns/event": nanoseconds(seconds, events.num_rows),
        "built/event": round(built / events.num_rows, 1) if built else "–",
        "ns/built match": round(seconds * 1e9 / built, 2) if built else "–",
        "peak state bytes": found.stats["peak_state_bytes"],
        "objects": found.stats.get("peak_objects", starts if method == "aseq" else "–"),
    }


def _ratio(rows: list[dict[str, Any]], what: str, bar: bool) -> Figure:
    """The baseline against counting, at the longest of the lengths."""
    longest = max(row["length"] for row in rows)
    by_method: dict[str, Row] = {row["method"]: row for row in rows if row["length"] == longest}
    counts, builds = by_method[DEFAULT], by_method[BUILDS]
    ratio = builds["ns/event"] / counts["ns/event"]
    beside = builds["ns/event"] / by_method["aseq"]["ns/event"]
    return Figure(
        f"{what}: building against counting",
        f"at least {RATIO_BAR:,}× (the thesis: {THESIS_RATIO:,}×)" if bar else "–",
        f"{ratio:,.0f}×",
        ratio >= RATIO_BAR if bar else None,
        f"{builds['built/event']} matches an event at {builds['ns/built match']} ns each, against "
        f"{counts['ns/event']} ns an event; against aseq {beside:,.0f}×",
    )


def stress(sizes: AseqSizes) -> Section:
    """Experiment 3: long patterns over large windows, where building is out of reach."""
    rows = [*_stressed(sizes, 2_000, sizes.stress_events, (*COUNTS,))]
    huge = sizes.huge_window // sizes.density
    rows += _stressed(sizes, huge, sizes.huge_events, (DEFAULT,))
    slowest = max(row["ns/event"] for row in rows if row["method"] == DEFAULT)
    return Section(
        "Experiment 3: stress",
        f"Lengths {', '.join(map(str, sizes.stress_lengths))}; windows of 2,000 ms and of {huge:,} ms, which "
        f"hold {2_000 * sizes.density:,} and {sizes.huge_window:,} events. Counts are exact, however long. "
        "The thesis: 21,900 ns an event at length 10 and 2,000 ms, where its baseline runs out of memory.",
        tuple(rows),
        (Chart("length", "ns/event", "contender", log_y=True, from_zero=False, title="time (figure 5.3a)"),),
        (
            no_bar(
                "stress: the slowest of the default",
                f"{slowest:,.0f} ns an event",
                f"the largest count has {max(row['digits'] for row in rows)} digits",
                bar="– (the thesis: 21,900 ns an event)",
            ),
        ),
    )


def _stressed(sizes: AseqSizes, window: int, size: int, methods: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    events = trades(size, density=sizes.density)
    for length in sizes.stress_lengths:
        text = counting(STOCKS[:length], f"{window} ms")
        runs = runs_of(text, events, methods)
        found = agreed(runs)
        timings = measure(runs, 1, discarded=0)
        for method, timing in timings.items():
            counts = found[method].table.column("count")
            yield {
                "length": length,
                "window ms": window,
                "method": method,
                "contender": f"{method}, {window:,} ms",
                "counted by": method_of(counted(text, method), events),
                "events": size,
                "ns/event": nanoseconds(timing.best, size),
                "peak state bytes": found[method].stats["peak_state_bytes"],
                "digits": max(map(len, counts.cast(pa.string()).to_pylist()), default=0),
            }
