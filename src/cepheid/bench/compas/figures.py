"""The figures of section 5.1 of the CompAS paper: composition order, number of profiles, cardinality; and the
composition distance, which the paper names as a parameter and does not show."""

from collections.abc import Callable, Iterable

from cepheid.bench.compas.filtering import Cell, cell, figures_of
from cepheid.bench.compas.sequences import ALL, SETTINGS, at_distance, crossed, grouped
from cepheid.bench.compas.sizes import CompasSizes
from cepheid.bench.results import Chart, Section

_TAKEN = (
    "Processor time an event, medians and least of {repeat} runs in turns; profiles are loaded before. "
    "Tested: primitives that events were tested for; looked_up: references to profiles that were followed; "
    "pool: what was in it at the end."
)


def _section(
    title: str, text: str, cells: Iterable[Cell], x: str, sizes: CompasSizes, *, pictured: str = "µs an event"
) -> Section:
    measured = list(cells)
    rows = [row for each in measured for row in each.rows()]
    drawn = [{**row, "line": f"{row['method']}, {row['setting']}"} for row in rows]
    return Section(
        title,
        f"{text} {_TAKEN.format(repeat=sizes.figure_repeat)}",
        tuple(rows),
        (Chart(x, pictured, "line", log_y=True, title=title),),
        figures_of(title.partition(":")[0], measured),
        tuple(drawn),
    )


def composition_order(sizes: CompasSizes) -> Section:
    """Figure 6."""
    count, repeat = sizes.sequences, sizes.figure_repeat
    return _section(
        "Figure 6: composition order",
        f"{count:,} profiles (A; Z) with one Z; {count:,} events begin them, in groups that Z closes.",
        (
            cell(grouped(count, count, groups), setting, repeat, groups=groups)
            for groups in sizes.groups
            for setting in SETTINGS
        ),
        "groups",
        sizes,
    )


def number_of_profiles(letter: str) -> Callable[[CompasSizes], Section]:
    """Figure 7a or 7b."""

    def measured(sizes: CompasSizes) -> Section:
        groups = 1 if letter == "a" else sizes.many_groups
        return _section(
            f"Figure 7{letter}: number of profiles",
            f"{sizes.sequences:,} events that begin sequences in {groups:,} groups; profiles past these stay "
            "unmatched.",
            (
                cell(grouped(count, sizes.sequences, groups), setting, sizes.figure_repeat, profiles=count)
                for count in sizes.sequence_counts
                for setting in SETTINGS
            ),
            "profiles",
            sizes,
        )

    return measured


def cardinality(sizes: CompasSizes) -> Section:
    """Figure 8a."""
    pairs, size = sizes.cardinalities, sizes.cardinality_events
    return _section(
        "Figure 8a: profile cardinality",
        f"As many profiles as there are pairs of a beginning and an end, {size:,} events; each profile is "
        "matched once.",
        (
            cell(crossed(starts, ends, size), ALL, sizes.figure_repeat, beginnings=starts, ends=ends)
            for starts, ends in pairs
        ),
        "beginnings",
        sizes,
    )


def composition_distance(sizes: CompasSizes) -> Section:
    """How far the parts of a match are apart."""
    count = sizes.sequences
    return _section(
        "Composition distance",
        f"{count:,} profiles, each matched once; an end comes so many events after its beginning.",
        (
            cell(at_distance(count, distance), setting, sizes.figure_repeat, distance=distance)
            for distance in sizes.distances
            for setting in SETTINGS
        ),
        "distance",
        sizes,
    )
