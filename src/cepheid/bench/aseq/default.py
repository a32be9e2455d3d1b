"""What the default method of counting promises: the same cost for any window, and many events a second."""

from cepheid.bench.aseq.events import TYPES, ticking
from cepheid.bench.aseq.queries import (
    DEFAULT,
    agreed,
    counted,
    counting,
    method_of,
    nanoseconds,
    runs_of,
    timing_columns,
)  # fmt: skip
from cepheid.bench.aseq.single import STOCKS
from cepheid.bench.aseq.sizes import AseqSizes
from cepheid.bench.harness import measure
from cepheid.bench.results import Chart, Figure, Section, at_most
from cepheid.bench.sase.queries import whole_run

FLAT_BAR, STARTS_BAR, SPEED_BAR = 1.5, 20.0, 20_000_000
FLAT_LENGTHS = (3, 4)
SPEED_WINDOW = 1_000


def any_window(sizes: AseqSizes) -> Section:
    """The default's time an event, whatever the window holds."""
    events = ticking(sizes.flat_events)
    least, most = min(sizes.flat_windows), max(sizes.flat_windows)
    rows, figures = [], []
    for length in FLAT_LENGTHS:
        texts = {str(window): counting(STOCKS[:length], str(window)) for window in sizes.flat_windows}
        runs = {window: whole_run(counted(text), events) for window, text in texts.items()}
        timings = measure(runs, sizes.repeat)
        for window, timing in timings.items():
            rows.append(
                {
                    "length": length,
                    "window events": int(window),
                    "counted by": method_of(counted(texts[window]), events),
                    **timing_columns(timing, events.num_rows),
                    "pattern": f"length {length}",
                }
            )
        ratio = timings[str(most)].best / timings[str(least)].best
        name = f"length {length}: a window of {most:,} events against {least:,}"
        median = timings[str(most)].median / timings[str(least)].median
        figures.append(at_most(name, FLAT_BAR, ratio, f"best to best; median {median:.2f}×"))
    return Section(
        "Any window at the same cost",
        f"{counting(STOCKS[: FLAT_LENGTHS[-1]], 'W')}, and the same at length {FLAT_LENGTHS[0]}, over "
        f"{events.num_rows:,} events, from an Arrow table to an Arrow table. The thesis visits every active "
        "start at each update, so its time grows with the window.",
        tuple(rows),
        (Chart("window events", "ns/event", "pattern", title="time by window"),),
        tuple(figures),
    )


def active_starts(sizes: AseqSizes) -> Section:
    """The default against start event marking where many starts are active."""
    window = sizes.active_starts * len(TYPES)
    events = ticking(max(sizes.active_events, 6 * window // 5))
    text = counting(STOCKS[:4], str(window))
    runs = runs_of(text, events, (DEFAULT, "aseq"))
    found = agreed(runs)
    timings = measure(runs, sizes.repeat, discarded=0)
    ratio = timings["aseq"].best / timings[DEFAULT].best
    rows = tuple(
        {
            "method": name,
            "counted by": method_of(counted(text, name), events),
            "ns/event": nanoseconds(timing.best, events.num_rows),
            "events/s": round(events.num_rows / timing.best),
            "peak state bytes": found[name].stats["peak_state_bytes"],
        }
        for name, timing in timings.items()
    )
    return Section(
        "Many active starts",
        f"{text} over {events.num_rows:,} events of {len(TYPES)} types: about {sizes.active_starts:,} starts "
        "are active at any time, and aseq visits all of them at each update.",
        rows,
        (Chart("method", "ns/event", kind="bar", log_y=True, title="time at many active starts"),),
        (
            Figure(
                f"aseq against the default at {sizes.active_starts:,} active starts",
                f"at least {STARTS_BAR:.0f}×",
                f"{ratio:,.0f}×",
                ratio >= STARTS_BAR,
                "best to best",
            ),
        ),
    )


def throughput(sizes: AseqSizes) -> Section:
    """Events a second on one core, from a table with dictionary-encoded types."""
    events = ticking(sizes.speed_events)
    text = counting(STOCKS[:4], str(SPEED_WINDOW))
    timing = measure({DEFAULT: whole_run(counted(text), events)}, sizes.repeat)[DEFAULT]
    speed, usual = events.num_rows / timing.best, events.num_rows / timing.median
    return Section(
        "Throughput",
        f"{text} over {events.num_rows:,} events of {len(TYPES)} types, dictionary-encoded; from an Arrow "
        "table to an Arrow table with a row for each completing event, one core, by processor time.",
        (
            {
                "counted by": method_of(counted(text), events),
                "events/s (cpu, best)": round(speed),
                "events/s (cpu, median)": round(usual),
                "events/s (wall, best)": round(events.num_rows / timing.best_wall),
                "ns/event": nanoseconds(timing.best, events.num_rows),
            },
        ),
        (),
        (
            Figure(
                "COUNT of length 4 from an Arrow table",
                "over 20 M events/s",
                f"{speed / 1e6:.1f} M events/s",
                speed > SPEED_BAR,
                f"best by processor time; median {usual / 1e6:.1f} M",
            ),
        ),
    )
