"""What stopped a candidate: the event that came nearest to taking it further, and all that it failed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from cepheid.matchers.evaluate import evaluate
from cepheid.pattern.query import Strategy
from cepheid.runners.embedded.why.asked import AskedCondition, AskedWindow
from cepheid.runners.embedded.why.candidate import NONE_YET, Effort, NextEvent, PartialMatch, first_of, spread
from cepheid.runners.embedded.why.spoilers import Spoilers
from cepheid.runners.embedded.why.values import Instance, OneEventRows, truths
from cepheid.runners.embedded.why.walk import Walk

LOOKED_AT = 100  # events of each sort, for one candidate and variable
LITTLE = Effort(candidates=200, moves=20, length=30)
BEGINNINGS = 40  # events that could not even begin a match


class StopKind(Enum):
    """Why a candidate came no further, by what is most worth telling first."""

    CONDITION = "condition"  # a condition of WHERE did not hold
    ABSENCE = "absence"  # an event was there that should not be
    STRATEGY = "strategy"  # the selection strategy took, or would not skip, another event
    WINDOW = "window"  # the event came after the window
    KEY = "key"  # an equivalence test: the event has another key, or none
    SILENCE = "silence"  # an event ended a silence before it was long enough
    WAITING = "waiting"  # a match once its window has closed, if nothing forbidden comes
    NOTHING = "nothing"  # no event of the type came
    NOT_TOLD = "not told"  # a match, but EMIT, select, consume or once did not let it out


@dataclass(frozen=True, slots=True)
class Broken:
    """One thing that an event failed: a condition where it did not hold, a key or a window."""

    condition: AskedCondition | None = None
    instance: Instance | None = None
    is_unknown: bool = False  # null, rather than false
    key: str | None = None
    window: AskedWindow | None = None


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a candidate came to its end."""

    candidate: PartialMatch
    kind: StopKind
    variable: str | None = None  # that the event would have been, or that it was
    row: int | None = None  # the event
    broken: tuple[Broken, ...] = ()
    remark: str = ""
    leads_to: int | None = None  # had the event been taken, a match would have been complete at this row

    @property
    def weight(self) -> tuple[int, int]:
        """How far it was from going on; less is nearer."""
        kinds = list(StopKind)
        return max(1, len(self.broken)) + 2 * (self.kind is StopKind.NOTHING), kinds.index(self.kind)


class Stops:
    """Says of candidates what stopped them."""

    def __init__(self, walk: Walk) -> None:
        self.walk, self.asked, self.stretch = walk, walk.asked, walk.stretch

    # -- with events -------------------------------------------------------------------------------

    def of(self, candidate: PartialMatch) -> Stop | None:
        """What stopped a candidate; None if that cannot be told within the effort."""
        if self.asked.remainders[candidate.rest].missing == 0:
            broken = [self._first_broken(each, candidate) for each in self._unmet(candidate)]
            found = tuple(each for each in broken if each is not None)
            return Stop(candidate, StopKind.CONDITION, candidate.state, candidate.last, found)
        if self.asked.strategy in (Strategy.STRICT, Strategy.PARTITION):
            return self._at_next(candidate)
        stops = [self._nearest(candidate, variable, rest) for variable, rest in self._nearer(candidate)]
        return min((stop for stop in stops if stop is not None), key=lambda stop: stop.weight, default=None)

    def _unmet(self, candidate: PartialMatch) -> list[AskedCondition]:
        return self.walk.unmet([candidate])[0]

    def _nearer(self, candidate: PartialMatch) -> list[tuple[str, int]]:
        """The openings that bring a candidate nearer to a match."""
        remainders = self.asked.remainders
        here = remainders[candidate.rest]
        return [(v, rest) for v, rest in here.openings if remainders[rest].missing < here.missing]

    def _nearest(self, candidate: PartialMatch, variable: str, rest: int) -> Stop | None:
        rows = self._looked_at(candidate, variable)
        if not rows.size:
            return Stop(candidate, StopKind.NOTHING, variable)
        found: list[Stop] = []
        for row, broken in zip(rows.tolist(), self.broken(candidate, variable, rest, rows), strict=True):
            if not broken:
                return None  # it was beyond what the search tried
            found.append(Stop(candidate, _kind(broken), variable, row, broken))
        return min(found, key=lambda stop: (*self._weight(stop), stop.row))

    def _weight(self, stop: Stop) -> tuple[int, int]:
        """A condition that failed says more than another key, and that more than an event long after."""
        count, kind = stop.weight
        if stop.kind is StopKind.WINDOW and not self._is_soon_after(stop):
            kind = len(StopKind)
        return count, kind

    def _is_soon_after(self, stop: Stop) -> bool:
        """Whether an event came before a second window would have been over."""
        test = self.asked.windows[0].test
        moments = self.stretch.ordinal if test.counts_events else self.stretch.time
        assert stop.row is not None
        return bool(float(moments[stop.row]) - float(moments[stop.candidate.first]) <= 2 * float(test.limit))

    def _looked_at(self, candidate: PartialMatch, variable: str) -> np.ndarray:
        """The next events of the type: of the same key in the window and after it, and of other keys."""
        rows = self.walk.rows[variable]
        rows = rows[np.searchsorted(rows, candidate.last + 1) :]
        same = self.stretch.partition[rows] == self.stretch.partition[candidate.first]
        reach = self.walk.reach(candidate)
        passes = self.walk.passes[variable][rows]
        own, others = rows[same], rows[~same & (rows < reach)]
        after = rows[same & (rows >= reach) & passes]
        in_window = own[own < reach]
        first = in_window[self.walk.passes[variable][in_window]]
        chosen = np.concatenate([some[:LOOKED_AT] for some in (first, in_window, after, others)])
        return np.unique(chosen if chosen.size else rows[:LOOKED_AT])

    def _at_next(self, candidate: PartialMatch) -> Stop | None:
        """Under contiguity the next event decides."""
        is_strict = self.asked.strategy is Strategy.STRICT
        row = candidate.last + 1 if is_strict else self.walk.next_of_partition(candidate)
        nearer = self._nearer(candidate)
        if row >= len(self.stretch):
            return Stop(candidate, StopKind.NOTHING, nearer[0][0])
        one = np.array([row])
        found: list[Stop] = []
        for variable, rest in nearer:
            if row in self.walk.rows[variable]:
                broken = self.broken(candidate, variable, rest, one)[0]
                if broken:
                    found.append(Stop(candidate, _kind(broken), variable, row, broken))
        word = "the next event" if is_strict else "the next event of its partition"
        return min(
            found,
            key=lambda stop: stop.weight,
            default=Stop(candidate, StopKind.STRATEGY, nearer[0][0], row, remark=f"{word} has another type"),
        )

    def leading_to(self, stop: Stop, spoilers: Spoilers) -> Stop:
        """The same, with where a match would have been complete if its event had been taken all the same."""
        if stop.row is None or not stop.broken or stop.row == stop.candidate.last:
            return stop
        rests = [rest for v, rest in self._nearer(stop.candidate) if v == stop.variable]
        if not rests or stop.variable is None:
            return stop
        begun = stop.candidate.taking(stop.variable, rests[0], stop.row)
        found = Walk.alike(self.walk, LITTLE).walked([begun])
        whole = [c for c in found.whole if spoilers.of(c) is None]
        return replace(stop, leads_to=min((c.last for c in whole), default=None))

    # -- without any event -------------------------------------------------------------------------

    def of_beginnings(self) -> Iterator[Stop]:
        """Events that could have begun a match but for what is asked of them, and types that never came."""
        for variable, rest in self._nearer(NONE_YET) or self.asked.remainders[0].openings:
            rows = self.walk.rows[variable]
            if not rows.size:
                yield Stop(NONE_YET, StopKind.NOTHING, variable)
                continue
            rows = np.asarray(spread(rows[~self.walk.begins[variable][rows]], BEGINNINGS), np.int64)
            for row, broken in zip(rows.tolist(), self.broken(NONE_YET, variable, rest, rows), strict=True):
                if broken:
                    yield Stop(NONE_YET, _kind(broken), variable, row, broken)

    # -- what an event failed ----------------------------------------------------------------------

    def broken(
        self, candidate: PartialMatch, variable: str, rest: int, rows: np.ndarray
    ) -> list[tuple[Broken, ...]]:
        """All that each of these events, which have the type, failed as the next one of a variable."""
        found: list[list[Broken]] = [[] for _ in rows]
        for key, codes in self.stretch.codes.items():
            wanted = codes[rows] if candidate.state is None else codes[candidate.first]
            self._note(found, (codes[rows] < 0) | (codes[rows] != wanted), Broken(key=key))
        for window in self.asked.windows:
            earliest = first_of(candidate.bound, window.members) if variable in window.members else None
            if earliest is not None:
                self._note(found, ~self._inside(window, earliest, rows), Broken(window=window))
        for condition in self._of_one_event(candidate, variable):
            self._note_condition(found, condition, candidate, variable, rows)
        for condition in self.walk.due(NextEvent(candidate, variable, rest, -1)):
            self._note_condition(found, condition, candidate, variable, rows)
        return [tuple(some) for some in found]

    def _inside(self, window: AskedWindow, earliest: int, rows: np.ndarray) -> np.ndarray:
        """Events of other partitions are not counted by a window of events."""
        inside = self.stretch.spans(window.test, np.full(rows.size, earliest), rows)
        if window.test.counts_events:
            inside |= self.stretch.partition[rows] != self.stretch.partition[earliest]
        return inside

    def _of_one_event(self, candidate: PartialMatch, variable: str) -> list[AskedCondition]:
        is_first = variable not in candidate.bound
        return [
            each
            for each in self.asked.conditions
            if each.names == {variable} and (each.is_of_each or (each.is_of_first and is_first))
        ]

    @staticmethod
    def _note(found: list[list[Broken]], is_broken: np.ndarray, what: Broken) -> None:
        for number in np.flatnonzero(is_broken).tolist():
            found[number].append(what)

    def _note_condition(
        self,
        found: list[list[Broken]],
        condition: AskedCondition,
        candidate: PartialMatch,
        variable: str,
        rows: np.ndarray,
    ) -> None:
        """Note where a condition does not hold, tested for all events at once."""
        if condition.is_of_each or condition.is_of_first:
            held = evaluate(condition.expression, OneEventRows(self.stretch, rows)).fill_null(False)
            maybe: Sequence[int] = np.flatnonzero(~np.asarray(held)).tolist()
        else:
            maybe = range(len(rows))
        own = candidate.bound.get(variable, ())
        tried = [
            (number, instance)
            for number in maybe
            for instance in condition.instances(
                {**candidate.bound, variable: (*own, int(rows[number]))}, variable
            )
        ]
        known = set()
        truth_of = truths(condition.expression, self.stretch, [instance for _, instance in tried])
        for (number, instance), truth in zip(tried, truth_of, strict=True):
            if truth is not True and number not in known:
                known.add(number)
                found[number].append(Broken(condition, instance, truth is None))

    def _first_broken(self, condition: AskedCondition, candidate: PartialMatch) -> Broken | None:
        """Where a condition over the whole does not hold."""
        instances = list(condition.instances(candidate.bound))
        for instance, truth in zip(
            instances, truths(condition.expression, self.stretch, instances), strict=True
        ):
            if truth is not True:
                return Broken(condition, instance, truth is None)
        return None


def _kind(broken: Sequence[Broken]) -> StopKind:
    """By what tells most."""
    if any(each.condition is not None for each in broken):
        return StopKind.CONDITION
    return StopKind.WINDOW if any(each.window is not None for each in broken) else StopKind.KEY
