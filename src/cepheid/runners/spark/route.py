"""From rows to shards: a worker packs the rows of an input partition into one blob per shard."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cepheid.events import time_values
from cepheid.plan.plan import Plan
from cepheid.runners.spark.needed import Needed, seen_in
from cepheid.runners.spark.pack import pack
from cepheid.runners.spark.schema import as_events
from cepheid.runners.spark.spread import spread
from cepheid.runners.stream.moments import Moment
from cepheid.runners.stream.side import SideOutput
from cepheid.runners.stream.terms import Terms
from cepheid.runners.stream.usable import UsableValues

SHARD, MATTERS = "cepheid shard", "cepheid matters"
"""Columns that travel beside the events: which shard an event is for, and whether it is for one at all."""

SHARDS, KNOWN = "cepheid shards", "cepheid profiles"
"""The same for profiles: all shards that want an event, and what tells the set of profiles from others."""

EVENTS, BAD, BEAT, PROFILES = "events", "bad", "beat", "profiles"
"""What a routed row holds: good events, bad ones with the reason, what a partition saw of the batch, or
profiles (for the guard: what tells the set of them from others)."""

GUARD = -1
"""The key of a group that has no events: it sees to it that a checkpoint fits its stream."""

ROUTED = pa.schema([("key", pa.int32()), ("what", pa.string()), ("blob", pa.binary())])

PACKED_BYTES = 1 << 23
"""How many bytes of events are packed at a time."""


def shard_keys(shards: int) -> list[int]:
    """The group key of each shard; a function of their number alone, since checkpoints hold them."""
    return spread(shards, shards)


@dataclass(frozen=True, slots=True)
class Beat:
    """What a partition of the input saw in a micro-batch: each shard hears it, also those without events."""

    newest: Moment | None
    bad: int
    seen: int  # of what matches need, a bit for each
    known: str | None = None  # which profiles the events were routed by

    def to_bytes(self) -> bytes:
        """As JSON."""
        return json.dumps([self.newest, self.bad, self.seen, self.known]).encode()

    @staticmethod
    def from_bytes(data: bytes) -> Beat:
        """What `to_bytes` wrote."""
        return Beat(*json.loads(data))


@dataclass(frozen=True, slots=True)
class Route:
    """Rows of an input partition in, rows for shards out."""

    plan: Plan
    terms: Terms
    columns: pa.Schema  # those that travel
    shards: int
    needed: tuple[Needed, ...]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Blobs of events, then of bad events, then a beat for every shard and for the guard."""
        keys = shard_keys(self.shards)
        usable = UsableValues(self.plan)
        bad = SideOutput("bad", self.terms.on_bad, self._events)
        newest: list[Moment] = []
        seen, known = 0, None
        for table in _gathered(batches, self.columns):
            good = usable.good(table, bad)
            if good.num_rows:
                newest.append(_newest(good, self.plan))
                known = _known(good)
            useful = _that_matter(good)
            seen |= seen_in(self.needed, useful)
            for shard, events in self._divided(useful):
                yield routed([keys[shard]], EVENTS, pack(events))
        if bad.table.num_rows:
            yield routed(keys[:1], BAD, pack(bad.table))
        latest = max(newest, default=None)
        yield routed(keys[:1], BEAT, Beat(latest, bad.count, seen, known).to_bytes())
        yield routed([*keys[1:], GUARD], BEAT, Beat(latest, 0, seen, known).to_bytes())

    @property
    def _events(self) -> pa.Schema:
        return pa.schema([self.columns.field(name) for name in self.plan.needed])

    def _divided(self, table: pa.Table) -> Iterator[tuple[int, pa.Table]]:
        """The events of each shard that has some."""
        events = table.select(list(self.plan.needed))
        if SHARDS in table.column_names:
            places, shard = _copies(table.column(SHARDS))
            events = events.take(pa.array(places))
        elif SHARD in table.column_names:
            shard = table.column(SHARD).to_numpy()
        else:
            if table.num_rows:
                yield 0, events
            return
        events = events.take(pa.array(np.argsort(shard, kind="stable")))
        edges = np.concatenate([[0], np.cumsum(np.bincount(shard, minlength=self.shards))])
        for number in np.flatnonzero(np.diff(edges)):
            yield int(number), events.slice(edges[number], edges[number + 1] - edges[number])


def _gathered(batches: Iterable[pa.RecordBatch], columns: pa.Schema) -> Iterator[pa.Table]:
    """Spark's small batches, joined until they are worth packing."""
    held: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        held.append(as_events(batch, columns))
        size += held[-1].nbytes
        if size >= PACKED_BYTES:
            yield pa.Table.from_batches(held)
            held, size = [], 0
    if held:
        yield pa.Table.from_batches(held)


def _copies(wanting: pa.ChunkedArray) -> tuple[np.ndarray, np.ndarray]:
    """Events by their places, once for each shard that wants them, and those shards."""
    lists = wanting.combine_chunks()
    return pc.list_parent_indices(lists).to_numpy(), pc.list_flatten(lists).to_numpy()


def _known(table: pa.Table) -> str | None:
    known: str | None = table.column(KNOWN)[0].as_py() if KNOWN in table.column_names else None
    return known


def _that_matter(table: pa.Table) -> pa.Table:
    return table.filter(table.column(MATTERS)) if MATTERS in table.column_names else table


def _newest(table: pa.Table, plan: Plan) -> Moment:
    chunks = table.column(plan.schema.time).chunks
    newest: Moment = max(time_values(chunk).max().item() for chunk in chunks if len(chunk))
    return newest


def routed(keys: list[int], what: str, blob: bytes) -> pa.RecordBatch:
    """The same row for some shards, or for the guard."""
    return pa.RecordBatch.from_pydict(
        {"key": keys, "what": [what] * len(keys), "blob": [blob] * len(keys)}, schema=ROUTED
    )
