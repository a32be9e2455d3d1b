"""An algebra as the tables that its kernels read; what a class of events does is worked out once."""

from collections import defaultdict

import numpy as np

from cepheid.matchers.aggregate import layout as agg
from cepheid.matchers.aggregate.algebra import layout as at
from cepheid.matchers.aggregate.algebra.layout import AlgebraTables
from cepheid.matchers.aggregate.tables import tables_of
from cepheid.matchers.windows import window_row
from cepheid.plan.aggregate.algebra import Algebra, Inverse, Output, Product, StartSum
from cepheid.plan.aggregate.plan import AggregatePlan

Change = tuple[int, int, int]
"""The target, the source and the weight of a change."""


class ClassTables:
    """Grows with the classes that occur."""

    def __init__(
        self, algebra: Algebra, plans: tuple[AggregatePlan, ...], limbs: int, *, summed: bool, reports: bool
    ) -> None:
        self.algebra = algebra
        self.reports = reports  # of queries at their last events
        self.lanes = len(algebra.lanes)
        self._changes: list[Change] = []
        self._lists: list[int] = []
        self._classes: list[list[int]] = []
        self._ticks = 0  # classes of the ends of periods, which come first
        self._starts: list[list[list[int]]] = []
        self._by_test, self._begun_by = _changes_by_test(algebra), _begun_by_test(algebra)
        self._outputs, self._queries, terms = _outputs(algebra, plans, limbs)
        self._readers = _readers(algebra)
        self.width = 1  # of a start's row
        lanes = [[*window_row(lane.window), bool(lane.absent)] for lane in algebra.lanes]
        self.tables = AlgebraTables(
            classes=np.zeros((0, at.CLASS_WIDTH), np.int64),
            kinds=np.zeros(0, np.uint8),
            starts=np.zeros((0, self.lanes, at.START_WIDTH), np.int64),
            changes=np.zeros((0, at.CHANGE_WIDTH), np.int64),
            lists=np.zeros(0, np.int64),
            queries=self._queries,
            outputs=self._outputs,
            terms=terms,
            lanes=np.array(lanes, np.int64),
            weights=np.array([[w.column, w.by_value] for w in algebra.weights] or [[0, 0]], np.int64),
            limbs=limbs,
            summed=summed,
            grouped=bool(plans[0].group),
        )

    @property
    def count(self) -> int:
        """How many classes are known."""
        return len(self._classes)

    def add(self, passed: frozenset[int]) -> None:
        """A class of events that pass these tests."""
        row = [len(self._changes)]
        for kind in (Product, Inverse):
            self._changes += self._ordered(kind, passed)
            row.append(len(self._changes))
        ended = [place for place, query in enumerate(self.algebra.queries) if query.ends & passed]
        moved = [place for query in ended for place in range(*self._queries[query])]
        lanes = {query.lane for query in self.algebra.queries if query.tests & passed}
        for listed in (ended if self.reports else [], moved, sorted(lanes)):
            row += self._listed(listed)
        self._classes.append(row)
        self._starts.append([self._begun(lane, passed) for lane in range(self.lanes)])

    def add_tick(self) -> None:
        """A class of events that change nothing, and at which all queries report."""
        row = [len(self._changes)] * 3
        for listed in (list(range(len(self.algebra.queries))), [], list(range(self.lanes))):
            row += self._listed(listed)
        self._classes.append(row)
        self._ticks = 1
        self._starts.append([self._begun(lane, frozenset()) for lane in range(self.lanes)])

    def finish(self) -> None:
        """Hand the classes that were added to the kernels."""
        classes, starts = np.array(self._classes, np.int64), np.array(self._starts, np.int64)
        kinds = np.where(classes[:, at.LANES] == classes[:, at.LANES_END], at.IDLE, at.WORKS).astype(np.uint8)
        kinds[: self._ticks] = at.TICK
        self.tables = self.tables._replace(
            classes=classes,
            kinds=kinds,
            starts=starts,
            changes=np.array(self._changes or [(0, 0, 0)], np.int64),
            lists=np.array(self._lists or [0], np.int64),
        )

    def _ordered(self, kind: type, passed: frozenset[int]) -> list[Change]:
        """Products change from the longest to the shortest, inverses the other way round."""
        changes = [change for test in passed for change in self._by_test[kind, test]]
        depths, sign = self.algebra.depths, -1 if kind is Product else 1
        return sorted(changes, key=lambda change: (sign * depths[change[0]], *change))

    def _begun(self, lane: int, passed: frozenset[int]) -> list[int]:
        begun = [change for test in sorted(passed) for change in self._begun_by[lane, test]]
        row = [len(self._changes), len(self._changes) + len(begun)]
        self._changes += begun
        readers = sorted({output for change in begun for output in self._readers[change[0]]})
        absent = list(self.algebra.lanes)[lane].absent
        self.width = max(self.width, len(begun) + (len(readers) if absent else 0))
        return [*row, *self._listed(readers), not passed.isdisjoint(absent)]

    def _listed(self, items: list[int]) -> list[int]:
        self._lists += items
        return [len(self._lists) - len(items), len(self._lists)]


def _changes_by_test(algebra: Algebra) -> dict[tuple[type, int], list[Change]]:
    """What an event does that passes a test."""
    changes: dict[tuple[type, int], list[Change]] = defaultdict(list)
    for number, place in algebra.numbers.items():
        if isinstance(number, Product):
            changes[Product, number.test] += [(place, source, weight) for weight, source in number.terms]
        elif isinstance(number, Inverse):
            for test, weight, source in number.terms:
                changes[Inverse, test].append((place, source, weight))
    return changes


def _begun_by_test(algebra: Algebra) -> dict[tuple[int, int], list[Change]]:
    """What a start enters into the sums of a lane, by its test."""
    changes: dict[tuple[int, int], list[Change]] = defaultdict(list)
    for number, place in algebra.numbers.items():
        if isinstance(number, StartSum):
            changes[number.lane, number.test].append((place, number.number, number.weight))
    return changes


def _readers(algebra: Algebra) -> dict[int, set[int]]:
    """The outputs that read a sum over starts."""
    readers: dict[int, set[int]] = defaultdict(set)
    outputs = [output for query in algebra.queries for output in query.outputs]
    for place, output in enumerate(outputs):
        for total, _ in output.terms:
            readers[total].add(place)
    return readers


def _outputs(
    algebra: Algebra, plans: tuple[AggregatePlan, ...], limbs: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of outputs and of queries, and the terms of outputs."""
    outputs: list[list[int]] = []
    queries: list[tuple[int, int]] = []
    terms: list[tuple[int, int]] = []
    for query, plan in zip(algebra.queries, plans, strict=True):
        queries.append((len(outputs), len(outputs) + len(query.outputs)))
        for output in query.outputs:
            place, words = _place(plan, output, limbs)
            offset = agg.NONE if output.offset is None else output.offset
            outputs.append([len(terms), len(terms) + len(output.terms), offset, place, words])
            terms += output.terms
    return np.array(outputs, np.int64), np.array(queries, np.int64), np.array(terms or [(0, 0)], np.int64)


def _place(plan: AggregatePlan, output: Output, limbs: int) -> tuple[int, int]:
    """Where an output stands in a cell, and how wide it is there."""
    if output.value is None:
        return 0, limbs
    row = tables_of(plan, limbs).values[output.value]
    return (int(row[agg.SUM]), limbs + 1) if output.by_value else (int(row[agg.COUNTED]), limbs)
