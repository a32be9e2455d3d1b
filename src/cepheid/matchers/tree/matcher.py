"""The tree engine: feeds batches to the kernels, makes room when they ask, and hands out matches."""

from collections.abc import Iterator
from functools import partial
from typing import Any

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
from cepheid.matchers.protocol import Outputs, joined_tables
from cepheid.matchers.reading import EventReader
from cepheid.matchers.rows import match_table
from cepheid.matchers.snapshot import Snapshot
from cepheid.matchers.store import EventStore, number_anew
from cepheid.matchers.tree import layout as at
from cepheid.matchers.tree.closing import close_until
from cepheid.matchers.tree.collect import compact_candidates, compact_rows
from cepheid.matchers.tree.condensed import layout as of
from cepheid.matchers.tree.condensed.collect import compact_members
from cepheid.matchers.tree.condensed.groups import list_groups_anew
from cepheid.matchers.tree.condensed.kernel import advance_condensed
from cepheid.matchers.tree.condensed.results import CondensedResults
from cepheid.matchers.tree.forget import forget_partitions, text_places
from cepheid.matchers.tree.kernel import advance
from cepheid.matchers.tree.layout import TreeEvents
from cepheid.matchers.tree.lists import list_anew
from cepheid.matchers.tree.memory import TreeMemory
from cepheid.matchers.tree.results import TreeResults
from cepheid.matchers.tree.summaries import TreeSummaries
from cepheid.matchers.tree.tables import TreeTableBuilder
from cepheid.matchers.tree.work import Work, degrees, restored, saved, together, work_by_node, work_of
from cepheid.plan.summaries import SUMMARIES
from cepheid.plan.tree.nodes import Kind
from cepheid.plan.tree.plan import TreePlan

TOO_MANY = (
    "the query has more than max_matches = {limit} matches. Bound it: a shorter WITHIN, an equivalence test "
    "[key], EMIT NON OVERLAPPING, more selective conditions, or a larger max_matches=. EMIT COMPRESSED keeps "
    "any number of matches; EMIT COUNT, FIRST k and LONGEST do not list them"
)

CONDENSED = ", condensed"
"""What a snapshot says after the shape of a condensed tree."""
_FOUND_AT_FIRST = 16_384
_COLLECT_FROM = 4_096
"""How many composites there are at least before it is worth looking which are out of reach."""


class TreeMatcher:
    """All partitions of a stream, one matcher."""

    engine = "tree"

    def __init__(self, plan: TreePlan, allowance: Allowance) -> None:
        self.plan = plan
        self.allowance = allowance
        self.texts = TextCodes()
        for function in plan.text_functions:
            self.texts.add_function(function.name, function.arguments)
        builder = TreeTableBuilder(plan, self.texts)
        self.tables = builder.build()
        self.memory = TreeMemory(
            self.tables,
            len(plan.remembered),
            builder.conditions.registers,
            builder.indexes,
            allowance.max_state,
            bool(plan.groupings),
        )
        self.keys = KeyCodes(len(plan.query.keys))
        self.identities = EventIdentities(plan.known_by)
        self.store = EventStore(pa.schema([plan.schema.columns.field(name) for name in plan.needed]))
        self.found = np.zeros((_FOUND_AT_FIRST, at.FOUND_WIDTH), np.int64)
        self.results = TreeResults(plan, self.tables, partial(allowance.expect, refusal=TOO_MANY))
        self.summaries = TreeSummaries(plan, self.results)
        self.condensed = CondensedResults(plan, self.tables, self.results.expect)
        self.is_condensed = bool(plan.groupings)
        self._advance = advance_condensed if self.is_condensed else advance
        self.position = 0  # of the next event in the stream
        self.work_before: Work = {}  # of the shapes before this one
        self.reader = EventReader(plan.tests, plan.columns, plan.schema, plan.unit)
        self._pops = plan.nodes[plan.root].kind is not Kind.CHAIN and not plan.trailing
        self._piles = Piles(may_forget_keys(plan, self.tables.waits_for_events), len(self.texts.texts))

    @property
    def state_bytes(self) -> int:
        """How much the composites and the kept events take."""
        return self.memory.bytes + self.store.bytes

    @property
    def peak_state_bytes(self) -> int:
        """The most that the composites and the kept events have taken."""
        return max(self.memory.peak + self.store.bytes, self.state_bytes)

    @property
    def figures(self) -> dict[str, Any]:
        """How many pairs of composites were tested and composites made, in all and by node, in which shape,
        and how far they were condensed: by node, how many groups there are for a composite."""
        cursor, choice, work = self.memory.cursor, self.plan.condense_choice, self.work
        return {
            "pairs_tested": int(cursor[at.PAIRS]),
            "composites": int(cursor[at.COMPOSITES]),
            "nodes": work_by_node(work),
            "condensed": self.is_condensed,
            **({"degrees": degrees(work)} if self.is_condensed else {}),
            **({"condensing": choice.figures} if choice is not None else {}),
            "shape": self.plan.shape,
            "partitions": self.keys.count,
        }

    @property
    def work(self) -> Work:
        """What the nodes of all shapes have done."""
        return together(self.work_before, work_of(self.plan, self.memory.state.tally))

    @property
    def held(self) -> dict[str, int]:
        """The composites of all nodes."""
        return {"composites": int(self.memory.cursor[at.ROWS])}

    @property
    def counted(self) -> RunTally:
        """How many events passed each condition, and what each node did."""
        work = self.work
        below = degrees(work) if self.is_condensed else {}
        nodes = {
            name: {**numbers, **({"d": below[name]} if name in below else {})}
            for name, numbers in work_by_node(work).items()
        }
        return RunTally(self.plan, tuple(map(tuple, self.reader.passed)), nodes)

    def process(self, batch: EventBatch) -> Outputs:
        """The matches that became certain with this batch."""
        memory, cursor = self.memory, self.memory.cursor
        self.store.look_at(batch.events)
        events = self._events(batch)
        memory.extend(parts=self.keys.count)
        cursor[at.AT_EVENT], cursor[at.AT_NODE] = 0, at.BETWEEN
        cursor[at.OFFSET], cursor[at.STORE] = self.position, self.store.kept
        tables: list[pa.Table] = []
        while full := self._advance(self.tables, events, self.memory.state, self.found, self.memory.cursor):
            self._make_room(full, events, tables)
        self.position += batch.count
        self._close(batch, events)
        self._drain(tables, complete=True, last=True)
        self._settle(batch)
        return (joined_tables(tables, self.plan.output_schema),)

    def _events(self, batch: EventBatch) -> TreeEvents:
        read = self.reader.read(batch, self.texts)
        head = np.zeros((at.HEAD_WIDTH, batch.count), np.int64)
        head[at.MASK] = read.mask
        head[at.IN_PARTITION] = self.keys.encode(batch.columns(self.plan.query.keys), batch.count)
        head[at.TIME] = np.ascontiguousarray(batch.time).view(np.int64)
        head[at.HASH :] = self.identities.hashes(batch.events, batch.time).view(np.int64).T
        return TreeEvents(head, read.columns, read.valid, self.texts.tables())

    # -- room --------------------------------------------------------------------------------------

    def _make_room(self, full: int, events: TreeEvents, tables: list[pa.Table]) -> None:
        memory, cursor = self.memory, self.memory.cursor
        if full == at.COLLECT:
            self._drain(tables, complete=True, last=False)
            self._collect(events, events.head[at.TIME, cursor[at.AT_EVENT]], tables)
        elif full == at.FOUND_FULL:
            self._drain(tables, complete=False, last=False)
            self._room_to_find(int(cursor[at.PENDING_COUNT]) + 1)
        elif full == at.MEMBERS_FULL:
            memory.grow_members()
        elif full == at.COUNTS_FULL:
            memory.fit_counts()
        elif full == at.PENDING_FULL:
            memory.grow_pending()
        elif full == at.CANDIDATES_FULL:
            self._drain(tables, complete=True, last=False)
            self._collect(events, events.head[at.TIME, cursor[at.AT_EVENT]], tables)
            needed = int(cursor[at.CANDIDATES]) + self.plan.batch * len(self.plan.absences)
            if 2 * needed > memory.state.candidates.shape[0]:
                memory.grow_candidates(needed)
        elif self.is_condensed:
            memory.grow_rows(memory.state.rows.shape[0] + 4)
        elif self._pops and cursor[at.AT_NODE] == self.plan.root and cursor[at.FOUND]:
            self._drain(tables, complete=False, last=False)
            cursor[at.ROWS] = memory.state.spans[self.plan.root, at.NEW]  # whole matches are parts of nothing
            if 4 * cursor[at.ROWS] > 3 * memory.state.rows.shape[0]:
                memory.grow_rows(memory.state.rows.shape[0] + 2)
        else:
            memory.grow_rows(memory.state.rows.shape[0] + 2)

    def _room_to_find(self, matches: int) -> None:
        if matches > self.found.shape[0]:
            self.found = np.zeros((2 * matches, at.FOUND_WIDTH), np.int64)

    def _collect(self, events: TreeEvents, now: np.int64 | None, tables: list[pa.Table]) -> None:
        """Drop what nothing can reach any more, given that no event before `now` will come."""
        state, cursor = self.memory.state, self.memory.cursor
        if now is not None and self.plan.trailing:
            self._close_until(events, now, at_end=False)
            self._drain(tables, complete=True, last=False)
        moved = np.zeros(int(cursor[at.ROWS]), np.int64)
        moment = np.int64(0) if now is None else now
        if self.is_condensed:
            members = np.zeros(int(cursor[at.MEMBERS]), np.int64)
            compact_members(self.tables, state, cursor, moment, now is not None, members, moved)
        else:
            compact_rows(self.tables, state, cursor, moment, now is not None, moved)
        self.list_anew()
        if now is not None and self.plan.absences:
            compact_candidates(self.tables, state, cursor, now)
        live = int(cursor[at.ROWS])
        cursor[at.COLLECT_AT] = max(2 * live, live + self.keys.count // 2, _COLLECT_FROM)
        cursor[at.COLLECT_MEMBERS_AT] = max(2 * int(cursor[at.MEMBERS]), _COLLECT_FROM)

    def list_anew(self) -> None:
        """Make all lists from nothing."""
        self.memory.fit_buckets()
        anew = list_groups_anew if self.is_condensed else list_anew
        anew(self.tables, self.memory.state, self.memory.cursor)

    # -- matches -----------------------------------------------------------------------------------

    def _close(self, batch: EventBatch, events: TreeEvents) -> None:
        if not self.plan.trailing or self.memory.cursor[at.PENDING_COUNT] == 0:
            return
        at_end = batch.watermark == END
        if at_end or np.isfinite(batch.watermark):
            now = moment_bits(0 if at_end else batch.watermark, batch.time.dtype)
            self._close_until(events, now, at_end)

    def _close_until(self, events: TreeEvents, now: np.int64, at_end: bool) -> None:
        cursor = self.memory.cursor
        waiting = int(cursor[at.FOUND] + cursor[at.PENDING_COUNT])
        if waiting > self.found.shape[0]:
            found = np.zeros((2 * waiting, at.FOUND_WIDTH), np.int64)
            found[: cursor[at.FOUND]] = self.found[: cursor[at.FOUND]]
            self.found = found
        close_until(self.tables, events, self.memory.state, self.found, cursor, now, at_end)

    def _drain(self, tables: list[pa.Table], complete: bool, last: bool) -> None:
        """Turn what was found into rows, before composites move."""
        cursor = self.memory.cursor
        found = self.found[: cursor[at.FOUND]]
        cursor[at.FOUND] = 0
        for table in self._emitted(found, complete, last):
            self.allowance.take(table.num_rows, TOO_MANY)
            tables.append(table)

    def _emitted(self, found: np.ndarray, complete: bool, last: bool) -> Iterator[pa.Table]:
        state = self.memory.state
        if self.is_condensed:
            yield from self.condensed.take(found, state, self.store, complete)
            return
        if self.plan.query.emit.mode in SUMMARIES:
            yield from self.summaries.take(found, state, self.store, complete, last)
            return
        for bindings in self.results.take(found, state, complete, last):
            yield match_table(self.plan, bindings, self.store)

    # -- between batches ---------------------------------------------------------------------------

    def _settle(self, batch: EventBatch) -> None:
        """Keep the events that composites are made of, and drop what is out of reach."""
        cursor, kept = self.memory.cursor, self.store.kept
        used = cursor[at.ROWS] + cursor[at.MEMBERS]
        is_full = cursor[at.ROWS] >= cursor[at.COLLECT_AT]
        is_full |= cursor[at.MEMBERS] >= cursor[at.COLLECT_MEMBERS_AT]
        if is_full or kept > 2 * used + _COLLECT_FROM:
            self.collect_between(batch)
            places = self._stored()
            rows = places[places != at.NONE]
            live = number_anew(rows, 0)
            places[places != at.NONE] = rows
            self.store.keep_only(live[live < kept])
            self.store.keep(live[live >= kept] - kept)
        else:
            places = self._stored()
            new = places[places >= kept]
            there = number_anew(new, kept) - kept
            places[places >= kept] = new
            self.store.keep(there)
        self._forget(batch)

    def _stored(self) -> np.ndarray:
        """Which event of the store each leaf is, or NONE; what is written here is written there."""
        state, cursor = self.memory.state, self.memory.cursor
        if self.is_condensed:
            return state.members[: cursor[at.MEMBERS], of.STORED]
        return state.rows[: cursor[at.ROWS], at.STORED]

    def collect_between(self, batch: EventBatch) -> None:
        """Drop what nothing can reach after a batch."""
        now = moment_bits(batch.watermark, batch.time.dtype) if np.isfinite(batch.watermark) else None
        self._collect(self.no_events(), now, [])

    def no_events(self) -> TreeEvents:
        """A batch without events, for kernels that look at composites alone."""
        return TreeEvents(
            np.zeros((at.HEAD_WIDTH, 0), np.int64),
            np.zeros((len(self.plan.columns), 0), np.int64),
            np.zeros((len(self.plan.columns), 0), np.uint8),
            self.texts.tables(),
        )

    def _forget(self, batch: EventBatch) -> None:
        """Drop keys and texts that nothing refers to, once enough have piled up."""
        piles = self._piles
        many_keys, many_texts = piles.many_keys(self.keys), piles.many_texts(self.texts)
        if not many_keys and not many_texts:
            return
        self.collect_between(batch)
        if many_keys:
            self.keys = forget_partitions(self.memory, self.keys, self.tables)
            piles.live_keys = self.keys.count
        if many_texts:
            places = text_places(self.plan, self.memory, self.tables)
            number_texts_anew(places, self.texts, piles.constant_texts)
            piles.live_texts = len(self.texts.texts)
        self.list_anew()

    @property
    def layout(self) -> str:
        """How the state is laid out."""
        return self.plan.shape + CONDENSED if self.is_condensed else self.plan.shape

    def snapshot(self) -> Snapshot:
        """Composites, candidates, kept events and codes, under their names."""
        snapshot = Snapshot(self.plan.fingerprint, arrays=self.memory.saved())
        snapshot.arrays |= self.identities.saved()
        snapshot.tables["kept"] = self.store.saved()
        snapshot.values = {"position": self.position, "texts": self.texts.texts, "shape": self.layout}
        snapshot.values["work"] = saved(self.work_before)
        self.keys.save(snapshot)
        return snapshot

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot of the same plan."""
        if snapshot.fingerprint != self.plan.fingerprint:
            raise SnapshotError("the snapshot is of another query, or of a stream with other columns")
        arrays, values = snapshot.arrays, snapshot.values
        if values.get("shape") != self.layout:
            raise SnapshotError(
                f"the snapshot is not of a tree of the shape {self.layout}: go on with the engine and the "
                "options that wrote it"
            )
        self.memory.restore(arrays)
        self.list_anew()
        self.keys.restore(snapshot)
        for text in values["texts"]:
            self.texts.code(text)
        self.identities.restore(arrays)
        self.store.restore(snapshot.tables["kept"])
        self.position = values["position"]
        self.work_before = restored(values["work"])
