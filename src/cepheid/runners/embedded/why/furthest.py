"""Which first events came furthest, where there are more than can be followed: the engine says it, by the
matches of the beginnings of the pattern."""

from __future__ import annotations

from dataclasses import replace

from cepheid import expressions as ex
from cepheid.errors import CepheidError
from cepheid.pattern import nodes as pt
from cepheid.pattern.presence import needs_an_event
from cepheid.pattern.query import Emit, EmitMode, PatternQuery
from cepheid.pattern.rewrite.flatten_patterns import flatten_patterns
from cepheid.runners.embedded.why.asked import AskedQuery
from cepheid.runners.embedded.why.found import FIRST, EngineMatches
from cepheid.runners.embedded.why.stretch import EventStretch


def furthest_firsts(
    matching: EngineMatches, asked: AskedQuery, stretch: EventStretch, most: int
) -> frozenset[int]:
    """The rows of first events, of those that came furthest; none if the pattern is no SEQ."""
    found: dict[int, None] = {}
    for beginning in _beginnings(asked.query):
        part = replace(asked, query=beginning)
        try:
            matches = replace(matching, query=beginning, terms=None).some_rows(part, stretch)
        except CepheidError:
            break  # a part that no engine takes by itself: then first events are spread over time
        found |= dict.fromkeys(min(row for some in match for row in some) for match in matches)
        if len(found) >= most:
            break
    return frozenset(list(found)[:most])


def _beginnings(query: PatternQuery) -> list[PatternQuery]:
    """The query for ever fewer parts of its pattern, and what it says of these; absence says nothing yet."""
    pattern = flatten_patterns(query).pattern
    if not isinstance(pattern, pt.Seq):
        return []
    parts = [part for part in pattern.parts if not isinstance(part, pt.Absent)]
    shorter = [pt.Seq(tuple(parts[:count])) for count in range(len(parts) - 1, 0, -1)]
    return [_about(query, each) for each in shorter if needs_an_event(each)]


def _about(query: PatternQuery, pattern: pt.Pattern) -> PatternQuery:
    declared = {atom.variable for atom in pt.atoms(pattern)}
    return replace(
        query,
        pattern=pattern,
        conjuncts=tuple(each for each in query.conjuncts if ex.variables(each) <= declared),
        returns=None,
        aggregation=None,
        emit=Emit(EmitMode.FIRST, FIRST),
    )
