"""How far partial matches come: the search over a stretch of events.

It follows the model of runs that defines the strategies. Instead of event by event it goes by how many events
candidates have, and so tests each condition for many of them at once. What it leaves out, to stay within its
effort, is counted. It says nothing about matches: those are the engine's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np

from cepheid.matchers.evaluate import evaluate
from cepheid.matchers.windows import first_outside
from cepheid.pattern.query import Strategy
from cepheid.runners.embedded.why.asked import AskedCondition, AskedQuery
from cepheid.runners.embedded.why.candidate import NONE_YET, Effort, NextEvent, PartialMatch, first_of, spread
from cepheid.runners.embedded.why.stretch import EventStretch
from cepheid.runners.embedded.why.values import Bound, OneEventRows, truths


@dataclass(slots=True)
class Walked:
    """What a search found."""

    stuck: list[PartialMatch] = field(default_factory=list)  # nothing takes them nearer to a match
    whole: list[PartialMatch] = field(default_factory=list)  # with all their events, before absence is judged
    reached: dict[int, set[int]] = field(default_factory=dict)  # missing events to the first events, by row
    left_out: int = 0  # candidates that were not followed
    untried: int = 0  # events that candidates were not tried with


class Walk:
    """One search; what can be known of all events before it begins is computed once."""

    def __init__(self, asked: AskedQuery, stretch: EventStretch, effort: Effort) -> None:
        self.asked, self.stretch, self.effort = asked, stretch, effort
        self.furthest: frozenset[int] = frozenset()  # first events that are followed before others
        self.rows = {v: stretch.of_type(asked.type_of(v)) for v in asked.atoms}
        self.passes = {v: self._passing(v, first=False) for v in asked.positive}
        self.begins = {v: self.passes[v] & self._passing(v, first=True) for v in asked.positive}
        self._reach = self._reaches()
        self._due: dict[tuple[object, ...], tuple[AskedCondition, ...]] = {}

    @staticmethod
    def alike(walk: Walk, effort: Effort) -> Walk:
        """The same search with another effort."""
        other = copy(walk)
        other.effort = effort
        return other

    def _passing(self, variable: str, first: bool) -> np.ndarray:
        """Which events satisfy the conditions on one event of a variable, or on its first one."""
        mask = self.stretch.partition >= 0
        for each in self.asked.conditions:
            if each.names == {variable} and (each.is_of_first if first else each.is_of_each):
                found = evaluate(each.expression, OneEventRows(self.stretch))
                mask = mask & np.asarray(found.fill_null(False))
        return mask

    def _reaches(self) -> np.ndarray:
        """For each event, as the first of a match, the row after the last that may be in the match."""
        count = len(self.stretch)
        windows = [w.test for w in self.asked.windows[:1] if self.asked.query.window is not None]
        if not windows or windows[0].counts_events or not count:
            return np.full(count, count)
        return first_outside(windows[0], self.stretch.time, self.stretch.time)

    def reach(self, candidate: PartialMatch) -> int:
        """The row after the last that the query's window reaches; also of one that counts events."""
        windows = self.asked.windows[:1] if self.asked.query.window is not None else ()
        if windows and windows[0].test.counts_events:
            own = np.flatnonzero(self.stretch.partition == self.stretch.partition[candidate.first])
            inside = self.stretch.spans(windows[0].test, np.full(own.size, candidate.first), own)
            return int(own[inside][-1]) + 1
        return int(self._reach[candidate.first])

    # -- the search --------------------------------------------------------------------------------

    def walked(self, begun: Sequence[PartialMatch] = (NONE_YET,)) -> Walked:
        """All partial matches that the effort allows to follow."""
        found, followed, length = Walked(), list(begun), 0
        ended = [c for c in begun if c.state is not None and self.asked.remainders[c.rest].missing == 0]
        found.whole += [c for c, broken in zip(ended, self.unmet(ended), strict=True) if not broken]
        while followed and length < self.effort.length:
            moves = self.moves(followed, found)
            made = self._judged(followed, moves, found)
            followed = self._followed(made, found)
            length += 1
        found.left_out += len(followed)
        return found

    def _judged(
        self, followed: Sequence[PartialMatch], moves: list[NextEvent], found: Walked
    ) -> list[PartialMatch]:
        """The candidates after these moves; those that no move brought nearer to a match are stuck."""
        remainders = self.asked.remainders
        nearer = {
            id(move.candidate)
            for move in moves
            if remainders[move.rest].missing < remainders[move.candidate.rest].missing
        }
        for candidate in followed:
            is_whole = candidate.state is not None and remainders[candidate.rest].missing == 0
            if candidate.state is not None and not is_whole and id(candidate) not in nearer:
                found.stuck.append(candidate)
        made = [move.made() for move in moves]
        for candidate in made:
            found.reached.setdefault(remainders[candidate.rest].missing, set()).add(candidate.first)
        ended = [c for c in made if remainders[c.rest].missing == 0]
        for candidate, broken in zip(ended, self.unmet(ended), strict=True):
            (found.stuck if broken else found.whole).append(candidate)
        return made

    def _followed(self, made: list[PartialMatch], found: Walked) -> list[PartialMatch]:
        """Those that are followed: as many of each first event, spread over time."""
        if len(made) <= self.effort.candidates:
            return made
        of_first: dict[int, list[PartialMatch]] = defaultdict(list)
        for candidate in made:
            of_first[candidate.first].append(candidate)
        firsts = spread(sorted(of_first), self.effort.candidates)
        share = max(1, self.effort.candidates // len(firsts))
        kept = [c for row in firsts for c in self._nearest(of_first[row], share)]
        found.left_out += len(made) - len(kept)
        return kept

    def _nearest(self, candidates: list[PartialMatch], count: int) -> Sequence[PartialMatch]:
        """The candidates with the least missing, of those spread over time."""
        if len(candidates) <= count:
            return candidates
        missing = {id(c): self.asked.remainders[c.rest].missing for c in candidates}
        ordered = sorted(candidates, key=lambda c: (missing[id(c)], c.last))
        best = [c for c in ordered if missing[id(c)] == missing[id(ordered[0])]]
        half = spread(best, max(1, count - count // 2))
        others = [c for c in ordered if not any(c is each for each in half)]
        return [*half, *spread(others, count - len(half))] if count > len(half) else half

    # -- moves -------------------------------------------------------------------------------------

    def moves(self, followed: Sequence[PartialMatch], found: Walked) -> list[NextEvent]:
        """The events that candidates take next."""
        tried = [move for candidate in followed for move in self._tried(candidate, found)]
        by_condition: dict[AskedCondition, list[int]] = defaultdict(list)
        for number, move in enumerate(tried):
            for condition in self.due(move):
                by_condition[condition].append(number)
        holds = np.ones(len(tried), np.bool_)
        for condition, numbers in by_condition.items():
            left = [number for number in numbers if holds[number]]
            held = self.held(condition, [(tried[n].made().bound, tried[n].variable) for n in left])
            holds[left] = held
        return list(self._by_strategy([move for move, held in zip(tried, holds, strict=True) if held]))

    def _tried(self, candidate: PartialMatch, found: Walked) -> Iterator[NextEvent]:
        """The events that have the type, the partition and the time, and pass what is asked of one event."""
        for variable, rest in self.asked.remainders[candidate.rest].openings:
            rows = self.rows[variable]
            if candidate.state is None:
                fit = rows[self.begins[variable][rows]]
                chosen = self._first_chosen(fit)
            else:
                fit = self._fitting(candidate, variable)
                chosen = fit[: self.effort.moves]
            found.untried += len(fit) - len(chosen)
            yield from (NextEvent(candidate, variable, rest, row) for row in chosen.tolist())

    @property
    def has_too_many_firsts(self) -> bool:
        """Whether more events could begin a match than are followed."""
        firsts = [v for v, _ in self.asked.remainders[0].openings]
        counts = (np.count_nonzero(self.begins[v][self.rows[v]]) for v in firsts)
        return bool(sum(counts) > self.effort.candidates)

    def _first_chosen(self, fit: np.ndarray) -> np.ndarray:
        """The first events that are followed: those known to come furthest, and others spread over time."""
        most = self.effort.candidates
        is_far = np.isin(fit, list(self.furthest))
        far = np.asarray(spread(fit[is_far].tolist(), most), np.int64)
        others = spread(fit[~is_far].tolist(), most - far.size)
        return np.sort(np.concatenate([far, np.asarray(others, np.int64)]))

    def _fitting(self, candidate: PartialMatch, variable: str) -> np.ndarray:
        rows: np.ndarray = self.rows[variable]
        begin, end = candidate.last + 1, int(self._reach[candidate.first])
        if self.asked.strategy is Strategy.STRICT:
            end = min(end, begin + 1)
        elif self.asked.strategy is Strategy.PARTITION:
            end = min(end, self.next_of_partition(candidate) + 1)
        rows = rows[np.searchsorted(rows, begin) : np.searchsorted(rows, end)]
        rows = rows[self.stretch.partition[rows] == self.stretch.partition[candidate.first]]
        passes = self.passes if variable in candidate.bound else self.begins
        rows = rows[passes[variable][rows]]
        for window in self.asked.windows:
            earliest = first_of(candidate.bound, window.members) if variable in window.members else None
            if earliest is not None:
                rows = rows[self.stretch.spans(window.test, np.full(rows.size, earliest), rows)]
        return rows

    def next_of_partition(self, candidate: PartialMatch) -> int:
        """The row of the next event of a candidate's partition; the number of rows, if there is none."""
        partition = self.stretch.partition
        after = np.flatnonzero(partition[candidate.last + 1 :] == partition[candidate.first])
        return candidate.last + 1 + int(after[0]) if after.size else len(self.stretch)

    def _by_strategy(self, moves: list[NextEvent]) -> Iterable[NextEvent]:
        """Those that the strategy lets a run make: under skip-till-next-match it takes the next event."""
        if self.asked.strategy is not Strategy.NEXT:
            return moves
        by_candidate: dict[int, list[NextEvent]] = defaultdict(list)
        for move in moves:
            by_candidate[id(move.candidate)].append(move)
        return [move for some in by_candidate.values() for move in self._up_to_taken(some)]

    def _up_to_taken(self, moves: list[NextEvent]) -> list[NextEvent]:
        state = moves[0].candidate.state
        if state is None:
            return moves
        at_kleene = self.asked.has_several(state)
        taken = [move.row for move in moves if not at_kleene or move.variable == state]
        return [move for move in moves if not taken or move.row <= min(taken)]

    # -- conditions --------------------------------------------------------------------------------

    def due(self, move: NextEvent) -> tuple[AskedCondition, ...]:
        """The conditions over several events that a move has to satisfy."""
        before, variable = move.candidate, move.variable
        key = (before.rest, before.state, frozenset(before.bound), variable, move.rest)
        if key not in self._due:
            self._due[key] = tuple(self._are_due(move))
        return self._due[key]

    def _are_due(self, move: NextEvent) -> Iterator[AskedCondition]:
        before, variable = move.candidate, move.variable
        bound = {*before.bound, variable}
        for each in self.asked.conditions:
            if each.is_of_each or each.is_of_first or not each.names <= bound:
                continue
            was_due = before.bound.keys() >= each.names and self._is_closed(each, before.rest, before.state)
            is_due = self._is_closed(each, move.rest, variable)
            if is_due and (variable in each.steps or not was_due):
                yield each

    def _is_closed(self, condition: AskedCondition, rest: int, state: str | None) -> bool:
        """Whether the variables that a condition needs all events of have them."""
        waited = self.asked.remainders[rest].waits_for
        return all(v not in waited and v != state for v in condition.wholes)

    def held(self, condition: AskedCondition, bounds: Sequence[tuple[Bound, str | None]]) -> list[bool]:
        """Whether a condition holds, for the newest event of a variable or (None) for all."""
        listed = [list(condition.instances(bound, taking)) for bound, taking in bounds]
        found = truths(condition.expression, self.stretch, [one for some in listed for one in some])
        ends = list(accumulate(map(len, listed)))
        return [
            all(truth is True for truth in found[end - len(some) : end])
            for some, end in zip(listed, ends, strict=True)
        ]

    def unmet(self, ended: Sequence[PartialMatch]) -> list[list[AskedCondition]]:
        """Of candidates whose pattern may end here, the conditions over the whole that do not hold."""
        broken: list[list[AskedCondition]] = [[] for _ in ended]
        for each in self.asked.conditions:
            asked_now = [
                number
                for number, c in enumerate(ended)
                if c.bound.keys() >= each.names and not self._is_closed(each, c.rest, c.state)
            ]
            held = self.held(each, [(ended[n].bound, None) for n in asked_now])
            for number, holds in zip(asked_now, held, strict=True):
                if not holds:
                    broken[number].append(each)
        return broken
