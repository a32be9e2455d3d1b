"""The time in which no event of a negated variable may be, around the events of one match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cepheid.pattern.nodes import Absent, atoms
from cepheid.plan.plan import QueryPlan
from cepheid.plan.positions import type_name
from cepheid.plan.precedence import Neighbourhood, neighbourhoods
from cepheid.plan.program import WindowTest

Moment = int | float
Times = Mapping[int, Sequence[Moment]]
"""The times of the events of a match, by the number of their variable."""


@dataclass(frozen=True, slots=True)
class MatchGap:
    """Where one negated variable must have no event; without a start or an end nothing is known of it."""

    variable: str
    type: str | None
    start: Moment | None
    end: Moment | None


def gaps_of(plan: QueryPlan, bound: Times) -> Iterator[MatchGap]:
    """The gaps of one match."""
    around = neighbourhoods(plan.query.pattern)
    for atom in atoms(plan.query.pattern):
        if isinstance(atom, Absent):
            here = around[atom.variable]
            if all(any(bound.get(place) for place in branch) for branch in here.branches):
                start, end = _between(plan, here, bound)
                kind = type_name(atom, plan.schema.type is not None)
                yield MatchGap(atom.variable, kind, start, end)


def _between(plan: QueryPlan, here: Neighbourhood, bound: Times) -> tuple[Moment | None, Moment | None]:
    """From the nearest event before to the nearest after; on an open side, as far as the windows reach."""
    before = [bound[place][-1] for place in here.before if bound.get(place)]
    after = [bound[place][0] for place in here.after if bound.get(place)]
    reaches = list(_reaches(plan, here, bound))
    start = max(before) if before else max((last - limit for _, last, limit in reaches), default=None)
    end = min(after) if after else min((first + limit for first, _, limit in reaches), default=None)
    return start, end


def _reaches(plan: QueryPlan, here: Neighbourhood, bound: Times) -> Iterator[tuple[Moment, Moment, Moment]]:
    """The first and the last event inside each window around an absence, and how long the window is."""
    windows: list[WindowTest] = [plan.inner_windows[number] for number in here.windows]
    windows += [plan.window] if plan.window is not None else []
    for window in windows:
        inside = [time for place in window.members or bound for time in bound.get(place, ())]
        if inside and not window.counts_events:
            yield min(inside), max(inside), window.limit
