"""From a query and a stream's columns to a plan."""

from __future__ import annotations

import pickle

import pyarrow as pa
import pytest

from cepheid.errors import LimitError, QueryCheckError, QueryError, UnsupportedError
from cepheid.events import EventSchema, bind
from cepheid.language.sase.parse import parse
from cepheid.plan.choose import choose, plan_for
from cepheid.plan.nfa.plan import NfaPlan
from cepheid.plan.windows import MOST_EVENTS

COLUMNS = pa.schema(
    [
        ("ts", pa.int64()),
        ("kind", pa.string()),
        ("k", pa.int64()),
        ("x", pa.int64()),
        ("s", pa.string()),
        ("y", pa.float64()),
    ]
)
SCHEMA = bind(COLUMNS, "ts", "kind")


def plan(text: str, schema: EventSchema = SCHEMA) -> NfaPlan:
    return plan_for(parse(text), schema)


def stamped(kind: pa.DataType) -> EventSchema:
    return bind(pa.schema([("ts", kind), ("kind", pa.string())]), "ts", "kind")


# -- what travels ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("PATTERN A a", ("ts", "kind", "k", "x", "s", "y")),
        ("PATTERN A a RETURN a.x", ("ts", "kind", "x")),
        ("PATTERN A a WHERE [k] AND a.y > 1 RETURN a.time", ("ts", "kind", "k", "y")),
        ("PATTERN A+ a[] WHERE a[i].x > 1 RETURN a.len", ("ts", "kind", "x")),
        ("PATTERN SEQ(A a, ~B b, C c) WHERE b.s = 'q' RETURN first_time() AS f", ("ts", "kind", "s")),
        ("PATTERN A a WHERE [type] RETURN a.type", ("ts", "kind")),
    ],
)
def test_only_what_is_needed_travels(text: str, needed: tuple[str, ...]) -> None:
    assert plan(text).needed == needed


def test_the_result_has_a_schema_before_data_moves() -> None:
    found = plan(
        "PATTERN SEQ(A+ a[], B? b) RETURN a[last].x, b.s, avg(a.x), collect(a.y) AS ys, a.len, "
        "b.x / 2 AS half, b.x > 1 AS big, a[1].time"
    )
    assert found.output_schema == pa.schema(
        [
            ("a_last_x", pa.int64()),
            ("b_s", pa.string()),
            ("avg_a_x", pa.float64()),
            ("ys", pa.list_(pa.float64())),
            ("a_len", pa.int64()),
            ("half", pa.float64()),
            ("big", pa.bool_()),
            ("a_first_time", pa.int64()),
            ("match_id", pa.string()),
        ]
    )


@pytest.mark.parametrize(
    "text",
    [
        "PATTERN A a RETURN a.x, a.x",
        "PATTERN A a RETURN a.x AS match_id",
        "PATTERN A match_id",
        "PATTERN A a RETURN a.*, a.x",
    ],
)
def test_two_columns_of_one_name(text: str) -> None:
    with pytest.raises(QueryCheckError, match="two columns of the result are named"):
        plan(text)


# -- windows ---------------------------------------------------------------------------------------

LIMITS = [
    ("WITHIN 10", pa.int64(), 10),
    ("WITHIN < 10", pa.int64(), 9),
    ("WITHIN 10.5", pa.int64(), 10),
    ("WITHIN < 10.5", pa.int64(), 10),
    ("WITHIN 10.5", pa.float64(), 10.5),
    ("WITHIN 99999999999999999999", pa.int64(), 2**63 - 1),
    ("WITHIN 1 min", pa.timestamp("s"), 60),
    ("WITHIN < 1 min", pa.timestamp("ms"), 59_999),
    ("WITHIN 1500 ms", pa.timestamp("s"), 1),
    ("WITHIN < 1500 ms", pa.timestamp("s"), 1),
    ("WITHIN 1 week", pa.date32(), 7),
    ("WITHIN 36 hours", pa.date32(), 1),
    ("WITHIN 1 day", pa.date64(), 86_400_000),
    ("WITHIN 3 EVENTS", pa.int64(), 2),
    ("WITHIN 99999999999999999999 EVENTS", pa.int64(), MOST_EVENTS),
]


@pytest.mark.parametrize(("window", "kind", "limit"), LIMITS)
def test_windows_in_ticks(window: str, kind: pa.DataType, limit: float) -> None:
    found = plan(f"PATTERN SEQ(A a, B b) {window}", stamped(kind)).window
    assert found is not None and found.limit == limit


def test_a_float_window_may_be_half_open() -> None:
    found = plan("PATTERN SEQ(A a, B b) WITHIN < 2.5", stamped(pa.float64())).window
    assert found is not None and found.strict


# -- units -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "unit"),
    [
        (pa.timestamp("us"), "us"),
        (pa.timestamp("ns"), "ns"),
        (pa.duration("ns"), "ns"),
        (pa.duration("s"), "us"),
        (pa.date32(), "us"),
    ],
    ids=str,
)
def test_nanoseconds_only_where_they_are_needed(kind: pa.DataType, unit: str) -> None:
    schema = bind(pa.schema([("ts", pa.int64()), ("d", kind)]), "ts")
    assert plan("PATTERN ANY a", schema).unit == unit


def test_a_query_may_need_nanoseconds_too() -> None:
    schema = stamped(pa.timestamp("us"))
    assert plan("PATTERN SEQ(A a, B b) WHERE b.time - a.time > 1 us", schema).unit == "us"
    assert plan("PATTERN SEQ(A a, B b) WHERE b.time - a.time > 1 ns", schema).unit == "ns"


# -- who a query is --------------------------------------------------------------------------------


def test_fingerprints() -> None:
    one, same = plan("PATTERN SEQ(A a, B b) WITHIN 5"), plan("pattern  A a ; B b  within 5 -- the same")
    assert one.fingerprint == plan("PATTERN SEQ(A a, B b) WITHIN 5").fingerprint
    assert (one.identity == same.identity) == (one.fingerprint == same.fingerprint)
    assert one.identity != plan("PATTERN SEQ(A a, B c) WITHIN 5").identity
    other = bind(COLUMNS.append(pa.field("z", pa.int64())), "ts", "kind")
    assert one.fingerprint != plan("PATTERN SEQ(A a, B b) WITHIN 5", other).fingerprint
    assert one.identity == plan("PATTERN SEQ(A a, B b) WITHIN 5", other).identity


def test_keys_are_columns() -> None:
    assert plan("PATTERN SEQ(A a, B b) WHERE [time, kind] AND [type, k]").query.keys == ("ts", "kind", "k")


def test_plans_are_plain_data() -> None:
    found = plan(
        "PATTERN SEQ(A+ a[], ~B b, C c) "
        "WHERE a[i].x > a[i-1].x AND c.s LIKE 'q%' AND lower(a[1].s) = c.s WITHIN 5"
    )
    assert pickle.loads(pickle.dumps(found)) == found
    assert str(found)


# -- bounds ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "bounded"),
    [
        ("PATTERN A a", True),
        ("PATTERN OR(A a, B b)", True),
        ("PATTERN SEQ(A a, B b)", False),
        ("PATTERN SEQ(A a, B b) WITHIN 5", True),
        ("PATTERN SEQ(A a, B b) WITHIN 5 EVENTS", True),
        ("PATTERN SEQ(A a, B b) WHERE strict_contiguity {}", True),
        ("PATTERN SEQ(A a, B b) WHERE partition_contiguity {}", True),
        ("PATTERN SEQ(A a, B b) WHERE partition_contiguity { [k] }", False),
        ("PATTERN A+ a[] WHERE strict_contiguity {}", False),
        ("PATTERN A{1,3} a[] WHERE strict_contiguity {}", False),
        ("PATTERN SEQ(A a, ~B b, C c) WHERE strict_contiguity {}", False),
    ],
)
def test_which_queries_run_for_ever(text: str, bounded: bool) -> None:
    found = plan(text)
    assert (found.engine.stream_refusal(found) is None) is bounded


# -- engines ---------------------------------------------------------------------------------------

REFUSED = [
    ("PATTERN SEQ(A a, AT '17:00')", "AT"),
    ("PATTERN SEQ(A a, B[2] b)", "Type[i] v"),
]


@pytest.mark.parametrize(
    "text", ["PATTERN AND(A a, B b)", "PATTERN A a & B b", "PATTERN SEQ(A a, B b & C c)"]
)
def test_and_is_for_the_tree_engine(text: str) -> None:
    assert plan(text).engine.name == "tree"
    with pytest.raises(UnsupportedError, match="AND is for the tree engine"):
        choose(parse(text), "nfa")


@pytest.mark.parametrize(("text", "construct"), REFUSED)
def test_what_no_engine_runs_is_refused_by_name(text: str, construct: str) -> None:
    for refused in (lambda: plan(text), lambda: choose(parse(text)), lambda: choose(parse(text), "nfa")):
        with pytest.raises(UnsupportedError) as caught:
            refused()
        assert construct in str(caught.value) and "stands in profiles alone" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "construct"),
    [("PATTERN SEQ(A a, EVERY 30 min)", "EVERY"), ("PATTERN SEQ(A a, SILENCE OF B b FOR 30 min)", "SILENCE")],
)
def test_time_events_are_refused_by_name(text: str, construct: str) -> None:
    with pytest.raises(UnsupportedError, match=construct):
        plan(text, stamped(pa.timestamp("us")))


def test_an_engine_that_is_not() -> None:
    with pytest.raises(QueryError, match="there is no engine 'warp'"):
        choose(parse("PATTERN A a"), "warp")
    assert choose(parse("PATTERN A a"))[0].name == "nfa"


@pytest.mark.parametrize(
    ("variables", "size"),
    [
        (["A a{}"] * 63, 63),
        (["A a{}"] * 64, 64),
        (["A+ a{}[]"] * 31 + ["A b{}"], 63),
        (["A+ a{}[]"] * 32, 64),
        (["A? a{}", "~B b{}"] * 31 + ["A c{}"], 63),
        (["A? a{}", "~B b{}"] * 31 + ["A c{}", "~B d{}"], 64),
    ],
)
def test_how_large_a_pattern_may_be(variables: list[str], size: int) -> None:
    text = f"PATTERN SEQ({', '.join(item.format(place) for place, item in enumerate(variables))}) WITHIN 9"
    if size <= 63:
        plan(text)
        return
    with pytest.raises(LimitError, match=r"are 64 tests of an event, and at most 63 .*Divide it"):
        plan(text)
