"""Many queries with AGG COUNT over one stream, counted together by a plan of sharing."""

import hashlib
from itertools import pairwise

import numpy as np
import pyarrow as pa

from cepheid.errors import LimitError, QueryError, SnapshotError
from cepheid.events import EventBatch
from cepheid.matchers.aggregate.groups import Groups
from cepheid.matchers.aggregate.rows import TOO_MANY_ROWS
from cepheid.matchers.allowance import Allowance
from cepheid.matchers.arrays import InArrays
from cepheid.matchers.baselines.chop_connect import layout as at
from cepheid.matchers.baselines.chop_connect.forest import Forest, tables_of
from cepheid.matchers.baselines.chop_connect.kernel import count_together
from cepheid.matchers.baselines.chop_connect.layout import ChopEvents, ChopRows
from cepheid.matchers.baselines.chop_connect.memory import ChopMemory
from cepheid.matchers.codes import KeyCodes
from cepheid.matchers.masks import BatchRows, event_masks
from cepheid.matchers.protocol import Outputs
from cepheid.matchers.snapshot import Snapshot
from cepheid.matchers.windows import window_row
from cepheid.plan.aggregate.plan import AggregatePlan
from cepheid.plan.aggregate.sharing.eligible import StepTest, scope_of, shared_query
from cepheid.plan.aggregate.sharing.sharing_plan import SharingPlan
from cepheid.plan.engine import Joined
from cepheid.plan.program import EventTest

_ROWS = 4096
"""How many rows the kernel finds before they are put aside, at least."""


class SharedCounting(InArrays[ChopMemory]):
    """All partitions of a stream, all queries of a workload, one matcher."""

    engine = "aggregate"

    def __init__(
        self,
        plans: tuple[AggregatePlan, ...],
        sharing: SharingPlan,
        allowance: Allowance,
        *,
        prefix_trees: bool = True,
    ) -> None:
        _check(plans, sharing)
        self.plans, self.sharing = plans, sharing
        self.allowance = allowance
        self.scope = scope_of(plans[0])
        self.keys = KeyCodes(len(self.scope.keys) + len(self.scope.alike))
        schema = plans[0].schema.columns
        self.groups = Groups(pa.schema([schema.field(name) for name in self.scope.group]))
        forest = Forest(sharing, prefix_trees)
        self.memory = ChopMemory(len(forest.roots), forest.totals, allowance.max_state)
        self._tests = [_test_of(step) for step in forest.tests]
        self._tables = tables_of(
            forest, window_row(self.scope.window), len(plans), 2 * self.scope.most_events
        )
        self._fingerprint = _fingerprint(plans, sharing, prefix_trees)

    @property
    def figures(self) -> dict[str, int]:
        """How many counts were updated, snapshots taken, and rows of snapshots written or multiplied."""
        cursor = self.memory.cursor
        return {
            "visits": int(cursor[at.VISITS]),
            "snapshots": int(cursor[at.SNAPSHOTS]),
            "connected": int(cursor[at.CONNECTED]),
            "partitions": self.keys.count,
            "groups": self.groups.count,
        }

    def process(self, batch: EventBatch) -> Outputs:
        """The rows of each query that became certain with this batch."""
        with np.errstate(over="ignore"):  # words wrap, as they should, where kernels are not compiled
            events, queries, counts = self._count(self._events(batch))
        self.memory.cursor[at.ORDINAL] += batch.data.num_rows
        order = np.argsort(queries, kind="stable")
        edges = np.searchsorted(queries[order], np.arange(len(self.plans) + 1))
        return tuple(
            self._table(number, batch.data, events[order[start:stop]], counts[order[start:stop]])
            for number, (start, stop) in enumerate(pairwise(edges))
        )

    def _events(self, batch: EventBatch) -> ChopEvents:
        data, length = batch.data, batch.data.num_rows
        rows = BatchRows(data, self.plans[0].schema, self.scope.unit)
        words = range(0, len(self._tests), at.TESTS_A_WORD)
        masks = [event_masks(self._tests[word : word + at.TESTS_A_WORD], rows) for word in words]
        head = np.zeros((at.HEAD_WIDTH, length), np.int64)
        head[at.GROUP] = self.groups.encode([data.column(name) for name in self.scope.group], length)
        head[at.TIME] = np.ascontiguousarray(batch.time).view(np.int64)
        self._divide(data, head)
        self.memory.grow_partitions(max(1, self.keys.count))
        self.memory.grow_groups(self.groups.count)
        return ChopEvents(head, np.array(masks, np.int64))

    def _divide(self, data: pa.RecordBatch, head: np.ndarray) -> None:
        """The partition of each event. One that equalities leave in none does nothing, but has its rows."""
        names = (*self.scope.keys, *self.scope.alike)
        head[at.PARTITION] = self.keys.encode([data.column(name) for name in names], data.num_rows)
        idle = (head[at.PARTITION] == at.NONE) & bool(self.scope.alike)
        for name in self.scope.keys:
            idle &= ~np.asarray(data.column(name).is_null(nan_is_null=True))
        head[at.PARTITION, idle] = 0
        head[at.ACTS] = ~idle

    def _count(self, events: ChopEvents) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The rows of a batch: the event, the query and the count of each."""
        memory, size = self.memory, max(_ROWS, len(self.plans))
        rows = np.zeros((3, size), np.int64)
        found = ChopRows(rows[0], rows[1], rows[2], np.zeros(len(self._tests), np.int64))
        pieces: list[np.ndarray] = []
        memory.cursor[at.AT_EVENT] = 0
        while True:
            memory.cursor[at.ROWS] = 0
            full = int(count_together(self._tables, events, memory.state, found, memory.cursor))
            pieces.append(rows[:, : int(memory.cursor[at.ROWS])].copy())
            if full == at.FINISHED:
                events_of, queries, counts = np.concatenate(pieces, axis=1)
                return events_of, queries, counts
            self._make_room(full)

    def _make_room(self, full: int) -> None:
        if full == at.CROWDED:
            raise LimitError(
                f"the window holds more than max_events = {self.scope.most_events:,} events, for which "
                'counts are wide enough: say how many it may hold, q.using("aggregate", max_events=…)'
            )
        if full != at.ROWS_FULL:
            {at.RING_FULL: self.memory.grow_ring_of_starts, at.POOL_FULL: self.memory.grow_pool}[full]()

    def _table(self, number: int, data: pa.RecordBatch, events: np.ndarray, counts: np.ndarray) -> pa.Table:
        plan = self.plans[number]
        self.allowance.take(events.size, TOO_MANY_ROWS, number)
        if events.size == 0:
            return plan.output_schema.empty_table()
        chosen = pa.array(events)
        columns = [data.column(name).take(chosen) for name in (plan.schema.time, *plan.group, *plan.carried)]
        columns += [pa.array(counts)] * len(plan.items)
        return pa.Table.from_arrays(columns, schema=plan.output_schema)

    def snapshot(self) -> Snapshot:
        """Counters, snapshots of connects, partitions and groups, under their names."""
        snapshot = Snapshot(self._fingerprint, arrays=self.memory.saved())
        self.keys.save(snapshot)
        self.groups.save(snapshot)
        return snapshot

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot of the same queries, shared by the same plan."""
        if snapshot.fingerprint != self._fingerprint:
            raise SnapshotError(
                "the snapshot is of other queries, of another plan of sharing them, or of a stream with "
                "other columns"
            )
        self.memory.restore(snapshot.arrays)
        self.keys.restore(snapshot)
        self.groups.restore(snapshot)


def counting_together(joined: Joined, allowance: Allowance) -> SharedCounting:
    """A matcher for plans that share counters by a plan of sharing."""
    return SharedCounting(joined.plans, joined.details, allowance)


def _check(plans: tuple[AggregatePlan, ...], sharing: SharingPlan) -> None:
    """The plans are those that the sharing is of, and they can share."""
    if len(plans) != len(sharing.workload) or not plans:
        raise QueryError(f"{len(plans)} queries cannot be run by a sharing of {len(sharing.workload)}")
    for plan, query in zip(plans, sharing.workload, strict=True):
        own = shared_query(query.name, plan)
        if own != query:
            raise QueryError(f"the sharing is of another query named '{query.name}'")
        if own.window != sharing.workload[0].window:
            first = sharing.workload[0].name
            raise QueryError(
                f"'{query.name}' differs from '{first}' in its window, its keys or its groups",
                hint="count queries together that agree in all of them",
            )


def _test_of(step: object) -> EventTest:
    assert isinstance(step, StepTest)
    return step.test


def _fingerprint(plans: tuple[AggregatePlan, ...], sharing: SharingPlan, prefix_trees: bool) -> str:
    """Of the queries over their stream, and of what is counted of them together."""
    chops = [[(each.start, each.stop, each.shared) for each in chop] for chop in sharing.chops]
    text = "\0".join([*(plan.fingerprint for plan in plans), repr(chops), repr(prefix_trees)])
    return hashlib.sha256(text.encode()).hexdigest()
