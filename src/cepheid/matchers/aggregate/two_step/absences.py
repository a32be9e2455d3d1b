"""Absences that may stand at the end of a match, judged as events come.

Whether one does depends on which optional variables the match has. Where it stands at the start or between
two events, the match's own last event decides at once; at its end, the match counts until an event spoils it.
In an AND it may be open on both sides, and the match's own events may lie there.
"""

from collections.abc import Sequence

import numpy as np

from cepheid import expressions as ex
from cepheid.matchers.aggregate.two_step.events import HeldEvents
from cepheid.matchers.aggregate.two_step.lists import Lists
from cepheid.matchers.aggregate.two_step.matches import BuiltMatches
from cepheid.matchers.aggregate.two_step.pairs import qualify
from cepheid.matchers.windows import FAR, all_within
from cepheid.plan.aggregate.plan import TwoStepPlan
from cepheid.plan.precedence import neighbourhoods
from cepheid.plan.program import Absence, WindowTest
from cepheid.plan.states.structure import has_conjunction

_LEADING, _BETWEEN, _TRAILING, _AROUND = "leading", "between", "trailing", "around"


class Absences:
    """The judged absences of a plan."""

    def __init__(self, plan: TwoStepPlan, events: HeldEvents) -> None:
        self.plan, self.events = plan, events
        self.absences = [plan.absences[number] for number in plan.judged]
        self._around = [self._windows_around(absence) for absence in self.absences]
        windows = {number for around in self._around for number in around}
        self._windows = {number: self._window(number) for number in sorted(windows)}
        self._named = [_named(absence, plan) for absence in self.absences]
        self._mixes = has_conjunction(plan.query.pattern)  # so events of a match may lie where one is absent
        around = neighbourhoods(plan.query.pattern)
        self._sides = [
            tuple(sorted(side) for side in (around[a.variable].before, around[a.variable].after))
            for a in self.absences
        ]
        self._order: list[tuple[np.ndarray, np.ndarray, int]] = []  # of each absence: candidates by partition

    def _windows_around(self, absence: Absence) -> tuple[int, ...]:
        own = (0,) if self.plan.window is not None else ()
        return (*own, *(1 + number for number in absence.inner_windows))

    def _window(self, number: int) -> WindowTest:
        window = self.plan.window if number == 0 else self.plan.inner_windows[number - 1]
        assert window is not None
        return window

    def columns(self, bound: Sequence[Lists]) -> dict[str, np.ndarray]:
        """What is to be known of matches that absences may undo; `bound` has their events' positions."""
        count, places = bound[0].count, range(len(bound))
        found: dict[str, np.ndarray] = {"end": np.full(count, FAR, np.int64)}
        for number, window in self._windows.items():
            first, last = _edges(bound, window.members or places)
            for name, positions in (("begun", first), ("ended", last)):
                here = self.events.places(np.maximum(positions, 0)) if count else positions
                found[f"{name}_{number}"] = self.events.measure(window, np.minimum(here, self._last))
            found[f"inside_{number}"] = last >= 0
        for number, absence in enumerate(self.absences):
            stands = np.ones(count, np.bool_)
            for branch in absence.branches:
                stands &= np.any([bound[place].lengths > 0 for place in branch], axis=0)
            before, after = self._sides[number]
            found[f"left_{number}"] = _edges(bound, before)[1]
            found[f"right_{number}"] = _edges(bound, after)[0]
            found[f"stands_{number}"] = stands
        return found

    @property
    def _last(self) -> int:
        return max(int(self.events.position.size) - 1, 0)

    def lists(self, bound: Sequence[Lists]) -> dict[int, Lists]:
        """The variables whose events conditions name, or that may be among those that should be absent."""
        named = range(len(bound)) if self._mixes else sorted({p for named in self._named for p in named})
        return {place: bound[place] for place in named}

    def look_at_events(self) -> None:
        """The candidates for each absence among the events of now, sorted by partition."""
        self._order = []
        events = self.events
        wide = int(events.position.max(initial=0)) + 2
        for number in range(len(self.absences)):
            fit = (events.absent >> number) & 1 == 1
            candidates = np.flatnonzero(fit & (events.partition >= 0))
            keys = events.partition[candidates] * wide + events.position[candidates]
            order = np.argsort(keys, kind="stable")
            self._order.append((candidates[order], keys[order], wide))

    def judge(self, matches: BuiltMatches) -> np.ndarray:
        """Of new matches those that no event before the last one has undone; notes what spoils them later."""
        holds = np.ones(matches.count, np.bool_)
        for number in range(len(self.absences)):
            left, right = matches[f"left_{number}"], matches[f"right_{number}"]
            stands = matches[f"stands_{number}"]
            is_open = right == FAR
            for kind, chosen, before in (
                (_LEADING, stands & (left < 0) & ~is_open, right),
                (_BETWEEN, stands & (left >= 0) & ~is_open, right),
                (_AROUND, stands & (left < 0) & is_open, matches["last"]),
            ):
                some = np.flatnonzero(chosen)
                holds[some] &= self._offender(number, kind, matches, some, left[some], before[some]) == FAR
        self.spoil(matches, since=-1)
        alive: np.ndarray = holds & (matches["end"] > matches["last"])
        return alive

    def spoil(self, matches: BuiltMatches, since: int) -> None:
        """Note the first event, from a stream position on, that comes though it should be absent."""
        for number in range(len(self.absences)):
            waiting = matches[f"stands_{number}"] & (matches[f"right_{number}"] == FAR)
            some = np.flatnonzero(waiting & (matches["end"] >= since))
            left, last = matches[f"left_{number}"][some], matches["last"][some]
            after = np.maximum(np.where(left < 0, last, left), since - 1)
            ends = self._offender(number, _TRAILING, matches, some, after, np.full(some.size, FAR))
            matches["end"][some] = np.minimum(matches["end"][some], ends)

    def may_be_spoilt(self, matches: BuiltMatches) -> np.ndarray:
        """Whether an absence stands at the end of a match."""
        waits = np.zeros(matches.count, np.bool_)
        for number in range(len(self.absences)):
            waits |= matches[f"stands_{number}"] & (matches[f"right_{number}"] == FAR)
        return waits

    def _offender(
        self,
        number: int,
        kind: str,
        matches: BuiltMatches,
        some: np.ndarray,
        after: np.ndarray,
        before: np.ndarray,
    ) -> np.ndarray:
        """The position of the first event between two that is what should be absent; FAR if there is none."""
        found = np.full(some.size, FAR, np.int64)
        candidates, keys, wide = self._order[number]
        base = matches["partition"][some] * wide
        start = np.searchsorted(keys, base + np.maximum(after, -1), "right")
        stop = np.searchsorted(keys, base + np.minimum(before, wide - 1), "left")
        trying = np.flatnonzero(start < stop)
        while trying.size:  # each match with its next candidate
            place = candidates[start[trying]]
            inside = self._inside(number, kind, matches, some[trying], place)
            guilty = inside.copy()
            guilty[inside] = self._qualify(number, matches, some[trying][inside], place[inside])
            found[trying[guilty]] = self.events.position[place[guilty]]
            start[trying] += 1
            # once its windows are over, a match has nothing to fear from later events
            going = ~guilty & (inside | (kind != _TRAILING)) & (start[trying] < stop[trying])
            trying = trying[going]
        return found

    def _inside(
        self, number: int, kind: str, matches: BuiltMatches, some: np.ndarray, place: np.ndarray
    ) -> np.ndarray:
        """Whether candidates lie in the windows around an absence, where no event of the match bounds it."""
        inside = np.ones(some.size, np.bool_)
        if kind == _BETWEEN:
            return inside
        for window in self._around[number]:
            test = self._windows[window]
            moment = self.events.measure(test, place)
            near = np.ones(some.size, np.bool_)
            if kind != _TRAILING:
                near &= all_within(test, moment, matches[f"ended_{window}"][some])
            if kind != _LEADING:
                near &= all_within(test, matches[f"begun_{window}"][some], moment)
            inside &= near | ~matches[f"inside_{window}"][some]
        return inside

    def _qualify(self, number: int, matches: BuiltMatches, some: np.ndarray, here: np.ndarray) -> np.ndarray:
        absence = self.absences[number]
        others = ~self._is_own(matches, some, here)
        if not absence.conditions or not some.size:
            return others
        bound = {}
        for place in self._named[number]:
            lists = matches.lists[place].take(some)
            bound[place] = Lists(lists.offsets, self.events.places(lists.items))
        others &= qualify(self.plan, self.events, absence, bound, here)
        return others

    def _is_own(self, matches: BuiltMatches, some: np.ndarray, here: np.ndarray) -> np.ndarray:
        """Whether candidates are events of the matches themselves: these never count as absent."""
        own = np.zeros(some.size, np.bool_)
        for lists in matches.lists.values() if self._mixes and some.size else ():
            chosen = lists.take(some)
            same = chosen.items == np.repeat(self.events.position[here], chosen.lengths)
            own |= np.bincount(np.repeat(np.arange(some.size), chosen.lengths)[same], minlength=some.size) > 0
        return own


def _named(absence: Absence, plan: TwoStepPlan) -> tuple[int, ...]:
    """The variables that an absence's conditions name besides itself."""
    names = {name for condition in absence.conditions for name in ex.variables(condition.source)}
    return tuple(p for p, position in enumerate(plan.automaton.positions) if position.variable in names)


def _edges(bound: Sequence[Lists], places: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """The first and the last position of these variables' events in each match: FAR and -1 where none is."""
    count = bound[0].count
    first, last = np.full(count, FAR, np.int64), np.full(count, -1, np.int64)
    for place in places:
        starts = bound[place].at(0)
        first = np.minimum(first, np.where(starts < 0, FAR, starts))
        last = np.maximum(last, bound[place].at(-1))
    return first, last
