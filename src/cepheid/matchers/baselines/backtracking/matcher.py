"""The nfa engine by backtracking: keeps the stream until its end, then follows one run at a time."""

from functools import partial

import numpy as np
import pyarrow as pa

from cepheid.errors import LimitError, SnapshotError
from cepheid.events import END, EventBatch
from cepheid.matchers.allowance import Allowance
from cepheid.matchers.baselines.backtracking import kernel as search_at
from cepheid.matchers.baselines.backtracking.kernel import EventOrder, backtrack, number_events
from cepheid.matchers.joining import join_arrays
from cepheid.matchers.nfa import layout as at
from cepheid.matchers.nfa.layout import NfaEvents
from cepheid.matchers.nfa.matcher import TOO_MANY, NfaMatcher
from cepheid.matchers.nfa.memory import NfaMemory
from cepheid.matchers.nfa.results import NfaResults
from cepheid.matchers.protocol import Outputs, joined_tables
from cepheid.matchers.snapshot import Snapshot
from cepheid.pattern.query import EmitMode
from cepheid.plan.nfa.build import BACKTRACKING
from cepheid.plan.nfa.plan import NfaPlan


class BacktrackingMemory(NfaMemory):
    """The arrays of a matcher, and beside them the events of the whole stream."""

    kept = 0

    @property
    def bytes(self) -> int:
        """How much the arrays and the events take."""
        return super().bytes + self.kept

    def keep(self, size: int) -> None:
        """Count so many bytes of events."""
        if self.bytes + size > self.max_state:
            raise LimitError(
                f"backtracking keeps the whole stream, and would pass max_state = {self.max_state:,} bytes "
                "by it: use another sharing=, fewer events, or a larger max_state="
            )
        self.kept += size
        self.peak = max(self.peak, self.bytes)


class BacktrackingMatcher(NfaMatcher):
    """All partitions of a whole table, one after the other."""

    memory: BacktrackingMemory

    def __init__(self, plan: NfaPlan, allowance: Allowance) -> None:
        super().__init__(plan, allowance)
        registers = self.memory.state.registers.shape[0]
        values = len(plan.slots) + 1  # the last one is the place that a postponed run goes on from
        self.memory = BacktrackingMemory(
            self.tables, values, len(plan.remembered), registers, allowance.max_state
        )
        self.results = NfaResults(
            plan, self.tables, partial(allowance.expect, refusal=TOO_MANY), in_order=False
        )
        self._search = np.zeros(search_at.SEARCH_WIDTH, np.int64)
        self._batches: list[pa.RecordBatch] = []
        self._events_of: list[NfaEvents] = []
        self._found_so_far = 0

    @property
    def state_bytes(self) -> int:
        """How much the runs, the buffer and the stream take."""
        return self.memory.bytes + sum(int(batch.nbytes) for batch in self._batches)

    @property
    def figures(self) -> dict[str, int | str]:
        """As of the nfa engine, and how often an event was read again."""
        reread = int(self._search[search_at.REREAD])
        return {**super().figures, "run_sharing": BACKTRACKING, "events_reread": reread}

    def process(self, batch: EventBatch) -> Outputs:
        """Nothing until the stream has ended; then all matches."""
        events = self._events(batch)
        self._batches.append(batch.data)
        self._events_of.append(events)
        self.memory.keep(events.head.nbytes + events.columns.nbytes + events.valid.nbytes)
        tables: list[pa.Table] = []
        if batch.watermark == END:
            self._evaluate(tables)
        return (joined_tables(tables, self.plan.output_schema),)

    def _evaluate(self, tables: list[pa.Table]) -> None:
        events = self._whole_stream()
        if events.head.shape[1] == 0:
            return
        memory = self.memory
        memory.grow_partitions(self.keys.count)
        self._make_room_for(events.head.shape[1])
        stream = self._stream(events)
        self._search[search_at.UNTIL] = stream.ends[0]
        earliest = self.plan.query.emit.mode is EmitMode.NON_OVERLAPPING
        while True:
            full = backtrack(
                self.tables, events, memory.state, self.found, memory.cursor, stream, self._search, earliest
            )
            if full == at.DONE:
                break
            self._make_room(full, events, tables)
        self._drain(tables, last=True)

    def _whole_stream(self) -> NfaEvents:
        """All events as one batch, for kernels and for the rows of matches."""
        columns = [
            join_arrays([batch.column(name) for batch in self._batches]) for name in self.store.schema.names
        ]
        self._batches = [pa.RecordBatch.from_arrays(columns, self.store.schema.names)]
        self.store.look_at(self._batches[0])
        kept, self._events_of = self._events_of, []
        return NfaEvents(
            np.concatenate([events.head for events in kept], axis=1),
            np.concatenate([events.columns for events in kept], axis=1),
            np.concatenate([events.valid for events in kept], axis=1),
            self.texts.tables(),
            kept[0].deferred,
        )

    def _stream(self, events: NfaEvents) -> EventOrder:
        """The order in which events are gone through, and what is known of them beforehand."""
        tables, memory, partition = self.tables, self.memory, events.head[at.IN_PARTITION]
        order = np.flatnonzero(partition != at.NONE)
        sizes = np.array([order.size])
        if tables.strategy != at.STRICT:
            order = order[np.argsort(partition[order], kind="stable")]
            sizes = np.bincount(partition[order], minlength=1)
        newest = np.full((tables.absence_count, partition.size), at.NONE, np.int64)
        memory.keep(order.nbytes + newest.nbytes)
        bits = tables.book[tables.absences : tables.absences + tables.absence_count, at.ABSENT_BIT]
        candidates = sum(int(np.count_nonzero(events.head[at.MASK] & bit)) for bit in bits)
        if candidates > memory.state.candidates.shape[0]:
            memory.grow_candidates(candidates)
        number_events(tables, events, memory.state, memory.cursor, newest)
        return EventOrder(order, np.cumsum(sizes), newest)

    def _collect(self, now: np.int64, last: int, events: NfaEvents, tables: list[pa.Table]) -> None:
        """Drop the buffered events that no postponed run can reach."""
        self._compact_nodes(None)

    def _drain(self, tables: list[pa.Table], last: bool) -> None:
        """Construct what was found, before the buffer moves; it is handed out at the end."""
        if self.plan.query.emit.mode is EmitMode.ALL:
            self._found_so_far += int(self.memory.cursor[at.FOUND])
            self.allowance.expect(self._found_so_far, TOO_MANY)
        self._search[search_at.BASE] = 0
        super()._drain(tables, last)

    def snapshot(self) -> Snapshot:
        """There is none: a session refuses backtracking."""
        raise SnapshotError("backtracking runs whole tables, and has no snapshot in between")

    def restore(self, snapshot: Snapshot) -> None:
        """There is nothing to go on from."""
        raise SnapshotError("backtracking runs whole tables, and cannot go on from a snapshot")
