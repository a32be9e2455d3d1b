"""The figures of section 5.1 of the CompAS paper: composition order, number of profiles, cardinality; and the
composition distance, which the paper names as a parameter and does not show."""

from collections.abc import Callable, Iterable
from functools import cache

from cepheid.bench.compas.filtering import FilterCell, cell, figures_of
from cepheid.bench.compas.sequences import ALL, SETTINGS, at_distance, crossed, grouped
from cepheid.bench.compas.sizes import CompasSizes
from cepheid.bench.results import Chart, Section

_TAKEN = (
    "Processor time an event, medians and least of {repeat} runs in turns; profiles are loaded before. "
    "Tested: primitives that events were tested for; looked_up: references to profiles that were followed; "
    "pool: what was in it at the end."
)


@cache
def order_cells(sizes: CompasSizes) -> tuple[FilterCell, ...]:
    """Those of figure 6."""
    count = sizes.sequences
    return tuple(
        cell(grouped(count, count, groups), setting, sizes.figure_repeat, groups=groups)
        for groups in sizes.groups
        for setting in SETTINGS
    )


@cache
def profile_cells(sizes: CompasSizes, groups: int) -> tuple[FilterCell, ...]:
    """Those of figure 7, with so many groups."""
    return tuple(
        cell(grouped(count, sizes.sequences, groups), setting, sizes.figure_repeat, profiles=count)
        for count in sizes.sequence_counts
        for setting in SETTINGS
    )


@cache
def cardinality_cells(sizes: CompasSizes) -> tuple[FilterCell, ...]:
    """Those of figure 8a."""
    size, repeat = sizes.cardinality_events, sizes.figure_repeat
    return tuple(
        cell(crossed(starts, ends, size), ALL, repeat, beginnings=starts, ends=ends)
        for starts, ends in sizes.cardinalities
    )


def _section(title: str, text: str, cells: Iterable[FilterCell], x: str, sizes: CompasSizes) -> Section:
    measured = list(cells)
    rows = [row for each in measured for row in each.rows()]
    drawn = [{**row, "line": f"{row['method']}, {row['setting']}"} for row in rows]
    return Section(
        title,
        f"{text} {_TAKEN.format(repeat=sizes.figure_repeat)}",
        tuple(rows),
        (Chart(x, "µs an event", "line", log_y=True, title=title),),
        figures_of(title.partition(":")[0], measured),
        tuple(drawn),
    )


def composition_order(sizes: CompasSizes) -> Section:
    """Figure 6."""
    count = sizes.sequences
    text = f"{count:,} profiles (A; Z) with one Z; {count:,} events begin them, in groups that Z closes."
    return _section("Figure 6: composition order", text, order_cells(sizes), "groups", sizes)


def number_of_profiles(letter: str) -> Callable[[CompasSizes], Section]:
    """Figure 7a or 7b."""

    def measured(sizes: CompasSizes) -> Section:
        groups = 1 if letter == "a" else sizes.many_groups
        text = (
            f"{sizes.sequences:,} events that begin sequences in {groups:,} groups; profiles past these stay "
            "unmatched."
        )
        cells = profile_cells(sizes, groups)
        return _section(f"Figure 7{letter}: number of profiles", text, cells, "profiles", sizes)

    return measured


def cardinality(sizes: CompasSizes) -> Section:
    """Figure 8a."""
    text = (
        "As many profiles as there are pairs of a beginning and an end, "
        f"{sizes.cardinality_events:,} events; each profile is matched once."
    )
    cells = cardinality_cells(sizes)
    return _section("Figure 8a: profile cardinality", text, cells, "beginnings", sizes)


def composition_distance(sizes: CompasSizes) -> Section:
    """How far the parts of a match are apart."""
    count = sizes.sequences
    cells = (
        cell(at_distance(count, distance), setting, sizes.figure_repeat, distance=distance)
        for distance in sizes.distances
        for setting in SETTINGS
    )
    text = f"{count:,} profiles, each matched once; an end comes so many events after its beginning."
    return _section("Composition distance", text, cells, "distance", sizes)
