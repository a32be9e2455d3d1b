"""Counting as algebra: the numbers that a workload of counting queries keeps, each of them once.

An event multiplies the ways through a pattern by I + N, where N has an entry for each step that the event
may take from another: one, or the value that a SUM adds. Let P be the product over all events so far and Q
its inverse; both are unitriangular, so that Q is exact in whole numbers, also modulo a power of two. A start
keeps the row of Q at its step as it stands after its own event: that row times P, at any later time, is
what has become of the start since. With V the sum of the rows of the starts that are in the window, the
matches are V·P at the last step; a start that leaves takes its row out of V.

An entry of P, Q or V is defined by the tests and the entries it is made from. Two that are defined alike
are equal for ever, so they are one number: in P and Q equal substrings of a workload's patterns meet, in V
equal beginnings.
"""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from cepheid.pattern.query import EmitMode
from cepheid.plan.aggregate.plan import AggregatePlan
from cepheid.plan.aggregate.sharing.eligible import StepTest, step_test
from cepheid.plan.program import Column, EventTest, WindowTest
from cepheid.plan.states.steps import Step

T = TypeVar("T", bound=Hashable)

ONE = 0
"""The number of what is always one."""

PLAIN = -1
"""The weight of what is merely counted."""

Term = tuple[int, int]
"""A weight and a number."""


@dataclass(frozen=True, slots=True)
class Product:
    """An entry of P: an event that passes the test adds the terms to it."""

    test: int
    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Inverse:
    """An entry of Q: an event takes from it the terms whose test it passes."""

    terms: tuple[tuple[int, int, int], ...]  # test, weight, number


@dataclass(frozen=True, slots=True)
class StartSum:
    """An entry of V: the entries of Q that the starts of a lane have taken."""

    lane: int
    test: int
    weight: int
    number: int


@dataclass(frozen=True, slots=True)
class Offset:
    """What an output has counted of starts while an absence before them forbade it."""

    query: int
    output: int


Number = Product | Inverse | StartSum | Offset


@dataclass(frozen=True, slots=True)
class Weight:
    """What an event adds for each way: its value, or one if it has one."""

    column: int
    by_value: bool


@dataclass(frozen=True, slots=True)
class Lane:
    """Starts that enter and leave together: a window, and what may not stand before a start."""

    window: WindowTest | None
    absent: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Output:
    """A number that a query reports: products of a sum over starts and an entry of P, added up."""

    value: int | None  # of the plan; None: the matches themselves
    by_value: bool  # their sum, not how many there are
    terms: tuple[tuple[int, int], ...]
    offset: int | None


@dataclass(frozen=True, slots=True)
class Counted:
    """A query of the workload."""

    lane: int
    outputs: tuple[Output, ...]
    ends: frozenset[int]  # the tests of which a last event passes one
    tests: frozenset[int]  # an event that passes none of these does not matter


class Algebra:
    """What is kept, and for whom. The dicts number their keys, in the order in which they came."""

    def __init__(self) -> None:
        self.tests: dict[StepTest, int] = {}
        self.columns: dict[Column, int] = {}
        self.weights: dict[Weight, int] = {}
        self.lanes: dict[Lane, int] = {}
        self.most_events: list[int] = []  # in the window of each lane
        self.queries: list[Counted] = []
        self.numbers: dict[Number | None, int] = {None: ONE}
        self.depths: list[int] = [0]

    def number(self, definition: Number, depth: int = 0) -> int:
        """The number that is defined so."""
        place = _place(self.numbers, definition)
        if place == len(self.depths):
            self.depths.append(depth)
        return place

    def weight(self, column: Column, by_value: bool) -> int:
        """The place of a weight."""
        return _place(self.weights, Weight(_place(self.columns, column), by_value))

    def test(self, test: StepTest) -> int:
        """The place of a test."""
        return _place(self.tests, test)

    def lane(self, lane: Lane, most_events: int) -> int:
        """The place of a lane, whose window holds so many events at most."""
        place = _place(self.lanes, lane)
        if place == len(self.most_events):
            self.most_events.append(0)
        self.most_events[place] = max(self.most_events[place], most_events)
        return place


def algebra_of(plans: Iterable[AggregatePlan]) -> Algebra:
    """The numbers of queries that have the same keys."""
    algebra = Algebra()
    for plan in plans:
        algebra.queries.append(PatternWays(algebra, plan).counted(len(algebra.queries)))
    return algebra


def _place(known: dict[T, int], item: T) -> int:
    """The place of an item among others, at the end if it is new."""
    return known.setdefault(item, len(known))


State = tuple[int, int]
"""A step of a plan, and the value that ways have gathered on the way to it."""

NOTHING = -1
"""The value of ways that are merely counted."""


class PatternWays:
    """One plan's ways: how they lead from state to state, and the numbers of its matrices."""

    def __init__(self, algebra: Algebra, plan: AggregatePlan) -> None:
        self.algebra, self.plan = algebra, plan
        self.gathered = [(value, by_value) for value in range(len(plan.values)) for by_value in (False, True)]
        self.tests = [algebra.test(step_test(_test_of(plan, step))) for step in plan.steps]
        self.weights = [
            algebra.weight(plan.columns[plan.values[value].column], by_value)
            for value, by_value in self.gathered
        ]
        states = [(q, g) for q in range(len(plan.steps)) for g in (NOTHING, *range(len(self.gathered)))]
        self.sources = {state: list(self._sources(state)) for state in states}
        self.followers: dict[State, list[tuple[int, State]]] = {state: [] for state in states}
        for state, sources in self.sources.items():
            for weight, source in sources:
                self.followers[source].append((weight, state))
        self.begins = {state: begun for state in states if (begun := self._begin(state)) is not None}
        self._products: dict[tuple[State, State], int | None] = {}
        self._inverses: dict[tuple[State, State], int | None] = {}

    def _sources(self, state: State) -> Iterator[tuple[int, State]]:
        """Where ways come from that an event takes to a state, and what it gives each of them."""
        q, gathered = state
        for before in self.plan.steps[q].after:
            yield PLAIN, (before, gathered)
            if self._has_value(state):
                yield self.weights[gathered], (before, NOTHING)

    def _begin(self, state: State) -> int | None:
        """What a match that begins at a state has there."""
        if not self.plan.steps[state[0]].begins:
            return None
        if state[1] == NOTHING:
            return PLAIN
        return self.weights[state[1]] if self._has_value(state) else None

    def _has_value(self, state: State) -> bool:
        return state[1] != NOTHING and self.plan.values[self.gathered[state[1]][0]].of_steps[state[0]]

    def counted(self, query: int) -> Counted:
        """The query as products of its numbers."""
        first = next(step for step in self.plan.steps if step.begins)
        absent = {self.algebra.test(step_test(self.plan.absences[n].test)) for n in first.looks_back}
        lane = self.algebra.lane(Lane(self.plan.window, tuple(sorted(absent))), self.plan.most_events)
        return Counted(
            lane,
            tuple(self._output(query, lane, gathered) for gathered in (NOTHING, *range(len(self.gathered)))),
            frozenset(test for test, step in zip(self.tests, self.plan.steps, strict=True) if step.ends),
            frozenset({*self.tests, *absent}),
        )

    def _output(self, query: int, lane: int, gathered: int) -> Output:
        if self.plan.query.emit.mode is EmitMode.ON_CLOSE:
            return Output(None, False, tuple(self._completed(lane)), None)
        ends = [(q, gathered) for q, step in enumerate(self.plan.steps) if step.ends]
        terms = list(self._ways(lane, ends))
        blocks = list(self.algebra.lanes)[lane].absent
        value, by_value = self.gathered[gathered] if gathered != NOTHING else (None, False)
        offset = self.algebra.number(Offset(query, gathered)) if blocks else None
        return Output(value, by_value, tuple(terms), offset)

    def _ways(self, lane: int, ends: list[State]) -> Iterator[tuple[int, int]]:
        """The products that add up to the ways from the starts in the window to these states."""
        return (
            (self._start_sum(lane, begin, inverse), product)
            for state in self.sources
            for end in ends
            if (product := self.product(state, end)) is not None
            for begin in self.begins
            if (inverse := self.inverse(begin, state)) is not None
        )

    def _completed(self, lane: int) -> Iterator[tuple[int, int]]:
        """How many matches an event completes that can be nothing but the last of them: see `closing`."""
        (last,) = (step for step in self.plan.steps if step.ends)
        if last.begins:
            yield ONE, ONE
        for before in last.after:
            yield from self._ways(lane, [(before, NOTHING)])

    def _start_sum(self, lane: int, begin: State, inverse: int) -> int:
        return self.algebra.number(StartSum(lane, self.tests[begin[0]], self.begins[begin], inverse))

    def product(self, row: State, column: State) -> int | None:
        """The entry of P, or None if it is always zero."""
        if row == column:
            return ONE
        if (row, column) not in self._products:
            terms = [
                (weight, number)
                for weight, source in self.sources[column]
                if source[0] >= row[0] and (number := self.product(row, source)) is not None
            ]
            self._products[row, column] = self._defined(
                Product(self.tests[column[0]], tuple(sorted(terms))), [number for _, number in terms]
            )
        return self._products[row, column]

    def inverse(self, row: State, column: State) -> int | None:
        """The entry of Q, or None if it is always zero."""
        if row == column:
            return ONE
        if (row, column) not in self._inverses:
            terms = [
                (self.tests[follower[0]], weight, number)
                for weight, follower in self.followers[row]
                if follower[0] <= column[0] and (number := self.inverse(follower, column)) is not None
            ]
            self._inverses[row, column] = self._defined(
                Inverse(tuple(sorted(terms))), [number for _, _, number in terms]
            )
        return self._inverses[row, column]

    def _defined(self, definition: Product | Inverse, numbers: list[int]) -> int | None:
        if not numbers:
            return None
        depths = self.algebra.depths
        return self.algebra.number(definition, 1 + max(depths[number] for number in numbers))


def _test_of(plan: AggregatePlan, step: Step) -> EventTest:
    test = plan.tests[step.test]
    assert test is not None
    return test
