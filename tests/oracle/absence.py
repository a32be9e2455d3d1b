"""Absence, judged on positive matches: the events that are there and should not be."""

from __future__ import annotations

from collections.abc import Iterator

from .facts import Bounds, Facts
from .stream import Taken


def spoilers(facts: Facts, taken: Taken) -> Iterator[int]:
    """The events that spoil a match, for every absence that counts in it."""
    standing = (v for v in facts.negated if facts.stands(v, taken))
    return (p for v in standing for p in _violations(facts, v, taken))


def neighbours(facts: Facts, variable: str, taken: Taken) -> tuple[int | None, int | None]:
    """The nearest selected events that the pattern puts before and after an absence.

    Parts of a SEQ are so ordered, parts of an AND are not.
    """
    before = [p for v in facts.before[variable] for p in taken.get(v, ())]
    after = [p for v in facts.after[variable] for p in taken.get(v, ())]
    return max(before, default=None), min(after, default=None)


def windows_around(facts: Facts, variable: str, taken: Taken) -> list[tuple[Bounds, int, int]]:
    """The windows around an absence, each with the first and the last event that it spans."""
    return [(bounds, *ends) for bounds in facts.bounds[variable] for ends in facts.ends(bounds, taken)]


def _violations(facts: Facts, variable: str, taken: Taken) -> Iterator[int]:
    stream = facts.stream
    left, right = neighbours(facts, variable, taken)
    between = range(0 if left is None else left + 1, len(stream) if right is None else right)
    selected = {p for positions in taken.values() for p in positions}
    return (
        p
        for p in between
        if p not in selected
        and facts.is_of_type(variable, p)
        and facts.is_of_partition(taken, p)
        and all(
            (left is not None or stream.spans(bounds.window, p, last))
            and (right is not None or stream.spans(bounds.window, first, p))
            for bounds, first, last in windows_around(facts, variable, taken)
        )
        and all(
            test.holds({**facts.bound(taken), variable: (stream.events[p],)})
            for test in facts.of_negated[variable]
        )
    )
