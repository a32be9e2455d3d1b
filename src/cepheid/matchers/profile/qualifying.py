"""Which events satisfy conjuncts: by themselves, or in the place of a variable of a match."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cepheid import expressions as ex
from cepheid.events import EventSchema
from cepheid.expressions import Index, Scope
from cepheid.matchers.evaluate import evaluate
from cepheid.matchers.masks import BatchRows, field_of, passes, plain
from cepheid.matchers.rows import aggregate_lists
from cepheid.plan.program import EventTest


class EventRows(BatchRows):
    """Events as the rows of expressions that name one variable."""

    def leaf(self, node: ex.Expression) -> pa.Array:
        """An attribute of the event, whatever the variable is called."""
        if isinstance(node, ex.Attribute):
            node = ex.Element(node.name, node.path)
        return super().leaf(node)


class PlaceRows(EventRows):
    """Events in the place of a variable, with the events of a match that stand before it in the text."""

    def __init__(
        self,
        events: pa.RecordBatch,
        schema: EventSchema,
        unit: str,
        variable: str,
        others: Mapping[str, pa.RecordBatch],
    ) -> None:
        super().__init__(events, schema, unit)
        self._variable, self._others = variable, others
        self.current: Mapping[str, int] = {}  # which i is meant by a[i], from 0

    def leaf(self, node: ex.Expression) -> pa.Array:
        """The values of the event itself; one value of the match is the same for all."""
        if isinstance(node, ex.Attribute | ex.Length | ex.Aggregate) and node.variable != self._variable:
            return pa.repeat(self._of_match(node), self.length)
        return super().leaf(node)

    def _of_match(self, node: ex.Attribute | ex.Length | ex.Aggregate) -> pa.Scalar:
        events = self._others[node.variable]
        if isinstance(node, ex.Length):
            return pa.scalar(events.num_rows)
        if isinstance(node, ex.Attribute):
            place = self._place(node, events.num_rows)
            column = events.column(self.schema.column_of(node.name) or node.name)
            values = plain(field_of(column, node.path), self.unit)
            return values[place] if 0 <= place < events.num_rows else pa.scalar(None, values.type)
        if node.scope is Scope.PRIOR:
            events = events.slice(0, self.current[node.variable])
        if node.argument is None:
            return pa.scalar(events.num_rows)
        values = evaluate(node.argument, BatchRows(events, self.schema, self.unit))
        return aggregate_lists(node, values, np.array([0, events.num_rows]))[0]

    def _place(self, node: ex.Attribute, length: int) -> int:
        if isinstance(node.index, int):
            return node.index - 1
        current = self.current.get(node.variable, 0)
        return {Index.CURRENT: current, Index.PREVIOUS: current - 1, Index.LAST: length - 1}.get(
            node.index, 0
        )


def holding(kind: str | None, conditions: Iterable[ex.Expression], rows: EventRows) -> np.ndarray:
    """Which events are of a type (None: any) and satisfy these conjuncts by themselves."""
    found = passes(EventTest(kind, tuple(conditions)), rows, {})
    return np.ones(rows.length, np.bool_) if found is None else found


def holding_with(conjuncts: Sequence[ex.Expression], rows: PlaceRows) -> np.ndarray:
    """Which events satisfy conjuncts with the other events of a match, for every i."""
    found = np.ones(rows.length, np.bool_)
    for conjunct in conjuncts:
        if any(v not in rows._others and v != rows._variable for v in ex.variables(conjunct)):
            continue  # what names an absent variable holds
        steps = _steps(conjunct)
        ranges = [range(first, rows._others[v].num_rows) for v, first in steps.items()]
        for choice in product(*ranges):
            rows.current = dict(zip(steps, choice, strict=True))
            truth = evaluate(conjunct, rows)
            found &= pc.fill_null(truth.cast(pa.bool_()), False).to_numpy(zero_copy_only=False)
    return found


def _steps(conjunct: ex.Expression) -> dict[str, int]:
    """The variables over whose events a conjunct ranges, and from which i (from 0)."""
    used: dict[str, set[object]] = {}
    for node in ex.walk(conjunct):
        if isinstance(node, ex.Attribute):
            used.setdefault(node.variable, set()).add(node.index)
        elif isinstance(node, ex.Aggregate):
            used.setdefault(node.variable, set()).add(node.scope)
    ranging, later = {Index.CURRENT, Index.PREVIOUS, Scope.PRIOR}, {Index.FIRST, Index.PREVIOUS, Scope.PRIOR}
    return {name: int(bool(found & later)) for name, found in used.items() if found & ranging}
