"""What queries mean that name each other: each sees the stream, and what those tell that it names."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cepheid import expressions as ex
from cepheid.pattern.nodes import Absent, Atom, Choice, Conjunction, Pattern, Seq, Within, atoms
from cepheid.pattern.query import PatternQuery

from .aggregate import rows_with_events
from .emit import emitted
from .evaluate import Event
from .facts import Facts
from .matches import found, rows
from .stream import Stream, clock_of, last_event
from .totals import column_name

Row = dict[str, Any]


class TooMany(Exception):
    """A query has more matches than whoever asked wants to see as events."""


@dataclass(frozen=True)
class Placed:
    """An event, and where it stands: by its number in the stream; for one that was derived, by the place of
    its match's last event, then the number of its query, then its own. A row of EMIT EVERY stands behind the
    last event of its time and all that comes of it."""

    place: tuple[Any, ...]
    event: Event


def composed_rows(
    queries: Mapping[str, PatternQuery],
    events: Sequence[Event],
    *,
    time: str,
    type: str | None = None,
    order: Sequence[str] = (),
    time_unit: str | None = None,
    most: int = 1_000_000,
) -> dict[str, list[Row]]:
    """The rows of each query, in the order of output; gives up at a query that others name which has more
    than `most` matches."""
    world = _World(queries, events, time, type, tuple(order), time_unit)
    world.most = most
    return {name: world.rows(name) for name in queries}


class _World:
    """A stream, and what has been found in it."""

    most = 0

    def __init__(
        self,
        queries: Mapping[str, PatternQuery],
        events: Sequence[Event],
        time: str,
        type: str | None,
        order: tuple[str, ...],
        time_unit: str | None,
    ) -> None:
        self.queries, self.type = queries, type
        self.roles: dict[str, Any] = {"time": time, "order": order, "time_unit": time_unit}
        index = Stream(events, (), time, type, order, time_unit).index
        self.stream = [Placed((number,), events[i]) for number, i in enumerate(index)]
        self.columns = dict.fromkeys(column for event in events for column in event)
        self.known: dict[str, tuple[list[Row], list[Placed]]] = {}

    def rows(self, name: str) -> list[Row]:
        return self.answer(name)[0]

    def answer(self, name: str) -> tuple[list[Row], list[Placed]]:
        """The rows of a query, and its matches as events."""
        if name not in self.known:
            self.known[name] = self.found(name)
        return self.known[name]

    def found(self, name: str) -> tuple[list[Row], list[Placed]]:
        query, seen, type = self.queries[name], self.stream, self.type
        named = [other for other in self.queries if other != name and other in _types(query)]
        if named:
            seen, type = self.seen(named), self.type or "type"
            if self.type is None:
                query = replace(query, pattern=_any_but(query.pattern, named))
        events = [placed.event for placed in seen]
        stream = Stream(events, query.keys, type=type, **self.roles)
        if query.aggregation is not None:
            made = rows_with_events(query, events, type=type, **self.roles)
            caused = [(row, None if at is None else seen[stream.index[at]]) for row, at in made]
            return [row for row, _ in made], list(self.rows_as_events(name, caused))
        facts = Facts(query, stream)
        taken = emitted(facts, found(facts))
        lasts = [seen[stream.index[last_event(match)]] for match in taken]
        shown = rows(query, events, type=type, **self.roles)
        number = list(self.queries).index(name)
        return shown, [
            Placed((*last.place, number, own), self.derived(last.event, row))
            for own, (last, row) in enumerate(zip(lasts, shown, strict=True))
        ]

    def rows_as_events(self, name: str, caused: list[tuple[Row, Placed | None]]) -> Iterator[Placed]:
        """Rows of AGG: after their event, or else after all events of their time; of one moment, by group."""
        number, time = list(self.queries).index(name), self.roles["time"]
        aggregation = self.queries[name].aggregation
        assert aggregation is not None
        if any(event is None for _, event in caused):

            def moment_and_group(one: tuple[Row, Placed | None]) -> Any:
                groups = (one[0][column] for column in aggregation.group_by)
                return clock_of(one[0]["time"]), [(value is not None, value) for value in groups]

            caused = sorted(caused, key=moment_and_group)
        for own, (row, event) in enumerate(caused):
            columns = {column: value for column, value in row.items() if column != "time" or time == "time"}
            if event is not None:
                yield Placed((*event.place, number, own), self.derived(event.event, columns))
                continue
            now = clock_of(row["time"])
            before = sum(clock_of(placed.event[time]) <= now for placed in self.stream)
            blank = dict.fromkeys(self.roles["order"])
            yield Placed((before - 1, math.inf, now, number, own), {**blank, **columns, time: row["time"]})

    def derived(self, last: Event, row: Row) -> Event:
        kept = (self.roles["time"], *self.roles["order"])
        return {**row, **{column: last[column] for column in kept}}

    def seen(self, named: list[str]) -> list[Placed]:
        """The stream and the matches of these queries, each event with all columns that any has."""
        type = self.type or "type"
        returned = (column for other in named for column in _columns(self.queries[other]))
        blank = dict.fromkeys([*self.columns, type, *returned])
        found = [Placed(p.place, {**blank, **_not_of_type(p.event, type, named)}) for p in self.stream]
        for other in named:
            if len(self.answer(other)[1]) > self.most:
                raise TooMany(other)
            for placed in self.answer(other)[1]:
                found.append(Placed(placed.place, {**blank, **placed.event, type: other}))
        return sorted(found, key=lambda placed: placed.place)


def _not_of_type(event: Event, type: str, named: list[str]) -> Event:
    """The name of a query means the query, and no type of the stream."""
    return {**event, type: None} if event.get(type) in named else event


def _types(query: PatternQuery) -> set[str | None]:
    return {atom.type for atom in atoms(query.pattern)}


def _columns(query: PatternQuery) -> Iterator[str]:
    if query.aggregation is not None:
        yield from query.aggregation.group_by
        yield from (item.name or column_name(item) for item in query.aggregation.items)
        return
    if query.returns is None:
        yield from (atom.variable for atom in atoms(query.pattern) if not isinstance(atom, Absent))
    for item in query.returns or ():
        assert isinstance(item.expression, ex.Expression)
        assert item.name is not None, "name the columns with AS"
        yield item.name


def _any_but(node: Pattern, named: list[str]) -> Pattern:
    """The pattern over a stream without types: all but these names are of any event."""
    match node:
        case Seq(parts=inner) | Conjunction(parts=inner) | Choice(parts=inner):
            return replace(node, parts=tuple(_any_but(part, named) for part in inner))
        case Within(part=part):
            return replace(node, part=_any_but(part, named))
        case Atom(type=type) if type not in named:
            return replace(node, type=None, bare=False)
        case _:
            return node
