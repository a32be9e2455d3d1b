"""Query 3 over stock prices: figure 8c of the paper, with nested loops as there and with indexes."""

from functools import cache
from typing import Any

from cepheid.bench.condensed.cells import ALWAYS, NEVER, Cell, measured_cell, ways_of
from cepheid.bench.condensed.queries import exchange, overtaking
from cepheid.bench.condensed.sizes import CondensedSizes
from cepheid.bench.condensed.walks import rows_of
from cepheid.bench.results import Chart, Figure, Section, at_least, at_most
from cepheid.query import query

SEED = 7
NFA = "nfa"
NESTED_BAR, TIME_BAR, GROWTH_BAR, NFA_BAR = 100, 1.25, 5, 5

EVENTS = (
    "codes, each with a price every 5 seconds: uniform in 9.50 to 10.50 at first, then a step of -2 to +2 "
    "ticks of 0.01 (0.05, 0.15, 0.6, 0.15, 0.05), held in that range. EMIT COUNT, a batch of 1."
)


@cache
def overtake_cell(sizes: CondensedSizes, window: int, index: bool) -> Cell:
    """Query 3 in a window of so many seconds, by nested loops or with indexes; there the nfa engine too."""
    rounds = sizes.rounds if index else sizes.nested_rounds
    text = overtaking(window)
    asked = ways_of(text, index) | ({NFA: query(text).using("nfa")} if index else {})
    name = f"Query 3, {window} s, {'indexed' if index else 'nested loops'}"
    return measured_cell(name, asked, exchange(rounds, SEED, sizes.codes), sizes.repeat, sizes.budget)


def by_seconds(sizes: CondensedSizes, index: bool) -> list[tuple[int, Cell]]:
    """The cells of figure 8c, by their window."""
    return [(window, overtake_cell(sizes, window, index)) for window in sizes.seconds]


def nested_loops(sizes: CondensedSizes) -> Section:
    """Figure 8c as the paper has it."""
    cells = by_seconds(sizes, index=False)
    window, last = cells[-1]
    by = ", ".join(f"{seconds} s: {cell.faster():.1f}" for seconds, cell in cells)
    return _section(
        "Figure 8c: Query 3 by nested loops",
        f"{sizes.nested_rounds} rounds of {sizes.codes} {EVENTS} Every join looks at all pairs.",
        cells,
        (at_least(f"Query 3, {window} s, nested loops: condensed is faster", NESTED_BAR, last.faster(),
                  f"times as fast, {by}; {last.saved():.0f} times fewer tested and made at {window} s"),),
    )  # fmt: skip


def with_indexes(sizes: CondensedSizes) -> Section:
    """The same with indexes, and on the nfa engine."""
    cells = by_seconds(sizes, index=True)
    pairs = [cell.sides[NEVER].pairs / max(cell.sides[ALWAYS].pairs, 1) for _, cell in cells]
    slowest = max(1 / max(cell.faster(), 1e-9) for _, cell in cells)
    (least, first), (most, last) = cells[0], cells[-1]
    growth = last.microseconds(ALWAYS) / max(first.microseconds(ALWAYS), 1e-9)
    times = ", ".join(f"{seconds} s: {1 / max(cell.faster(), 1e-9):.2f}" for seconds, cell in cells)
    figures = (
        Figure("Query 3, indexed: condensed never tests more pairs", "at every window",
               f"{min(pairs):.1f} to {max(pairs):.1f} times fewer", min(pairs) >= 1,
               "2 to 5 times fewer were expected"),
        at_most("Query 3, indexed: processor time, condensed to not condensed", TIME_BAR, slowest, times),
        at_most(f"Query 3, condensed and indexed: an event at {most} s to one at {least} s", GROWTH_BAR,
                growth, f"{last.microseconds(ALWAYS):.1f} and {first.microseconds(ALWAYS):.1f} µs"),
        at_least(f"Query 3, {most} s: condensed and indexed to the nfa engine", NFA_BAR,
                 last.faster(NFA, ALWAYS), f"nfa {last.microseconds(NFA):.1f} µs an event"),
    )  # fmt: skip
    title = "Query 3 with indexes"
    return _section(title, f"{sizes.rounds} rounds of {sizes.codes} {EVENTS}", cells, figures)


def _section(title: str, text: str, cells: list[tuple[int, Cell]], figures: tuple[Figure, ...]) -> Section:
    rows: list[dict[str, Any]] = [
        row for window, cell in cells for row in rows_of(cell, {"window s": window})
    ]
    chart = Chart("window s", "events/s", "side", log_y=True, from_zero=False, title=title)
    return Section(title, text, tuple(rows), (chart,), figures)
