"""Shards and their journal, without Spark."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from copy import deepcopy
from datetime import date, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import EventError, LimitError, SnapshotError
from cepheid.events import bind
from cepheid.plan.nfa.plan import NfaPlan
from cepheid.runners.spark import journal
from cepheid.runners.spark.journal import AtHand, Row, visit
from cepheid.runners.spark.pack import pack
from cepheid.runners.spark.shard import Shard
from cepheid.runners.spark.stamp import Stamp
from cepheid.runners.stream.order import in_order
from cepheid.runners.stream.side import SideOutput
from cepheid.runners.stream.terms import Terms
from cepheid.runners.stream.usable import good_events
from tests.cases import Case, random_case
from tests.spark.reference import certain_ids, newest_time

TERMS = Terms(max_matches=10**6, max_state=10**9)
STAMP = Stamp("q", "f", 2)
SCHEMA = pa.schema([("t", pa.int64()), ("kind", pa.string())])
BINDING = {"time": "t", "type": "kind"}


def planned(text: str, schema: pa.Schema = SCHEMA, **binding: Any) -> NfaPlan:
    return cepheid.query(text).plan(bind(schema, **{"type": None, "order": (), "time_unit": None, **binding}))


def rows(*events: tuple[Any, str], schema: pa.Schema = SCHEMA) -> pa.Table:
    return pa.Table.from_pylist([{"t": time, "kind": kind} for time, kind in events], schema=schema)


PAIR = planned("PATTERN SEQ(A a, B b) WITHIN 10 RETURN a.t AS a, b.t AS b", **BINDING)
QUIET = planned("PATTERN SEQ(A a, ~B b) WITHIN 5 RETURN a.t AS a", **BINDING)


def take(shard: Shard, *events: tuple[Any, str], newest: Any = None) -> list[tuple[Any, ...]]:
    """The matches after a micro-batch; its newest event is the stream's, unless said otherwise."""
    table = rows(*events, schema=shard.feed.waiting.schema)
    newest = newest_time(table, shard.plan) if newest is None else newest
    matches = shard.take(table, newest).matches.drop_columns(["match_id"])
    return [tuple(row.values()) for row in matches.to_pylist()]


# -- the clock -------------------------------------------------------------------------------------


def test_without_lateness_nothing_waits() -> None:
    shard = Shard(PAIR, TERMS)
    assert take(shard, (3, "B"), (1, "A")) == [(1, 3)]
    assert (shard.feed.watermark, shard.feed.waiting.num_rows) == (3, 0)


def test_late_is_behind_the_batches_before() -> None:
    shard = Shard(PAIR, TERMS)
    take(shard, (5, "A"), (1, "A"))
    taken = shard.take(rows((4, "A"), (5, "B"), (6, "B")), 6)
    assert taken.late.to_pylist() == [{"t": 4, "kind": "A", "reason": "behind the watermark"}]
    assert (taken.late_count, taken.step.events.num_rows, taken.matches.num_rows) == (1, 2, 4)


def test_lateness_holds_events_back_until_their_ties_are_there() -> None:
    shard = Shard(PAIR, Terms(2, "side", max_matches=10**6, max_state=10**9))
    assert take(shard, (4, "B"), (3, "A")) == []
    assert take(shard, (6, "A"), (4, "A")) == []
    assert shard.feed.waiting.num_rows == 3
    assert take(shard, (7, "A")) == [(3, 4), (4, 4)]  # the A at 4 is before the B: content orders them


def test_a_quiet_shard_hears_the_time_of_the_others() -> None:
    shard = Shard(QUIET, TERMS)
    assert take(shard, (1, "A")) == []
    assert take(shard, newest=6) == []
    assert take(shard, newest=7) == [(1,)]
    assert take(shard, newest=7) == []


def test_times_before_zero() -> None:
    shard = Shard(QUIET, TERMS)
    assert take(shard, (-100, "A")) == []
    assert take(shard, (-101, "A"), newest=-94) == [(-100,)]
    assert shard.feed.watermark == -94


def test_a_batch_without_a_good_event_leaves_the_clock() -> None:
    shard = Shard(QUIET, TERMS)
    shard.take(rows(), None)
    assert shard.feed.watermark == float("-inf")
    take(shard, (1, "A"))
    shard.take(rows(), None)
    assert shard.feed.watermark == 1


MOMENTS: list[tuple[pa.DataType, list[Any], Any]] = [
    (pa.int32(), [1, 2, 9], 3),
    (pa.float64(), [-0.5, 0.25, 9.75], 3.5),
    (pa.date32(), [date(1969, 12, 30), date(1970, 1, 1), date(1970, 3, 1)], timedelta(days=3)),
    (
        pa.timestamp("us"),
        [datetime(1960, 1, 1), datetime(1960, 1, 2), datetime(1960, 2, 2)],
        timedelta(days=3),
    ),
    (
        pa.timestamp("us", "UTC"),
        [datetime(2024, 1, 1), datetime(2024, 1, 2), datetime(2024, 2, 2)],
        timedelta(3),
    ),
    (
        pa.timestamp("ns"),
        [datetime(2024, 1, 1), datetime(2024, 1, 2), datetime(2024, 2, 2)],
        timedelta(days=3),
    ),
]


@pytest.mark.parametrize(("kind", "moments", "window"), MOMENTS, ids=lambda value: str(value)[:20])
def test_every_kind_of_time(kind: pa.DataType, moments: list[Any], window: Any) -> None:
    schema = pa.schema([("t", kind), ("kind", pa.string())])
    length = f"{window.days} days" if isinstance(window, timedelta) else str(window)
    plan = planned(f"PATTERN SEQ(A a, ~B b) WITHIN {length} RETURN a.kind", schema, **BINDING)
    shard = Shard(plan, TERMS)
    first, second, third = ((moment, "A") for moment in moments)
    assert take(shard, first) == []
    assert take(shard, second) == []
    shard = _through_bytes(shard)
    assert take(shard, third) == [("A",), ("A",)]


# -- what is refused -------------------------------------------------------------------------------


def test_late_events_may_fail_or_be_dropped() -> None:
    for choice in ("fail", "drop"):
        shard = Shard(PAIR, Terms(0, choice, max_matches=10**6, max_state=10**9))
        take(shard, (5, "A"))
        if choice == "fail":
            with pytest.raises(EventError, match="behind the watermark"):
                take(shard, (4, "B"))
        else:
            taken = shard.take(rows((4, "B")), 5)
            assert (taken.late.num_rows, taken.late_count) == (0, 1)


def test_a_snapshot_of_another_query_is_refused() -> None:
    with pytest.raises(SnapshotError, match="another query"):
        Shard(PAIR, TERMS).restore(Shard(QUIET, TERMS).snapshot())


# -- any cuts give the answer of a session ---------------------------------------------------------


def _through_bytes(shard: Shard) -> Shard:
    again = Shard(shard.plan, shard.terms)
    again.restore(shard.snapshot())
    return again


def _streamed(case: Case, rng: random.Random, lateness: Any) -> tuple[list[str], NfaPlan, pa.Table]:
    """The ids that a shard finds in a case's events, cut anywhere, and the events."""
    table = case.table
    plan = planned(case.query_text, table.schema, **case.binding)
    events = good_events(plan, table, SideOutput("bad", "drop", table.schema))
    if lateness == 0:
        events = in_order(events, plan.schema, ties="content")
    shard = Shard(plan, Terms(lateness, "fail", max_matches=10**6, max_state=10**9))
    found: list[str] = []
    edges = sorted({0, events.num_rows, *(rng.randint(0, events.num_rows) for _ in range(rng.randint(0, 4)))})
    for start, stop in itertools.pairwise(edges):
        piece = events.slice(start, stop - start)
        found += shard.take(piece, newest_time(piece, plan)).matches.column("match_id").to_pylist()
        if rng.random() < 0.3:
            shard = _through_bytes(shard)
    return found, plan, events


@pytest.mark.parametrize("start", range(0, 400, 100))
def test_random_cases_cut_anywhere(start: int) -> None:
    checked = 0
    for number in range(start, start + 100):
        rng = random.Random(f"shard-{number}")
        case = random_case(rng)
        lateness = case.lateness if case.lateness is not None and rng.random() < 0.5 else 0
        if not case.has_window:
            continue
        found, plan, events = _streamed(case, rng, lateness)
        assert sorted(found) == certain_ids(plan, events, lateness), f"case {number}\n{case}"
        checked += 1
    assert checked > 40


# -- the journal -----------------------------------------------------------------------------------


class InMemory:
    """A state store of one shard."""

    def __init__(self) -> None:
        self.head_texts: tuple[str, str] | None = None
        self.base_bytes = b""
        self.rows: list[Row] = []
        self.snapshots = 0

    def head(self) -> tuple[str, str] | None:
        return self.head_texts

    def put_head(self, stamp: str, head: str) -> None:
        self.head_texts = stamp, head

    def base(self) -> bytes:
        return self.base_bytes

    def put_base(self, data: bytes) -> None:
        self.base_bytes, self.rows, self.snapshots = data, [], self.snapshots + 1

    def steps(self) -> Iterator[Row]:
        yield from self.rows

    def append(self, rows: list[Row]) -> None:
        self.rows += rows


def _visited(
    store: InMemory, plan: NfaPlan, events: pa.Table, hand: AtHand, terms: Terms = TERMS
) -> list[str]:
    blobs = [pack(events)] if events.num_rows else []
    taken, head = visit(store, STAMP, plan, terms, blobs, newest_time(events, plan), hand)
    assert store.head_texts == (STAMP.to_text(), head.to_text())
    ids: list[str] = taken.matches.column("match_id").to_pylist()
    return ids


def _stream(rng: random.Random, count: int) -> list[pa.Table]:
    time, batches = 0, []
    for _ in range(count):
        events = []
        for _ in range(rng.randint(0, 6)):
            time += rng.randint(0, 3)
            events.append((time, rng.choice("ABC")))
        batches.append(rows(*events))
    return batches


@pytest.mark.parametrize("seed", range(6))
def test_any_worker_goes_on_from_what_is_at_rest(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that know an old state, none, or the newest; and visits that fail and are made again."""
    monkeypatch.setattr(journal, "LEAST_STEP", 1)
    monkeypatch.setattr(journal, "LEAST_LOG", 3000)
    rng = random.Random(seed)
    batches = _stream(rng, 80)
    store, workers = InMemory(), [AtHand() for _ in range(3)]
    expected = Shard(PAIR, TERMS)
    for batch in batches:
        wanted = expected.take(batch, newest_time(batch, PAIR)).matches.column("match_id").to_pylist()
        if rng.random() < 0.2:
            workers[rng.randrange(3)] = AtHand()
        if rng.random() < 0.2:  # a task fails after its visit: nothing of it is committed
            assert _visited(deepcopy(store), PAIR, batch, rng.choice(workers)) == wanted
        assert _visited(store, PAIR, batch, rng.choice(workers)) == wanted
    assert 1 < store.snapshots < len(batches) / 2


def test_a_large_state_is_not_written_for_a_small_batch() -> None:
    store, hand = InMemory(), AtHand()
    many = pa.table({"t": range(60_000), "kind": ["A"] * 60_000}, SCHEMA)
    plan = planned("PATTERN SEQ(A a, B b) WITHIN 1000000 EMIT NON OVERLAPPING", **BINDING)
    _visited(store, plan, many, hand)
    for time in range(60_000, 60_020):
        _visited(store, plan, rows((time, "A")), hand)
    assert (store.snapshots, len(store.rows)) == (1, 40)


def test_an_idle_shard_does_not_pile_up_steps() -> None:
    store, hand = InMemory(), AtHand()
    for time in range(1000):
        visit(store, STAMP, PAIR, TERMS, [], time, hand)
    assert len(store.rows) <= journal.LEAST_LOG // journal.LEAST_STEP


def test_what_is_past_the_window_leaves_the_state() -> None:
    store, hand = InMemory(), AtHand()
    plan = planned("PATTERN SEQ(A a, B b) WITHIN 100", **BINDING)
    stored = []
    for start in range(0, 100_000, 1000):
        batch = pa.table({"t": range(start, start + 1000), "kind": ["A"] * 1000}, SCHEMA)
        _, head = visit(store, STAMP, plan, TERMS, [pack(batch)], start + 999, hand)
        stored.append(head.stored)
    assert max(stored[50:]) < 1.2 * max(stored[:50])


def test_other_terms_go_on_from_the_same_state() -> None:
    """A restart may allow more lateness, or fail on late events: what was decided before stands."""
    store, hand = InMemory(), AtHand()
    _visited(store, PAIR, rows((5, "A")), hand)
    _visited(store, PAIR, rows((4, "A"), (6, "A")), hand)  # one late
    strict = Terms(3, "fail", max_matches=1, max_state=10**9)
    for worker in (hand, AtHand()):
        again = deepcopy(store)
        taken, _ = visit(again, STAMP, PAIR, strict, [pack(rows((9, "C")))], 9, worker)
        assert (taken.step.watermark, taken.waiting) == (6, 1)
        with pytest.raises(EventError):
            visit(again, STAMP, PAIR, strict, [pack(rows((5, "B")))], 9, worker)
        with pytest.raises(LimitError, match="max_matches"):
            visit(again, STAMP, PAIR, strict, [pack(rows((8, "B")))], 20, worker)


def test_a_worker_keeps_only_so_much_at_hand() -> None:
    hand = AtHand(most_bytes=0)
    store = InMemory()
    for batch in _stream(random.Random(1), 5):
        _visited(store, PAIR, batch, hand)
    assert not hand._shards


def test_a_journal_with_a_gap_is_refused() -> None:
    store, hand = InMemory(), AtHand()
    for time in range(4):
        _visited(store, PAIR, rows((time, "A")), hand)
    del store.rows[-2:]
    with pytest.raises(SnapshotError, match="damaged"):
        _visited(store, PAIR, rows((9, "A")), AtHand())


OTHERS: list[tuple[Stamp, str]] = [
    (Stamp("q", "f", 2, format=99), "has format 99"),
    (Stamp("p", "f", 2), "made by another query"),
    (Stamp("q", "g", 2), "made over other columns"),
    (Stamp("q", "f", 8), "made with 8 shards.*pass shards=8, or start with a new checkpoint folder"),
]


@pytest.mark.parametrize(("other", "said"), OTHERS, ids=lambda value: str(value)[:20])
def test_what_another_stream_left_is_refused(other: Stamp, said: str) -> None:
    store = InMemory()
    store.put_head(other.to_text(), "")
    with pytest.raises(SnapshotError, match=said):
        _visited(store, PAIR, rows(), AtHand())
