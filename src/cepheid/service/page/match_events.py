"""The events of a match whose notification has only what RETURN gave: the query is run again, without it.

Two profiles run side by side over the events around the match, the query as it is and without RETURN. Both
tell the same matches in the same order, so the one with the id that is looked for shows which events it has.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from sqlalchemy import Connection

from cepheid.pattern.nodes import Silence, Within, walk
from cepheid.pattern.query import PatternQuery
from cepheid.pattern.render import render
from cepheid.query import query
from cepheid.service.matching import Matching, ToldMatch
from cepheid.service.page.recorded import steps_between
from cepheid.service.steps import ClockAdvanced, EventsAccepted, ProfileAdded
from cepheid.time import Duration

HOUR = 3600 * 10**6
MOST_EVENTS = 100_000


def reach_of(tree: PatternQuery) -> int:
    """How long a match may take, in microseconds; an hour where the query does not say it."""
    lengths = [tree.window.length] if tree.window is not None else []
    lengths += [node.window.length for node in walk(tree.pattern) if isinstance(node, Within)]
    known = [each.nanoseconds() // 1000 for each in lengths if isinstance(each, Duration)]
    silent = [node.duration.nanoseconds() // 1000 for node in walk(tree.pattern) if isinstance(node, Silence)]
    return int(max(known, default=0 if silent else HOUR) + sum(silent))


@dataclass(frozen=True, slots=True)
class MatchEventsJob:
    """A match whose events are looked for."""

    query: str
    timezone: str
    match_id: str
    time: int
    lateness: int
    what: ClassVar[str] = "search"

    def answer(self, connection: Connection) -> dict[str, Any]:
        """`bound`: an object for each variable, as a notification without RETURN has it; None if it is not
        found."""
        return {"bound": self._searched(connection)}

    def _searched(self, connection: Connection) -> dict[str, Any] | None:
        tree = query(self.query).tree
        reach = reach_of(tree)
        matching = Matching.fresh(self.lateness)
        terms = {} if self.timezone == "UTC" else {"timezone": self.timezone}
        matching.apply(ProfileAdded("told", self.query, terms))
        matching.apply(ProfileAdded("whole", render(replace(tree, returns=None)), terms))
        start, end, left = self.time - reach, self.time + reach, MOST_EVENTS
        for step in steps_between(connection, start, end, self.lateness):
            cut = _cut(step, start, end)
            left -= len(cut.times)
            if left < 0:
                return None
            found = self._found(matching.apply(cut)) if cut.times else None
            if found is not None:
                return found
        return self._found(matching.apply(ClockAdvanced(end + 1)))

    def _found(self, matches: list[ToldMatch]) -> dict[str, Any] | None:
        told = [match for match in matches if match.profile == "told"]
        whole = [match for match in matches if match.profile == "whole"]
        for known, bound in zip(told, whole, strict=True):
            if known.match_id == self.match_id:
                answer: dict[str, Any] = json.loads(bound.match)
                return answer
        return None


def _cut(step: EventsAccepted, start: int, end: int) -> EventsAccepted:
    """The events of a step that lie in a stretch of time."""
    kept = [row for row, time in enumerate(step.times) if start <= time <= end]
    times, types, texts = step.times, step.types, step.texts
    return EventsAccepted(
        [times[row] for row in kept], [types[row] for row in kept], [texts[row] for row in kept]
    )
