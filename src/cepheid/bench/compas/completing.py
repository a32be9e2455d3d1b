"""What composing takes: in all, and at the event that completes a match (figure 8b of the CompAS paper).

An event that completes a composite is set beside one that matches a primitive profile: the same events, the
same ends of sequences, as profiles of their own.
"""

from dataclasses import dataclass
from functools import cache
from statistics import median
from typing import Any

import pyarrow as pa

from cepheid.bench.compas.filtering import PreparedFilter, planned
from cepheid.bench.compas.sequences import ALL, METHODS, STREAM, Sequences, at_distance, crossed
from cepheid.bench.compas.sizes import CompasSizes
from cepheid.bench.harness import in_turn
from cepheid.bench.results import Chart, Figure, Section, at_most
from cepheid.errors import CepheidError
from cepheid.plan.profile.sets import ProfileSetPlan
from cepheid.profiles import profile, profiles
from cepheid.runners.stream.binding import bound_schema

PRIMITIVE = "primitive profiles"
TIME_BAR = 1.3
COUNTED = ("tested", "looked_up")
AFTER = "after the last beginning, ns a match"


@dataclass(frozen=True, slots=True)
class Completed:
    """The events after the last one that begins something, by each method, and as primitive profiles."""

    events: int
    matches: int
    before: dict[str, list[float]]  # processor seconds of the events up to there
    after: dict[str, list[float]]
    counts: dict[str, dict[str, float]]  # an event of those after

    def ratio(self, method: str) -> float:
        """Its time after the last beginning to that of primitive profiles."""
        return median(self.after[method]) / max(median(self.after[PRIMITIVE]), 1e-9)


def completed(work: Sequences, repeat: int) -> Completed:
    """Measure one set of sequences by all methods, in turns."""
    table = work.table
    cut = 1 + max(k for k, value in enumerate(work.events) if value < 0)
    first, last = table.slice(0, cut), table.slice(cut)
    plans = {method: planned(work, ALL, method) for method in METHODS} | {PRIMITIVE: _ends(work)}
    before: dict[str, list[float]] = {name: [] for name in plans}
    after: dict[str, list[float]] = {name: [] for name in plans}
    counts: dict[str, dict[str, float]] = {}
    found = {}
    for turn in range(repeat + 1):
        for name in in_turn(list(plans), turn):
            ready = PreparedFilter(plans[name])
            spent, _ = ready.take(first)
            counted = {each: ready.figures[each] for each in COUNTED}
            completing, found[name] = ready.take(last)
            if turn:
                before[name].append(spent)
                after[name].append(completing)
            counts[name] = {each: (ready.figures[each] - counted[each]) / last.num_rows for each in COUNTED}
    if len(set(found.values())) != 1:
        raise CepheidError(f"the methods tell different numbers of matches: {found}")
    return Completed(last.num_rows, found[PRIMITIVE], before, after, counts)


def _ends(work: Sequences) -> ProfileSetPlan:
    """The ends of the sequences, as profiles of their own."""
    made = {
        f"p{k}": profile(f"PATTERN Z WHERE Z.x = {end} RETURN Z.time AS time")
        for k, end in enumerate(work.ends)
    }
    columns: pa.Schema = work.table.schema
    return profiles(made).plan(bound_schema(columns, **STREAM, type=None, order=(), time_unit=None))


@cache
def composition_rows(sizes: CompasSizes) -> tuple[dict[str, Any], ...]:
    """The rows of figure 8b."""
    rows: list[dict[str, Any]] = []
    for starts, ends in sizes.cardinalities:
        of = completed(crossed(starts, ends, sizes.cardinality_events), sizes.figure_repeat)
        alone = median(of.before[PRIMITIVE]) + median(of.after[PRIMITIVE])
        for method in METHODS:
            whole = median(of.before[method]) + median(of.after[method])
            extra = median(of.after[method]) - median(of.after[PRIMITIVE])
            rows.append(
                {
                    "beginnings": starts,
                    "ends": ends,
                    "method": method,
                    "composing ms": round(max(0.0, whole - alone) * 1e3, 2),
                    AFTER: round(extra / of.matches * 1e9),
                }
            )
    return tuple(rows)


def composition_time(sizes: CompasSizes) -> Section:
    """Figure 8b."""
    title = "Figure 8b: composition time"
    return Section(
        title,
        f"{sizes.cardinality_events:,} events. Composing: what the whole stream takes beyond filtering the "
        "ends as primitive profiles, which tell as much. After the last beginning: what the events take that "
        f"complete matches, beyond the same. Processor time, medians of {sizes.figure_repeat} runs in turns.",
        composition_rows(sizes),
        (Chart("beginnings", "composing ms", "method", title=title),),
    )


def completing_event(sizes: CompasSizes) -> Section:
    """An event that completes one composite beside one that matches one primitive profile."""
    count = sizes.sequences
    of = completed(at_distance(count, count), sizes.figure_repeat)
    rows = [
        {
            "profiles": name,
            "ns an event": round(median(spent) / of.events * 1e9),
            "least ns": round(min(spent) / of.events * 1e9),
            **{each: round(value, 3) for each, value in of.counts[name].items()},
        }
        for name, spent in of.after.items()
    ]
    step = of.counts["dynamic"]
    same = all(step[each] == of.counts[PRIMITIVE][each] for each in COUNTED)
    counted = ", ".join(f"{each} {step[each]:g} and {of.counts[PRIMITIVE][each]:g}" for each in COUNTED)
    return Section(
        "An event that completes a composite",
        f"{count:,} sequences, all begun; then an event for each that completes it. Beside them, the same "
        "events over as many primitive profiles.",
        tuple(rows),
        figures=(
            Figure("completing a composite: tested and looked up as for a primitive", "the same", counted,
                   same),
            at_most("completing a composite: its time to that of a primitive match", TIME_BAR,
                    of.ratio("dynamic"), "dynamic, medians"),
        ),
    )  # fmt: skip
