"""AGG by counting, for streams whose matches are too many to list: a plain dynamic program for each start.

It knows SEQ of single and `+` variables, absences between them, conditions on single events, equivalence
tests and windows. Everything is a Python integer, so nothing wraps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from cepheid import expressions as ex
from cepheid.pattern.nodes import Absent, Kleene, Pattern, Seq, Single
from cepheid.pattern.query import PatternQuery

from .aggregate import Found, Row, Span, Tally
from .evaluate import Event
from .stream import Stream
from .totals import Values, is_of_one_event


def counts(
    query: PatternQuery,
    events: Sequence[Event],
    *,
    time: str,
    type: str | None = None,
    order: Sequence[str] = (),
    time_unit: str | None = None,
) -> list[Row]:
    """The same rows as `aggregates`, for queries that can be counted."""
    assert is_countable(query)
    stream = Stream(events, query.keys, time, type, order, time_unit)
    counting = Counting(query, stream, [events[i][time] for i in stream.index])
    return [row for row, _ in counting.rows()]


def is_countable(query: PatternQuery) -> bool:
    """Whether this file knows how to count the query's matches."""
    parts = _parts(query.pattern)
    return (
        all(isinstance(part, Single | Absent) or _is_plus(part) for part in parts)
        and not isinstance(parts[0], Absent)
        and not isinstance(parts[-1], Absent)
        and all(len(ex.variables(test)) == 1 and is_of_one_event(test) for test in query.conjuncts)
    )


def _parts(pattern: Pattern) -> tuple[Pattern, ...]:
    return pattern.parts if isinstance(pattern, Seq) else (pattern,)


def _is_plus(node: Pattern) -> bool:
    return isinstance(node, Kleene) and node.least == 1 and node.most is None


@dataclass(frozen=True)
class Prefixes:
    """Beginnings of matches: how many, and the values that each item has met in them."""

    count: int
    values: tuple[Values, ...]

    def __add__(self, other: Prefixes) -> Prefixes:
        if not self.count or not other.count:
            return self if self.count else other
        pairs = zip(self.values, other.values, strict=True)
        return Prefixes(self.count + other.count, tuple(mine + theirs for mine, theirs in pairs))


class Counting(Tally):
    """The same rows, from matches that are counted and not listed."""

    def found(self) -> list[Found]:
        facts, everywhere = self.facts, range(len(self.stream))
        self.fits = {v: [self.qualifies(v, p) for p in everywhere] for v in facts.atoms}
        self.gaps = [self.absent_after(variable) for variable in facts.positive]
        starts = (p for p in everywhere if self.fits[facts.positive[0]][p])
        found = [one for start in starts for one in self.from_start(start)]
        return sorted(found, key=lambda one: one.span.last)

    def absent_after(self, variable: str) -> list[str]:
        """The absences between a variable and the next positive one."""
        names = list(self.facts.atoms)
        after = names[names.index(variable) + 1 :]
        return list(takewhile(lambda name: name in self.facts.negated, after))

    def from_start(self, start: int) -> Iterator[Found]:
        """The matches that begin with this event, by the event that completes them."""
        none = Prefixes(0, tuple(Counter() for _ in self.items))
        held = [none] * len(self.gaps)  # that end in each variable
        free = [none] * len(self.gaps)  # of these, the ones that nothing keeps from the next variable
        for position in self.in_window(start):
            arrived = list(self.arrived(position, held, free))
            if position == start:
                one = Prefixes(1, none.values)
                arrived[0] = self.extended(one, self.facts.positive[0], position)
            for place, gap in enumerate(self.gaps):
                if any(self.fits[absent][position] for absent in gap):
                    free[place] = none
                held[place] += arrived[place]
                free[place] += arrived[place]
            if arrived[-1].count:
                yield Found(Span(start, position, len(self.stream)), arrived[-1].count, arrived[-1].values)

    def arrived(self, position: int, held: list[Prefixes], free: list[Prefixes]) -> Iterator[Prefixes]:
        """For each variable, the beginnings that now end in it with this event."""
        none = Prefixes(0, tuple(Counter() for _ in self.items))
        for place, variable in enumerate(self.facts.positive):
            takes_more = isinstance(self.facts.atoms[variable], Kleene)
            before = free[place - 1] if place else none
            before += held[place] if takes_more else none
            fits = before.count and self.fits[variable][position]
            yield self.extended(before, variable, position) if fits else none

    def extended(self, prefixes: Prefixes, variable: str, position: int) -> Prefixes:
        """The same beginnings with one event more."""
        values = list(prefixes.values)
        for place, named in enumerate(self.variables):
            worth = self.worth[place][position]
            if named == variable and worth is not None:
                values[place] = values[place] + Counter({worth: prefixes.count})
        return Prefixes(prefixes.count, tuple(values))

    def in_window(self, start: int) -> Iterator[int]:
        """The events of the start's partition, from the start to where its window ends."""
        stream, window = self.stream, self.query.window
        own = (p for p in range(start, len(stream)) if stream.keys[p] == stream.keys[start])
        return takewhile(lambda p: window is None or stream.spans(window, start, p), own)
