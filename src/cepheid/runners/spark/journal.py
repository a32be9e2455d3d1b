"""How a shard rests between micro-batches: a snapshot, and the steps since it was taken.

Writing a snapshot costs as much as the state is large; writing a step, as the micro-batch is. So steps
are appended until they outweigh the snapshot, and then a new one is written. A worker that still has
the shard in memory goes on from there, and only repeats the steps that another worker took since.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Protocol
from uuid import uuid4

import pyarrow as pa

from cepheid.errors import LimitError, SnapshotError
from cepheid.plan.plan import Plan
from cepheid.runners.spark.pack import pack, unpack
from cepheid.runners.spark.shard import Shard, Taken
from cepheid.runners.spark.stamp import Stamp
from cepheid.runners.stream.feed import StreamStep
from cepheid.runners.stream.moments import Moment
from cepheid.runners.stream.terms import Terms

LEAST_LOG = 1 << 18
"""Steps of so many bytes are not worth a new snapshot, however small that would be."""

LEAST_STEP = 1 << 12
"""What repeating a step costs, were it written as bytes: an idle shard's steps add up too."""

MOST_STORED = 1 << 30
"""How large a snapshot may be: state stores hold a value in one piece."""

KEPT_BYTES = 1 << 29
"""How many bytes of shards a worker keeps at hand."""

MOST_KEPT = 256
"""How many shards it keeps, however small."""

_CODEC = pa.Codec("zstd", 1)

Row = tuple[str, str | None, bytes | None]
"""A piece of a step: which one, how it ends (in its last row), and events."""


class Store(Protocol):
    """Where one shard rests."""

    def head(self) -> tuple[str, str] | None:
        """The stamp of its stream, and a head, as text."""

    def put_head(self, stamp: str, head: str) -> None: ...

    def base(self) -> bytes: ...

    def put_base(self, data: bytes) -> None:
        """A new snapshot; the steps before it are dropped."""

    def steps(self) -> Iterable[Row]: ...

    def append(self, rows: list[Row]) -> None: ...


@dataclass(frozen=True, slots=True)
class Head:
    """What the store holds, and how large it is."""

    lineage: str  # of one shard of one stream
    latest: str  # step
    based_on: str  # the step after which the snapshot was taken
    base_bytes: int
    log_bytes: int

    def to_text(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_text(text: str) -> Head:
        """What `to_text` wrote."""
        return Head(**json.loads(text))

    @property
    def stored(self) -> int:
        """How many bytes rest in the store."""
        return self.base_bytes + self.log_bytes


class AtHand:
    """Shards that this process keeps in memory, each with the step that it is at."""

    def __init__(self, most_bytes: int = KEPT_BYTES) -> None:
        self.most_bytes = most_bytes
        self._shards: OrderedDict[tuple[str, str, Terms], tuple[str, Shard]] = OrderedDict()

    def pop(self, lineage: str, plan: Plan, terms: Terms) -> tuple[str, Shard] | None:
        """The shard of a lineage, if it is here and was run by this plan, on these terms."""
        return self._shards.pop((lineage, plan.fingerprint, terms), None)

    def put(self, lineage: str, step: str, shard: Shard) -> None:
        """Keep a shard, for as long as there is room."""
        self._shards[lineage, shard.plan.fingerprint, shard.terms] = (step, shard)
        while len(self._shards) > MOST_KEPT or self._bytes > self.most_bytes:
            self._shards.popitem(last=False)

    @property
    def _bytes(self) -> int:
        return sum(shard.state_bytes for _, shard in self._shards.values())


AT_HAND = AtHand()


def visit(
    store: Store,
    stamp: Stamp,
    plan: Plan,
    terms: Terms,
    events: list[bytes],
    newest: Moment | None,
    at_hand: AtHand = AT_HAND,
) -> tuple[Taken, Head]:
    """Take a shard's part of a micro-batch in, and leave it at rest again."""
    head = _head(store, stamp)
    shard = _at(head, store, plan, terms, at_hand)
    taken = shard.take(_table(events, shard), newest)
    rows = list(_rows(uuid4().hex, taken, events))
    head = _written(replace(head, latest=rows[-1][0]), rows, store, shard)
    store.put_head(stamp.to_text(), head.to_text())
    at_hand.put(head.lineage, head.latest, shard)
    return taken, head


def _head(store: Store, stamp: Stamp) -> Head:
    saved = store.head()
    if saved is None:
        return Head(uuid4().hex, "", "", 0, 0)
    stamp.refuse(saved[0])
    return Head.from_text(saved[1])


def _at(head: Head, store: Store, plan: Plan, terms: Terms, at_hand: AtHand) -> Shard:
    """The shard as its latest step left it."""
    known = at_hand.pop(head.lineage, plan, terms)
    if known is not None and known[0] == head.latest:
        return known[1]
    steps = list(_steps(store.steps()))
    names = [head.based_on, *(name for name, _ in steps)]
    if known is not None and known[0] in names:
        step, shard = known
    else:
        step, shard = head.based_on, Shard(plan, terms)
        if head.base_bytes:
            shard.restore(_unpressed(store.base()))
    for name, (events, watermark, inclusive) in steps[names.index(step) :]:
        shard.repeat(StreamStep(_table(events, shard), watermark, inclusive))
        step = name
    if step != head.latest:
        raise SnapshotError(
            "the checkpoint is damaged: its steps do not lead to its state; take an earlier one"
        )
    return shard


def _written(head: Head, rows: list[Row], store: Store, shard: Shard) -> Head:
    grown = head.log_bytes + max(LEAST_STEP, sum(len(blob or b"") for _, _, blob in rows))
    if head.base_bytes and grown <= max(LEAST_LOG, head.base_bytes):
        store.append(rows)
        return replace(head, log_bytes=grown)
    base = _pressed(shard.snapshot())
    if len(base) > MOST_STORED:
        raise LimitError(
            f"a shard's state takes {len(base):,} bytes, more than a state store holds in one piece: "
            "start anew with more shards=, or bound the query by a shorter WITHIN"
        )
    store.put_base(base)
    return replace(head, based_on=head.latest, base_bytes=len(base), log_bytes=0)


def _pressed(data: bytes) -> bytes:
    """A state store is slower than the compressor, and a snapshot has room to grow in it."""
    pressed: bytes = _CODEC.compress(data, asbytes=True)
    return len(data).to_bytes(8, "big") + pressed


def _unpressed(data: bytes) -> bytes:
    size = int.from_bytes(data[:8], "big")
    unpressed: bytes = _CODEC.decompress(data[8:], size, asbytes=True)
    return unpressed


def _table(events: list[bytes], shard: Shard) -> pa.Table:
    tables = [unpack(blob) for blob in events]
    return pa.concat_tables(tables) if tables else shard.feed.waiting.slice(0, 0)


def _rows(name: str, taken: Taken, events: list[bytes]) -> Iterator[Row]:
    """A step as it is stored; what came packed stays so."""
    step = taken.step
    if taken.late_count:
        events = [pack(step.events)]
    for blob in events:
        yield name, None, blob
    yield name, json.dumps([step.watermark, step.inclusive]), None


def _steps(rows: Iterable[Row]) -> Iterator[tuple[str, tuple[list[bytes], Moment, bool]]]:
    """The steps that were stored, in their order, their events still packed."""
    events: list[bytes] = []
    for name, end, blob in rows:
        if blob is not None:
            events.append(blob)
        if end is not None:
            watermark, inclusive = json.loads(end)
            yield name, (events, watermark, inclusive)
            events = []
