"""EMIT: which of all matches are let out, and which of them belong together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from cepheid.pattern.query import EmitMode, Strategy

from .stream import Completion, Taken, first_event, last_event

if TYPE_CHECKING:
    from .oracle import Judge


class Group(NamedTuple):
    """What one event completes: matches with one completion and one last event, in the order of output."""

    completion: Completion
    last: int
    members: list[Taken]


def grouped(judge: Judge, found: Sequence[Taken]) -> list[Group]:
    """The groups of matches that are in the order of output; by completion, then by the last event."""
    groups: dict[tuple[Completion, int], list[Taken]] = {}
    for taken in found:
        groups.setdefault((judge.completion(taken), last_event(taken)), []).append(taken)
    return [Group(*key, groups[key]) for key in sorted(groups)]


def size(taken: Taken) -> int:
    """How many events a match has."""
    return sum(map(len, taken.values()))


def _all(judge: Judge, found: list[Taken]) -> list[Taken]:
    return found


def _first(judge: Judge, found: list[Taken]) -> list[Taken]:
    return [taken for group in grouped(judge, found) for taken in group.members[: judge.query.emit.count]]


def _longest(judge: Judge, found: list[Taken]) -> list[Taken]:
    """Of several, `max` gives the first."""
    return [max(group.members, key=size) for group in grouped(judge, found)]


def _non_overlapping(judge: Judge, found: list[Taken]) -> list[Taken]:
    """Of matches in the order of completion, those that begin after the last emitted one has ended."""

    def rank(taken: Taken) -> Any:
        return judge.completion(taken), size(taken), first_event(taken), judge.by_events(taken)

    ends: dict[Any, int] = {}
    chosen = []
    for taken in sorted(found, key=rank):
        is_one = judge.query.strategy is Strategy.STRICT
        partition = None if is_one else judge.stream.keys[first_event(taken)]
        if first_event(taken) > ends.get(partition, -1):
            ends[partition] = last_event(taken)
            chosen.append(taken)
    return chosen


EMIT: dict[EmitMode, Callable[[Judge, list[Taken]], list[Taken]]] = {
    EmitMode.ALL: _all,
    EmitMode.NON_OVERLAPPING: _non_overlapping,
    EmitMode.FIRST: _first,
    EmitMode.LONGEST: _longest,
    EmitMode.COMPRESSED: _all,  # what expand() makes of it
    EmitMode.COUNT: _all,  # what is counted
}
