"""What a profile tells of its matches: select, then consume, then once, in each partition by itself.

The matches are those of the query; the parameters choose among them in the order of output.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cepheid.pattern.nodes import Nth, Silence, Single, atoms
from cepheid.pattern.query import PatternQuery
from cepheid.time import Duration

from .absence import neighbours
from .evaluate import Event
from .matches import found, rows_of
from .order import completion, in_order
from .stream import Completion, Taken, last_event
from .time_events import ProfileFacts, staged

Row = dict[str, Any]
Select = str | int | Mapping[str, str | int]


def profile_rows(
    query: PatternQuery,
    events: Sequence[Event],
    *,
    select: Select = "all",
    consume: str = "all",
    once: Duration | str | None = None,
    timezone: str = "UTC",
    until: Any = None,
    time: str,
    type: str | None = None,
    order: Sequence[str] = (),
    time_unit: str | None = None,
) -> list[Row]:
    """What each match that is told returns, in the order of output, without `match_id`."""
    facts, shown = staged(query, events, timezone, until, time, type, order, time_unit)
    rows = rows_of(facts, told(facts, _choices(query, select), consume, once), shown)
    hidden = {v for v in facts.positive if v not in {atom.variable for atom in atoms(query.pattern)}}
    return [{name: cell for name, cell in row.items() if name not in hidden} for row in rows]


def _choices(query: PatternQuery, select: Select) -> dict[str, str | int]:
    """The choice of each variable; `Type[i] v` is `Type v` with select i."""
    singles = {a.variable: a for a in atoms(query.pattern) if isinstance(a, Single | Nth | Silence)}
    asked = select if isinstance(select, Mapping) else dict.fromkeys(singles, select)
    return {**asked, **{v: a.ordinal for v, a in singles.items() if isinstance(a, Nth)}}


@dataclass
class Partition:
    """What has been told in a partition, and what is used up there."""

    told: Completion | None = None  # when the last match told was complete
    used: set[int] = field(default_factory=set)
    used_up_to: Completion | None = None


def told(
    facts: ProfileFacts, choices: Mapping[str, str | int], consume: str, once: Duration | str | None
) -> list[Taken]:
    """Of all matches, in the order of output, those that are told."""
    partitions: dict[Any, Partition] = {}
    chosen = []
    for taken in _every_match(facts):
        here = partitions.setdefault(_key(facts, taken), Partition())
        if any(_is_used(facts, here, p) for positions in taken.values() for p in positions):
            continue
        if not all(_is_selected(facts, here, taken, v, choice) for v, choice in choices.items()):
            continue
        complete = completion(facts, taken)
        _consume(here, consume, taken, complete)
        if not _is_held_back(facts, here, once, complete):
            here.told = complete
            chosen.append(taken)
    return chosen


def _every_match(facts: ProfileFacts) -> list[Taken]:
    """The matches of the query, in the order of output. Every partition has the time events for itself."""
    if not facts.query.keys:
        return found(facts)
    matches: list[Taken] = []
    for key in dict.fromkeys(key for key in facts.stream.keys if key is not None):
        facts.only = key
        matches += [taken for taken in found(facts) if _key(facts, taken) is not None]
    facts.only = None
    return in_order(facts, matches)


def _key(facts: ProfileFacts, taken: Taken) -> Any:
    if not facts.query.keys:
        return ()
    keyed = (p for positions in taken.values() for p in positions if not facts.has_no_key(p))
    return next((facts.stream.keys[p] for p in keyed), None)


def _consume(here: Partition, consume: str, taken: Taken, complete: Completion) -> None:
    if consume == "unique":
        here.used |= {p for positions in taken.values() for p in positions}
    elif consume == "reapply":
        here.used_up_to = complete


def _is_used(facts: ProfileFacts, here: Partition, position: int) -> bool:
    moment = (facts.stream.clock[position], 0, position)
    return position in here.used or (here.used_up_to is not None and moment <= here.used_up_to)


def _is_held_back(
    facts: ProfileFacts, here: Partition, once: Duration | str | None, complete: Completion
) -> bool:
    """Whether the period that runs from the last match told is not over."""
    if here.told is None or once is None:
        return False
    if not isinstance(once, Duration):
        return True
    return complete[0] == here.told[0] or complete[0] < here.told[0] + facts.stream.ticks(once)


def _is_selected(facts: ProfileFacts, here: Partition, taken: Taken, v: str, choice: str | int) -> bool:
    """Whether the event of a variable is the one wanted among those that qualify in its place."""
    if choice == "all" or v not in taken:
        return True
    (own,) = taken[v]
    others = list(_qualifying(facts, here, taken, v))
    return WANTED.get(choice, _nth)(own, others, choice)


def _nth(own: int, others: list[int], choice: Any) -> bool:
    return sum(p < own for p in others) == choice - 1


WANTED: dict[str | int, Callable[[int, list[int], Any], bool]] = {
    "first": lambda own, others, _: all(p > own for p in others),
    "last": lambda own, others, _: all(p < own for p in others),
}


def _qualifying(facts: ProfileFacts, here: Partition, taken: Taken, v: str) -> Iterator[int]:
    """The events outside the match that could stand in a variable's place."""
    left, right = neighbours(facts, v, taken)
    last, window = last_event(taken), facts.query.window
    earlier = facts.positive[: facts.positive.index(v)]
    bound = facts.bound({u: taken[u] for u in earlier if u in taken})
    edge = [test for test in facts.of_positive if [u for u in facts.positive if u in test.names][-1] == v]
    selected = {p for positions in taken.values() for p in positions}
    for p in range(0 if left is None else left + 1, last + 1 if right is None else right):
        if (
            p not in selected
            and not _is_used(facts, here, p)
            and facts.is_of_type(v, p)
            and facts.is_of_partition(taken, p)
            and (left is not None or window is None or facts.stream.spans(window, p, last))
            and all(test.holds({**bound, v: (facts.stream.events[p],)}) for test in edge)
        ):
            yield p
