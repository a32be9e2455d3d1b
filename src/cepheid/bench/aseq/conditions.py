"""Experiment 4 of the A-Seq thesis, absence; and what else a counted pattern asks: predicates, keys."""

from typing import Any

import pyarrow as pa

from cepheid.bench.aseq.events import trades
from cepheid.bench.aseq.queries import DEFAULT, agreed, counted, counting, method_of, runs_of, timing_columns
from cepheid.bench.aseq.single import BUILDS, COUNTS, Setting
from cepheid.bench.aseq.sizes import AseqSizes
from cepheid.bench.harness import Timing, measure
from cepheid.bench.results import Chart, Section, at_most
from cepheid.bench.sase.queries import whole_run
from cepheid.errors import UnsupportedError
from cepheid.events import bind

ABSENCE_BAR = 3.0
WINDOW = "100 ms"
POSITIVE = ("DELL", "IPIX", "AMAT")
ABSENCES = {
    "none (q8)": POSITIVE,
    "inside (q9)": ("DELL", "IPIX", "~QQQ", "AMAT"),
    "second": ("DELL", "~QQQ", "IPIX", "AMAT"),
    "at the start": ("~QQQ", *POSITIVE),
    "at the end": (*POSITIVE, "~QQQ"),
}
PREDICATES = {
    "none": "",
    "one, half pass": "v1.price > 500",
    "all, half pass": "v1.price > 500 AND v2.price > 500 AND v3.price > 500",
    "all, a tenth passes": "v1.price > 900 AND v2.price > 900 AND v3.price > 900",
}


def absences(sizes: AseqSizes) -> Section:
    """Experiment 4: an absence inside, second, at the start and at the end."""
    events = trades(sizes.events, density=sizes.density)
    texts = {place: counting(types, WINDOW) for place, types in ABSENCES.items()}
    rows, timings = _compared("absence", texts, events, sizes)
    ratio, marked, built = (
        timings["inside (q9)"][method].best / timings["none (q8)"][method].best
        for method in (DEFAULT, "aseq", BUILDS)
    )
    note = f"best to best; aseq {marked:.2f}×, building {built:.2f}×"
    return Section(
        "Experiment 4: absence",
        f"{texts['none (q8)']}, and the same with ~QQQ at each place. Building tests an absence on matches "
        "that are built, and takes none at the start or the end. The thesis: A-Seq takes almost nothing more "
        "for q9 than for q8, the baseline much.",
        rows,
        (Chart("absence", "ns/event", kind="bar", log_y=True, title="time (figure 5.3b)"),),
        (at_most("an inner absence against the positive query", ABSENCE_BAR, ratio, note),),
        tuple(row for row in rows if row["method"] == DEFAULT),
    )


def predicates(sizes: AseqSizes) -> Section:
    """Conditions on single events."""
    events = trades(sizes.events, density=sizes.density)
    texts = {name: counting(POSITIVE, WINDOW, where) for name, where in PREDICATES.items()}
    rows, _ = _compared("predicate", texts, events, sizes)
    return Section(
        "Predicates",
        f"{texts['none']}, with conditions on single events. They are evaluated for whole columns before "
        "anything is counted; what does not pass is not counted, as in the thesis (3.4).",
        rows,
        (Chart("predicate", "ns/event", kind="bar", log_y=True, title="time by predicate, default"),),
        drawn=tuple(row for row in rows if row["method"] == DEFAULT),
    )


def equivalence(sizes: AseqSizes) -> Section:
    """An equivalence test over more and more values: the thesis's hashed prefix counters."""
    rows: list[dict[str, Any]] = []
    text = counting(POSITIVE, WINDOW, "[account]")
    for keys in sizes.keys:
        events = trades(sizes.events, density=sizes.density, accounts=keys)
        found, _ = _compared("accounts", {str(keys): text}, events, sizes)
        rows += [{**row, "accounts": keys} for row in found]
    return Section(
        "Equivalence",
        f"{text}. The more accounts, the fewer events of each are in a window, and the fewer matches. The "
        "thesis keeps its counters by value (hashed prefix counters).",
        tuple(rows),
        (Chart("accounts", "ns/event", "method", log_y=True, from_zero=False, title="time by accounts"),),
    )


def _compared(
    what: str, texts: dict[str, str], events: pa.Table, sizes: AseqSizes
) -> tuple[tuple[dict[str, Any], ...], dict[str, dict[str, Timing]]]:
    """Each query by each method that can run it, all in turns. What builds matches gets fewer events."""
    short = events.slice(0, Setting(3, 100, sizes.density).events_for(sizes.most_built, sizes))
    runs = {}
    timings: dict[str, dict[str, Timing]] = {}
    for name, text in texts.items():
        methods = (*COUNTS, BUILDS) if _is_built(text, short) else COUNTS
        agreed(runs_of(text, short, methods))
        for method in methods:
            runs[name, method] = whole_run(counted(text, method), short if method == BUILDS else events)
    measured = measure({"|".join(key): run for key, run in runs.items()}, sizes.repeat, discarded=0)
    rows = []
    for name, method in runs:
        timing, used = measured[f"{name}|{method}"], short if method == BUILDS else events
        timings.setdefault(name, {})[method] = timing
        rows.append(
            {
                what: name,
                "method": method,
                "counted by": method_of(counted(texts[name], method), used),
                "events": used.num_rows,
                **timing_columns(timing, used.num_rows),
            }
        )
    return tuple(rows), timings


def _is_built(text: str, events: pa.Table) -> bool:
    try:
        counted(text, BUILDS).plan(bind(events.schema, time="time", type="type"))
    except UnsupportedError:
        return False
    return True
