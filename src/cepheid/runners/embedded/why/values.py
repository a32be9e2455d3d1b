"""Expressions over the events of candidates, computed by the one evaluator of expressions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from cepheid import expressions as ex
from cepheid.expressions import Index, Scope
from cepheid.matchers.evaluate import evaluate
from cepheid.matchers.rows import aggregate_lists
from cepheid.runners.embedded.why.stretch import EventStretch

Bound = Mapping[str, tuple[int, ...]]
"""The rows of the events of each variable; absent variables are not in it."""


@dataclass(frozen=True, slots=True)
class Instance:
    """Some events, and for `a[i]` which i is meant, from 0."""

    bound: Bound
    current: Mapping[str, int]

    def row(self, variable: str, index: Index | int) -> int:
        """The row of one event of a variable; -1 if there is none."""
        rows = self.bound.get(variable, ())
        if isinstance(index, int):
            return rows[index - 1] if index <= len(rows) else -1
        if not rows:
            return -1
        if index is Index.LAST:
            return rows[-1]
        if index in (Index.CURRENT, Index.PREVIOUS):
            place = self.current.get(variable, len(rows) - 1) - (index is Index.PREVIOUS)
            return rows[place] if place >= 0 else -1
        return rows[0]

    def rows(self, variable: str, scope: Scope) -> tuple[int, ...]:
        """The events that an aggregate is over."""
        rows = self.bound.get(variable, ())
        return rows[: self.current.get(variable, len(rows) - 1)] if scope is Scope.PRIOR else rows


class InstanceRows:
    """Instances as the rows that conditions are evaluated over."""

    def __init__(self, stretch: EventStretch, instances: Sequence[Instance]) -> None:
        self.stretch, self.instances = stretch, instances
        self.unit, self.length = stretch.unit, len(instances)

    def leaf(self, node: ex.Expression) -> pa.Array:
        """The values of a leaf, one an instance."""
        match node:
            case ex.Attribute(variable=variable, index=index, name=name, path=path):
                rows = [each.row(variable, index) for each in self.instances]
                return _taken(self.stretch.column(name, path), rows)
            case ex.Length(variable=variable):
                return pa.array([len(each.bound.get(variable, ())) for each in self.instances], pa.int64())
            case ex.Aggregate():
                return self._aggregate(node)
            case _:
                raise AssertionError(f"not a leaf: {node}")

    def _aggregate(self, node: ex.Aggregate) -> pa.Array:
        lists = [each.rows(node.variable, node.scope) for each in self.instances]
        offsets = np.concatenate([[0], np.cumsum([len(rows) for rows in lists], dtype=np.int64)])
        if node.argument is None:
            return pa.array(np.diff(offsets))
        rows = np.array([row for some in lists for row in some], np.int64)
        values = evaluate(node.argument, OneEventRows(self.stretch, rows))
        return aggregate_lists(node, values, offsets)


class OneEventRows:
    """Events as the rows that expressions over one event are evaluated over, whichever variable they name."""

    def __init__(self, stretch: EventStretch, rows: np.ndarray | None = None) -> None:
        self.stretch, self.rows = stretch, rows
        self.unit, self.length = stretch.unit, len(stretch) if rows is None else len(rows)

    def leaf(self, node: ex.Expression) -> pa.Array:
        """The values of an attribute."""
        assert isinstance(node, ex.Attribute | ex.Element)
        whole = self.stretch.column(node.name, node.path)
        return whole if self.rows is None else whole.take(pa.array(self.rows))


def _taken(column: pa.Array, rows: Sequence[int]) -> pa.Array:
    places = np.array(rows, np.int64)
    return column.take(pa.array(places, mask=places < 0))


def truths(node: ex.Expression, stretch: EventStretch, instances: Sequence[Instance]) -> list[bool | None]:
    """What a condition is for each instance: true, false, or unknown."""
    found = evaluate(node, InstanceRows(stretch, instances))
    listed: list[bool | None] = found.cast(pa.bool_()).to_pylist()
    return listed
