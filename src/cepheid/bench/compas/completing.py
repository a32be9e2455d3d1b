"""What composing takes: in all, and at the event that completes a match (figure 8b of the CompAS paper).

An event that completes a composite is set beside one that matches a primitive profile: the same events, the
same ends of sequences, as profiles of their own.
"""

from dataclasses import dataclass
from functools import cache
from statistics import median
from typing import Any

from cepheid.bench.compas.filtering import PreparedFilter, planned, planned_over
from cepheid.bench.compas.sequences import (
    ALL,
    METHODS,
    Sequences,
    at_distance,
    crossed,
    primitive_profiles,
)
from cepheid.bench.compas.sizes import CompasSizes
from cepheid.bench.harness import in_turn
from cepheid.bench.results import Chart, Figure, Section, at_most
from cepheid.errors import CepheidError
from cepheid.profiles import profiles

PRIMITIVE = "primitive profiles"
KINDS = ("complete a sequence", "match a primitive profile")
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
    plans = {method: planned(work, ALL, method) for method in METHODS} | {
        PRIMITIVE: planned_over(work, profiles(primitive_profiles(work.ends)))
    }
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


@dataclass(frozen=True, slots=True)
class OneSet:
    """Events of one set that has sequences, all begun, and as many primitive profiles: those that complete a
    sequence, and those that match a primitive profile. Processor seconds, by method."""

    events: int
    completing: dict[str, list[float]]
    primitive: dict[str, list[float]]

    def ratio(self, method: str) -> float:
        """The time of an event that completes to that of one that matches a primitive profile."""
        return median(self.completing[method]) / max(median(self.primitive[method]), 1e-9)


def in_one_set(work: Sequences, repeat: int) -> OneSet:
    """Measure both kinds of event by all methods, in turns; the pool is the same for both."""
    count = len(work.starts)
    alone = range(count, 2 * count)
    begun, completing = work.table.slice(0, count), work.table.slice(count)
    matching = Sequences((), (), (*work.starts, *alone)).table.slice(count)
    plans = {method: planned_over(work, work.set_of(ALL, method, alone)) for method in METHODS}
    taken: dict[str, dict[str, list[float]]] = {kind: {method: [] for method in METHODS} for kind in KINDS}
    for turn in range(repeat + 1):
        for method in in_turn(list(METHODS), turn):
            for kind, events in zip(KINDS, (completing, matching), strict=True):
                spent, told = PreparedFilter(plans[method], begun).take(events)
                if told != count:
                    raise CepheidError(f"{told} matches of {count} events that have one each")
                if turn:
                    taken[kind][method].append(spent)
    return OneSet(count, *(taken[kind] for kind in KINDS))


def completing_event(sizes: CompasSizes) -> Section:
    """An event that completes one composite beside one that matches one primitive profile."""
    count = sizes.sequences
    work = at_distance(count, count)
    together, apart = in_one_set(work, sizes.figure_repeat), completed(work, sizes.figure_repeat)
    rows = [
        _row("in one set", f"{name}: {kind}", spent[name], together.events)
        for name in METHODS
        for kind, spent in zip(KINDS, (together.completing, together.primitive), strict=True)
    ] + [
        _row("sets of their own", name, spent, apart.events)
        | {each: round(value, 3) for each, value in apart.counts[name].items()}
        for name, spent in apart.after.items()
    ]
    step = apart.counts["dynamic"]
    same = all(step[each] == apart.counts[PRIMITIVE][each] for each in COUNTED)
    counted = ", ".join(f"{each} {step[each]:g} and {apart.counts[PRIMITIVE][each]:g}" for each in COUNTED)
    name = "completing a composite: its time to that of a primitive match"
    return Section(
        "An event that completes a composite",
        f"{count:,} sequences, all begun, and an event for each that completes it. Beside them, events that "
        "match one of as many primitive profiles: in the same set, so that both are looked up in one pool; "
        "and in a set of their own, whose pool is half as large and whose matches have one event.",
        tuple(rows),
        figures=(
            Figure("completing a composite: tested and looked up as for a primitive", "the same", counted,
                   same),
            at_most(f"{name}, in one set", TIME_BAR, together.ratio("dynamic"), "dynamic, medians"),
            at_most(f"{name}, sets of their own", TIME_BAR, apart.ratio("dynamic"), "dynamic, medians"),
        ),
    )  # fmt: skip


def _row(where: str, what: str, spent: list[float], events: int) -> dict[str, Any]:
    return {
        "where": where,
        "events": what,
        "ns an event": round(median(spent) / events * 1e9),
        "least ns": round(min(spent) / events * 1e9),
    }
