"""Queries that are counted together, by any plan of sharing, against each query counted by itself."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pyarrow as pa
import pytest

from cepheid.errors import LimitError, QueryError, SnapshotError
from cepheid.language.sase.parse import parse
from cepheid.matchers.baselines.chop_connect import forest, matcher, memory
from cepheid.matchers.baselines.chop_connect.matcher import SharedCounting
from cepheid.matchers.baselines.chop_connect.rates import rates_of
from cepheid.matchers.engines import matcher_for
from cepheid.matchers.snapshot import Snapshot
from cepheid.plan.aggregate.plan import AggregatePlan
from cepheid.plan.choose import plan_for
from cepheid.plan.workload.sharing.choose import choose
from cepheid.plan.workload.sharing.eligible import refusal, shared_query
from cepheid.plan.workload.sharing.sharing_plan import SharingPlan
from cepheid.plan.workload.sharing.workload import Workload
from tests.matchers.baselines.shared_workloads import (
    WorkloadCase,
    chosen_plan,
    forced_plan,
    random_workload_case,
    workload_of_plans,
)

CASES = 240
CHUNK = 40
LIMITS = {"max_matches": 10**9, "max_state": 10**9}


@pytest.fixture
def tiny_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Starts, snapshots and rows: there is room for next to none."""
    monkeypatch.setattr(forest, "SLOTS", 1)
    monkeypatch.setattr(memory, "_START", 1)
    monkeypatch.setattr(matcher, "_ROWS", 1)


@pytest.mark.slow
@pytest.mark.usefixtures("tiny_arrays")
@pytest.mark.parametrize("first", range(0, CASES, CHUNK))
def test_counting_together_is_counting_apart(first: int) -> None:
    snapshots = rows = 0
    for number in range(first, first + CHUNK):
        rng = random.Random(f"sharing-{number}")
        case = random_workload_case(rng)
        plans = case.plans(rng.choice(["aseq", ""]))
        make = forced_plan if number % 4 else chosen_plan
        sharing = make(rng, workload_of_plans(plans))
        try:
            found, taken = together(case, plans, sharing, rng)
            for one, other in zip(found, apart(case, plans), strict=True):
                assert one.schema == other.schema
                assert one.to_pylist() == other.to_pylist()
        except Exception as error:
            error.add_note(f"case {number}\n" + "\n".join([*case.texts, str(sharing)]))
            raise
        snapshots += taken
        rows += sum(table.num_rows for table in found)
    assert rows > 0 and snapshots > 0


def apart(case: WorkloadCase, plans: tuple[AggregatePlan, ...]) -> list[pa.Table]:
    """Each query by itself."""
    matchers = [matcher_for(plan, **LIMITS) for plan in plans]
    return [pa.concat_tables([each.process(batch) for batch in case.batches()]) for each in matchers]


def together(
    case: WorkloadCase, plans: tuple[AggregatePlan, ...], sharing: SharingPlan, rng: random.Random
) -> tuple[list[pa.Table], int]:
    """All at once, broken by a snapshot; and how many snapshots connects have taken."""
    prefix_trees = rng.random() < 0.7
    shared = SharedCounting(plans, sharing, prefix_trees=prefix_trees, **LIMITS)
    batches = case.batches()
    crash = rng.randrange(len(batches))
    found: list[list[pa.Table]] = []
    for number, batch in enumerate(batches):
        found.append(shared.process(batch))
        if number == crash:
            saved = shared.snapshot().to_bytes()
            shared = SharedCounting(plans, sharing, prefix_trees=prefix_trees, **LIMITS)
            shared.restore(Snapshot.from_bytes(saved))
    assert sum(shared.matches) == sum(table.num_rows for tables in found for table in tables)
    return [pa.concat_tables(tables) for tables in zip(*found, strict=True)], shared.figures["snapshots"]


# -- by hand ---------------------------------------------------------------------------------------


def workload(*patterns: str, types: str, within: str = "WITHIN 100") -> WorkloadCase:
    """Queries over letters, and a stream of one event a tick."""
    texts = tuple(
        f"PATTERN SEQ({', '.join(f'{kind} v{n}' for n, kind in enumerate(pattern))}) {within} AGG COUNT"
        for pattern in patterns
    )
    return WorkloadCase(texts, pa.table({"time": range(len(types)), "type": list(types)}), ())


def counts(case: WorkloadCase, share: str, **options: bool) -> tuple[list[list[int]], SharedCounting]:
    """The counts of each query, if all that contain a string share it."""
    plans = case.plans("")
    queries = workload_of_plans(plans)
    sharing = next(plan for plan in _forced(queries) if share in _shared_texts(plan))
    shared = SharedCounting(plans, sharing, **options, **LIMITS)
    (batch,) = case.batches()
    return [table.column("count").to_pylist() for table in shared.process(batch)], shared


def _forced(queries: Workload) -> Iterator[SharingPlan]:
    for seed in range(1000):
        yield forced_plan(random.Random(seed), queries)


def _shared_texts(plan: SharingPlan) -> list[str]:
    return ["".join(map(str, each.steps)) for each in plan.shared if len(each.uses) == len(plan.workload)]


def test_a_connect_multiplies_with_what_came_before() -> None:
    # one ABC before the first D, four before the second: E follows both (A-Seq, example 8)
    found, shared = counts(workload("ABCDE", "XDE", types="ABCDABCDE"), "DE")
    assert found == [[5], [0]]
    assert shared.figures["snapshots"] == 4


def test_rows_of_a_snapshot_expire_with_their_start() -> None:
    case = workload("ABCDE", "XDE", types="ABCDABCDE", within="WITHIN 4")
    assert counts(case, "DE")[0] == [[1], [0]]  # only the second A is still there


def test_a_segment_in_the_middle_is_connected_twice() -> None:
    case = workload("ADEF", "BDEFG", types="ABDEADEFFG")
    # A: D before or after the second A; at the first F 1 + 1 + 1 + 1 ways, and as many at the second
    assert counts(case, "DE")[0] == [[4, 8], [6]]


def test_an_event_does_not_follow_itself() -> None:
    case = workload("AAAA", "BAAA", types="BAAAAA")
    found, _ = counts(case, "AA")
    assert found == [[0, 0, 0, 1, 5], [0, 0, 1, 4, 10]]


def test_prefixes_are_updated_once() -> None:
    case = workload("ABC", "ABD", "ABCE", types="ABCDE" * 4)
    plans = case.plans("")
    nothing = choose(workload_of_plans(plans), lambda step, window: 1.0, "none")
    visits = []
    for prefix_trees in (True, False):
        shared = SharedCounting(plans, nothing, prefix_trees=prefix_trees, **LIMITS)
        shared.process(case.batches()[0])
        visits.append(shared.figures["visits"])
    starts = 1 + 2 + 3 + 4
    assert visits == [4 * starts, 7 * starts]  # B, C, D, E; without trees B three times and C twice


# -- limits and mistakes ---------------------------------------------------------------------------


def test_more_than_a_word_of_tests() -> None:
    kinds = [chr(ord("A") + n) + m for m in "xyz" for n in range(26)]
    rng = random.Random(3)
    texts = tuple(
        f"PATTERN SEQ({', '.join(f'{kind} v{n}' for n, kind in enumerate(kinds[start : start + 4]))}) "
        "WITHIN 500 AGG COUNT"
        for start in range(0, 76, 2)
    )
    stream = pa.table(
        {"time": range(600), "type": sorted(rng.choices(kinds, k=600), key=lambda kind: kind[::-1])}
    )
    case = WorkloadCase(texts, stream, (100,))
    plans = case.plans("aseq")
    found, taken = together(case, plans, forced_plan(rng, workload_of_plans(plans)), rng)
    assert [t.to_pylist() for t in found] == [t.to_pylist() for t in apart(case, plans)]
    assert taken > 0 and any(max(t.column("count").to_pylist(), default=0) for t in found)


def test_a_full_window_is_refused_before_counts_could_wrap() -> None:
    case = workload("AB", "AC", types="ABC" * 20)
    plans = tuple(replace(plan, most_events=10) for plan in case.plans(""))
    sharing = choose(workload_of_plans(plans), lambda step, window: 1.0, "none")
    with pytest.raises(LimitError, match="max_events = 10"):
        SharedCounting(plans, sharing, **LIMITS).process(case.batches()[0])


@pytest.mark.parametrize(("limit", "message"), [("max_matches", "max_matches"), ("max_state", "max_state")])
def test_limits(limit: str, message: str) -> None:
    case = workload("AB", "AC", types="ABC" * 200)
    plans = case.plans("")
    sharing = choose(workload_of_plans(plans), lambda step, window: 1.0, "none")
    shared = SharedCounting(plans, sharing, **{**LIMITS, limit: 100})
    with pytest.raises(LimitError, match=message):
        shared.process(case.batches()[0])


def test_a_snapshot_goes_with_its_sharing() -> None:
    case = workload("ABC", "DBC", types="ABC")
    plans = case.plans("")
    queries = workload_of_plans(plans)
    apart_, shared = choose(queries, lambda step, window: 1.0, "none"), forced_plan(random.Random(1), queries)
    saved = SharedCounting(plans, shared, **LIMITS).snapshot()
    with pytest.raises(SnapshotError, match="another plan of sharing"):
        SharedCounting(plans, apart_, **LIMITS).restore(saved)


def test_queries_must_agree() -> None:
    one, other = workload("AB", types="AB"), workload("AC", types="AB", within="WITHIN 7")
    plans = (*one.plans(""), *other.plans(""))
    sharing = choose(workload_of_plans(plans), lambda step, window: 1.0)
    with pytest.raises(QueryError, match="differs from 'q0'"):
        SharedCounting(plans, sharing, **LIMITS)
    with pytest.raises(QueryError, match="4 queries"):
        SharedCounting((*plans, *plans), sharing, **LIMITS)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("PATTERN SEQ(A a, B b) WITHIN 5 AGG COUNT, COUNT AS again", None),
        ("PATTERN SEQ(A a, ~C c, B b) WITHIN 5 AGG COUNT", "plain sequence"),
        ("PATTERN SEQ(A+ a[], B b) WITHIN 5 AGG COUNT", "plain sequence"),
        ("PATTERN SEQ(A a, C? c, B b) WITHIN 5 AGG COUNT", "plain sequence"),
        ("PATTERN SEQ(A a, B b) WITHIN 5 AGG COUNT, SUM(a.x)", "other than COUNT"),
        ("PATTERN SEQ(A a, B b) WITHIN 5 AGG COUNT EMIT ON CLOSE", "EMIT ON CLOSE"),
        ("PATTERN SEQ(A a, B b) WITHIN 5 AGG COUNT GROUP BY x", "groups by 'x'"),
        ("PATTERN SEQ(A a, B b) WHERE [k] WITHIN 5 events AGG COUNT", "windows of the events"),
        ("PATTERN SEQ(A a, B b) WHERE b.x > a.x WITHIN 5 AGG COUNT", "conditions between events"),
    ],
)
def test_what_cannot_take_part(text: str, reason: str | None) -> None:
    stream = pa.table({"time": [1], "type": ["A"], "x": [1], "k": [1]})
    plan = plan_for(parse(text), WorkloadCase((), stream, ()).schema, "aggregate")
    said = refusal(plan)
    assert said is None if reason is None else said is not None and reason in said


def test_steps_are_equal_if_the_same_events_pass() -> None:
    stream = pa.table({"time": [1], "type": ["A"], "x": [1]})
    texts = ("a.x > 1 AND a.x < 5", "a.x < 5 AND a.x > 1", "a.x > 1.0 AND a.x < 5")
    case = WorkloadCase(
        tuple(f"PATTERN SEQ(A a, B b) WHERE {text} WITHIN 5 AGG COUNT" for text in texts), stream, ()
    )
    one, two, three = (shared_query("q", plan).steps[0] for plan in case.plans(""))
    assert one == two and hash(one) == hash(two) and one != three
    assert str(one) == "A[x < 5 AND x > 1]"


def test_rates_are_events_a_window_of_one_partition() -> None:
    stream = pa.table(
        {"time": range(100), "type": ["A", "B", "A", "C"] * 25, "k": [1, 1, 2, 2] * 25, "x": [0] * 100}
    )
    for where, partitions in (("", 1), ("WHERE [k]", 2)):
        case = WorkloadCase((f"PATTERN SEQ(A a, B b) {where} WITHIN 10 AGG COUNT",), stream, ())
        plans = case.plans("")
        (batch,) = case.batches()
        (query,) = workload_of_plans(plans)
        rate = rates_of(plans, batch)
        found = [rate(step, query.window) for step in query.steps]
        assert found == pytest.approx([50 * 10 / 99 / partitions, 25 * 10 / 99 / partitions])
