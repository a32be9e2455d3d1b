"""The plan: whether the shape that is chosen is a good one, and whether a tree changes to a better one."""

from cepheid.bench.condensed.cells import AUTO, NEVER
from cepheid.bench.condensed.shapes_chosen import shapes_chosen
from cepheid.bench.condensed.sizes import CondensedSizes
from cepheid.bench.condensed.swapped_rates import SwapRow, swapped_rates
from cepheid.bench.results import Figure, Section, at_most, no_bar

NEAR_BAR, FAR_BAR, NEAR_SHARE = 1.3, 3.0, 45 / 50
SWAP_BAR = 1.25


def chosen(sizes: CondensedSizes) -> Section:
    """Random queries, the chosen shape against all shapes."""
    found = list(shapes_chosen(sizes.queries, sizes.query_events))
    near = sum(row.ratio <= NEAR_BAR for row in found)
    worst = max(row.ratio for row in found)
    near_work = sum(row.work_ratio <= NEAR_BAR for row in found)
    worst_work = max(row.work_ratio for row in found)
    return Section(
        "The plan: random queries, and all their shapes",
        f"{sizes.queries} random queries of three to five parts over {sizes.query_events:,} events each. A "
        "pair is tested if it is in order and in one window and the indexes do not pass over it.",
        tuple(
            {
                "query": row.query,
                "shapes": row.shapes,
                "chosen": row.chosen,
                "best": row.best,
                "pairs": row.pairs,
                "fewest": row.fewest,
                "most": row.most,
                "times the fewest": round(row.ratio, 2),
                "pairs and composites": row.work,
                "least of both": row.least_work,
            }
            for row in found
        ),
        figures=(
            Figure(
                f"the plan: at most {NEAR_BAR} times the fewest pairs",
                "in 45 of 50",
                f"in {near} of {len(found)}",
                near >= NEAR_SHARE * len(found),
                "over all shapes",
            ),
            at_most(
                "the plan: the worst of all queries", FAR_BAR, worst, "of the fewest pairs over all shapes"
            ),
            no_bar(
                "the plan, pairs tested and composites made",
                f"at most {NEAR_BAR} times the least in {near_work} of {len(found)}",
                f"the worst {worst_work:.2f}; without the events by themselves, which every shape has",
            ),
        ),
    )


def replanning(sizes: CondensedSizes) -> Section:
    """The rates of two types swap at half time."""
    sides = {way: swapped_rates(sizes.swapped_events, sizes.repeat, way) for way in (NEVER, AUTO)}
    return Section(
        "Re-planning: the rates of two types swap at half time",
        f"{sizes.swapped_events:,} events through a session, not condensed and as auto does; every shape "
        "found the same matches. Seconds are medians of processor time.",
        tuple(
            {
                "condense": way,
                "shape": row.shape,
                "first half s": round(row.first, 3),
                "second half s": round(row.second, 3),
                "tested and made": row.pairs_and_composites,
                "changes of shape": row.shape_changes,
            }
            for way, rows in sides.items()
            for row in rows
        ),
        figures=tuple(_second_half(way, rows) for way, rows in sides.items()),
    )


def _second_half(way: str, rows: list[SwapRow]) -> Figure:
    *fixed, auto = rows
    best = min(row.second for row in fixed)
    return at_most(
        f"re-planning, condense={way}: the second half to that of the best fixed shape",
        SWAP_BAR,
        auto.second / max(best, 1e-9),
        f"{auto.shape_changes} changes of shape",
    )
