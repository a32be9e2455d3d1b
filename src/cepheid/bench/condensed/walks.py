"""Query 2 over random walks: figures 8a and 8b of the paper."""

from functools import cache
from typing import Any

from cepheid.bench.condensed.cells import ALWAYS, NAMED, NEVER, Cell, measured_cell, ways_of
from cepheid.bench.condensed.queries import random_walk, sequence_below
from cepheid.bench.condensed.sizes import CondensedSizes
from cepheid.bench.results import Chart, Figure, Section, at_least, no_bar

SEED = 0
FIXED_CLASSES, FIXED_WINDOW = 4, 20
SAVED_BAR, FASTER_BAR = 100, 20


@cache
def walk_cell(sizes: CondensedSizes, classes: int, window: int, steps: int) -> Cell:
    """Query 2 of so many classes in a window of so many steps, both sides indexed."""
    events = random_walk(classes, steps, SEED)
    asked = ways_of(sequence_below(classes, window))
    name = f"Query 2, {classes} classes, {window} steps"
    return measured_cell(name, asked, events, sizes.repeat, sizes.budget)


def by_window(sizes: CondensedSizes) -> list[tuple[int, Cell]]:
    """The cells of figure 8a, by their window."""
    return [(window, walk_cell(sizes, FIXED_CLASSES, window, sizes.steps)) for window in sizes.windows]


def by_classes(sizes: CondensedSizes) -> list[tuple[int, Cell]]:
    """The cells of figure 8b, by their number of classes."""
    return [(classes, walk_cell(sizes, classes, FIXED_WINDOW, sizes.steps)) for classes in sizes.classes]


def largest(sizes: CondensedSizes) -> Cell:
    """The cell for which a saving is promised."""
    return walk_cell(sizes, *sizes.largest, sizes.largest_steps)


def windows(sizes: CondensedSizes) -> Section:
    """Figure 8a: the window grows."""
    return _curve(
        f"Figure 8a: windows, {FIXED_CLASSES} classes", "window", by_window(sizes), "throughput (figure 8a)"
    )


def class_numbers(sizes: CondensedSizes) -> Section:
    """Figure 8b: the number of classes grows."""
    return _curve(
        f"Figure 8b: classes, {FIXED_WINDOW} steps", "classes", by_classes(sizes), "throughput (figure 8b)"
    )


def saving(sizes: CondensedSizes) -> Section:
    """The largest cell: what is tested and made, and the time."""
    classes, window = sizes.largest
    cell = largest(sizes)
    note = f"{cell.sides[NEVER].work:,} against {cell.sides[ALWAYS].work:,} pairs tested and composites made"
    return Section(
        f"Query 2, {classes} classes, {window} steps",
        f"{sequence_below(classes, window)} over {sizes.largest_steps:,} steps of the random walk.",
        tuple(rows_of(cell, {"classes": classes, "window": window})),
        figures=(
            at_least(f"Query 2, {classes} classes, {window} steps: fewer tested and made", SAVED_BAR,
                     cell.saved(), note),
            at_least(f"Query 2, {classes} classes, {window} steps: condensed is faster", FASTER_BAR,
                     cell.faster(), "by processor time"),
        ),
    )  # fmt: skip


def _curve(title: str, along: str, cells: list[tuple[int, Cell]], picture: str) -> Section:
    rows = [row for value, cell in cells for row in rows_of(cell, {along: value})]
    fewer = ", ".join(f"{value}: {cell.saved():.1f}" for value, cell in cells)
    faster = ", ".join(f"{value}: {cell.faster():.2f}" for value, cell in cells)
    ahead = [cell.faster() >= 1 for _, cell in cells]
    figures = (
        Figure(f"{title}: condensed is faster", "at every point", f"at {sum(ahead)} of {len(ahead)}",
               all(ahead), f"times as fast, by {along}: {faster}"),
        no_bar(f"{title}: fewer tested and made", f"by {along}: {fewer}"),
    )  # fmt: skip
    return Section(
        title,
        "The paper's random walk: an event of each class a step, prices from a uniform start, steps uniform "
        "in -5 to 5, held in 0 to 100. A window of n steps holds events at most n steps apart. EMIT COUNT, "
        "a batch of 1, indexes on both sides; not condensed makes every composite, as the paper's own "
        "yardstick does. Counts were found equal. Seconds are medians of rounds in turns.",
        tuple(rows),
        (Chart(along, "events/s", "side", log_y=True, from_zero=False, title=picture),
         Chart(along, "tested and made", "side", log_y=True, from_zero=False, title=f"work, by {along}")),
        figures,
    )  # fmt: skip


def rows_of(cell: Cell, place: dict[str, Any]) -> list[dict[str, Any]]:
    """A row for each side of a cell."""
    return [
        {
            **place,
            "side": NAMED.get(side, side),
            "events": cell.events,
            "matches": found.matches,
            "pairs tested": found.pairs,
            "composites": found.composites,
            "tested and made": found.work,
            "µs/event": round(cell.microseconds(side), 2),
            "events/s": round(cell.events / max(found.median, 1e-9)),
            "state MB": round(found.state_bytes / 1e6, 2),
            "rounds": len(found.seconds),
            "shape": found.shape,
        }
        for side, found in cell.sides.items()
    ]
