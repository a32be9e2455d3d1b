"""What AGG means, by brute force: all matches, then those that count at each moment, then their values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from cepheid.pattern.query import AggregateItem, EmitMode, PatternQuery

from .absence import spoilers
from .conditions import conjunct
from .ends import at_the_end
from .evaluate import Event, value
from .evaluate import Match as Bindings
from .facts import Facts
from .positive import positive_matches
from .stream import Stream, Taken, first_event, last_event
from .totals import FUNCTIONS, Values, as_time, column_name, is_of_one_event, plain, together, variable_of

Row = dict[str, Any]
Group = tuple[Any, ...]


class Span(NamedTuple):
    """From the first event of a match to its last; where something should be absent later, to where it is."""

    first: int
    last: int
    end: int  # the event that spoils the match, or the end of the stream


@dataclass(frozen=True)
class Found:
    """All matches of one span: how many, and the values of each item."""

    span: Span
    count: int
    values: tuple[Values, ...]


def aggregates(
    query: PatternQuery,
    events: Sequence[Event],
    *,
    time: str,
    type: str | None = None,
    order: Sequence[str] = (),
    time_unit: str | None = None,
) -> list[Row]:
    """The rows of AGG, in the order of output; counts and sums of whole numbers are exact."""
    binding: dict[str, Any] = {"time": time, "type": type, "order": order, "time_unit": time_unit}
    return [row for row, _ in rows_with_events(query, events, **binding)]


def rows_with_events(
    query: PatternQuery,
    events: Sequence[Event],
    *,
    time: str,
    type: str | None,
    order: Sequence[str],
    time_unit: str | None,
) -> list[tuple[Row, int | None]]:
    """The rows, each with the stream position of its event; None if it is of no event."""
    stream = Stream(events, query.keys, time, type, order, time_unit)
    return Tally(query, stream, [events[i][time] for i in stream.index]).rows()


class Tally:
    """One AGG query over one stream."""

    def __init__(self, query: PatternQuery, stream: Stream, times: list[Any]) -> None:
        assert query.aggregation is not None
        self.query, self.stream, self.times = query, stream, times
        self.items, self.group_by = query.aggregation.items, query.aggregation.group_by
        self.facts = Facts(query, stream)
        self.tests = list(map(conjunct, query.conjuncts))
        self.variables = list(map(variable_of, self.items))
        self.worth = [[self.value(item, event) for event in stream.events] for item in self.items]

    def rows(self) -> list[tuple[Row, int | None]]:
        made = list(EMIT[self.query.emit.mode](self, self.found()))
        kept = passing(self.query, [row for row, _ in made])
        return [one for one, is_kept in zip(made, kept, strict=True) if is_kept]

    # -- which matches there are -------------------------------------------------------------------

    def found(self) -> list[Found]:
        """All matches of the stream, in the order in which they are completed."""
        counts: Counter[Span] = Counter()
        values: dict[Span, tuple[Values, ...]] = {}
        for taken in positive_matches(self.facts):
            end = min(spoilers(self.facts, taken), default=len(self.stream))
            span = Span(first_event(taken), last_event(taken), end)
            if span.last < end:
                counts[span] += 1
                bags = values.setdefault(span, tuple(Counter() for _ in self.items))
                for place, bag in enumerate(bags):
                    bag.update(self.values(place, taken))
        found = [Found(span, count, values[span]) for span, count in counts.items()]
        return sorted(found, key=lambda one: one.span.last)

    def values(self, place: int, taken: Taken) -> Iterator[Any]:
        """Of an item: what each event of its variable is worth, but for nulls."""
        worth = (self.worth[place][position] for position in taken.get(self.variables[place], ()))
        return (one for one in worth if one is not None)

    def value(self, item: AggregateItem, event: Event) -> Any:
        """What the argument is worth on one event of its variable."""
        if item.argument is None:
            return None
        assert is_of_one_event(item.argument)
        variable = variable_of(item)
        return plain(value(item.argument, Bindings({variable: (event,)}, {variable: 0})))

    def counted(self, found: Iterable[Found], seen: int, now: Any) -> list[Found]:
        """Those completed so far, begun in the window that ends now, and not spoilt yet."""
        window = self.query.window
        return [
            one
            for one in found
            if one.span.last < seen <= one.span.end
            and (window is None or self.stream.is_recent(window, one.span.first, seen, now))
        ]

    # -- when there is a row -----------------------------------------------------------------------

    def triggers(self) -> list[int]:
        """The events that by themselves may be the last of a match, or spoil it after its last."""
        variables = at_the_end(self.query.pattern)
        return [p for p in range(len(self.stream)) if any(self.qualifies(v, p) for v in variables)]

    def qualifies(self, variable: str, position: int) -> bool:
        """By its type, its key, and the conjuncts that are about such an event alone."""
        bound = Bindings({variable: (self.stream.events[position],)}, {variable: 0})
        return (
            self.stream.keys[position] is not None
            and self.facts.is_of_type(variable, position)
            and all(
                value(test.expression, bound) is True
                for test in self.tests
                if test.names == {variable} and is_of_one_event(test.expression)
            )
        )

    # -- what a row says ---------------------------------------------------------------------------

    def group(self, position: int) -> Group:
        return tuple(plain(self.stream.events[position].get(name)) for name in self.group_by)

    def by_group(self, found: Iterable[Found]) -> dict[Group, list[Found]]:
        """The groups that have a match, in the order of their first; without GROUP BY, always one."""
        groups: dict[Group, list[Found]] = {} if self.group_by else {(): []}
        for one in found:
            groups.setdefault(self.group(one.span.last), []).append(one)
        return groups

    def row(self, time: Any, group: Group, found: Sequence[Found]) -> Row:
        row = {"time": time, **dict(zip(self.group_by, group, strict=True))}
        for place, item in enumerate(self.items):
            row[item.name or column_name(item)] = (
                sum(one.count for one in found)
                if item.argument is None
                else FUNCTIONS[item.function](together(one.values[place] for one in found))
            )
        return row


def _at_each_event(tally: Tally, found: list[Found]) -> Iterator[tuple[Row, int | None]]:
    for position in tally.triggers():
        counted = tally.counted(found, position + 1, tally.stream.clock[position])
        group = tally.group(position)
        yield tally.row(tally.times[position], group, tally.by_group(counted).get(group, [])), position


def _on_close(tally: Tally, found: list[Found]) -> Iterator[tuple[Row, int | None]]:
    whole = [one for one in found if one.span.end == len(tally.stream)]
    for group, members in tally.by_group(whole).items():
        yield tally.row(tally.times[members[-1].span.last] if members else None, group, members), None


def _every_period(tally: Tally, found: list[Found]) -> Iterator[tuple[Row, int | None]]:
    """From the first multiple of the period at or after the first event to that at or after the last one."""
    clock, period = tally.stream.clock, tally.query.emit.period
    assert period is not None
    step = tally.stream.ticks(period)
    first, last = (-(-Fraction(time) // step) for time in (clock[0], clock[-1])) if clock else (0, -1)
    for number in range(first, last + 1):
        now = number * step
        counted = tally.counted(found, sum(time <= now for time in clock), now)
        for group, members in tally.by_group(counted).items():
            yield tally.row(as_time(now, tally.times[0]), group, members), None


def passing(query: PatternQuery, rows: Iterable[Row]) -> Iterator[bool]:
    """HAVING: only rows where it is true; ON RISE, only where the row before of the group was not. Conditions
    see numbers past int64 as floats."""
    assert query.aggregation is not None
    having, true = query.aggregation.having, dict[Group, bool]()
    for row in rows:
        if having is None:
            yield True
            continue
        group = tuple(plain(row[name]) for name in query.aggregation.group_by)
        before = true.get(group, False)
        seen = {name: float(held) if past_int64(held) else held for name, held in row.items()}
        true[group] = value(having, Bindings({}, {}, element=seen)) is True
        yield true[group] and not (query.emit.mode is EmitMode.ON_RISE and before)


def past_int64(held: Any) -> bool:
    return type(held) is int and not -(2**63) <= held < 2**63


EMIT: dict[EmitMode, Callable[[Tally, list[Found]], Iterator[tuple[Row, int | None]]]] = {
    EmitMode.ALL: _at_each_event,
    EmitMode.ON_RISE: _at_each_event,
    EmitMode.ON_CLOSE: _on_close,
    EmitMode.EVERY: _every_period,
}
