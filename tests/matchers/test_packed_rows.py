"""Compressed matches of a run share what they have in common; the rows that users see are made from them."""

import random

import pyarrow as pa
import pytest

import cepheid
from cepheid.matchers.packed_rows import PackedRows
from cepheid.plan.summaries import WAYS

TREE, NFA = {"engine": "tree", "condense": "always"}, {"engine": "nfa"}
QUERIES = [
    ("AND(A a, B b, C c)", "", TREE),
    ("AND(SEQ(A a, B b), C c)", "[k]", TREE),
    ("SEQ(AND(A a, B b), C c)", "a.x <= b.x", TREE),
    ("SEQ(A a, B b, C c)", "", TREE),
    ("SEQ(A a, B b, C c)", "[k]", NFA),
    ("SEQ(A a, B+ b[])", "", TREE),
    ("SEQ(A a, B+ b[])", "", NFA),
    ("SEQ(A a, B b, ~C c)", "", NFA),
]


def _query(pattern: str, where: str, using: dict[str, str], emit: str, window: str) -> cepheid.Query:
    conditions = f"WHERE {where} " if where else ""
    options = dict(using)
    return cepheid.query(f"PATTERN {pattern} {conditions}WITHIN {window} EMIT {emit}").using(
        options.pop("engine"), **options
    )


def _events(seed: int, size: int = 24) -> pa.Table:
    dice = random.Random(seed)
    times = [0]
    while len(times) < size:
        times.append(times[-1] + dice.randint(0, 2))
    return pa.table(
        {
            "time": times,
            "type": [dice.choice("ABC") for _ in times],
            "k": [dice.randint(0, 1) for _ in times],
            "x": [dice.randint(0, 3) for _ in times],
        }
    )


def _ids(rows: object) -> list[str]:
    return [row["match_id"] for row in rows]  # type: ignore[attr-defined]


@pytest.mark.parametrize("window", ["8", "1000", "6 EVENTS"])
@pytest.mark.parametrize(("pattern", "where", "using"), QUERIES)
def test_packed_rows_hold_the_matches_of_the_rows_that_users_see(
    pattern: str, where: str, using: dict[str, str], window: str
) -> None:
    events = _events(seed=len(pattern) + len(where))
    listed = sorted(_ids(_query(pattern, where, using, "ALL", window).run(events, time="time", type="type")))
    asked = _query(pattern, where, using, "COMPRESSED", window)
    found = asked.run(events, time="time", type="type")
    assert isinstance(found.source, PackedRows)
    packed = cepheid.expand(found)
    drawn = packed.sample(5)
    seen = cepheid.expand(found.table)
    assert packed.count() == seen.count() == len(listed)
    assert _ids(packed) == _ids(seen)
    assert sorted(_ids(packed)) == listed
    assert len(set(_ids(drawn))) == min(5, len(listed)) and set(_ids(drawn)) <= set(listed)
    session = asked.session(events.schema, time="time", type="type")
    pushed = [session.push(batch) for batch in events.to_batches(max_chunksize=5)]
    together = pa.concat_tables([*pushed, session.close()])
    assert together.column("match_id").to_pylist() == found.table.column("match_id").to_pylist()
    assert len(found) == found.table.num_rows


@pytest.mark.parametrize("using", [TREE, NFA])
def test_a_thousand_matches_of_each_of_many_events_share_their_rows(using: dict[str, str]) -> None:
    each = 30
    events = pa.table({"time": range(3 * each), "type": [kind for kind in "ABC" for _ in range(each)]})
    found = _query("SEQ(A a, B b, C c)", "", using, "COMPRESSED", "1000").run(
        events, time="time", type="type"
    )
    assert isinstance(found.source, PackedRows)
    rows = sum(len(chunk.values) for chunk in found.source.packed.column(WAYS).chunks)
    assert rows < 12 * each  # not 60 rows for each of 30 events
    assert len(found) == each and cepheid.expand(found).count() == each**3


def test_numbers_beyond_int64_are_counted_on_shared_rows() -> None:
    kinds, each = "ABCDEFGH", 600
    pattern = ", ".join(f"{kind} {kind.lower()}" for kind in kinds)
    types = [kind for kind in kinds[:-1] for _ in range(each)] + [kinds[-1]] * 2
    events = pa.table({"time": range(len(types)), "type": types})
    asked = cepheid.query(f"PATTERN SEQ({pattern}) WITHIN 100000 EMIT COMPRESSED")
    for using in (asked.using("tree", condense="always"), asked.using("nfa")):
        found = using.run(events, time="time", type="type")
        assert cepheid.expand(found).count() == 2 * each**7 > 2**63


def test_an_and_joins_neighbours_where_a_graph_is_asked_for() -> None:
    """The rare pair would be joined first, but then no match could be told without listing all."""
    kinds = ["A"] + ["B"] * 40 + ["C"] + ["B"] * 40
    events = pa.table({"time": range(len(kinds)), "type": kinds})
    asked = "PATTERN AND(A a, B b, C c) WITHIN 1000 EMIT "
    shapes = {
        emit: cepheid.query(asked + emit)
        .using("tree", condense="always")
        .run(events, time="time", type="type")
        .stats["shape"]
        for emit in ("COMPRESSED", "FIRST 3", "LONGEST")
    }
    assert all(shape in ("((a b) c)", "(a (b c))") for shape in shapes.values())
