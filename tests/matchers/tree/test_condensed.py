"""Condensed trees: how much less is tested and made, what is told of it, and numbers of any size."""

import random

import pyarrow as pa
import pytest

import cepheid
from tests.conftest import COMPILED

BINDING = {"time": "ts", "type": "kind"}
QUERY_1 = (
    "PATTERN SEQ(ANY T1, ANY T2, ANY T3) WHERE T1.name = T3.name AND T2.name = 'Google' "
    "AND T1.price >= T2.price + 2.0 AND T3.price < T2.price WITHIN 500 RETURN T1, T2, T3"
)


def of_kinds(kinds: str, **columns: list[int]) -> pa.Table:
    return pa.table({"ts": list(range(len(kinds))), "kind": list(kinds), **columns})


def test_the_terms_are_those_of_the_paper() -> None:
    told = str(cepheid.query(QUERY_1).using("tree", condense="always").explain())
    for line in (
        "T1: {T1.name, T1.price}",
        "T2: {T2.price}",
        "T3: {T3.name, T3.price}",
        "SEQ(T1, T2): {T1.name, T2.price}",
    ):
        assert line in told


@pytest.mark.parametrize("pattern", ["SEQ(A a, B b, C c)", "AND(A a, B b, C c)", "AND(C a, SEQ(A b, B c))"])
def test_one_member_stands_for_all_pairs(pattern: str) -> None:
    events = of_kinds("A" * 40 + "B" * 40 + "C" * 40)
    query = cepheid.query(f"PATTERN {pattern} WITHIN 1000 EMIT COUNT")
    found = query.using("tree", condense="always").run(events, **BINDING)
    other = query.using("tree", condense="never").run(events, **BINDING)
    assert found.table == other.table
    assert sum(found.table.column("count").to_pylist()) == 40**3
    assert found.stats["condensed"] and not other.stats["condensed"]
    assert 100 * found.stats["composites"] < other.stats["composites"]


def test_groups_are_tested_once() -> None:
    events = of_kinds("AAAABBBB", x=[1, 2, 1, 2, 5, 5, 5, 5])
    query = cepheid.query("PATTERN SEQ(A a, B b) WHERE a.x < b.x WITHIN 100 EMIT COUNT")
    found = query.using("tree", condense="always").run(events, **BINDING)
    assert found.table.column("count").to_pylist() == [4, 4, 4, 4]
    assert found.stats["pairs_tested"] == 2 * 4
    assert found.stats["degrees"] == {"a": 0.5, "b": 1.0}


@pytest.mark.parametrize("emit", ["COUNT", "FIRST 2", "LONGEST", "COMPRESSED"])
def test_auto_condenses_where_matches_are_not_listed(emit: str) -> None:
    query = cepheid.query(f"PATTERN AND(A a, B b) WITHIN 5 EMIT {emit}").using("tree")
    assert query.run(of_kinds("ABAB"), **BINDING).stats["condensed"]
    listed = cepheid.query("PATTERN AND(A a, B b) WITHIN 5").using("tree")
    assert not listed.run(of_kinds("ABAB"), **BINDING).stats["condensed"]


def test_numbers_beyond_64_bits() -> None:
    events = of_kinds("A" * 200 + "B")
    found = (
        cepheid.query("PATTERN SEQ(A+ a[], B b) WITHIN 1000 EMIT COUNT").using("tree").run(events, **BINDING)
    )
    assert [int(n) for n in found.table.column("count").to_pylist()] == [2**200 - 1]


def test_the_first_of_many_and_any_of_them() -> None:
    size = 100
    events = of_kinds("ABC" * size)
    query = cepheid.query("PATTERN AND(A a, B b, C c) WITHIN 1000 EMIT COMPRESSED").using("tree")
    rows = query.run(events, **BINDING).table
    expansion = cepheid.expand(rows.slice(rows.num_rows - 1, 1))  # the last C with all of the others
    assert expansion.count() == size**2
    first = [(row["a"]["ts"], row["b"]["ts"], row["c"]["ts"]) for row in expansion.first(5)]
    assert first == sorted(first) and len(set(first)) == 5
    assert len(expansion.sample(7)) == 7


def test_what_cannot_be_condensed_says_why() -> None:
    for pattern in ("SEQ(A a, B b, ~C c)", "SEQ(A+ a[], ~C c)", "SEQ(A a, ~C c)"):
        told = str(cepheid.query(f"PATTERN {pattern} WITHIN 5").using("tree", condense="always").explain())
        assert "an absence is judged match by match" in told
    told = str(cepheid.query("PATTERN AND(A a, B b) WITHIN 5 EMIT NON OVERLAPPING").using("tree").explain())
    assert "EMIT NON OVERLAPPING looks at each match by itself" in told


@COMPILED
def test_members_leave_one_by_one() -> None:
    events = of_kinds("AAAAAAAB" * 500)
    query = cepheid.query("PATTERN SEQ(A a, B b) WITHIN 20 EMIT COUNT")
    found = query.using("tree", condense="always").run(events, **BINDING)
    assert found.table == query.using("nfa").run(events, **BINDING).table
    assert found.stats["peak_state_bytes"] < 4_000_000


@pytest.mark.parametrize("emit", ["FIRST 2", "LONGEST", "ALL", "COUNT", "COMPRESSED"])
def test_a_shape_that_is_not_in_the_order_of_the_text(emit: str) -> None:
    """Its ways are written in the order of the text, so what is told is the same."""
    rng = random.Random(1)
    events = pa.table({"time": range(24), "type": rng.choices("ABC", k=24)})
    query = cepheid.query(f"PATTERN AND(A a, B+ b[], C c) WITHIN 7 EMIT {emit}")
    turned, usual = (
        query.using("tree", condense="always", shape=shape).run(events, time="time", type="type")
        for shape in ("((c a) b)", "left")
    )
    assert turned.stats["condensed"]
    if emit == "COMPRESSED":
        assert cepheid.expand(turned).table == cepheid.expand(usual).table
    else:
        assert turned.table == usual.table
