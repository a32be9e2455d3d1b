"""Sets of profiles over events without a schema."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import BindingError, CepheidError, EventError
from tests.cases.loose import random_loose_case
from tests.laws.loose_sets import check_loose

BINDING: dict[str, Any] = {"time": "time", "type": "type"}
HOT = "PATTERN T t WHERE t.value > 26 WITHIN 5"
PAIR = "PATTERN SEQ(T a, T b) WHERE [sensor] WITHIN 10 RETURN a.time AS a, b.time AS b"


def event(time: Any, kind: str = "T", **attributes: Any) -> dict[str, Any]:
    return {"time": time, "type": kind, **attributes}


def told(table: pa.Table) -> list[tuple[str, Any]]:
    return [(row["profile"], json.loads(row["match"])) for row in table.to_pylist()]


def ids(table: pa.Table) -> list[str]:
    found: list[str] = table.column("match_id").to_pylist()
    return found


@pytest.mark.parametrize("seed", range(12))
def test_random_sets_tell_what_the_oracle_does(seed: int) -> None:
    check_loose(random_loose_case(random.Random(f"loose-{seed}")), random.Random(seed))


# -- events ----------------------------------------------------------------------------------------


def test_an_attribute_may_be_missing_or_of_another_kind_in_each_event() -> None:
    session = cepheid.profiles({"hot": HOT}).session(**BINDING)
    values = [30, "30", True, None, {"value": 30}, [30], 26.5]
    found = [session.push(event(n, value=value)) for n, value in enumerate(values)]
    assert [table.num_rows for table in found] == [1, 0, 0, 0, 0, 0, 1]
    assert session.push(event(9)).num_rows == 0
    assert session.stats["bad"] == 0


@pytest.mark.parametrize("returns", ["", " RETURN a, b, c"])
def test_variables_of_a_branch_that_was_not_taken_are_null(returns: str) -> None:
    query = f"PATTERN OR(A a, SEQ(B b, C* c[])) WITHIN 5{returns}"
    found = told(
        cepheid.profiles({"p": query}).session(**BINDING).push([event(1, "A"), event(2, "B"), event(3, "C")])
    )
    a, b, c = ({"time": time, "type": kind} for time, kind in ((1, "A"), (2, "B"), (3, "C")))
    assert [match for _, match in found] == [
        {"a": a, "b": None, "c": None},
        {"a": None, "b": b, "c": []},
        {"a": None, "b": b, "c": [c]},
    ]


def test_a_table_may_have_no_good_event() -> None:
    session = cepheid.profiles({"hot": HOT}).session(**BINDING)
    session.push(event(1, value=30))
    rows = pa.Table.from_pylist([event(2, value=30)])
    assert session.push(rows.slice(0, 0)).num_rows == 0
    timeless = rows.set_column(0, "time", pa.nulls(1, pa.int64()))
    assert session.push(timeless).num_rows == 0
    assert session.stats["bad"] == 1
    assert session.push(rows).num_rows == 1


def test_events_are_given_back_as_they_came() -> None:
    session = cepheid.profiles({"all": "PATTERN T t WITHIN 5"}).session(**BINDING)
    given = event(1, value="3", deep={"b": [1, None, "x"], "a": {"c": True}}, größe=1.5)
    ((_, match),) = told(session.push(given))
    assert match == {"t": given}


def test_numbers_and_texts_are_keys_of_their_own() -> None:
    session = cepheid.profiles({"pair": PAIR}).session(**BINDING)
    keys = [7, "7", 7.0, True, 1, "7", {"a": 1}, {"a": 1}, None, None]
    found = session.push([event(n, sensor=key) for n, key in enumerate(keys)])
    assert told(found) == [("pair", {"a": 0, "b": 2}), ("pair", {"a": 1, "b": 5})]


@pytest.mark.parametrize(
    "make",
    [
        lambda rows: rows,
        lambda rows: iter(rows),
        lambda rows: pa.Table.from_pylist(rows),
        lambda rows: pa.Table.from_pylist(rows).to_batches()[0],
        pd.DataFrame,
        lambda rows: pd.DataFrame(rows).set_index("time"),
    ],
)
def test_events_come_in_any_form_with_the_same_ids(make: Any) -> None:
    rows = [event(1, value=30, sensor=1), event(2, value=40)]
    both = cepheid.profiles({"hot": HOT})
    one = both.session(**BINDING).push(rows)
    other = both.session(**BINDING).push(make(rows))
    assert (told(other), ids(other)) == (told(one), ids(one))
    assert len(ids(one)) == 2


def test_ids_do_not_depend_on_columns_that_are_null_nor_on_their_order() -> None:
    both = cepheid.profiles({"hot": HOT})
    bare = both.session(**BINDING).push({"time": 1, "type": "T", "value": 30})
    wide = both.session(**BINDING).push({"more": None, "value": 30, "type": "T", "time": 1})
    assert ids(bare) == ids(wide)


def test_times_are_datetimes_or_iso_texts() -> None:
    profiles = cepheid.profiles({"late": "PATTERN T t WHERE hour(t.time) >= 22 WITHIN 5 min"})
    for given in ("2024-05-01T22:30:00Z", datetime(2024, 5, 1, 22, 30, tzinfo=UTC)):
        table = profiles.session(**BINDING).push([event(given), event("2024-05-01T23:00:00Z")])
        assert table.num_rows == 2
        assert table.column("time").to_pylist()[0] == datetime(2024, 5, 1, 22, 30, tzinfo=UTC)


def test_attributes_may_hold_times() -> None:
    text = "PATTERN T t WHERE t.seen > TIMESTAMP '2024-05-01 12:00' WITHIN 5 RETURN t.seen AS seen"
    session = cepheid.profiles({"seen": text}).session(**BINDING)
    seen = [datetime(2024, 5, 1, 11), datetime(2024, 5, 1, 13), "2024-05-01T13:00:00"]
    found = session.push([event(n, seen=value) for n, value in enumerate(seen)])
    assert told(found) == [("seen", {"seen": "2024-05-01T13:00:00"})]


def test_dicts_of_several_kinds_can_be_run() -> None:
    rows = [event(1, value=30), event(2, value="x"), event(3, value=40), {"time": 4}, event(None)]
    found = cepheid.profiles({"hot": HOT}).run(rows, **BINDING)
    assert [match["t"]["value"] for _, match in told(found.table)] == [30, 40]
    assert found.bad.column("reason").to_pylist() == ["it has no 'type'", "it has no 'time'"]
    assert ids(found.table) == ids(cepheid.profiles({"hot": HOT}).session(**BINDING).push(rows))


def test_dicts_may_be_run_that_lack_what_a_profile_names() -> None:
    events = [event(1, value=30), event(2, value=20)]
    texts = {
        "red": "PATTERN T t WHERE t.colour = 'red' OR t.value > 26",
        "text": "PATTERN T t WHERE t.value > 'a'",
    }
    with pytest.warns(cepheid.CepheidWarning, match="this is null here.*no attribute 'colour'"):
        found = cepheid.profiles(texts).run(events, **BINDING).table
    assert [(row["profile"], row["time"]) for row in found.to_pylist()] == [("red", 1)]
    with pytest.raises(CepheidError, match="no attribute 'colour'"):
        cepheid.profiles(texts).run(pa.Table.from_pylist(events), **BINDING)
    with pytest.raises(CepheidError, match="no attribute 'colour'"):
        cepheid.profiles({"red": "PATTERN T t RETURN t.*, t.colour"}).run(events, **BINDING)


# -- change ----------------------------------------------------------------------------------------


def test_a_profile_may_name_what_no_event_had_and_others_go_on() -> None:
    both = cepheid.profiles({"pair": PAIR})
    session, undisturbed = both.session(**BINDING), both.session(**BINDING)
    session.add("early", "PATTERN T t WHERE t.colour = 'red' WITHIN 5")
    first, second = event(1, sensor=1), event(2, sensor=1, colour="red", size=3)
    for each in (session, undisturbed):
        each.push(first)
    session.add("size", "PATTERN SEQ(T a, T b) WHERE [size] AND a.colour = b.colour WITHIN 5")
    session = cepheid.resume(both, session.snapshot())
    found = session.push(second)
    assert [name for name, _ in told(found)] == ["pair", "early"]
    assert ids(found)[0] == ids(undisturbed.push(second))[0]
    session.pause("early")
    assert [name for name, _ in told(session.push(second | {"time": 3}))] == ["pair", "pair", "size"]
    session.resume("early")
    session.remove("pair")
    assert session.names == ["early", "size"]
    assert [name for name, _ in told(session.push(second | {"time": 4}))] == ["early", "size", "size"]


def test_before_the_first_event_a_session_keeps_its_profiles() -> None:
    session = cepheid.profiles({"hot": HOT}).session(**BINDING)
    session.add("pair", PAIR)
    session.pause("hot")
    session.push({"type": "T"})
    with pytest.raises(CepheidError, match="there is a profile 'pair' already"):
        session.add("pair", HOT)
    session = cepheid.resume(cepheid.profiles({}), session.snapshot())
    assert (session.names, session.stats["paused"], session.stats["bad"]) == (["hot", "pair"], 1, 1)
    found = session.push([event(1, value=30, sensor=1), event(2, value=30, sensor=1)])
    assert [name for name, _ in told(found)] == ["pair"]
    assert session.bad.column("reason").to_pylist() == ["it has no 'time'"]


@pytest.mark.parametrize("schema", [None, {"time": pa.int64(), "type": pa.string(), "sensor": pa.int64()}])
def test_profiles_do_not_see_events_that_waited_when_they_were_added_or_resumed(schema: Any) -> None:
    session = cepheid.profiles({"pair": PAIR}).session(schema, **BINDING, lateness=5)
    session.push(event(10, sensor=1))
    session.add("new", PAIR)
    session.pause("pair")
    session.push(event(8, sensor=1))
    session.resume("pair")
    session.push([event(11, sensor=1), event(9, sensor=1)])
    assert told(session.close()) == [
        ("new", {"a": 8, "b": 9}),
        ("pair", {"a": 9, "b": 11}),
        ("new", {"a": 8, "b": 11}),
        ("new", {"a": 9, "b": 11}),
    ]


# -- what cannot be --------------------------------------------------------------------------------


def test_bad_events_are_put_aside_and_the_others_taken() -> None:
    session = cepheid.profiles({"hot": HOT}).session(**BINDING)
    pushed = [
        event(1, value=30),
        {"type": "T", "value": 30},
        {"time": 1, "value": 30},
        event("soon", value=30),
        event(1, value=2**53 + 1),
        event(1, value=object()),
        event(1, value="\ud800"),
        event(1, kind=5) | {"type": 5},
        "no dict",
        {},
        event(2, value=31),
    ]
    assert session.push(pushed).num_rows == 2
    reasons = sorted(session.bad.column("reason").to_pylist())
    assert reasons == sorted(
        [
            "it has no 'time'",
            "it has no 'type'",
            "time: 'soon' does not fit int64",
            "'value' is 9007199254740993, which is too large to be compared exactly: send a text",
            "'value' is a object, which an event cannot hold",
            "it holds half a character, which is no text",
            "type: 5 does not fit string",
            "event 8 is not a dict",
            "event 9 is empty",
        ]
    )
    assert session.push(event(0, value=30)).num_rows == 0
    assert json.loads(session.late.column("event")[0].as_py()) == event(0, value=30)


def test_where_bad_events_fail_none_of_a_push_is_taken() -> None:
    session = cepheid.profiles({"hot": HOT}).session(**BINDING, on_bad="fail")
    with pytest.raises(EventError, match="it has no 'type'"):
        session.push([event(1, value=30), {"time": 1}])
    assert session.push(event(1, value=30)).num_rows == 1


def test_what_no_session_could_run_is_refused_at_once() -> None:
    with pytest.raises(CepheidError, match="profile 'p': over an unbounded stream"):
        cepheid.profiles({"p": "PATTERN SEQ(A a, B b)"}).session(**BINDING)
    with pytest.raises(CepheidError, match=r"profile 'p': what a\.\* is cannot be told"):
        cepheid.profiles({"p": "PATTERN A a WITHIN 5 RETURN a.*"}).session(**BINDING)
    with pytest.raises(BindingError, match="time= is the name of a column"):
        cepheid.profiles({"hot": HOT}).session(time=3)  # type: ignore[arg-type]
    with pytest.raises(BindingError, match="lateness="):
        cepheid.profiles({"hot": HOT}).session(**BINDING, lateness="soon")
    fine = "PATTERN SEQ(A a, B b) WITHIN 5"
    with pytest.raises(CepheidError, match="profile 'p': over an unbounded stream"):
        cepheid.profiles({"fine": fine, "p": "PATTERN SEQ(A a, B b)"}).session(**BINDING, lateness=2)
    with pytest.raises(CepheidError, match="has no unit"):
        cepheid.profiles({"fine": fine, "p": "PATTERN A a WITHIN 5 min"}).session(**BINDING)
    endless = "PATTERN SEQ(A a, SILENCE OF B b FOR 5)"  # has no unit either, which is not what is wrong
    with pytest.raises(CepheidError, match="profile 'p': over an unbounded stream"):
        cepheid.profiles({"p": endless}).session(**BINDING)
    with pytest.raises(CepheidError, match="profile 'p': over an unbounded stream"):
        cepheid.profiles({"fine": fine, "p": endless}).session(**BINDING)
    session = cepheid.profiles({}).session(**BINDING)
    with pytest.raises(CepheidError, match="compared here with something else"):
        session.add("length", "PATTERN A a WHERE a.x > 5 min WITHIN 5")
    with pytest.raises(BindingError, match="no column 'time' for time="):
        session.push(pa.table({"when": [1], "type": ["T"]}))


def test_a_profile_that_does_not_fit_the_times_is_named_and_nothing_is_taken() -> None:
    session = cepheid.profiles({"min": "PATTERN T t WITHIN 5 min"}).session(**BINDING)
    with pytest.raises(CepheidError, match=r"profile 'min': 5 min"):
        session.push(event(1))
    assert session.push(event("2024-05-01T12:00:00")).num_rows == 1
