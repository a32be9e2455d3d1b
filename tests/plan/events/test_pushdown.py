"""Which events can never matter, as a filter that is never stronger than the truth."""

from __future__ import annotations

import pyarrow as pa
import pytest

from cepheid.events import EventSchema, bind
from cepheid.language.sase.parse import parse
from cepheid.plan.choose import plan_for
from cepheid.plan.events.pushdown import Pushed, pushed

COLUMNS = pa.schema(
    [
        ("ts", pa.timestamp("us", "UTC")),
        ("kind", pa.string()),
        ("k", pa.int64()),
        ("x", pa.int64()),
        ("y", pa.float64()),
        ("s", pa.string()),
        ("f", pa.bool_()),
        ("d", pa.date32()),
        ("seconds", pa.timestamp("s")),
        ("fine", pa.timestamp("ns")),
        ("m", pa.decimal128(10, 2)),
        ("big", pa.uint64()),
        ("half", pa.float16()),
        ("tod", pa.time64("us")),
        ("long", pa.duration("us")),
        ("nothing", pa.null()),
        ("within", pa.int64()),
    ]
)
SCHEMA = bind(COLUMNS, "ts", "kind")
UNTYPED = bind(COLUMNS, "ts")


def of(text: str, schema: EventSchema = SCHEMA) -> Pushed:
    return pushed(plan_for(parse(text), schema))


def one(condition: str) -> Pushed:
    return of(f"PATTERN ANY v WHERE {condition}", UNTYPED)


# -- which events matter ---------------------------------------------------------------------------

QUERIES = [
    ("PATTERN SEQ(A a, B b)", "kind IN ('A', 'B')"),
    ("PATTERN SEQ(A a, A b)", "kind = 'A'"),
    ("PATTERN SEQ(A a, B b) WHERE [k]", "kind IN ('A', 'B') AND k IS NOT NULL"),
    ("PATTERN SEQ(A a, B b) WHERE [k, s] AND [k]", "kind IN ('A', 'B') AND k IS NOT NULL AND s IS NOT NULL"),
    ("PATTERN A a WHERE a.x > 5 AND a.y < 1", "kind = 'A' AND x > 5 AND y < 1.0"),
    (
        "PATTERN SEQ(A a, B b, C c) WHERE a.x > 5",
        "kind IN ('A', 'B', 'C') AND (kind = 'A' AND x > 5 OR kind IN ('B', 'C'))",
    ),
    ("PATTERN SEQ(A a, B b) WHERE a.x > 5 AND b.x > 5", "kind IN ('A', 'B') AND x > 5"),
    (
        "PATTERN SEQ(A a, B b) WHERE a.x > 5 AND b.x > 5 AND b.f",
        "kind IN ('A', 'B') AND x > 5 AND (kind = 'A' OR kind = 'B' AND f)",
    ),
    ("PATTERN SEQ(A a, A b) WHERE a.x > 5", "kind = 'A'"),
    ("PATTERN SEQ(A a, A b) WHERE a.x > 5 AND b.x < 0", "kind = 'A' AND (x > 5 OR x < 0)"),
    (
        "PATTERN SEQ(A a, A b, B c) WHERE a.x > 5 AND b.x < 0",
        "kind IN ('A', 'B') AND (kind = 'A' AND (x > 5 OR x < 0) OR kind = 'B')",
    ),
    ("PATTERN A+ a[] WHERE a[1].x > 5 AND a[i].y > 1", "kind = 'A' AND y > 1.0"),
    ("PATTERN A+ a[] WHERE a[i].x > a[i-1].x AND a[1].x > 5", "kind = 'A'"),
    ("PATTERN A+ a[] WHERE a[last].x > 5", "kind = 'A'"),
    (
        "PATTERN SEQ(A a, ~B b, C c) WHERE b.x = 1 AND b.y > a.y",
        "kind IN ('A', 'C', 'B') AND (kind IN ('A', 'C') OR kind = 'B' AND x = 1)",
    ),
    ("PATTERN SEQ(A a, B? b) WHERE b.x = 1", "kind IN ('A', 'B') AND (kind = 'A' OR kind = 'B' AND x = 1)"),
    ("PATTERN SEQ(A a, ANY b) WHERE b.x = 1", "kind = 'A' OR x = 1"),
    (
        "PATTERN A a WHERE a.type = 'A' AND a.time > '2024-05-01'",
        "kind = 'A' AND ts > TIMESTAMP '2024-05-01 00:00:00+00:00'",
    ),
    ("PATTERN A a WHERE 1 = 2", "FALSE"),
    ("PATTERN SEQ(A a, B b) WHERE 1 = 2", "kind = 'B'"),
    ("PATTERN A a WHERE a.`within` = 1 AND a.`d` IS NULL", "kind = 'A' AND within = 1 AND d IS NULL"),
    ("PATTERN (A a | B b) WITHIN 1 min", "kind IN ('A', 'B')"),
    ("PATTERN A a WHERE length(a.s) > 3", "kind = 'A' AND length(s) > 3"),
    (
        "PATTERN A a WHERE substr(a.s, 1, 2) || 'x' = 'abx'",
        "kind = 'A' AND concat(substr(s, 1, 2), 'x') = 'abx'",
    ),
    ("PATTERN A a WHERE substr(a.s, -2) LIKE 'a%'", "kind = 'A' AND substr(s, -2) LIKE 'a%'"),
    ("PATTERN A a WHERE coalesce(a.x, a.k) > 3", "kind = 'A' AND (x > 3 OR x IS NULL AND k > 3)"),
    ("PATTERN A a WHERE coalesce(a.s, 'q') = 'q'", "kind = 'A' AND (s = 'q' OR s IS NULL)"),
    ("PATTERN A a WHERE CASE WHEN a.x > 1 THEN 'more' ELSE 'less' END = 'more'", "kind = 'A' AND x > 1"),
    ("PATTERN A a WHERE CASE WHEN a.x > 1 THEN a.k END > 5", "kind = 'A' AND x > 1 AND k > 5"),
]


@pytest.mark.parametrize("strategy", ["skip_till_next_match", "skip_till_any_match"])
@pytest.mark.parametrize(("text", "expected"), QUERIES)
def test_what_passes(text: str, expected: str, strategy: str) -> None:
    head, _, conditions = text.partition(" WHERE ")
    found = of(f"{head} WHERE {strategy} {{ {conditions} }}" if conditions else text)
    assert found.text == expected
    assert found.weakened == ()
    assert "passes over events that no variable can take" in found.reason


EVERYTHING = [
    ("PATTERN SEQ(A a, B b) WHERE strict_contiguity { a.x > 1 }", "", "every event of the stream"),
    ("PATTERN SEQ(A a, B b) WHERE strict_contiguity { [k] }", "", "every event of the stream"),
    ("PATTERN SEQ(A a, B b) WHERE partition_contiguity { a.x > 1 }", "", "every event of the stream"),
    (
        "PATTERN SEQ(A a, B b) WHERE partition_contiguity { [k] }",
        "k IS NOT NULL",
        "every event of a partition",
    ),
    ("PATTERN SEQ(A a, B b) WITHIN 5 EVENTS", "", "a window of events counts them all"),
    ("PATTERN SEQ((SEQ(A a, B b)) WITHIN 5 EVENTS, C c)", "", "a window of events counts them all"),
    (
        "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 5 EVENTS",
        "k IS NOT NULL",
        "a window of events counts them all",
    ),
    ("PATTERN SEQ(A a, ANY b) WITHIN 5 min", "", "b may be any event"),
    ("PATTERN SEQ(A a, ANY b) WHERE [k]", "k IS NOT NULL", "b may be any event"),
    ("PATTERN SEQ(A a, ~ANY b, C c) WHERE b.x > a.x", "", "b may be any event"),
    ("PATTERN ANY+ a[] WHERE a[1].x > 5", "", "a may be any event"),
    ("PATTERN SEQ(A a, ANY b) WHERE upper(b.s) = 'A'", "", "what b may be cannot be tested ahead"),
]


@pytest.mark.parametrize(("text", "expected", "reason"), EVERYTHING)
def test_every_event_matters(text: str, expected: str, reason: str) -> None:
    found = of(text)
    assert found.text == expected
    assert reason in found.reason


def test_the_text_says_why_and_what_is_tested_later() -> None:
    found = of(
        "PATTERN SEQ(A a, B b) "
        "WHERE skip_till_next_match { a.x > 5 AND hour(a.time) = 3 AND lower(b.s) = 'q' }"
    )
    assert str(found) == (
        "kind IN ('A', 'B') AND (kind = 'A' AND x > 5 OR kind = 'B')\n"
        "because skip_till_next_match passes over events that no variable can take\n"
        "tested later: hour(time) = 3\n"
        "tested later: lower(s) = 'q'"
    )
    assert str(of("PATTERN ANY a")) == "every event\nbecause a may be any event"


def test_opaque_columns_are_asked_only_whether_they_are_null() -> None:
    plan = plan_for(parse("PATTERN A a WHERE [s] AND a.s = 'q' AND a.x > 5 AND a.s IS NOT NULL"), SCHEMA)
    found = pushed(plan, frozenset({"s", "kind"}))
    assert found.text == "s IS NOT NULL AND x > 5"
    assert found.weakened == ("kind = 'A'", "s = 'q'")


# -- conditions ------------------------------------------------------------------------------------

TRANSLATED = [
    ("v.x > 5", "x > 5"),
    ("5 < v.x", "x > 5"),
    ("NOT v.x > 5", "x <= 5"),
    ("NOT (v.x > 5 AND NOT v.f)", "x <= 5 OR f"),
    ("NOT (v.x > 5 OR v.f)", "x <= 5 AND NOT f"),
    ("v.x > 5 AND v.x > 5", "x > 5"),
    ("v.x > 5 OR v.x > 5", "x > 5"),
    ("v.x > 5 OR 1 = 1 OR v.f", ""),
    ("v.f = true", "f = TRUE"),
    # a negated comparison of floats holds for NaN
    ("NOT v.y > 5", "NOT y > 5.0"),
    ("NOT v.y = 5", "y != 5.0"),
    ("v.y NOT BETWEEN 1 AND 2", "NOT y >= 1.0 OR NOT y <= 2.0"),
    # ranges and lists
    ("v.x BETWEEN 1 AND 2", "x >= 1 AND x <= 2"),
    ("v.x NOT BETWEEN 1 AND 2", "x < 1 OR x > 2"),
    ("v.x IN (1, 2, 1)", "x IN (1, 2)"),
    ("v.x NOT IN (1, 2)", "x NOT IN (1, 2)"),
    ("v.x = 1 OR v.f OR v.x IN (2, 3)", "x IN (1, 2, 3) OR f"),
    ("v.x != 1 AND v.x NOT IN (2, 3)", "x NOT IN (1, 2, 3)"),
    ("v.x IN (1, v.k)", "x = 1 OR x = k"),
    # between two whole numbers, two days, two seconds
    ("v.x > 0.5", "x > 0"),
    ("v.x >= 0.5", "x >= 1"),
    ("v.x < 0.5", "x < 1"),
    ("v.x <= 0.5", "x <= 0"),
    ("v.x <= -0.5", "x <= -1"),
    ("v.x = 0.5", "FALSE"),
    ("v.x != 0.5", "x IS NOT NULL"),
    ("v.x IN (0.5, 3.0, 4)", "x IN (3, 4)"),
    ("v.x > 1e300", "x > 1e+300"),
    ("v.d > '2024-05-01 12:00'", "d > TIMESTAMP '2024-05-01 00:00:00'"),
    ("v.d >= '2024-05-01 12:00'", "d >= TIMESTAMP '2024-05-02 00:00:00'"),
    ("v.d >= '2024-05-01T00:00+02:00'", "d >= TIMESTAMP '2024-05-01 00:00:00'"),
    ("v.d = '2024-05-01'", "d = TIMESTAMP '2024-05-01 00:00:00'"),
    ("v.seconds < '2024-05-01 12:00:00.5'", "seconds < TIMESTAMP '2024-05-01 12:00:01'"),
    ("v.fine < '2024-05-01 12:00:00.5'", "fine < TIMESTAMP '2024-05-01 12:00:00.500000'"),
    ("v.time < '2024-05-01T14:00:00+02:00'", "ts < TIMESTAMP '2024-05-01 14:00:00+02:00'"),
    # decimals are compared as floats, so what is too near passes
    ("v.m > 5", "m >= 5.0"),
    ("v.m < 5.005", "m <= 5.0"),
    ("v.m = 5.01", "m = 5.01"),
    ("v.m = 5.001", "FALSE"),
    ("NOT v.m > 5", "m <= 5.0"),
    # text
    ("v.s LIKE 'a%'", "s LIKE 'a%'"),
    ("NOT v.s LIKE 'a%'", "s NOT LIKE 'a%'"),
    ("v.s >= 'é'", "s >= 'é'"),
    ("v.s = v.kind", "s = kind"),
    # arithmetic that all compute alike
    ("v.x + 1 > 5", "x + 1 > 5"),
    ("v.x * v.y > abs(v.k) % 3", "x * y > abs(k) % 3"),
    ("-v.x / 2 < 1", "-x / 2 < 1"),
    # nulls
    ("v.x IS NULL", "x IS NULL"),
    ("NOT v.x IS NULL", "x IS NOT NULL"),
    ("v.x = null", "FALSE"),
    ("NOT v.x = null", "FALSE"),
    ("v.x IN (1, null)", "x = 1"),
    ("v.x NOT IN (1, null)", "FALSE"),
    ("v.x NOT BETWEEN null AND 5", "x > 5"),
    ("v.x + null > 1", "FALSE"),
    ("v.nothing = 1", "FALSE"),
    ("v.nothing IS NULL", "nothing IS NULL"),
    ("null IS NULL", ""),
    ("null IS NOT NULL", "FALSE"),
]


@pytest.mark.parametrize(("condition", "expected"), TRANSLATED)
def test_conditions(condition: str, expected: str) -> None:
    found = one(condition)
    assert found.text == expected
    assert found.weakened == ()


LEFT_OUT = [
    ("hour(v.time) = 3", "hour(time) = 3"),
    ("day_of_week(v.d) = 3", "day_of_week(d) = 3"),
    ("lower(v.s) = 'a'", "lower(s) = 'a'"),
    ("regexp_like(v.s, 'a')", "regexp_like(s, 'a')"),
    ("coalesce(v.x, v.y) = 1", "coalesce(x, y) = 1"),
    ("round(v.y) = 1", "round(y) = 1"),
    ("v.s LIKE 'a\\%'", "s LIKE 'a\\%'"),
    ("v.time = v.seconds", "time = seconds"),
    ("v.time = v.d", "time = d"),
    ("v.time + 1 min > '2024-05-01'", "time + 1 min > TIMESTAMP '2024-05-01 00:00:00+00:00'"),
    ("v.fine < '2300-01-01'", "fine < TIMESTAMP '2300-01-01 00:00:00'"),
    ("v.time < '0001-01-01T00:00+02:00'", "time < TIMESTAMP '0001-01-01 00:00:00+02:00'"),
    ("v.m != 5", "m != 5"),
    ("v.m > v.y", "m > y"),
    ("v.m + 1 > 5", "m + 1 > 5"),
    ("v.m < 1e30", "m < 1e+30"),
    ("v.big > 5", "big > 5"),
    ("v.half > 5", "half > 5"),
    ("v.tod > '12:00'", "tod > '12:00:00'"),
    ("v.long > 1 min", "long > 1 min"),
    ("v.x + 1 IS NULL", "x + 1 IS NULL"),
    ("v.x > 5 OR hour(v.time) = 3", "x > 5 OR hour(time) = 3"),
    ("NOT (v.x > 5 AND hour(v.time) = 3)", "NOT (x > 5 AND hour(time) = 3)"),
]


@pytest.mark.parametrize(("condition", "shown"), LEFT_OUT)
def test_what_cannot_be_tested_ahead_is_left_out(condition: str, shown: str) -> None:
    alone = one(condition)
    assert alone.filter is None
    assert len(alone.weakened) == 1
    beside = one(f"v.k = 1 AND ({condition})")
    assert beside.text == "k = 1"
    assert beside.weakened == (shown,)


def test_parts_of_an_or_are_weakened_by_themselves() -> None:
    found = one("(v.x > 5 AND hour(v.time) = 3) OR v.y = 1")
    assert (found.text, found.weakened) == ("x > 5 OR y = 1.0", ("hour(time) = 3",))
    found = one("NOT ((v.x > 5 OR hour(v.time) = 3) AND v.y = 1)")
    assert (found.text, found.weakened) == ("x <= 5 OR y != 1.0", ("NOT hour(time) = 3",))


def test_conditions_may_be_deep_and_long() -> None:
    deep = "v.x = 1"
    for level in range(60):
        deep = f"NOT (v.k > {level} AND {deep})"
    assert one(deep).filter is not None
    many = ", ".join(str(number) for number in range(5000))
    assert one(f"v.x IN ({many})").text == f"x IN ({many})"
