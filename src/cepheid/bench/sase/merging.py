"""Experiments 5 and 6 of the SASE+ paper, and other streams: runs that are alike become one."""

from collections.abc import Mapping

from cepheid.bench.results import Chart, Figure, Row, Section, no_bar
from cepheid.bench.sase.queries import SEED, SESSION_ROWS, QueryTemplate
from cepheid.bench.sase.sharing import (
    AUTO,
    BASIC,
    MERGING,
    SharingTimes,
    compared_fed,
    compared_whole,
    listed_ratios,
    range_of,
    ratio,
)  # fmt: skip
from cepheid.bench.sase.sizes import SaseSizes
from cepheid.sources.generate import stocks

QUERIES = ("p1", "p2", "p3min", "p3max", "p3avg")
WINDOWED = ("p1", "p2", "p3min")

WAYS = (BASIC, MERGING, AUTO)
STEPS_BAR, AUTO_BAR = 1.4, 0.95
MILLION = 1e6
AS_P_FALLS = "it grows as p falls"

COLUMNS = (
    "Columns: how often a run reads an event (steps), apart and merged; millions of events a second of "
    "basic, in matching alone (the kernel) and in all, and what merging and auto gain; the summed lengths of "
    "the matches (output), and the time that is not matching for each event of them, in nanoseconds, of "
    "runs apart and from the chains of merged ones."
)
BOUND = (
    "Merging saves steps of runs. Listing every match saves nothing by it: each event of each match is "
    "written either way, and where runs were merged it has to be found along chains. Where output is long, "
    "that decides."
)


def predicates(sizes: SaseSizes) -> Section:
    """Experiment 5: each predicate at W = 500."""
    events = stocks(sizes.compared_events, SEED)
    templates = [QueryTemplate(predicate, "s3") for predicate in QUERIES]
    comparisons = {each.name: compared_whole(each, WAYS, events, sizes) for each in templates}
    return Section(
        "Experiment 5: merging of runs",
        f"W = 500, {events.num_rows:,} events from table to table, every match listed. {BOUND} The paper's "
        f"gains are 1.4 to 1.5. {COLUMNS}",
        tuple({"query": name, **_row(found)} for name, found in comparisons.items()),
        (Chart("query", "steps gain", kind="bar", title="run steps apart over merged"),),
        (
            _steps_figure("run steps saved by merging, W = 500", comparisons),
            _auto_figure("auto against basic, W = 500, table to table", comparisons),
        ),
    )


def windows(sizes: SaseSizes) -> Section:
    """Experiment 6: the window grows."""
    events = stocks(sizes.sharing_events, SEED)
    listed: dict[str, SharingTimes] = {}
    counted: dict[str, SharingTimes] = {}
    rows: list[Row] = []
    for predicate in WINDOWED:
        for window in sizes.windows:
            template = QueryTemplate(predicate, "s3", window)
            label = f"{template.name} W={window}"
            listed[label] = compared_fed(template, WAYS, events, sizes)
            counting = QueryTemplate(predicate, "s3", window, "COUNT")
            counted[label] = compared_fed(counting, (BASIC, AUTO), events, sizes)
            row = {"query": template.name, "W": window, **_row(listed[label])}
            row["count"] = ratio(counted[label].faster(AUTO))
            rows.append(row)
    gains = [(label, found.matching_faster(MERGING)) for label, found in listed.items()]
    counts = [(label, found.faster(AUTO)) for label, found in counted.items()]
    return Section(
        "Experiment 6: merging by window",
        f"{events.num_rows:,} events through a session in batches of {SESSION_ROWS:,}. As in the paper, the "
        "gain is that of matching alone, without construction; beside it end to end, with every match listed "
        f"(EMIT ALL) and, in the last column, auto over basic with a count for each completing event (EMIT "
        f"COUNT, where auto always merges). {BOUND} A count goes through the buffer of the window once for "
        "each completing event. Columns as in experiment 5.",
        tuple(rows),
        (
            Chart("W", "matching gain", "query", from_zero=False, title="gain in matching (figure 8g)"),
            Chart("W", "steps gain", "query", from_zero=False, title="run steps apart over merged"),
        ),
        (
            _steps_figure("run steps saved by merging, all windows", listed),
            _auto_figure("auto against basic, all windows, EMIT ALL", listed),
            _reported("merging against basic, matching alone", "1.4 to 2.1", gains),
            _reported("auto against basic, EMIT COUNT", "–", counts),
        ),
    )


def rises(sizes: SaseSizes) -> Section:
    """Other streams: prices that rise less often."""
    rows: list[Row] = []
    saved, gained = [], []
    for predicate in WINDOWED:
        template = QueryTemplate(predicate, "s3")
        for rise in sizes.rises:
            events = stocks(sizes.compared_events, SEED, rise=rise)
            found = compared_fed(template, WAYS, events, sizes)
            rows.append({"query": template.name, "p": rise, **_row(found)})
            saved.append((f"{template.name} p={rise}", found.steps_saved(MERGING)))
            gained.append((f"{template.name} p={rise}", found.matching_faster(MERGING)))
    return Section(
        "Merging, by how often the price rises",
        f"W = 500, {sizes.compared_events:,} events in batches of {SESSION_ROWS:,}. Where p is small, a "
        "price stays longer where runs start, so that more of them overlap, and under p2 matches are "
        "shorter: the paper says that the gain grows. Columns as in experiment 5.",
        tuple(rows),
        (
            Chart("p", "steps gain", "query", from_zero=False, title="run steps apart over merged"),
            Chart("p", "matching gain", "query", from_zero=False, title="gain in matching"),
        ),
        (
            _reported("run steps saved by merging, by p", AS_P_FALLS, saved),
            _reported("merging against basic by p, matching alone", AS_P_FALLS, gained),
        ),
    )


def _row(found: SharingTimes) -> dict[str, int | float]:
    return {
        "steps apart": found.found[BASIC].steps,
        "merged": found.found[MERGING].steps,
        "steps gain": ratio(found.steps_saved(MERGING)),
        "runs merged": found.found[MERGING].figure("runs_merged"),
        "matching M/s": ratio(found.matching_speed(BASIC) / MILLION),
        "matching gain": ratio(found.matching_faster(MERGING)),
        "auto gain": ratio(found.matching_faster(AUTO)),
        "all M/s": ratio(found.speed(BASIC) / MILLION),
        "merging/basic": ratio(found.faster(MERGING)),
        "auto/basic": ratio(found.faster(AUTO)),
        "output M": ratio(found.found[BASIC].listed / MILLION),
        "rest ns": round(found.listing(BASIC), 1),
        "from chains": round(found.listing(MERGING), 1),
    }


def _steps_figure(name: str, comparisons: Mapping[str, SharingTimes]) -> Figure:
    saved = [(label, found.steps_saved(MERGING)) for label, found in comparisons.items()]
    return _on_each(name, STEPS_BAR, saved, listed_ratios(saved))


def _auto_figure(name: str, comparisons: Mapping[str, SharingTimes]) -> Figure:
    speeds = [(label, found.faster(AUTO)) for label, found in comparisons.items()]
    return _on_each(name, AUTO_BAR, speeds, f"medians over rounds: {listed_ratios(speeds)}")


def _on_each(name: str, bar: float, values: list[tuple[str, float]], note: str) -> Figure:
    worst = min(value for _, value in values)
    return Figure(name, f"at least {bar}× on each", f"{worst:.2f}×", worst >= bar, note)


def _reported(name: str, paper: str, values: list[tuple[str, float]]) -> Figure:
    bar = "none" if paper == "–" else f"none; the paper: {paper}"
    return no_bar(name, range_of(values), listed_ratios(values), bar)
