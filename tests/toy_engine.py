"""The smallest engine: each event with the one before it that has the same key, if that lies in the window.

That is what `PATTERN SEQ(ANY a, ANY b) WHERE partition_contiguity { [k] } WITHIN d` asks for, so that its
answers can be held against those of the nfa engine. Everything that the house needs of it is in `LATEST`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from cepheid.errors import UnsupportedError
from cepheid.events import EventBatch
from cepheid.matchers.allowance import Allowance
from cepheid.matchers.bindings import Bindings
from cepheid.matchers.identity import EventIdentities
from cepheid.matchers.match_identity import match_identities
from cepheid.matchers.protocol import Outputs
from cepheid.matchers.rows import match_table
from cepheid.matchers.snapshot import Snapshot
from cepheid.matchers.store import EventStore
from cepheid.pattern.nodes import Seq, Single
from cepheid.pattern.query import EmitMode, PatternQuery, Strategy
from cepheid.plan.engine import Planner, QueryEngine
from cepheid.plan.explanation import Explanation, explained, section
from cepheid.plan.plan import QueryPlan
from cepheid.plan.program import EventTest

TOO_MANY = "there are more than max_matches = {limit} pairs"


class LatestPlan(QueryPlan):
    """There is nothing to plan: the header says it all."""


def refusal(query: PatternQuery) -> UnsupportedError | None:
    """It runs one kind of query."""
    pattern = query.pattern
    is_pair = isinstance(pattern, Seq) and all(
        isinstance(p, Single) and p.type is None for p in pattern.parts
    )
    if not is_pair or len(pattern.parts) != 2 or query.strategy is not Strategy.PARTITION or not query.keys:
        return UnsupportedError("only pairs of any events with one key are for this engine")
    if query.conjuncts or query.aggregation is not None or query.emit.mode is not EmitMode.ALL:
        return UnsupportedError("conditions, AGG and EMIT are not for this engine")
    if query.window is None or query.window.counts_events:
        return UnsupportedError("this engine needs a window of time")
    return None


def plan_latest(header: QueryPlan, planner: Planner) -> LatestPlan:
    """The plan of a query that the engine does not refuse."""
    return header.become(LatestPlan, method="latest")


def event_tests(plan: LatestPlan) -> Sequence[tuple[str, EventTest]]:
    """Any event may be of a pair."""
    return [(position.variable, EventTest(None, ())) for position in plan.positions]


def explain(plan: LatestPlan) -> Explanation:
    """What it keeps, and for how long."""
    kept = [f"the last event of each {', '.join(plan.query.keys)}", f"for WITHIN {plan.query.window}"]
    return explained(
        plan, section("method", [f"{plan.method}: a look at the last event"]), section("state", kept)
    )


LATEST = QueryEngine(
    name="latest",
    refusal=refusal,
    plan=plan_latest,
    cost=lambda query: (0.5, "each event looks at one other"),
    matcher="tests.toy_engine.LatestMatcher",
    event_tests=event_tests,
    explain=explain,
)


class LatestMatcher:
    """Keeps the last event of each key: its row in the store, its time and its hashes."""

    engine = "latest"

    def __init__(self, plan: LatestPlan, allowance: Allowance) -> None:
        self.plan, self.allowance = plan, allowance
        self.store = EventStore(pa.schema([plan.schema.columns.field(name) for name in plan.needed]))
        self.identities = EventIdentities(plan.known_by)
        self.last: dict[tuple[object, ...], int] = {}  # by key, the row of its last event
        self.time, self.hashes = np.zeros(0), np.zeros((0, 2), np.uint64)  # of the rows that are kept
        self.peak_state_bytes = 0

    @property
    def state_bytes(self) -> int:
        """How much the kept events take."""
        return self.store.bytes

    @property
    def figures(self) -> dict[str, int]:
        """How many keys there are."""
        return {"partitions": len(self.last)}

    def process(self, batch: EventBatch) -> Outputs:
        """The pairs that are complete."""
        kept = self.store.kept
        self.store.look_at(batch.data)
        time = np.concatenate([self.time.astype(batch.time.dtype), batch.time])
        hashes = np.concatenate([self.hashes, self.identities.hashes(batch.data, batch.time)])
        pairs = np.array(list(self._pairs(batch, kept, time)), np.int32).reshape(-1, 2)
        self.allowance.take(len(pairs), TOO_MANY)
        offsets = np.tile(np.arange(len(pairs) + 1), (2, 1))
        before, after = pairs[:, 0], pairs[:, 1]
        ids = match_identities([hashes[before], hashes[after]])
        found = match_table(self.plan, Bindings(offsets, (before, after), before, after, ids), self.store)
        self._keep(kept, time, hashes)
        return (found,)

    def _pairs(self, batch: EventBatch, kept: int, time: np.ndarray):
        columns = [batch.data.column(name).to_pylist() for name in self.plan.query.keys]
        for row, key in enumerate(zip(*columns, strict=True), kept):
            if any(part is None or part != part for part in key):
                continue
            if key in self.last and time[row] - time[self.last[key]] <= self.plan.window.limit:
                yield self.last[key], row
            self.last[key] = row

    def _keep(self, kept: int, time: np.ndarray, hashes: np.ndarray) -> None:
        rows = np.array(sorted(self.last.values()), np.int64)
        self.store.keep_only(rows[rows < kept])
        self.store.keep(rows[rows >= kept] - kept)
        self.last = {key: int(np.searchsorted(rows, row)) for key, row in self.last.items()}
        self.time, self.hashes = time[rows], hashes[rows]
        self.peak_state_bytes = max(self.peak_state_bytes, self.state_bytes)

    def snapshot(self) -> Snapshot:
        """The kept events, and which is the last of which key."""
        snapshot = Snapshot(self.plan.fingerprint)
        snapshot.arrays |= {"time": self.time, "hashes": self.hashes, **self.identities.saved()}
        snapshot.tables["kept"] = self.store.saved()
        snapshot.values["last"] = [[list(key), row] for key, row in self.last.items()]
        return snapshot

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot of the same plan."""
        self.time, self.hashes = snapshot.arrays["time"], snapshot.arrays["hashes"]
        self.identities.restore(snapshot.arrays)
        self.store.restore(snapshot.tables["kept"])
        self.last = {tuple(key): row for key, row in snapshot.values["last"]}
