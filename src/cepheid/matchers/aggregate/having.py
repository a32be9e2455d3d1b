"""HAVING: of the rows that a matcher makes, only those that pass the query's test."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cepheid.errors import SnapshotError
from cepheid.events import EventBatch
from cepheid.matchers.aggregate.groups import FEW, Groups
from cepheid.matchers.aggregate.rows import TOO_MANY_ROWS
from cepheid.matchers.allowance import Allowance
from cepheid.matchers.engines import named
from cepheid.matchers.evaluate import INT64
from cepheid.matchers.masks import BatchRows, holds
from cepheid.matchers.protocol import Ahead, Matcher, Outputs, joined_tables
from cepheid.matchers.snapshot import Snapshot
from cepheid.plan.aggregate.plan import AggregatePlan, RowTest, TwoStepPlan
from cepheid.plan.engine import Joined

_DIGITS = 18
"""So many digits fit int64, whatever they are."""

_ROWS = "rows"
"""What stands before the names of the inner matcher's state in a snapshot."""


class HavingMatcher:
    """A matcher around another: rows that fail their query's test are not given, and not counted."""

    engine = "aggregate"

    def __init__(
        self, plans: Sequence[AggregatePlan | TwoStepPlan], inner: Matcher, made: Allowance, given: Allowance
    ) -> None:
        """`made` is the inner matcher's allowance, which is for one batch: its rows are not kept."""
        self.plans, self.inner = plans, inner
        self._made, self._given = made, given
        self._kept = [None if plan.having is None else KeptRows(plan, plan.having) for plan in plans]

    def process(self, batch: EventBatch) -> Outputs:
        """The rows that became certain with this batch, and pass."""
        self._made.found.clear()
        outputs = self.inner.process(batch)
        return tuple(self._passed(output, rows) for output, rows in enumerate(outputs))

    def _passed(self, output: int, rows: pa.Table) -> pa.Table:
        test = self._kept[output]
        passed = rows if test is None else test.passed(rows)
        self._given.take(passed.num_rows, TOO_MANY_ROWS, output)
        return passed

    @property
    def state_bytes(self) -> int:
        """What the inner matcher holds, and the groups whose row was true."""
        return self.inner.state_bytes + sum(test.bytes for test in self._kept if test is not None)

    @property
    def peak_state_bytes(self) -> int:
        """The most that it has held."""
        return max(self.inner.peak_state_bytes, self.state_bytes)

    @property
    def figures(self) -> Mapping[str, int | str]:
        """Those of the inner matcher."""
        return self.inner.figures

    @property
    def has_periods(self) -> bool:
        """Whether there are rows for time alone: EMIT EVERY."""
        return bool(getattr(self.inner, "has_periods", False))

    def foresee(self, ahead: Ahead, events: int, *, exactly: bool = True) -> bool:
        """Refuse more periods than there may be rows, whether or not they pass: each is looked at."""
        inner: Any = self.inner
        return bool(inner.foresee(ahead, events, exactly=exactly))

    def snapshot(self) -> Snapshot:
        """The state of the inner matcher, and which groups' row was true."""
        snapshot = Snapshot(self.plans[0].fingerprint)
        snapshot.merge(_ROWS, self.inner.snapshot())
        for output, test in enumerate(self._kept):
            if test is not None:
                snapshot.merge(f"test{output}", test.snapshot())
        return snapshot

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot of the same plans."""
        if snapshot.fingerprint != self.plans[0].fingerprint:
            raise SnapshotError("the snapshot is of another query, or of a stream with other columns")
        self.inner.restore(snapshot.part(_ROWS))
        for output, test in enumerate(self._kept):
            if test is not None:
                test.restore(snapshot.part(f"test{output}"))


class KeptRows:
    """The rows of one query that pass its test."""

    def __init__(self, plan: AggregatePlan | TwoStepPlan, test: RowTest) -> None:
        self._test, self._unit = test, plan.unit
        self._fingerprint = plan.fingerprint
        self._wide = _wide_columns(plan.output_schema, test.schema.columns)
        self._by = range(1, 1 + len(plan.group))  # the columns of GROUP BY
        self._groups = Groups(pa.schema([plan.output_schema.field(place) for place in self._by]))
        self._was_true = np.zeros(
            self._groups.count, np.bool_
        )  # of each group, whether its row before passed
        self._crowd = FEW

    def passed(self, rows: pa.Table) -> pa.Table:
        """Of these rows, those that pass."""
        kept = [batch.filter(pa.array(self._chosen(batch))) for batch in rows.to_batches()]
        return joined_tables([pa.Table.from_batches([batch]) for batch in kept], rows.schema)

    def _chosen(self, rows: pa.RecordBatch) -> np.ndarray:
        true = self._is_true(rows)
        return self._risen(rows, true) if self._test.rises else true

    def _is_true(self, rows: pa.RecordBatch) -> np.ndarray:
        """Whole numbers past int64 are compared as floats, those rows alone."""
        wide = np.zeros(rows.num_rows, np.bool_)
        for place in self._wide:
            wide |= _is_wide(rows.column(place))
        if not wide.any():
            return self._evaluated(rows, pa.int64())
        true = np.zeros(rows.num_rows, np.bool_)
        true[~wide] = self._evaluated(rows.filter(pa.array(~wide)), pa.int64())
        true[wide] = self._evaluated(rows.filter(pa.array(wide)), pa.float64())
        return true

    def _evaluated(self, rows: pa.RecordBatch, whole: pa.DataType) -> np.ndarray:
        """Where the condition is true of rows whose wide columns hold such numbers."""
        for place in self._wide:
            rows = rows.set_column(place, rows.schema.names[place], rows.column(place).cast(whole))
        return holds(self._test.condition, BatchRows(rows, self._test.schema, self._unit))

    # -- EMIT ON RISE ------------------------------------------------------------------------------

    def _risen(self, rows: pa.RecordBatch, true: np.ndarray) -> np.ndarray:
        """Where it is true, and was not at the row before of the same group."""
        groups = self._groups.encode([rows.column(place) for place in self._by], rows.num_rows)
        new = np.zeros(self._groups.count - self._was_true.size, np.bool_)
        self._was_true = np.concatenate([self._was_true, new])
        order = np.argsort(groups, kind="stable")
        group, now = groups[order], true[order]
        begins = np.ones(group.size, np.bool_)
        begins[1:] = group[1:] != group[:-1]
        before = np.empty_like(now)
        before[1:] = now[:-1]
        before[begins] = self._was_true[group[begins]]
        ends = np.roll(begins, -1)
        self._was_true[group[ends]] = now[ends]
        risen = np.zeros(group.size, np.bool_)
        risen[order] = now & ~before
        self._forget()
        return risen

    def _forget(self) -> None:
        """Groups whose row was not true: as long as none was there, that is the same."""
        if self._groups.count > self._crowd:
            kept = np.flatnonzero(self._was_true)
            self._groups, self._was_true = self._groups.only(kept), np.ones(kept.size, np.bool_)
            self._crowd = max(FEW, 2 * kept.size)

    @property
    def bytes(self) -> int:
        """How much the groups take."""
        return int(self._was_true.nbytes + self._groups.rows.nbytes)

    def snapshot(self) -> Snapshot:
        """The groups, and whether their row was true."""
        snapshot = Snapshot(self._fingerprint, arrays={"was_true": self._was_true.view(np.uint8)})
        self._groups.save(snapshot)
        return snapshot

    def restore(self, snapshot: Snapshot) -> None:
        """From a snapshot."""
        self._was_true = snapshot.arrays["was_true"].astype(np.bool_)
        self._groups.restore(snapshot)


def _wide_columns(given: pa.Schema, seen: pa.Schema) -> tuple[int, ...]:
    """The places of counts and whole sums that have a wider type than whole numbers in conditions."""
    return tuple(
        given.get_field_index(whole.name)
        for whole in seen
        if pa.types.is_int64(whole.type) and not pa.types.is_integer(given.field(whole.name).type)
    )


def _is_wide(column: pa.Array) -> np.ndarray:
    """Where a decimal, or the text of a whole number, does not fit int64."""
    if pa.types.is_string(column.type):
        is_long = pc.fill_null(pc.greater(pc.utf8_length(column), _DIGITS), False)
        wide: np.ndarray = is_long.to_numpy(zero_copy_only=False).copy()
        texts = column.filter(is_long).to_pylist()
        wide[wide] = [len(text) > _DIGITS + 2 or int(text) not in INT64 for text in texts]
        return wide
    least, most = (pa.scalar(bound, column.type) for bound in (INT64[0], INT64[-1]))
    beyond = pc.fill_null(pc.or_(pc.less(column, least), pc.greater(column, most)), False)
    found: np.ndarray = beyond.to_numpy(zero_copy_only=False)
    return found


def _for_rows(plan: AggregatePlan | TwoStepPlan, allowance: Allowance) -> Allowance:
    """What the rows of one batch may be, before they are tested: events bound them, and periods do not."""
    return allowance.uncounted() if plan.period is None else allowance.part()


def having_matcher(plan: AggregatePlan | TwoStepPlan, allowance: Allowance) -> HavingMatcher:
    """A matcher for a plan whose rows are tested."""
    assert plan.having is not None
    made = _for_rows(plan, allowance)
    return HavingMatcher([plan], named(plan.having.matcher)(plan, made), made, allowance)


def having_together(joined: Joined, allowance: Allowance) -> HavingMatcher:
    """The same for plans that are counted together, where the rows of some are tested."""
    made = _for_rows(joined.plans[0], allowance)
    inner = named(joined.details)(replace(joined, details=None), made)
    return HavingMatcher(joined.plans, inner, made, allowance)
