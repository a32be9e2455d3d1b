"""The timeline of a table of matches: which of them are shown, on which lanes their events lie."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from cepheid.errors import CepheidError
from cepheid.events import EventSchema, time_values
from cepheid.matchers.joining import join_arrays
from cepheid.matchers.shown import readable_rows
from cepheid.pattern.nodes import Absent, atoms
from cepheid.pattern.render import render
from cepheid.plan.plan import QueryPlan
from cepheid.views.gaps import MatchGap, gaps_of
from cepheid.views.long import MATCH, POSITION, VARIABLE, free_name, long_table
from cepheid.views.notebook import cell_text
from cepheid.views.run_record import RunRecord
from cepheid.views.time_scale import scale_of
from cepheid.views.timeline import Timeline
from cepheid.views.timeline_contents import TimelineEvent, TimelineSpan, TimelineStretch

MOST_EVENTS = 1_000  # of matches in one picture
MOST_BESIDE = 300
TYPE, KEY = "type", "key"
ANY = "any event"

Moment = int | float


@dataclass(frozen=True, slots=True)
class BoundEvent:
    """An event of a match."""

    match: int
    variable: str
    label: str  # with its place, where the variable may have several
    time: Moment
    row: Mapping[str, Any]  # its columns


@dataclass(frozen=True, slots=True)
class MatchEvents:
    """The events of the matches that are shown, and how many matches are not."""

    matches: int
    shown: Sequence[int]  # the numbers of those that are shown
    events: Sequence[BoundEvent]
    left_out: Mapping[int, int] = field(default_factory=dict)  # events of matches that are not shown
    variables: frozenset[str] = frozenset()  # whose events are known


def timeline_of_matches(
    table: pa.Table,
    variables: Mapping[str, str],
    record: RunRecord,
    by: str | None,
    most: int,
    events: Any,
) -> Timeline:
    """The picture of the rows of a query, whose events are the columns in `variables`."""
    plan = record.plan
    assert isinstance(plan, QueryPlan)
    found = events_of_table(table, variables, plan.schema, checked_most(most))
    return timeline_of(found, plan.schema, plan, by, None if events is None else record.take_in(events))


def checked_most(most: int) -> int:
    """How many matches are shown at most, if that is a number of them."""
    if not isinstance(most, int) or most < 1:
        raise CepheidError(f"timeline(most={most!r}): say how many matches are shown at most, 1 or more")
    return most


def events_of_table(
    table: pa.Table, variables: Mapping[str, str], schema: EventSchema, most: int
) -> MatchEvents:
    """The first matches, as many as there is room for."""
    count = min(table.num_rows, most)
    long = long_table(table.slice(0, count), variables)
    numbers = long.column(MATCH).to_pylist()
    cut = long.slice(0, MOST_EVENTS)
    shown = sorted(set(numbers[:MOST_EVENTS]))
    time = time_values(
        join_arrays(cut.column(free_name(schema.time)).chunks) if len(cut) else pa.array([], pa.int64())
    )
    names = schema.columns.names
    rows = readable_rows(
        cut.select([free_name(name) for name in names if free_name(name) in cut.column_names])
    )
    several = {v for c, v in variables.items() if pa.types.is_list(table.schema.field(c).type)}
    keys = zip(*(cut.column(name).to_pylist() for name in (MATCH, VARIABLE, POSITION)), strict=True)
    events = [
        BoundEvent(
            match,
            variable,
            f"{variable}[{place}]" if variable in several else variable,
            moment,
            dict(zip(names, row.values(), strict=False)),
        )
        for (match, variable, place), moment, row in zip(keys, time.tolist(), rows, strict=True)
    ]
    missing = {match: n for match in shown if (n := numbers[MOST_EVENTS:].count(match))}
    return MatchEvents(table.num_rows, shown, events, missing, frozenset(variables.values()))


def timeline_of(
    found: MatchEvents,
    schema: EventSchema,
    plan: QueryPlan | None,
    by: str | None = None,
    beside: pa.Table | None = None,
) -> Timeline:
    """The picture of matches. Events of the run that no match has are shown faintly, if they are given."""
    lanes = _lanes(schema, plan, by)
    mine = _gathered(found.events, lanes, schema)
    numbers = {match: number for number, match in enumerate(found.shown)}
    stretches = [*_runs(found, lanes, numbers), *_gaps(found, plan, lanes, numbers)]
    spans = [_span(found, match, schema) for match in found.shown]
    notes = _notes(found)
    others: list[TimelineEvent] = []
    if beside is not None and spans:
        others, note = _others(beside, found, lanes, schema, spans)
        notes += note
    events = [
        TimelineEvent(
            e.time, lane, text, True, "" if lane == e.variable else e.label, tuple(numbers[m] for m in of)
        )
        for e, lane, text, of in mine
    ]
    return Timeline(
        [*events, *others],
        spans,
        stretches=stretches,
        scale=scale_of(schema),
        order=lanes.order,
        notes=notes,
        query="" if plan is None else render(plan.original),
        lanes_by=" and ".join(lanes.columns) or VARIABLE,
    )


# -- lanes -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Lanes:
    columns: tuple[str, ...]  # whose values name a lane; none: the variable does
    order: tuple[str, ...]
    is_type: bool = False

    def of(self, row: Mapping[str, Any], variable: str) -> str:
        if not self.columns:
            return variable
        return ", ".join(cell_text(row.get(name), 40) or "null" for name in self.columns)

    def of_gap(self, gap: MatchGap, events: Sequence[BoundEvent]) -> str:
        if not self.columns:
            return f"~{gap.variable}"
        if self.is_type:
            return gap.type or ANY
        return self.of(events[0].row, gap.variable)


def _lanes(schema: EventSchema, plan: QueryPlan | None, by: str | None) -> _Lanes:
    if by is None:
        by = TYPE if schema.type is not None else VARIABLE
    negated = [] if plan is None else [a for a in atoms(plan.query.pattern) if isinstance(a, Absent)]
    declared = [] if plan is None else list(atoms(plan.query.pattern))
    if by == VARIABLE:
        return _Lanes((), tuple(f"~{a.variable}" if a in negated else a.variable for a in declared))
    if by == TYPE and schema.type is not None:
        return _Lanes((schema.type,), tuple(a.type for a in declared if a.type), is_type=True)
    if by == KEY and plan is not None and plan.query.keys:
        return _Lanes(plan.query.keys, ())
    if by not in schema.columns.names:
        ways = [*([TYPE] if schema.type else []), VARIABLE, *([KEY] if plan and plan.query.keys else [])]
        raise CepheidError(
            f"timeline(by={by!r}): lanes are by {', '.join(map(repr, ways))}, or by a column of the events: "
            f"{', '.join(schema.columns.names)}"
        )
    return _Lanes((by,), ())


# -- what is drawn ---------------------------------------------------------------------------------


def _gathered(
    events: Sequence[BoundEvent], lanes: _Lanes, schema: EventSchema
) -> list[tuple[BoundEvent, str, str, tuple[int, ...]]]:
    """Each event once, with its lane, its words and the matches that have it."""
    known: dict[tuple[Any, ...], list[BoundEvent]] = {}
    for event in events:
        lane = lanes.of(event.row, event.variable)
        known.setdefault((lane, event.time, repr(sorted(event.row.items(), key=lambda e: e[0]))), []).append(
            event
        )
    found = []
    for (lane, *_), same in known.items():
        labels = dict.fromkeys(event.label for event in same)
        matches = tuple(dict.fromkeys(event.match for event in same))
        first = same[0]
        head = [f"{', '.join(labels)} of match {_listed(matches)}"]
        merged = BoundEvent(first.match, first.variable, _label(labels), first.time, first.row)
        found.append((merged, lane, "\n".join([*head, *words_of(first.row)]), matches))
    return found


def _label(labels: Mapping[str, None]) -> str:
    first, *others = labels
    names = {label.split("[")[0] for label in labels}
    return first if not others else f"{names.pop()}[]" if len(names) == 1 else ", ".join(sorted(names))


def words_of(row: Mapping[str, Any]) -> list[str]:
    """An event as lines."""
    return [f"{name}: {cell_text(value)}" for name, value in row.items() if value is not None]


def _span(found: MatchEvents, match: int, schema: EventSchema) -> TimelineSpan:
    mine = [event for event in found.events if event.match == match]
    times = sorted(event.time for event in mine)
    scale = scale_of(schema)
    length = scale.length(times[-1] - times[0])
    when = f"{scale.shown(times[0])} to {scale.shown(times[-1])} ({length})"
    held = [f"{event.label}: {scale.shown(event.time)}" for event in mine[:12]]
    more = [f"… and {len(mine) - 12:,} more events"] if len(mine) > 12 else []
    text = "\n".join([f"match {match}, {when}", *held, *more])
    return TimelineSpan(times[0], times[-1], text, str(match), tuple(times))


def _runs(found: MatchEvents, lanes: _Lanes, numbers: Mapping[int, int]) -> list[TimelineStretch]:
    """A line through the events of a Kleene variable, where they lie on one lane."""
    held: dict[tuple[int, str, str], list[BoundEvent]] = {}
    for event in found.events:
        if event.label != event.variable:
            key = (event.match, event.variable, lanes.of(event.row, event.variable))
            held.setdefault(key, []).append(event)
    return [
        TimelineStretch(
            run[0].time,
            run[-1].time,
            lane,
            f"{variable}[] of match {match}: {len(run):,} events",
            numbers[match],
        )
        for (match, variable, lane), run in held.items()
        if len(run) > 1
    ]


def _gaps(
    found: MatchEvents, plan: QueryPlan | None, lanes: _Lanes, numbers: Mapping[int, int]
) -> list[TimelineStretch]:
    """The windows of negated variables, where all events of the matches are known."""
    if plan is None:
        return []
    places = {position.variable: place for place, position in enumerate(plan.positions)}
    found_of: dict[int, list[BoundEvent]] = {}
    for event in found.events:
        found_of.setdefault(event.match, []).append(event)
    if found.variables != places.keys():
        return []
    scale, result = scale_of(plan.schema), []
    for match, mine in found_of.items():
        bound: dict[int, list[Moment]] = {}
        for event in sorted(mine, key=lambda event: event.time):
            bound.setdefault(places[event.variable], []).append(event.time)
        for gap in gaps_of(plan, bound):
            first, last = min(e.time for e in mine), max(e.time for e in mine)
            start = first if gap.start is None else gap.start
            end = last if gap.end is None else gap.end
            text = (
                f"no {gap.type or ANY} {gap.variable} in match {match}:\n"
                f"{scale.shown(start)} to {scale.shown(end)} ({scale.length(end - start)})"
            )
            lane = lanes.of_gap(gap, mine)
            name = f"~{gap.variable}"
            result.append(TimelineStretch(start, end, lane, text, numbers[match], True, name))
    return result


def _others(
    beside: pa.Table, found: MatchEvents, lanes: _Lanes, schema: EventSchema, spans: Sequence[TimelineSpan]
) -> tuple[list[TimelineEvent], list[str]]:
    """Events of the run in the time of the matches, and what is not shown of them."""
    first, last = min(span.start for span in spans), max(span.end for span in spans)
    margin = (last - first) * 5 // 100 if isinstance(first, int) else (last - first) * 0.05
    time = time_values(join_arrays(beside.column(schema.time).chunks)) if len(beside) else None
    if time is None:
        return [], []
    chosen = beside.filter(pa.array((time >= first - margin) & (time <= last + margin)))
    taken = {(event.time, repr(sorted(event.row.items(), key=lambda e: e[0]))) for event in found.events}
    kept = chosen.slice(0, MOST_BESIDE + len(taken))
    moments = time_values(join_arrays(kept.column(schema.time).chunks)).tolist() if len(kept) else []
    rows = [
        (moment, row)
        for moment, row in zip(moments, readable_rows(kept), strict=True)
        if (moment, repr(sorted(row.items(), key=lambda e: e[0]))) not in taken
    ]
    events = [
        TimelineEvent(moment, lanes.of(row, "others"), "\n".join(words_of(row)), is_matched=False)
        for moment, row in rows[:MOST_BESIDE]
    ]
    total = len(chosen) - len(taken)
    note = f"{len(events):,} of {total:,} other events in this time are shown"
    return events, [note] if total > len(events) else []


def _notes(found: MatchEvents) -> list[str]:
    notes = []
    if len(found.shown) < found.matches:
        count = len(found.shown)
        notes.append(
            f"{count:,} of {found.matches:,} matches are shown; "
            f"m[{count}:{2 * count}].timeline() shows the next"
        )
    notes += [f"of match {match} {number:,} events are not shown" for match, number in found.left_out.items()]
    return notes or ([] if found.matches else ["no match"])


def _listed(numbers: Sequence[int], most: int = 6) -> str:
    more = len(numbers) - most
    return ", ".join(map(str, numbers[:most])) + (f" and {more:,} more" if more > 0 else "")
