"""The order of output: when a match is certain, then its events."""

from __future__ import annotations

from collections.abc import Iterable

from .absence import neighbours, windows_around
from .facts import Facts
from .stream import END, Completion, Taken, last_event


def in_order(facts: Facts, found: Iterable[Taken]) -> list[Taken]:
    """The matches in the order of output."""
    return sorted(found, key=lambda taken: (completion(facts, taken), by_events(facts, taken)))


def completion(facts: Facts, taken: Taken) -> Completion:
    """When a match is certain: at its last event, or when the last window that it waits for closes.

    In an AND, the window of a part may close before the other parts have come.
    """
    waits = [
        min(
            (facts.stream.closing(b.window, first) for b, first, _ in windows_around(facts, v, taken)),
            default=END,
        )
        for v in facts.negated
        if facts.stands(v, taken) and neighbours(facts, v, taken)[1] is None
    ]
    last = last_event(taken)
    return max([(facts.stream.clock[last], 0, last), *waits])


def by_events(facts: Facts, taken: Taken) -> list[tuple[int, ...]]:
    """The events variable by variable, in the order of the text; an absent one comes before any event."""
    return [taken.get(v, ()) for v in facts.positive]
