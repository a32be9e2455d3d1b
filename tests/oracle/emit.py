"""EMIT: which of all matches are let out, and which of them belong together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from cepheid.pattern.query import EmitMode, Strategy

from .facts import Facts
from .order import by_events, completion, in_order
from .stream import Completion, Taken, first_event, last_event


def emitted(facts: Facts, found: list[Taken]) -> list[Taken]:
    """Of all matches, in the order of output, those that EMIT lets out."""
    return in_order(facts, EMIT[facts.query.emit.mode](facts, found))


class Group(NamedTuple):
    """What one event completes: matches with one completion and one last event, in the order of output."""

    completion: Completion
    last: int
    members: list[Taken]


def grouped(facts: Facts, found: Sequence[Taken]) -> list[Group]:
    """The groups of matches that are in the order of output; by completion, then by the last event."""
    groups: dict[tuple[Completion, int], list[Taken]] = {}
    for taken in found:
        groups.setdefault((completion(facts, taken), last_event(taken)), []).append(taken)
    return [Group(*key, groups[key]) for key in sorted(groups)]


def size(taken: Taken) -> int:
    """How many events a match has."""
    return sum(map(len, taken.values()))


def _all(facts: Facts, found: list[Taken]) -> list[Taken]:
    return found


def _first(facts: Facts, found: list[Taken]) -> list[Taken]:
    return [taken for group in grouped(facts, found) for taken in group.members[: facts.query.emit.count]]


def _longest(facts: Facts, found: list[Taken]) -> list[Taken]:
    """Of several, `max` gives the first."""
    return [max(group.members, key=size) for group in grouped(facts, found)]


def _non_overlapping(facts: Facts, found: list[Taken]) -> list[Taken]:
    """Of matches in the order of completion, those that begin after the last emitted one has ended."""

    def rank(taken: Taken) -> Any:
        return completion(facts, taken), size(taken), first_event(taken), by_events(facts, taken)

    ends: dict[Any, int] = {}
    chosen = []
    for taken in sorted(found, key=rank):
        is_one = facts.query.strategy is Strategy.STRICT
        partition = None if is_one else facts.stream.keys[first_event(taken)]
        if first_event(taken) > ends.get(partition, -1):
            ends[partition] = last_event(taken)
            chosen.append(taken)
    return chosen


EMIT: dict[EmitMode, Callable[[Facts, list[Taken]], list[Taken]]] = {
    EmitMode.ALL: _all,
    EmitMode.NON_OVERLAPPING: _non_overlapping,
    EmitMode.FIRST: _first,
    EmitMode.LONGEST: _longest,
    EmitMode.COMPRESSED: _all,  # what expand() makes of it
    EmitMode.COUNT: _all,  # what is counted
}
