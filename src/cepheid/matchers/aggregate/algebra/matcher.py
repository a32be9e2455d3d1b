"""Counting by algebra: one query or many, whose common numbers are kept once."""

from collections.abc import Callable, Hashable, Iterator
from functools import partial
from itertools import pairwise

import numpy as np
import pyarrow as pa

from cepheid.errors import SnapshotError
from cepheid.events import END, EventBatch
from cepheid.matchers.aggregate import layout as agg
from cepheid.matchers.aggregate.algebra import layout as at
from cepheid.matchers.aggregate.algebra.classes import EventClasses
from cepheid.matchers.aggregate.algebra.closed import ClosedCounts
from cepheid.matchers.aggregate.algebra.layout import ClassedEvents
from cepheid.matchers.aggregate.algebra.machines import machine_for
from cepheid.matchers.aggregate.algebra.memory import AlgebraMemory
from cepheid.matchers.aggregate.algebra.ticking import rest, with_ticks
from cepheid.matchers.aggregate.groups import FEW, Groups, first_places
from cepheid.matchers.aggregate.period_rows import TOO_MANY_PERIODS, PeriodRows, foresee_rows
from cepheid.matchers.aggregate.periods import Periods, ahead_in, still_within
from cepheid.matchers.aggregate.results import item_column, whole_numbers
from cepheid.matchers.aggregate.rows import (
    TOO_MANY_ROWS,
    as_time,
    at_events,
    group_names,
    with_matches,
)
from cepheid.matchers.aggregate.tables import cell_width, tables_of
from cepheid.matchers.allowance import Allowance
from cepheid.matchers.arrays import InArrays
from cepheid.matchers.codes import KeyCodes, TextCodes
from cepheid.matchers.masks import BatchRows, event_columns
from cepheid.matchers.protocol import Ahead, Outputs, joined_tables
from cepheid.matchers.snapshot import Snapshot
from cepheid.pattern.query import EmitMode
from cepheid.plan.aggregate.plan import AggregatePlan
from cepheid.plan.engine import Joined

_ROWS = 1 << 14
"""How many rows a kernel finds before they are handed out."""

_ROWS_OF_EACH = 1 << 10
"""The same for each of many queries: a table costs as much as so many rows."""

_NOTHING = np.zeros(0, np.int64)

QueryRows = tuple[int, pa.Table]
"""The place of a query, and rows of it."""

Told = Callable[[np.ndarray], tuple[pa.Array, list[pa.Array]]]
"""The times of rows that were found, and their values of GROUP BY."""

_LOOK_AT = 1 << 12
"""So many events are looked through for new groups at a time."""

_CROWDED = 1 << 14
"""So many partitions cost as much, looked through at the end of a period, as its rows by themselves."""


class CountingMatcher(InArrays[AlgebraMemory]):
    """One query, or those of a workload that divide the stream alike and report at the same moments."""

    engine = "aggregate"

    def __init__(self, plans: tuple[AggregatePlan, ...], allowance: Allowance) -> None:
        self.plans = plans
        self.plan = plan = plans[0]
        self.allowance = allowance
        self.limbs = max(1 + plan.bits // 64 for plan in plans)
        self.divided = (*plan.query.keys, *plan.alike)
        self.closes = plan.query.emit.mode is EmitMode.ON_CLOSE
        self.summed = not self.closes and not set(self.divided) <= set(plan.group)
        self.cells = [tables_of(plan, self.limbs) for plan in plans]
        self.machine = machine_for(plans, self.limbs, self.summed, allowance.max_state)
        self.memory = self.machine.memory
        self.classes = EventClasses([test.test for test in self.machine.algebra.tests])
        self.keys = KeyCodes(len(self.divided))
        self.groups = Groups(pa.schema([plan.schema.columns.field(name) for name in plan.group]))
        self._same_items = len({_items_of(plan) for plan in plans}) == 1
        self.closed = [ClosedCounts(plan) for plan in plans] if self.closes else []
        self._clock = Periods(plan.period, plan.schema.type_of(plan.schema.time))
        self._crowd = FEW  # so many partitions are looked through for idle ones
        width = max(cell_width(plan, self.limbs) for plan in plans)
        room = max(_ROWS, _ROWS_OF_EACH * len(plans) if len(plans) > 1 else 1)
        self._found = np.zeros((room, at.FOUND_WIDTH), np.int64)
        self._cells = np.zeros((room, width), np.uint64)

    @property
    def figures(self) -> dict[str, int]:
        """How many numbers each partition keeps, and how many partitions and groups there are."""
        return {
            "numbers": len(self.machine.algebra.numbers),
            "partitions": self.keys.count,
            "groups": self.groups.count,
        }

    def process(self, batch: EventBatch) -> Outputs:
        """The rows of each query that became certain with this batch."""
        rows: list[list[pa.Table]] = [[] for _ in self.plans]
        with np.errstate(over="ignore"):  # words wrap, as they should, where kernels are not compiled
            for query, table in self._rows(batch):
                rows[query].append(table)
        return tuple(
            joined_tables(tables, plan.output_schema) for plan, tables in zip(self.plans, rows, strict=True)
        )

    def _rows(self, batch: EventBatch) -> Iterator[QueryRows]:
        events = self._events(batch)
        self.memory.grow_partitions(max(1, self.keys.count))
        if self.plan.period is not None:
            self._name_groups(batch.data, events)
        self.memory.grow_groups(self.groups.count)
        cursor, length = self.memory.cursor, batch.data.num_rows
        if self.machine.ticks and self._has_room_for_ticks(batch):
            yield from self._ticking(batch, events)
        else:
            cursor[at.AT_EVENT] = 0
            yield from self._periods(batch, events)
            yield from self._until(events, length, self._told_at_events(batch))
        cursor[at.BEFORE] += length
        if batch.watermark == END:
            yield from self._at_the_end(batch)

    # -- events ------------------------------------------------------------------------------------

    def _events(self, batch: EventBatch) -> ClassedEvents:
        self._forget_idle(batch)
        rows = BatchRows(batch.data, self.plan.schema, self.plan.unit)
        columns, valid = event_columns(list(self.machine.algebra.columns), rows, TextCodes())
        classes = self.classes.encode(rows)
        if self.machine.ticks:
            classes = classes + np.int32(1)  # the first class is that of ticks
        self._learn_classes()
        groups = _NOTHING
        if self.plan.group and self.summed:
            groups = self.groups.encode([batch.data.column(n) for n in self.plan.group], rows.length)
        time = np.ascontiguousarray(batch.time).view(np.int64)
        return ClassedEvents(classes, time, self._partitions(batch.data), groups, columns, valid)

    def _learn_classes(self) -> None:
        known = self.machine.tables.count - self.machine.ticks
        if known == self.classes.count:
            return
        for number in range(known, self.classes.count):
            self.machine.learn(self.classes.passed(number))
        self.machine.finish()

    def _partitions(self, data: pa.RecordBatch) -> np.ndarray:
        """The partition of each event. One that equalities leave in none has still its row."""
        if not self.divided:
            return _NOTHING
        partitions = self.keys.encode([data.column(name) for name in self.divided], data.num_rows)
        if self.plan.alike:
            nowhere = partitions == agg.NONE
            for name in self.plan.query.keys:
                nowhere &= ~np.asarray(data.column(name).is_null(nan_is_null=True))
            partitions[nowhere] = at.NOWHERE
        return partitions

    def _forget_idle(self, batch: EventBatch) -> None:
        """Where no start is open, what happened so far can change nothing any more; nor do groups matter
        that no partition is left of."""
        if max(self.keys.count, self.groups.count) <= self._crowd or not batch.time.size:
            return
        state, lanes = self.memory.state, self.machine.tables.tables.lanes
        alive = state.starts > 0
        for lane, sights in enumerate(state.sights.transpose(1, 0, 2)):
            window = int(lanes[lane, at.KIND]), int(lanes[lane, at.LIMIT])
            seen_at = np.ascontiguousarray(sights[:, at.SEEN_AT])
            alive |= (sights[:, at.SEEN] != 0) & still_within(window, seen_at, batch.time[:1])
        if self.divided:
            kept = np.flatnonzero(alive[: self.keys.count])
            self.keys = self.keys.only(kept)
            self.memory.keep_partitions(kept)
        if self.groups.rows.num_rows and not self.closes:
            self._forget_groups()
        self._crowd = max(FEW, 2 * self.keys.count, 2 * self.groups.count)

    def _forget_groups(self) -> None:
        own = self.memory.state.groups
        kept = np.unique(own[own != agg.NONE])
        self.groups = self.groups.only(kept)
        self.memory.keep_groups(kept)
        own[own != agg.NONE] = np.searchsorted(kept, own[own != agg.NONE])

    def _until(self, events: ClassedEvents, stop: int, told: Told) -> Iterator[QueryRows]:
        """Events up to one of them, and the rows that they have."""
        cursor = self.memory.cursor
        cursor[at.STOP] = stop
        while cursor[at.AT_EVENT] < stop:
            full = self.machine.run(events, self._found, self._cells)
            if self.closes:
                self._close(events, int(cursor[at.ROWS]), told)
            else:
                yield from self._at_events(int(cursor[at.ROWS]), told)
            if full == agg.TOO_NARROW:
                self.memory.widen((), 0)
            if full == agg.STARTS_FULL:
                self.memory.grow_starts()
            if full == agg.FINISHED:
                return

    def _at_events(self, count: int, told: Told) -> Iterator[QueryRows]:
        if count == 0:
            return
        found, cells = self._found[:count], self._cells[:count]
        if len(self.plans) == 1:
            where = told(found)
            yield 0, self._table(0, *where, cells.copy())  # a column of Arrow may be no copy of its own
            return
        queries = found[:, at.QUERY]
        if len(self.plans) <= 1 << 16:
            queries = queries.astype(np.uint16)  # which numpy sorts by its digits
        order = np.argsort(queries, kind="stable")
        time, group = told(found[order])
        cells = cells[order]
        shared = [time, *group, *(self._items(0, cells) if self._same_items else ())]
        edges = np.searchsorted(queries[order], np.arange(len(self.plans) + 1))
        for query, (start, stop) in enumerate(pairwise(edges.tolist())):
            if start == stop:
                continue
            columns = [column.slice(start, stop - start) for column in shared]
            if not self._same_items:
                columns += self._items(query, cells[start:stop])
            yield query, self._counted_rows(query, columns)

    # -- all of the input ---------------------------------------------------------------------------

    def _close(self, events: ClassedEvents, count: int, told: Told) -> None:
        """What the last events of matches have completed."""
        if count == 0:
            return
        rows, queries = self._found[:count, at.EVENT], self._found[:count, at.QUERY]
        counts = whole_numbers(self._cells[:count, : self.limbs], signed=False)
        groups = self.groups.encode(told(self._found[:count])[1], count)
        for query, closed in enumerate(self.closed):
            chosen = queries == query if len(self.closed) > 1 else slice(None)
            before = closed.bytes
            closed.grow(self.groups.count)
            closed.add(groups[chosen], counts[chosen], events.time[rows][chosen])
            self.memory.allow(max(0, closed.bytes - before), "totals")

    def _at_the_end(self, batch: EventBatch) -> Iterator[QueryRows]:
        for query, closed in enumerate(self.closed):
            closed.grow(self.groups.count)
            table = closed.rows(self.groups, batch.time.dtype)
            self.allowance.take(table.num_rows, TOO_MANY_ROWS, query)
            yield query, table

    @property
    def state_bytes(self) -> int:
        """How much it takes."""
        return super().state_bytes + sum(closed.bytes for closed in self.closed)

    # -- moments -----------------------------------------------------------------------------------

    def _ticking(self, batch: EventBatch, events: ClassedEvents) -> Iterator[QueryRows]:
        """The rows of all periods that have ended: each is an event at which all queries report."""
        start, cursor = 0, self.memory.cursor
        for moments in self._clock.moments(batch):
            seen = np.searchsorted(batch.time, moments, "right")
            for query in range(0 if self.plan.group else len(self.plans)):
                rows = moments.size + self._clock.beyond(batch, int(seen[-1]))
                self.allowance.expect(rows, TOO_MANY_PERIODS, query)
            for mixed in with_ticks(events, start, seen, moments):
                cursor[at.AT_EVENT] = 0
                moments_of = partial(self._told_at_moments, mixed.time.view(batch.time.dtype))
                yield from self._until(mixed, mixed.time.size, moments_of)
            start = int(seen[-1])
        cursor[at.AT_EVENT] = 0
        last = rest(events, start)
        yield from self._until(last, last.time.size, self._told_at_events(batch))

    def _has_room_for_ticks(self, batch: EventBatch) -> bool:
        """Whether the ends of periods may stand among the events, and a row for each group at one of them
        finds room. Where they are far more than the events, most of them are alike: `_periods` sees that."""
        if not self.plan.group:
            return True
        periods, crowd = self._clock.ahead(ahead_in(batch)), max(self.keys.count, self.groups.count)
        if periods * crowd > _CROWDED * min(periods, batch.time.size):
            return False
        state = self.memory.state
        rows = len(self.plans) * max(state.groups.shape[0], state.totals.shape[0])
        if rows > self._found.shape[0]:
            self._found = np.zeros((2 * rows, at.FOUND_WIDTH), np.int64)
            self._cells = np.zeros((2 * rows, self._cells.shape[1]), np.uint64)
        return True

    def _told_at_events(self, batch: EventBatch) -> Told:
        return lambda found: at_events(self.plan, batch, found[:, at.EVENT].copy())

    def _told_at_moments(self, time: np.ndarray, found: np.ndarray) -> tuple[pa.Array, list[pa.Array]]:
        moments = as_time(self.plan, pa.array(time[found[:, at.EVENT]]))
        return moments, group_names(self.plan, self.groups, found[:, at.GROUP].copy())

    def _periods(self, batch: EventBatch, events: ClassedEvents) -> Iterator[QueryRows]:
        """The rows of all periods that have ended."""
        rows = [PeriodRows(plan, self.allowance, query) for query, plan in enumerate(self.plans)]
        for moments, stop in self._clock.ended(batch):
            yield from self._until(events, stop, self._told_at_events(batch))
            left = moments
            while left.size:
                self.machine.pass_time(left[:1].view(np.int64)[0])
                alike = self.machine.alike(left)
                beyond = self._clock.beyond(batch, stop) if alike is None else 0
                for query, plan in enumerate(self.plans):
                    chosen, cells = self._at_moment(query, plan)
                    rows[query].add(left[:alike], chosen, cells, self.cells[query], beyond)
                left = left[left.size if alike is None else alike :]
                if any(each.is_enough for each in rows):
                    yield from self._gathered(rows)
        yield from self._gathered(rows)

    def _name_groups(self, data: pa.RecordBatch, events: ClassedEvents) -> None:
        """The group of each partition that has its first event, where each is a group."""
        groups = self.memory.state.groups
        if not self.divided:
            groups[0] = 0
        if self.summed or not self.divided:
            return
        for begin in range(0, events.partitions.size, _LOOK_AT):
            if (groups[: self.keys.count] != agg.NONE).all():
                return
            self._name_groups_among(data, begin, events.partitions[begin : begin + _LOOK_AT])

    def _name_groups_among(self, data: pa.RecordBatch, begin: int, partitions: np.ndarray) -> None:
        groups, own = self.memory.state.groups, np.flatnonzero(partitions >= 0)
        first = first_places(partitions[own], self.keys.count)
        named = np.flatnonzero((first >= 0) & (groups[: first.size] == agg.NONE))
        new = begin + own[first[named]]
        values = [data.column(name).take(pa.array(new)) for name in self.plan.group]
        groups[named] = self.groups.encode(values, new.size)

    def _at_moment(self, query: int, plan: AggregatePlan) -> tuple[np.ndarray, np.ndarray]:
        """The groups that have a row now, and their cells."""
        cells = np.zeros((self.groups.count, cell_width(plan, self.limbs)), np.uint64)
        self.machine.report_groups(query, max(1, self.keys.count), cells)
        chosen = with_matches(plan, cells, self.groups.count, self.limbs)
        return chosen, cells[chosen]

    def _gathered(self, rows: list[PeriodRows]) -> Iterator[QueryRows]:
        for query, each in enumerate(rows):
            for table in each.taken(self.groups):
                yield query, table

    @property
    def has_periods(self) -> bool:
        """Whether there are rows for time alone: EMIT EVERY."""
        return self.plan.period is not None

    def foresee(self, ahead: Ahead, events: int, *, exactly: bool = True) -> bool:
        """Refuse more periods than there may be rows; whether their groups may be too many."""
        periods, groups = self._clock.ahead(ahead), self.groups.count + events
        may = [
            foresee_rows(plan, periods, groups, self.allowance, exactly=exactly, output=query)
            for query, plan in enumerate(self.plans)
        ]
        return any(may)

    def _table(self, query: int, time: pa.Array, group: list[pa.Array], cells: np.ndarray) -> pa.Table:
        return self._counted_rows(query, [time, *group, *self._items(query, cells)])

    def _items(self, query: int, cells: np.ndarray) -> list[pa.Array]:
        plan = self.plans[query]
        return [item_column(plan, self.cells[query], item, cells, []) for item in plan.items]

    def _counted_rows(self, query: int, columns: list[pa.Array]) -> pa.Table:
        self.allowance.take(len(columns[0]), TOO_MANY_ROWS, query)
        return pa.Table.from_arrays(columns, schema=self.plans[query].output_schema)

    # -- snapshots ---------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """Numbers, starts, partitions and groups, under their names."""
        snapshot = Snapshot(self.plan.fingerprint, arrays=self.memory.saved())
        self.keys.save(snapshot)
        self.groups.save(snapshot)
        for number, codes in enumerate(self.classes.saved()):
            snapshot.arrays[f"classes{number}"] = codes
        for query, closed in enumerate(self.closed):
            closed.save(snapshot, f"closed{query}")
        snapshot.values |= {
            "method": "inverse",
            "queries": [plan.fingerprint for plan in self.plans],
            "clock": self._clock.saved(),
        }
        return snapshot

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot of the same plans."""
        known = snapshot.values.get("queries", [snapshot.fingerprint])
        if known != [plan.fingerprint for plan in self.plans]:
            raise SnapshotError("the snapshot is of another query, or of a stream with other columns")
        if snapshot.values["method"] != "inverse":
            raise SnapshotError(
                f"the snapshot is of the method '{snapshot.values['method']}', and the query uses 'inverse'"
            )
        self.memory.restore(snapshot.arrays)
        self.keys.restore(snapshot)
        self.groups.restore(snapshot)
        self.classes.restore(
            [snapshot.arrays[f"classes{number}"] for number in range(len(self.classes.saved()))]
        )
        self._learn_classes()
        for query, closed in enumerate(self.closed):
            closed.restore(snapshot, f"closed{query}")
        self._clock.restore(snapshot.values["clock"])


def _items_of(plan: AggregatePlan) -> Hashable:
    """What the columns of a plan are made from, but for their names."""
    return plan.values, plan.columns, tuple((item.function, item.value, item.type) for item in plan.items)


def counting_alone(plan: AggregatePlan, allowance: Allowance) -> CountingMatcher:
    """A matcher for one plan."""
    return CountingMatcher((plan,), allowance)


def counting_together(joined: Joined, allowance: Allowance) -> CountingMatcher:
    """A matcher for plans whose common numbers are kept once."""
    return CountingMatcher(joined.plans, allowance)
