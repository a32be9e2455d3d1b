"""Sets of profiles: each tells what it tells by itself, however the set changes around it."""

from __future__ import annotations

import json
import random
from inspect import signature
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import CepheidError
from cepheid.profiles import profile, profiles
from tests.cases.profiles import random_profile_case
from tests.laws.profile_sets import WAYS, check_set

SCHEMA = {"time": pa.int64(), "type": pa.string(), "k": pa.int64()}
BINDING: dict[str, Any] = {"time": "time", "type": "type"}
PAIRS = profile("PATTERN SEQ(A a, B b) WHERE [k] WITHIN 10 RETURN a.time AS a, b.time AS b", consume="unique")
LONE = profile("PATTERN A a RETURN a.time AS at", once="ever")
LAST = profile("PATTERN SEQ(A a, B b) WITHIN 10 RETURN a.time AS a, b.time AS b", select={"a": "last"})
QUIET = profile("PATTERN SILENCE OF A a FOR 5 RETURN a.time AS at")


def stream(types: str, start: int = 0) -> list[dict[str, Any]]:
    return [{"time": start + place, "type": kind, "k": 1} for place, kind in enumerate(types)]


def told(table: pa.Table) -> list[tuple[str, int, Any]]:
    return [(row["profile"], row["time"], json.loads(row["match"])) for row in table.to_pylist()]


# -- as one table ----------------------------------------------------------------------------------


def test_what_all_profiles_tell_is_one_table_in_the_order_of_completion() -> None:
    found = profiles({"pairs": PAIRS, "quiet": QUIET, "lone": LONE}).run(stream("AABBZZZZ"), **BINDING)
    assert found.table.schema.names == ["profile", "match_id", "time", "match"]
    assert told(found.table) == [
        ("lone", 0, {"at": 0}),
        ("pairs", 2, {"a": 0, "b": 2}),
        ("pairs", 3, {"a": 1, "b": 3}),
        ("quiet", 6, {"at": 6}),
    ]
    assert found.stats["profiles"] == 3


def test_what_closing_windows_complete_is_in_the_order_of_events_not_of_keys() -> None:
    keys, times = (2, 1, 2, 1), (0, 1, 1, 20)
    events = [{"time": t, "type": "C" if t == 20 else "A", "k": k} for t, k in zip(times, keys, strict=True)]
    lone = profile("PATTERN SEQ(A a, ~B b) WHERE [k] WITHIN 10 RETURN a.k AS k")
    found = [match["k"] for _, _, match in told(profiles({"lone": lone}).run(events, **BINDING).table)]
    assert found == lone.run(events, **BINDING).table.column("k").to_pylist() == [2, 1, 2]


def test_without_return_a_match_is_an_object_per_variable() -> None:
    found = profiles({"p": "PATTERN SEQ(A a, B? b, C+ c[]) WITHIN 5"}).run(stream("AC"), **BINDING)
    (row,) = told(found.table)
    a, c = ({"time": place, "type": kind, "k": 1} for place, kind in enumerate("AC"))
    assert row == ("p", 1, {"a": a, "b": None, "c": [c]})
    assert told(profiles({"p": "PATTERN EVERY 10"}).run(stream("A"), **BINDING).table) == [("p", 0, {})]


def test_ids_are_those_of_the_profile_alone() -> None:
    events = stream("AABBAB")
    alone = PAIRS.run(events, **BINDING).table.column("match_id").to_pylist()
    found = profiles({"one": PAIRS, "two": PAIRS}).run(events, **BINDING).table
    for name in ("one", "two"):
        assert [row["match_id"] for row in found.to_pylist() if row["profile"] == name] == alone


# -- change while running --------------------------------------------------------------------------


def test_a_profile_sees_what_comes_after_it_was_added() -> None:
    session = profiles({"pairs": PAIRS}).session(SCHEMA, **BINDING)
    assert told(session.push(stream("AA"))) == []
    session.add("later", PAIRS)
    assert session.names == ["pairs", "later"]
    assert told(session.push(stream("AB", start=2))) == [
        ("pairs", 3, {"a": 0, "b": 3}),
        ("later", 3, {"a": 2, "b": 3}),
    ]
    session.remove("pairs")
    assert told(session.push(stream("AB", start=4))) == [("later", 5, {"a": 4, "b": 5})]


def test_events_that_wait_for_the_watermark_came_before() -> None:
    session = profiles({"all": LONE}).session(SCHEMA, **BINDING, lateness=5)
    session.push(stream("AA"))
    session.add("pairs", PAIRS)
    session = cepheid.resume(profiles({}), session.snapshot())
    session.push([{"time": 1, "type": "A", "k": 1}])  # as one that is waiting, but after it
    session.push(stream("B", start=2))
    assert told(session.close()) == [("all", 0, {"at": 0}), ("pairs", 2, {"a": 1, "b": 2})]


def test_a_pause_drops_what_is_half_matched_and_not_what_was_told() -> None:
    session = profiles({"pairs": PAIRS, "lone": LONE}).session(SCHEMA, **BINDING)
    assert len(session.push(stream("A"))) == 1
    session.pause("pairs")
    session.pause("lone")
    session = cepheid.resume(profiles({}), session.snapshot())
    assert told(session.push(stream("BAB", start=1))) == []
    session.resume("pairs")
    session.resume("lone")
    assert told(session.push(stream("BAB", start=4))) == [("pairs", 6, {"a": 5, "b": 6})]
    assert session.stats["paused"] == 0


def test_a_silence_begins_when_a_profile_is_added() -> None:
    session = profiles({}).session(SCHEMA, **BINDING)
    session.push(stream("Z"))
    session.advance(100)
    session.add("quiet", QUIET)
    assert told(session.advance(105)) == []
    assert told(session.advance(106)) == [("quiet", 105, {"at": 105})]


@pytest.mark.parametrize("is_saved", (False, True))
def test_a_silence_before_the_first_event_begins_once_also_after_a_snapshot(is_saved: bool) -> None:
    session = profiles({"lone": LONE}).session(SCHEMA, **BINDING, lateness=10)
    session.advance(100)
    session.add("quiet", QUIET)
    session.remove("lone")
    if is_saved:  # where profiles come to have other numbers
        session = cepheid.resume(profiles({}), session.snapshot())
    session.push(stream("Z", start=108))
    found = told(session.push(stream("Z", start=125)))
    assert found + told(session.close()) == [("quiet", 105, {"at": 105})]


# -- bad input -------------------------------------------------------------------------------------


def test_sets_take_the_options_of_a_query_and_no_others() -> None:
    def names(call: Any) -> list[str]:
        return list(signature(call).parameters)

    found, query = profiles({"p": PAIRS}), cepheid.query("PATTERN A a")
    assert names(found.run) == names(query.run)
    assert names(found.session) == names(query.session)
    with pytest.raises(TypeError, match=r"ProfileSet.run\(\) got an unexpected keyword argument 'typ'"):
        found.run(stream("A"), time="time", typ="type")  # type: ignore[call-arg]


def test_bad_sets_are_refused() -> None:
    with pytest.raises(CepheidError, match="two profiles are named 'p'"):
        profiles([("p", PAIRS), ("p", LONE)])
    for unnamed in ([PAIRS, LONE], PAIRS, "PATTERN A a", None):
        with pytest.raises(CepheidError, match="profiles are a dict of each by its name"):
            profiles(unnamed)  # type: ignore[arg-type]
    with pytest.raises(CepheidError, match="a profile has a text for a name, not 3"):
        profiles({3: PAIRS})  # type: ignore[dict-item]
    with pytest.raises(CepheidError, match="method= is one of one_step, two_step"):
        profiles({"p": PAIRS}, method="three_step")
    with pytest.raises(CepheidError, match="variant= is one of dynamic, mark, reference"):
        profiles({"p": PAIRS}, variant="static")
    with pytest.raises(CepheidError, match="profile 'p': "):
        profiles({"p": "PATTERN SEQ(A a"})
    with pytest.raises(CepheidError, match=r"profile 'p': there is no attribute|profile 'p': .*'x'"):
        profiles({"p": "PATTERN A a WHERE a.x > 1"}).run(pa.Table.from_pylist(stream("A")), **BINDING)
    with pytest.raises(CepheidError, match="profile 'p': over an unbounded stream"):
        profiles({"p": "PATTERN SEQ(A a, B b)"}).session(SCHEMA, **BINDING)


def test_bad_changes_are_refused_and_change_nothing() -> None:
    session = profiles({"pairs": PAIRS}).session(SCHEMA, **BINDING)
    for change, message in (
        (lambda: session.add("pairs", LONE), "there is a profile 'pairs' already"),
        (lambda: session.add("bad", "PATTERN SEQ(A a, B b)"), "unbounded stream"),
        (lambda: session.add("bad", "PATTERN A a WHERE a.x > 1"), "'x'"),
        (lambda: session.remove("pair"), "there is no profile 'pair'; did you mean 'pairs'"),
        (lambda: session.resume("pairs"), "'pairs' is not paused"),
        (lambda: (session.pause("pairs"), session.pause("pairs")), "'pairs' is paused already"),
    ):
        with pytest.raises(CepheidError, match=message):
            change()
    session.resume("pairs")
    assert len(session.push(stream("AB"))) == 1


# -- in a single step --------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_all_ways_tell_the_same(way: str) -> None:
    members = {"pairs": PAIRS, "lone": LONE, "last": LAST}
    found = profiles(members, **WAYS[way]).run(stream("AABBAAB"), **BINDING)
    assert told(found.table) == [
        ("lone", 0, {"at": 0}),
        ("pairs", 2, {"a": 0, "b": 2}),
        ("last", 2, {"a": 1, "b": 2}),
        ("pairs", 3, {"a": 1, "b": 3}),
        ("last", 3, {"a": 1, "b": 3}),
        ("pairs", 6, {"a": 4, "b": 6}),
        ("last", 6, {"a": 5, "b": 6}),
    ]


TABLE = {
    ("all", "all"): "13 23 14 24 16 26 56",
    ("all", "unique"): "13 24 56",
    ("all", "reapply"): "13 56",
    ("a first", "all"): "13 14 16",
    ("a last", "all"): "23 24 56",
    ("a last", "unique"): "23 14 56",
    ("b first", "all"): "13 23 56",
    ("first", "all"): "13",
    ("a 2", "all"): "23 24 26",
    ("a 2", "unique"): "23 56",
    ("a 2", "reapply"): "23",
}
"""`SEQ(A a, B b)` on A1 A2 B3 B4 A5 B6: what is told by select and consume."""


@pytest.mark.parametrize("way", WAYS)
def test_select_and_consume_together(way: str) -> None:
    members = {}
    for select, consume in TABLE:
        variable, _, choice = select.rpartition(" ")
        wanted: Any = int(choice) if choice.isdigit() else choice
        text = "PATTERN SEQ(A a, B b) RETURN a.time AS a, b.time AS b"
        chosen = {variable: wanted} if variable else wanted
        members[f"{select}, {consume}"] = profile(text, select=chosen, consume=consume)
    found = told(profiles(members, **WAYS[way]).run(stream("AABBAB", start=1), **BINDING).table)
    shown = {name: " ".join(f"{m['a']}{m['b']}" for who, _, m in found if who == name) for name in members}
    assert shown == {f"{select}, {consume}": pairs for (select, consume), pairs in TABLE.items()}


def test_a_part_is_in_the_pool_while_something_waits_for_it() -> None:
    chosen = {"p": profile("PATTERN SEQ(A a, B b) WHERE a.k = 1 AND b.k = 1 WITHIN 10", consume="unique")}
    pool = {}
    for way, options in WAYS.items():
        session = profiles(chosen, **options).session(SCHEMA, **BINDING)
        sizes = [session.stats["pool"]]
        for number, types in enumerate("ZABZ"):
            session.push(stream(types, start=number))
            sizes.append(session.stats["pool"])
        pool[way] = sizes
    assert pool == {
        "dynamic": [1, 1, 2, 1, 1],
        "mark": [2] * 5,
        "reference": [2] * 5,
        "two steps": [2] * 5,
    }


def test_what_is_not_waited_for_is_not_tested_in_one_step() -> None:
    chosen = {"p": "PATTERN SEQ(A a, B b) WHERE a.k = 1 AND b.k = 1"}
    events = stream("BBBBAB")
    figures = {way: profiles(chosen, **options).run(events, **BINDING).stats for way, options in WAYS.items()}
    assert {way: each["tested"] for way, each in figures.items()} == {
        "dynamic": 2,
        "mark": 6,
        "reference": 6,
        "two steps": 6,
    }
    assert {way: each["looked_up"] for way, each in figures.items()} == {
        "dynamic": 2,
        "mark": 2,
        "reference": 2,
        "two steps": 6,
    }


def test_an_event_that_completes_costs_what_a_primitive_match_costs() -> None:
    session = profiles({"pair": "PATTERN SEQ(A a, B b) WITHIN 9", "lone": "PATTERN C c"}).session(
        SCHEMA, **BINDING
    )
    session.push(stream("A"))
    costs = []
    for number, kind in enumerate("BC", 1):
        before = session.stats
        assert len(session.push(stream(kind, start=number))) == 1
        after = session.stats
        costs.append([after[name] - before[name] for name in ("tested", "looked_up")])
    assert costs[0] == costs[1] == [1, 1]


def test_a_change_touches_no_other_profile() -> None:
    members = {f"p{n}": f"PATTERN SEQ(A a, B b) WHERE a.k = {n} WITHIN 9" for n in range(50)}
    session = profiles(members).session(SCHEMA, **BINDING)
    session.push(stream("A"))
    before = session.stats["changed"], session.stats["instances"]
    session.add("late", "PATTERN SEQ(A a, B b) WHERE a.k = 1 WITHIN 9")
    session.pause("p1")
    session.resume("p1")
    session.remove("p2")
    assert session.stats["changed"] == before[0] + 4 and session.stats["instances"] == before[1]
    assert session.stats["profiles"] == 50


def test_a_set_says_what_runs_beside_and_why() -> None:
    ticks = "PATTERN SEQ(A a, EVERY 5) WHERE [k] WITHIN 9"
    many = "PATTERN SEQ(A a, B+ b[]) WITHIN 3"
    chosen = profiles({"step": PAIRS, "quiet": QUIET, "ticks": ticks, "many": many})
    shown = str(chosen.explain(SCHEMA, **BINDING))
    assert "2 profiles of 2 kinds by a single step" in shown
    assert "SILENCE OF A FOR 5, made by the temporal pool" in shown
    assert "ticks: by the " in shown and "since every partition has AT and EVERY to itself" in shown
    assert "since a variable holds several events" in shown
    assert "step: in the single step" in str(chosen.explain())


def test_rows_of_a_table_are_made_when_they_are_asked_for() -> None:
    found = profiles({"lone": "PATTERN A a"}).run(stream("AAZ"), **BINDING)
    assert callable(found.source) and len(found) == 2
    assert found.table is found.table and found.table.num_rows == 2


def test_a_set_is_planned_and_indexed_once() -> None:
    chosen = profiles({"lone": "PATTERN A a"})
    first, second = (chosen.run(stream("A"), **BINDING) for _ in range(2))
    assert first.table.equals(second.table)
    (plan,) = chosen._plans.values()
    assert "roster" in plan.built


def test_past_max_state_nothing_that_was_loaded_is_lost() -> None:
    with pytest.raises(CepheidError, match="max_state = 1,000 bytes"):
        profiles({"pairs": PAIRS}).run(stream("AB"), **BINDING, max_state=1000)
    session = profiles({"pairs": PAIRS}).session(SCHEMA, **BINDING, max_state=300_000)
    session.push(stream("A"))
    for number in range(1000):
        try:
            session.add(f"p{number}", f"PATTERN SEQ(A a, B b) WHERE a.k = {number} WITHIN 5")
        except CepheidError as error:
            assert "max_state" in str(error)
            break
    else:
        raise AssertionError("it should not have room for a thousand")
    assert len(session.names) == number + 1
    assert ("pairs", 1, {"a": 0, "b": 1}) in told(session.push(stream("B", start=1)))


# -- random sets -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(24))
def test_each_profile_tells_what_it_tells_by_itself(seed: int) -> None:
    """In all ways; added and removed at random, with snapshots in between."""
    rng = random.Random(f"set-{seed}")
    check_set(random_profile_case(rng), rng)
