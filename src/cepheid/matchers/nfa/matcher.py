"""The nfa engine: feeds batches to the kernels, makes room when they ask, and hands out matches."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pyarrow as pa

from cepheid.errors import SnapshotError
from cepheid.events import END, EventBatch
from cepheid.matchers.allowance import Allowance
from cepheid.matchers.arrays import moment_bits
from cepheid.matchers.codes import KeyCodes, TextCodes
from cepheid.matchers.counted import RunTally
from cepheid.matchers.forgetting import Piles, may_forget_keys, number_texts_anew
from cepheid.matchers.identity import EventIdentities
from cepheid.matchers.nfa import layout as at
from cepheid.matchers.nfa.closing import close_until
from cepheid.matchers.nfa.collect import compact_candidates, compact_nodes, sweep_runs
from cepheid.matchers.nfa.deferring import advance_deferring, catch_up_all
from cepheid.matchers.nfa.edge_counts import edge_counts
from cepheid.matchers.nfa.forget import forget_partitions, text_places
from cepheid.matchers.nfa.kernel import advance
from cepheid.matchers.nfa.layout import NfaEvents
from cepheid.matchers.nfa.memory import NfaMemory
from cepheid.matchers.nfa.merging import list_all
from cepheid.matchers.nfa.results import NfaResults
from cepheid.matchers.nfa.sharing import RunWork, Switch
from cepheid.matchers.nfa.summaries import Summaries
from cepheid.matchers.nfa.tables import TableBuilder
from cepheid.matchers.protocol import Outputs, joined_tables
from cepheid.matchers.reading import EventReader
from cepheid.matchers.rows import match_table
from cepheid.matchers.snapshot import Snapshot
from cepheid.matchers.store import EventStore, number_anew
from cepheid.plan.events.bounded import keys_that_wait
from cepheid.plan.nfa.plan import NfaPlan
from cepheid.plan.summaries import SUMMARIES

TOO_MANY = (
    "the query has more than max_matches = {limit} matches. Bound it: a shorter WITHIN, a stricter strategy "
    "such as skip_till_next_match, EMIT NON OVERLAPPING, more selective conditions, or a larger "
    "max_matches=. EMIT COMPRESSED keeps any number of matches; EMIT COUNT, FIRST k and LONGEST do not "
    "list them"
)

_FOUND_AT_FIRST = 65_536
_NODES_AHEAD, _NODES_AGAIN = 1 << 18, 1 << 15
"""For how many events there is room at most before a batch: its own, or what the last one had no room for."""
_DEFERS_FROM = 64
"""How many events of a partition must come in a batch for any to be deferred."""
_ROOM_TO_PUT_OFF = 32
"""The part of max_state that the steps of deferred events may need in the end."""


class NfaMatcher:
    """All partitions of a stream, one matcher."""

    engine = "nfa"

    def __init__(self, plan: NfaPlan, allowance: Allowance) -> None:
        self.plan = plan
        self.allowance = allowance
        max_state = allowance.max_state
        self.texts = TextCodes()
        for function in plan.text_functions:
            self.texts.add_function(function.name, function.arguments)
        builder = TableBuilder(plan, self.texts)
        self.tables = builder.build()
        self.memory = NfaMemory(
            self.tables, len(plan.slots), len(plan.remembered), builder.conditions.registers, max_state
        )
        self.memory.waits = keys_that_wait(plan)
        self.keys = KeyCodes(len(plan.query.keys))
        self.identities = EventIdentities(plan.known_by)
        self.store = EventStore(pa.schema([plan.schema.columns.field(name) for name in plan.needed]))
        self.found = np.zeros((_FOUND_AT_FIRST, at.FOUND_WIDTH), np.int64)
        self.switch = Switch(plan)
        self.results = NfaResults(plan, self.tables, partial(allowance.expect, refusal=TOO_MANY))
        self.summaries = Summaries(plan, self.results)
        self._summarises = plan.query.emit.mode in SUMMARIES
        self._listed = 0  # events of matches
        self._merged_for_room = False
        self._dropped: list[int] = []  # buffered events, by each collection while the batch was read
        self._most_put_off = max_state // (_ROOM_TO_PUT_OFF * self.memory.state.nodes.strides[0])
        self.position = 0  # of the next event in the stream
        self._key_names = plan.query.keys
        self._reader = EventReader(plan.tests, plan.columns, plan.schema, plan.unit)
        self._live_rows = 0
        self._piles = Piles(may_forget_keys(plan, self.tables.waits_for_events), len(self.texts.texts))

    @property
    def state_bytes(self) -> int:
        """How much the runs, the buffer and the kept events take."""
        return self.memory.bytes + self.store.bytes

    @property
    def peak_state_bytes(self) -> int:
        """The most that the runs, the buffer and the kept events have taken."""
        return max(self.memory.peak + self.store.bytes, self.state_bytes)

    @property
    def figures(self) -> dict[str, int | str]:
        """How often a run has read an event, what became of the runs, and how many partitions there are."""
        cursor = self.memory.cursor
        return {
            "run_sharing": "merging" if self.switch.merging else "basic",
            "merged_for_room": int(self._merged_for_room),
            "run_steps": int(cursor[at.STEPS] + cursor[at.MADE_UP]),
            "events_deferred": int(cursor[at.DEFERRALS]),
            "runs_merged": int(cursor[at.MERGED]),
            "runs_pruned": int(cursor[at.PRUNED]),
            "most_runs": int(cursor[at.MOST_RUNS]),
            "partitions": self.keys.count,
        }

    @property
    def held(self) -> dict[str, int]:
        """The runs that wait, and the events in the buffer."""
        cursor = self.memory.cursor
        runs = self.memory.state.runs.shape[0] - int(cursor[at.FREE_RUNS])
        return {"runs": runs, "buffered events": int(cursor[at.NODES])}

    @property
    def counted(self) -> RunTally:
        """How many events passed each condition, and how many runs took each edge."""
        passed = tuple(map(tuple, self._reader.passed))
        return RunTally(self.plan, passed, edge_counts(self.plan, self.memory.state.tally))

    def process(self, batch: EventBatch) -> Outputs:
        """The matches that became certain with this batch."""
        cursor, count = self.memory.cursor, batch.count
        self.store.look_at(batch.events)
        events = self._events(batch)
        self.memory.grow_partitions(self.keys.count)
        self._make_room_for(count)
        cursor[at.AT_EVENT] = cursor[at.ALL_READ] = 0
        cursor[at.OFFSET], cursor[at.ROWS] = self.position, self.store.kept
        cursor[at.MOST_PUT_OFF] = cursor[at.PUT_OFF] + self._most_put_off
        tables: list[pa.Table] = []
        while cursor[at.AT_EVENT] < count:
            self._set_merging(self.switch.merging)
            cursor[at.UNTIL] = self._next_stop(count)
            self._finish(advance_deferring if self._defers(events) else advance, events, tables)
            self._look_at_switch()
            self._catch_up(events, tables)
        self.position += count
        self._close(batch, events)
        self._drain(tables, last=True)
        self._settle(batch)
        return (joined_tables(tables, self.plan.output_schema),)

    def _next_stop(self, events: int) -> int:
        """Where to stop and see whether merging helps, or the end of the batch."""
        look, here = self.switch.next_look, int(self.memory.cursor[at.AT_EVENT])
        return events if look is None else min(events, max(look - self.position, here + 1))

    def _look_at_switch(self) -> None:
        look, events = self.switch.next_look, self.position + int(self.memory.cursor[at.AT_EVENT])
        if look is not None and events >= look:
            self.switch.look(self._work(events), self.keys.count)

    def _work(self, events: int) -> RunWork:
        cursor = self.memory.cursor
        waiting = int(self.found[: cursor[at.FOUND], at.FOUND_EVENTS].sum())
        return RunWork(
            events=events,
            steps=int(cursor[at.STEPS]),
            listed=self._listed + waiting,
            deferred=int(cursor[at.DEFERRALS]),
            put_off=int(cursor[at.PUT_OFF]),
            made_up=int(cursor[at.MADE_UP]),
        )

    def _defers(self, events: NfaEvents) -> bool:
        return self.switch.deferring and not self.switch.merging and events.deferred.size > 0

    def _catch_up(self, events: NfaEvents, tables: list[pa.Table]) -> None:
        """If the batch ends, if too much is deferred, or if nothing is from now on, read what was."""
        cursor = self.memory.cursor
        unread = cursor[at.PUT_OFF] - cursor[at.MOST_PUT_OFF] + self._most_put_off
        ends = cursor[at.AT_EVENT] == events.head.shape[1]
        if unread > 0 and (ends or unread > self._most_put_off or not self._defers(events)):
            self._finish(catch_up_all, events, tables)
            cursor[at.MOST_PUT_OFF] = cursor[at.PUT_OFF] + self._most_put_off

    def _finish(self, kernel: Callable[..., int], events: NfaEvents, tables: list[pa.Table]) -> None:
        """Let a kernel do its work, and make room when it asks for some."""
        memory = self.memory
        while full := kernel(self.tables, events, memory.state, self.found, memory.cursor):
            self._make_room(full, events, tables)

    def _set_merging(self, merging: bool) -> None:
        if self.tables.merges != merging:
            self.tables = self.tables._replace(merges=merging)
            self._list_runs()

    def _list_runs(self) -> None:
        """Runs were renumbered or moved, or are to be merged from now on or no longer: list them anew."""
        list_all(self.tables, self.memory.state)

    def _events(self, batch: EventBatch) -> NfaEvents:
        read = self._reader.read(batch, self.texts)
        keys = self.keys.encode(batch.columns(self._key_names), batch.count)
        time = np.ascontiguousarray(batch.time)
        head, deferred = self._room_for_events(batch.count)
        head[at.MASK] = read.mask
        head[at.IN_PARTITION] = keys
        head[at.TIME] = time.view(np.int64)
        head[at.ORDINAL] = 0
        head[at.HASH :] = self.identities.hashes(batch.events, time).view(np.int64).T
        return NfaEvents(head, read.columns, read.valid, self.texts.tables(), deferred)

    def _room_for_events(self, events: int) -> tuple[np.ndarray, np.ndarray]:
        """For their head, and to defer them if enough of a partition come together; of one piece, since to
        allocate another large one takes longer than all else about it."""
        defers = self.switch.may_defer and events >= _DEFERS_FROM * self.keys.count
        room = np.empty((at.HEAD_WIDTH + (2 if defers else 0), events), np.int64)
        return room[: at.HEAD_WIDTH], room[at.HEAD_WIDTH :]

    def _make_room_for(self, events: int) -> None:
        """Room for what a large batch may add to the buffer, so that collecting is rare; if the last one had
        to collect several times, for what it added in between."""
        again = min(sum(self._dropped[1:]), _NODES_AGAIN)
        self._dropped = []
        nodes, wanted = self.memory.state.nodes, 2 * max(min(events, _NODES_AHEAD), again)
        if nodes.shape[0] < wanted:
            wanted = min(wanted, self.memory.most_rows(nodes) // 2)
            if nodes.shape[0] < wanted:
                self.memory.grow_nodes(wanted)

    def _make_room(self, full: int, events: NfaEvents, tables: list[pa.Table]) -> None:
        cursor = self.memory.cursor
        e = min(int(cursor[at.AT_EVENT]), events.head.shape[1] - 1)
        needed = int(cursor[at.NEEDED])
        if full == at.FOUND_FULL:
            self._drain(tables, last=False)
            if needed > self.found.shape[0]:
                self.found = np.zeros((2 * needed, at.FOUND_WIDTH), np.int64)
            return
        self._drain(tables, last=False)
        self._collect(events.head[at.TIME, e], self.position + e - 1, events, tables)
        if 2 * self.memory.bytes > self.memory.max_state and self.switch.force():
            self._merged_for_room = True  # while there is room for the event in which they meet
            cursor[at.UNTIL] = cursor[at.AT_EVENT]
        self._grow(full, needed)

    def _grow(self, full: int, needed: int) -> None:
        memory, cursor = self.memory, self.memory.cursor
        state, visited = memory.state, memory.state.parts.shape[0] // 4
        if full == at.RUNS_FULL:
            array, grow, free = state.runs, memory.grow_runs, int(cursor[at.FREE_RUNS])
        elif full == at.NODES_FULL:
            array, grow = state.nodes, memory.grow_nodes
            free = array.shape[0] - int(cursor[at.NODES])
        else:
            array, grow = state.candidates, memory.grow_candidates
            free = array.shape[0] - int(cursor[at.CANDIDATES])
        size = array.shape[0]
        larger = min(_larger(size, free, max(needed, visited)), memory.most_rows(array))
        if free + larger - size < needed:
            larger = size + needed  # for which there is no room: growing says so
        if larger > size:
            grow(larger)
            self._list_runs()

    def _collect(self, now: np.int64, last: int, events: NfaEvents, tables: list[pa.Table]) -> None:
        """Drop what nothing can reach any more, given that no event before `now` will come."""
        state, cursor = self.memory.state, self.memory.cursor
        cursor[at.LAST_EVENT] = last
        if self.tables.trailing:
            self._close_until(events, now, at_end=False)
            self._drain(tables, last=False)
        sweep_runs(self.tables, state, cursor, now)
        nodes = int(cursor[at.NODES])
        self._compact_nodes(now)
        self._dropped.append(nodes - int(cursor[at.NODES]))
        if self.tables.absence_count:
            compact_candidates(self.tables, state, cursor, now)

    def _compact_nodes(self, now: np.int64 | None) -> None:
        """Drop the buffered events that no run can reach; if no event before `now` will come, also those
        that only lead to starts out of the window."""
        cursor = self.memory.cursor
        expires = now is not None and not self.tables.trailing
        scratch = np.zeros((5, cursor[at.NODES]), np.int64)
        moment = now if now is not None else np.int64(0)
        compact_nodes(self.tables, self.memory.state, cursor, moment, expires, scratch)

    def _close(self, batch: EventBatch, events: NfaEvents) -> None:
        if not self.tables.trailing or self.memory.cursor[at.PENDING_COUNT] == 0:
            return
        at_end = batch.watermark == END
        if at_end or np.isfinite(batch.watermark):
            now = moment_bits(0 if at_end else batch.watermark, batch.time.dtype)
            self._close_until(events, now, at_end)

    def _close_until(self, events: NfaEvents, now: np.int64, at_end: bool) -> None:
        cursor = self.memory.cursor
        waiting = int(cursor[at.FOUND] + cursor[at.PENDING_COUNT])
        if waiting > self.found.shape[0]:
            found = np.zeros((2 * waiting, at.FOUND_WIDTH), np.int64)
            found[: cursor[at.FOUND]] = self.found[: cursor[at.FOUND]]
            self.found = found
        close_until(self.tables, events, self.memory.state, self.found, cursor, now, at_end)

    def _drain(self, tables: list[pa.Table], last: bool) -> None:
        """Turn what was found into rows, before the buffer moves."""
        cursor = self.memory.cursor
        found, nodes = self.found[: cursor[at.FOUND]], int(cursor[at.NODES])
        if not found.size and not self.results.holds and not self._summarises:
            return
        cursor[at.FOUND] = 0
        for table in self._emitted(found, nodes, last):
            self.allowance.take(table.num_rows, TOO_MANY)
            tables.append(table)

    def _emitted(self, found: np.ndarray, nodes: int, last: bool) -> Iterator[pa.Table]:
        state = self.memory.state
        if self.plan.query.emit.mode in SUMMARIES:
            yield from self.summaries.take(found, state, nodes, self.store, last)
            return
        merged = bool(self.memory.cursor[at.MERGED])
        for bindings in self.results.take(found, state, nodes, merged, last):
            self._listed += int(bindings.offsets[:, -1].sum())
            yield match_table(self.plan, bindings, self.store)

    def _settle(self, batch: EventBatch) -> None:
        """Between batches: keep the selected events' rows, and drop what is out of reach."""
        kept = self.store.kept
        new = self._new_rows(kept)
        # looking what is alive costs a visit to every partition, so it waits for as much to drop
        if kept + new.size > 2 * self._live_rows + max(4096, self.keys.count // 2):
            self._collect_between(batch)
            rows = self.memory.state.nodes[: self.memory.cursor[at.NODES], at.NODE_ROW]
            self._live_rows = self._keep_only(rows, kept)
        else:
            self.store.keep((number_anew(new, kept) if batch.count > 1 else new[:1]) - kept)
        self._forget(batch)

    def _new_rows(self, kept: int) -> np.ndarray:
        """The rows of the batch's own nodes. Those of earlier batches come first, and may be many, so the
        place where the new ones begin is looked for from the end."""
        rows = self.memory.state.nodes[: self.memory.cursor[at.NODES], at.NODE_ROW]
        far = 16
        while far < rows.size and rows[-far] >= kept:
            far *= 2
        last = rows[max(rows.size - far, 0) :]
        return last[last.searchsorted(kept) :]

    def _keep_only(self, rows: np.ndarray, kept: int) -> int:
        """Keep just the rows of live nodes, of earlier batches and of this one; how many."""
        live = number_anew(rows, 0)
        old = live < kept
        self.store.keep_only(live[old])
        self.store.keep(live[~old] - kept)
        return int(live.size)

    def _forget(self, batch: EventBatch) -> None:
        """Drop keys and texts that nothing refers to, once enough have piled up."""
        piles = self._piles
        many_keys, many_texts = piles.many_keys(self.keys), piles.many_texts(self.texts)
        if not many_keys and not many_texts:
            return
        self._collect_between(batch)
        if many_keys:
            self.keys = forget_partitions(self.memory, self.keys, self.tables)
            piles.live_keys = self.keys.count
        if many_texts:
            places = text_places(self.plan, self.memory, self.tables)
            number_texts_anew(places, self.texts, piles.constant_texts)
            piles.live_texts = len(self.texts.texts)
        self._list_runs()

    def _collect_between(self, batch: EventBatch) -> None:
        state, cursor = self.memory.state, self.memory.cursor
        cursor[at.LAST_EVENT] = self.position - 1
        now = None
        if np.isfinite(batch.watermark):
            now = moment_bits(batch.watermark, batch.time.dtype)
            sweep_runs(self.tables, state, cursor, now)
            if self.tables.absence_count:
                compact_candidates(self.tables, state, cursor, now)
        self._compact_nodes(now)

    def snapshot(self) -> Snapshot:
        """Runs, buffer, candidates, kept events and codes, under their names."""
        snapshot = Snapshot(self.plan.fingerprint, arrays=self.memory.saved())
        snapshot.arrays |= self.identities.saved()
        snapshot.tables["kept"] = self.store.saved()
        snapshot.values = {"position": self.position, "texts": self.texts.texts}
        self.keys.save(snapshot)
        return snapshot

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot of the same plan."""
        if snapshot.fingerprint != self.plan.fingerprint:
            raise SnapshotError("the snapshot is of another query, or of a stream with other columns")
        arrays, values = snapshot.arrays, snapshot.values
        self.memory.restore(arrays)
        self._list_runs()
        self.keys.restore(snapshot)
        for text in values["texts"]:
            self.texts.code(text)
        self.identities.restore(arrays)
        self.store.restore(snapshot.tables["kept"])
        self.position = values["position"]


def _larger(size: int, free: int, wanted: int) -> int:
    """Twice the size of an array, unless half of it, and what is wanted, is free again.

    Collecting visits every partition, so what is wanted grows with them, and collecting stays rare.
    """
    return max(2 * size, size + wanted, 1024) if free < max(wanted, size // 2) else size
