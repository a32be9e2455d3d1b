"""What composing takes: in all, and at the event that completes a match (figure 8b of the CompAS paper).

An event that completes a composite is set beside one that matches a primitive profile: the same events, the
same ends of sequences, as profiles of their own.
"""

from dataclasses import dataclass
from functools import cache
from statistics import median
from typing import Any

import pyarrow as pa

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
            completing, found[name], counts[name] = _counted(ready, last)
            if turn:
                before[name].append(spent)
                after[name].append(completing)
    if len(set(found.values())) != 1:
        raise CepheidError(f"the methods tell different numbers of matches: {found}")
    return Completed(last.num_rows, found[PRIMITIVE], before, after, counts)


def _counted(ready: PreparedFilter, events: pa.Table) -> tuple[float, int, dict[str, float]]:
    """The processor time that events take, the matches that are told, and what was counted for an event."""
    before = ready.figures
    spent, told = ready.take(events)
    after = ready.figures
    return spent, told, {each: (after[each] - before[each]) / events.num_rows for each in COUNTED}


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
    """A set that has sequences, all begun, and as many primitive profiles. By method and kind of event: those
    that complete a sequence, and those that match a primitive profile."""

    events: int
    seconds: dict[tuple[str, str], list[float]]
    counts: dict[tuple[str, str], dict[str, float]]

    def ratio(self, method: str) -> float:
        """The time of an event that completes to that of one that matches a primitive profile."""
        completing, primitive = (median(self.seconds[method, kind]) for kind in KINDS)
        return completing / max(primitive, 1e-9)


def in_one_set(work: Sequences, repeat: int) -> OneSet:
    """Measure both kinds of event by all methods, in turns; the pool is the same for both."""
    count = len(work.starts)
    alone = range(count, 2 * count)
    begun, completing = work.table.slice(0, count), work.table.slice(count)
    matching = Sequences((), (), (*work.starts, *alone)).table.slice(count)
    plans = {method: planned_over(work, work.set_of(ALL, method, alone)) for method in METHODS}
    seconds: dict[tuple[str, str], list[float]] = {(method, kind): [] for method in METHODS for kind in KINDS}
    counts = {}
    for turn in range(repeat + 1):
        for method in in_turn(list(METHODS), turn):
            for kind, events in zip(KINDS, (completing, matching), strict=True):
                spent, told, counts[method, kind] = _counted(PreparedFilter(plans[method], begun), events)
                if told != count:
                    raise CepheidError(f"{told} matches of {count} events that have one each")
                if turn:
                    seconds[method, kind].append(spent)
    return OneSet(count, seconds, counts)


def completing_event(sizes: CompasSizes) -> Section:
    """An event that completes one composite beside one that matches one primitive profile."""
    count = sizes.sequences
    work = at_distance(count, count)
    together, apart = in_one_set(work, sizes.figure_repeat), completed(work, sizes.figure_repeat)
    rows = [
        _row("in one set", f"{method}: {kind}", (spent, together.counts[method, kind]), count)
        for (method, kind), spent in together.seconds.items()
    ] + [
        _row("sets of their own", name, (spent, apart.counts[name]), apart.events)
        for name, spent in apart.after.items()
    ]
    step, alone = apart.counts["dynamic"], apart.counts[PRIMITIVE]
    same = all(step[each] == alone[each] for each in COUNTED)
    counted = ", ".join(f"{each} {step[each]:g} and {alone[each]:g}" for each in COUNTED)
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


def _row(
    where: str, what: str, measured: tuple[list[float], dict[str, float]], events: int
) -> dict[str, Any]:
    spent, counts = measured
    return {
        "where": where,
        "events": what,
        "ns an event": round(median(spent) / events * 1e9),
        "least ns": round(min(spent) / events * 1e9),
        **{each: round(value, 3) for each, value in counts.items()},
    }
