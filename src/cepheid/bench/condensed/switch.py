"""The switch: `condense="auto"` against the better of the two sides, in every cell."""

from cepheid.bench.condensed.cells import ALWAYS, AUTO, NEVER, Cell, geometric_mean
from cepheid.bench.condensed.overtakes import by_seconds
from cepheid.bench.condensed.sizes import CondensedSizes
from cepheid.bench.condensed.walks import by_classes, by_window, largest
from cepheid.bench.results import Section, at_most

CELL_BAR, MEAN_BAR, STATE_BAR = 1.25, 1.1, 1.2


def all_cells(sizes: CondensedSizes) -> list[Cell]:
    """Every cell of figures 8a to 8c, once; those that have been measured are not measured again."""
    found = [*by_window(sizes), *by_classes(sizes), (0, largest(sizes))]
    found += [*by_seconds(sizes, index=False), *by_seconds(sizes, index=True)]
    return list({cell.name: cell for _, cell in found}.values())


def switch(sizes: CondensedSizes) -> Section:
    """How much `auto` loses, cell by cell."""
    cells = all_cells(sizes)
    ratios = [cell.against_better for cell in cells]
    worst = max(cells, key=lambda cell: cell.against_better)
    rows = tuple(
        {
            "cell": cell.name,
            "not condensed µs/event": round(cell.microseconds(NEVER), 2),
            "condensed µs/event": round(cell.microseconds(ALWAYS), 2),
            "auto µs/event": round(cell.microseconds(AUTO), 2),
            "auto to the better": round(cell.against_better, 3),
        }
        for cell in cells
    )
    return Section(
        "The switch: auto against the better side",
        'The cells of the figures above; condense="auto" took its turns there.',
        rows,
        figures=(
            at_most("the switch, every cell", CELL_BAR, max(ratios), f"the worst is {worst.name}"),
            at_most("the switch, geometric mean", MEAN_BAR, geometric_mean(ratios), f"{len(cells)} cells"),
        ),
    )


def states(sizes: CondensedSizes) -> Section:
    """The most state that each side held at a time, cell by cell."""
    cells = all_cells(sizes)
    ratio = {
        cell.name: cell.sides[ALWAYS].state_bytes / max(cell.sides[NEVER].state_bytes, 1) for cell in cells
    }
    worst = max(ratio, key=lambda name: ratio[name])
    rows = tuple(
        {
            "cell": cell.name,
            "not condensed MB": round(cell.sides[NEVER].state_bytes / 1e6, 2),
            "condensed MB": round(cell.sides[ALWAYS].state_bytes / 1e6, 2),
            "condensed to not": round(ratio[cell.name], 2),
        }
        for cell in cells
    )
    return Section(
        "Memory: peak state",
        "The most bytes of state at a time, as m.stats tells them, in the cells of the figures above.",
        rows,
        figures=(at_most("peak state, condensed to not condensed", STATE_BAR, ratio[worst],
                         f"in the worst cell, {worst}; mean {geometric_mean(list(ratio.values())):.2f}×"),),
    )  # fmt: skip
