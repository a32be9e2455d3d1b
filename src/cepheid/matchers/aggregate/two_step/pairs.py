"""Conditions between an absent event and the events of a match, for arrays of such pairs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cepheid import expressions as ex
from cepheid.expressions import Index, Scope
from cepheid.matchers.aggregate.two_step.events import HeldEvents
from cepheid.matchers.aggregate.two_step.lists import Lists, offsets_of
from cepheid.matchers.evaluate import evaluate
from cepheid.matchers.masks import BatchRows, field_of, plain
from cepheid.matchers.rows import aggregate_lists
from cepheid.plan.aggregate.plan import TwoStepPlan
from cepheid.plan.program import Absence, Condition


def qualify(
    plan: TwoStepPlan, events: HeldEvents, absence: Absence, bound: dict[int, Lists], candidates: np.ndarray
) -> np.ndarray:
    """Which candidates, one for each match, are what should be absent from it.

    `bound` has the places of the events of each variable that the conditions name.
    """
    names = {place: plan.automaton.positions[place].variable for place in bound}
    by_name = {names[place]: lists for place, lists in bound.items()}
    pairs = Pairs(plan, events, absence.variable, by_name, candidates, np.arange(candidates.size))
    held = np.ones(candidates.size, np.bool_)
    for condition in absence.conditions:
        held[held] = _holds(condition, pairs.take(np.flatnonzero(held)), plan)
    return held


def _holds(condition: Condition, pairs: Pairs, plan: TwoStepPlan) -> np.ndarray:
    """True for all i that it ranges over; it holds where a variable that it names is absent."""
    held = np.ones(pairs.length, np.bool_)
    named = ex.variables(condition.source) & pairs.bound.keys()
    chosen = np.flatnonzero(np.all([held, *(pairs.bound[name].lengths > 0 for name in named)], axis=0))
    tested = replace(pairs.take(chosen), origin=chosen)
    for place, later in zip(condition.ranges_over, condition.from_second, strict=True):
        tested = tested.ranging(plan.automaton.positions[place].variable, int(later))
    truth = evaluate(condition.source, tested)
    passed = pc.fill_null(truth.cast(pa.bool_()), False).to_numpy(zero_copy_only=False)
    held[tested.origin[~passed]] = False
    return held


@dataclass(slots=True)
class Pairs:
    """A match and a candidate in each row, and for `a[i]` which i is meant, from 0."""

    plan: TwoStepPlan
    events: HeldEvents
    absent: str
    bound: dict[str, Lists]
    candidates: np.ndarray
    origin: np.ndarray  # the row that each comes from
    current: dict[str, np.ndarray] = field(default_factory=dict)
    unit: str = field(init=False)
    length: int = field(init=False)

    def __post_init__(self) -> None:
        self.unit, self.length = self.plan.unit, int(self.candidates.size)

    def take(self, chosen: np.ndarray) -> Pairs:
        """Some rows, in the order of `chosen`."""
        return replace(
            self,
            bound={name: lists.take(chosen) for name, lists in self.bound.items()},
            candidates=self.candidates[chosen],
            origin=self.origin[chosen],
            current={name: index[chosen] for name, index in self.current.items()},
        )

    def ranging(self, variable: str, start: int) -> Pairs:
        """A row for each event of a variable, from the first or the second on."""
        lengths = np.maximum(self.bound[variable].lengths - start, 0)
        starts = np.repeat(offsets_of(lengths)[:-1], lengths)
        wide = self.take(np.repeat(np.arange(self.length), lengths))
        index = np.arange(starts.size) - starts + start
        return replace(wide, current={**wide.current, variable: index})

    def leaf(self, node: ex.Expression) -> pa.Array:
        """The values of a leaf, as plain numbers, truth values or text."""
        match node:
            case ex.Attribute():
                return plain(self.raw(node), self.unit)
            case ex.Length(variable=variable):
                return pa.array(self.bound[variable].lengths)
            case ex.Aggregate():
                return self._aggregate(node)
            case _:
                raise AssertionError(f"not a leaf: {node}")

    def raw(self, node: ex.Expression) -> pa.Array | None:
        """An attribute's values as the stream has them."""
        if not isinstance(node, ex.Attribute):
            return None
        name = self.plan.schema.column_of(node.name) or node.name
        return field_of(self.events.attribute(name, self._places(node.variable, node.index)), node.path)

    def _places(self, variable: str, index: Index | int) -> np.ndarray:
        if variable == self.absent:
            return self.candidates
        lists = self.bound[variable]
        if isinstance(index, int):
            return lists.at(index - 1)
        if index is Index.LAST:
            return lists.at(-1)
        if index in (Index.CURRENT, Index.PREVIOUS):
            return lists.at(self.current[variable] - (index is Index.PREVIOUS))
        return lists.at(0)

    def _aggregate(self, node: ex.Aggregate) -> pa.Array:
        lists = self.bound[node.variable]
        if node.scope is Scope.PRIOR:
            lists = lists.prefixes(self.current[node.variable])
        if node.argument is None:
            return pa.array(lists.lengths)
        names = list(self.plan.compared)
        columns = [self.events.attribute(name, lists.items) for name in names]
        rows = BatchRows(pa.RecordBatch.from_arrays(columns, names), self.plan.schema, self.unit)
        return aggregate_lists(node, evaluate(node.argument, rows), lists.offsets)
