"""The aggregate engine: feeds batches to the kernels and hands out rows of AGG."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from cepheid.errors import SnapshotError
from cepheid.events import END, EventBatch
from cepheid.matchers.aggregate import layout as at
from cepheid.matchers.aggregate.cell_arrays import Moves
from cepheid.matchers.aggregate.groups import FEW, Groups
from cepheid.matchers.aggregate.layout import AggregateEvents, AggregateTables
from cepheid.matchers.aggregate.methods import Method, Room, method_of
from cepheid.matchers.aggregate.period_rows import PeriodRows, foresee_rows
from cepheid.matchers.aggregate.periods import TIMELESS, Periods
from cepheid.matchers.aggregate.rows import (
    TOO_MANY_ROWS,
    as_time,
    at_events,
    group_names,
    rows_table,
    with_matches,
)
from cepheid.matchers.aggregate.tables import cell_width, row_tests, tables_of, word
from cepheid.matchers.allowance import Allowance
from cepheid.matchers.arrays import InArrays
from cepheid.matchers.codes import KeyCodes, TextCodes
from cepheid.matchers.counted import RunTally
from cepheid.matchers.protocol import Ahead, Outputs, joined_tables
from cepheid.matchers.reading import EventReader
from cepheid.matchers.snapshot import Snapshot
from cepheid.matchers.used_texts import keep_used_texts
from cepheid.matchers.windows import leading_within
from cepheid.plan.aggregate.plan import AggregatePlan
from cepheid.plan.events.bounded import keys_that_wait

_ROWS = 4096
"""How many rows a kernel finds before they are handed out."""


class AggregateMatcher(InArrays[Method]):
    """All partitions of a stream, one matcher."""

    engine = "aggregate"

    def __init__(self, plan: AggregatePlan, allowance: Allowance) -> None:
        self.plan = plan
        self.allowance = allowance
        self.limbs = 1
        self.tables = tables_of(plan, self.limbs)
        self.memory = method_of(plan, allowance.max_state)
        self.memory.waits = keys_that_wait(plan)
        self.keys = KeyCodes(len(plan.query.keys) + len(plan.alike))
        self.groups = Groups(pa.schema([plan.schema.columns.field(name) for name in plan.group]))
        self._texts = TextCodes()
        self._crowd = FEW  # so many partitions or groups are looked through for idle ones
        self._many_texts = FEW  # and so many texts for those that no cell holds
        self._reader = EventReader(plan.tests, plan.columns, plan.schema, plan.unit)
        self._row_tests = np.int64(word(row_tests(plan)) if plan.query.emit.mode.is_at_events else 0)
        self._clock = Periods(plan.period, plan.schema.type_of(plan.schema.time))

    @property
    def figures(self) -> dict[str, int]:
        """How often counters were visited, and how many partitions and groups there are."""
        return {
            "visits": int(self.memory.cursor[at.VISITS]),
            "partitions": self.keys.count,
            "groups": self.groups.count,
            **self.memory.figures,
        }

    @property
    def counted(self) -> RunTally:
        """How many events passed each condition."""
        return RunTally(self.plan, tuple(map(tuple, self._reader.passed)), {})

    def process(self, batch: EventBatch) -> Outputs:
        """The rows that became certain with this batch."""
        with np.errstate(over="ignore"):  # words wrap, as they should, where kernels are not compiled
            tables = [table for table in self._rows(batch) if table.num_rows]
        return (joined_tables(tables, self.plan.output_schema),)

    def _rows(self, batch: EventBatch) -> Iterator[pa.Table]:
        events = self._events(batch)
        self.memory.grow_partitions(max(1, self.keys.count))
        self.memory.grow_groups(self.groups.count)
        self.memory.cursor[at.AT_EVENT] = 0
        yield from self._periods(batch, events)
        yield from self._until(batch, events, batch.count)
        if self.tables.keeps_closed and batch.watermark == END:
            yield self._at_the_end(batch)

    def _events(self, batch: EventBatch) -> AggregateEvents:
        self._forget_idle(batch)
        self._forget_texts()
        read = self._reader.read(batch, self._texts)
        head = np.empty((at.HEAD_WIDTH, batch.count), np.int64)
        head[at.MASK] = read.mask
        head[at.GROUP] = self.groups.encode([batch.data.column(n) for n in self.plan.group], batch.count)
        head[at.TIME] = np.ascontiguousarray(batch.time).view(np.int64)
        head[at.HAS_ROW] = (head[at.MASK] & self._row_tests) != 0
        self._divide(batch, head)
        return AggregateEvents(head, read.columns, read.valid, self._texts.tables()[0])

    def _forget_idle(self, batch: EventBatch) -> None:
        """Partitions and groups that nothing in the window refers to: a stream may have new ones for ever."""
        if max(self.keys.count, self.groups.count) <= self._crowd or not batch.time.size:
            return
        used = self.memory.used_partitions(self.tables, batch.time[:1])
        if used is None:
            return
        if self.keys.parts:
            kept = np.flatnonzero(used[: self.keys.count])
            self.keys = self.keys.only(kept)
            self.memory.keep_partitions(kept)
        if self.plan.group:
            kept = np.flatnonzero(self.memory.used_groups(self.tables)[: self.groups.count])
            self.groups = self.groups.only(kept)
            self.memory.keep_groups(kept)
        self._crowd = max(FEW, 2 * self.keys.count, 2 * self.groups.count)

    def _forget_texts(self) -> None:
        """Texts of MIN and MAX that nothing in the window refers to."""
        if len(self._texts.texts) > self._many_texts:
            keep_used_texts(self._texts, self.memory.texts(self.tables))
            self._many_texts = max(FEW, 2 * len(self._texts.texts))

    def _divide(self, batch: EventBatch, head: np.ndarray) -> None:
        """The partition of each event. One that equalities leave in none has still its row."""
        names = (*self.plan.query.keys, *self.plan.alike)
        head[at.PARTITION] = self.keys.encode(batch.columns(names), batch.count)
        if not self.plan.alike:
            return
        nowhere = head[at.PARTITION] == at.NONE
        for name in self.plan.query.keys:
            nowhere &= ~_is_nothing(batch.data.column(name))
        head[at.MASK, nowhere] = 0
        head[at.PARTITION, nowhere] = 0

    # -- rows at events ----------------------------------------------------------------------------

    def _until(self, batch: EventBatch, events: AggregateEvents, stop: int) -> Iterator[pa.Table]:
        """Events up to one of the batch, and the rows that they have."""
        room = self._room()
        while True:
            full = self.memory.run(self.tables, events, stop, room)
            rows = int(self.memory.cursor[at.ROWS])
            if rows:
                yield self._at_events(batch, room.events[:rows].copy(), room.cells[:rows].copy())
            if full == at.FINISHED:
                return
            if full == at.TOO_NARROW:
                self._widen()
                room = self._room()
            elif full != at.ROWS_FULL:
                self.memory.make_room(full)

    def _room(self) -> Room:
        width = self.memory.state.closed.shape[1]
        return Room(np.zeros(_ROWS, np.int64), np.zeros((_ROWS, width), np.uint64))

    def _at_events(self, batch: EventBatch, found: np.ndarray, cells: np.ndarray) -> pa.Table:
        return self._table(*at_events(self.plan, batch, found), cells)

    def _table(self, time: pa.Array, group: list[pa.Array], cells: np.ndarray) -> pa.Table:
        self.allowance.take(len(time), TOO_MANY_ROWS)
        return rows_table(self.plan, self.tables, time, group, cells, self._texts.texts)

    # -- rows of groups ----------------------------------------------------------------------------

    def _periods(self, batch: EventBatch, events: AggregateEvents) -> Iterator[pa.Table]:
        """The rows of all periods that have ended."""
        rows = PeriodRows(self.plan, self.allowance)
        for moments, stop in self._clock.ended(batch):
            yield from self._until(batch, events, stop)
            left = moments
            while left.size:
                self._pass_time(left[:1])
                cells, _ = self._tallied()
                chosen = with_matches(self.plan, cells, self.groups.count, self.limbs)
                alike = self._alike(left)
                beyond = self._clock.beyond(batch, stop) if alike is None else 0
                rows.add(left[:alike], chosen, cells[chosen], self.tables, beyond)
                left = left[left.size if alike is None else alike :]
                if rows.is_enough:
                    yield from rows.taken(self.groups, self._texts.texts)
        yield from rows.taken(self.groups, self._texts.texts)

    @property
    def has_periods(self) -> bool:
        """Whether there are rows for time alone: EMIT EVERY."""
        return self.plan.period is not None

    def foresee(self, ahead: Ahead, events: int, *, exactly: bool = True) -> bool:
        """Refuse more periods than there may be rows; whether their groups may be too many."""
        periods, groups = self._clock.ahead(ahead), self.groups.count + events
        return foresee_rows(self.plan, periods, groups, self.allowance, exactly=exactly)

    def _pass_time(self, moment: np.ndarray) -> None:
        now = moment.view(np.int64)[0]
        while self.memory.expire_until(self.tables, self._ranks, now) == at.TOO_NARROW:
            self._widen()

    def _alike(self, moments: np.ndarray) -> int | None:
        """At how many of the moments nothing has left the window; None if time alone lets nothing leave."""
        oldest = self.memory.oldest
        if oldest is None or self.tables.window[0] in TIMELESS:
            return None
        return leading_within(self.tables.window, oldest, moments)

    def _at_the_end(self, batch: EventBatch) -> pa.Table:
        cells, ended = self._tallied()
        chosen = with_matches(self.plan, cells, self.groups.count, self.limbs)
        ended = ended[chosen]
        time = pa.array(np.ascontiguousarray(ended[:, 1]).view(batch.time.dtype), mask=ended[:, 0] == 0)
        names = group_names(self.plan, self.groups, chosen)
        return self._table(as_time(self.plan, time), names, cells[chosen])

    def _tallied(self) -> tuple[np.ndarray, np.ndarray]:
        """What each group has come to, and when its last match was complete."""
        while True:
            cells, ended = self.memory.state.closed.copy(), self.memory.state.ended.copy()
            if self.memory.tally_groups(self.tables, self._ranks, cells, ended) == at.FINISHED:
                return cells, ended
            self._widen()

    @property
    def _ranks(self) -> np.ndarray:
        ranks: np.ndarray = self._texts.tables()[0]
        return ranks

    # -- words and bytes ---------------------------------------------------------------------------

    def _widen(self) -> None:
        """Twice the words for every count."""
        before, self.limbs = self.tables, 2 * self.limbs
        self.tables = tables_of(self.plan, self.limbs)
        self.memory.widen(_spread(before, self.tables), cell_width(self.plan, self.limbs))

    def snapshot(self) -> Snapshot:
        """Counters, partitions and groups, under their names."""
        snapshot = Snapshot(self.plan.fingerprint, arrays=self.memory.saved())
        self.keys.save(snapshot)
        self.groups.save(snapshot)
        snapshot.values |= {
            "method": self.plan.method,
            "limbs": self.limbs,
            "texts": self._texts.texts,
            "clock": self._clock.saved(),
        }
        return snapshot

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot of the same plan."""
        if snapshot.fingerprint != self.plan.fingerprint:
            raise SnapshotError("the snapshot is of another query, or of a stream with other columns")
        method = snapshot.values["method"]
        if method != self.plan.method:
            raise SnapshotError(
                f"the snapshot is of the method '{method}', and the query uses '{self.plan.method}'"
            )
        self.limbs = snapshot.values["limbs"]
        self._texts = TextCodes(snapshot.values["texts"])
        self.tables = tables_of(self.plan, self.limbs)
        self.memory.restore(snapshot.arrays)
        self.keys.restore(snapshot)
        self.groups.restore(snapshot)
        self._clock.restore(snapshot.values["clock"])


def _is_nothing(column: pa.Array) -> np.ndarray:
    """Where a key is null, or no number."""
    nothing: np.ndarray = np.asarray(column.is_null(nan_is_null=True))
    return nothing


def _spread(before: AggregateTables, after: AggregateTables) -> Moves:
    """Which words of a cell go where, and whether they have a sign to be continued."""
    moves = [(slice(0, before.limbs), slice(0, after.limbs), False)]
    for old, new in zip(before.values, after.values, strict=True):
        whole_sum = old[at.KIND] == at.WHOLE and old[at.SUM] != at.NONE
        for column, narrow, wide, signed in (
            (at.COUNTED, before.limbs, after.limbs, False),
            (at.SUM, before.limbs + 1 if whole_sum else 1, after.limbs + 1 if whole_sum else 1, whole_sum),
            (at.LEAST, 1, 1, False),
            (at.MOST, 1, 1, False),
        ):
            if old[column] != at.NONE:
                moves.append(
                    (slice(old[column], old[column] + narrow), slice(new[column], new[column] + wide), signed)
                )
    return moves
