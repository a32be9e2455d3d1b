"""Queries that parse and mean nothing: refused before data moves, with the place and a way out."""

from __future__ import annotations

import pyarrow as pa
import pytest

from cepheid.errors import QueryCheckError
from cepheid.events import EventSchema, bind
from cepheid.language.sase.parse import parse
from cepheid.pattern.check import check, check_against

COLUMNS = pa.schema(
    [
        ("ts", pa.timestamp("us")),
        ("kind", pa.string()),
        ("price", pa.float64()),
        ("volume", pa.int32()),
        ("symbol", pa.dictionary(pa.int32(), pa.string())),
        ("cost", pa.decimal128(10, 2)),
        ("open", pa.bool_()),
        ("day", pa.date32()),
        ("tags", pa.list_(pa.string())),
        ("raw", pa.binary()),
        ("n", pa.int64()),
    ]
)
TIMED = bind(COLUMNS, "ts", "kind")
NUMBERED = bind(COLUMNS, "n")
SECONDS = bind(COLUMNS, "n", "kind", time_unit="s")

KLEENE = "PATTERN SEQ(A+ a[], B b, C? c, ~D d) "

REFUSED: list[tuple[str, int | None, str, str | None]] = [
    ("PATTERN SEQ(A a, B a)", 18, "'a' is declared twice", "B a2"),
    ("PATTERN A;A", 11, "'A' is declared twice", None),
    ("PATTERN A{3,2} a[]", 9, "at least 3 and at most 2 is impossible", "n <= m"),
    ("PATTERN A{0} a[]", 9, "selects nothing", "m >= 1"),
    ("PATTERN ~A a", 9, "could match without any event", "without ~, ? and *"),
    ("PATTERN SEQ(A? a, B* b[], C{0,2} c[])", 9, "could match without any event", None),
    ("PATTERN OR(A a, B? b)", 9, "could match without any event", None),
    ("PATTERN SEQ(A a, OR(B b, ~C c))", 26, "a branch of OR says only what must not happen", None),
    (
        "PATTERN AND(A a, B b) WHERE skip_till_next_match { }",
        9,
        "AND takes all combinations and needs skip_till_any_match, not skip_till_next_match",
        "WHERE skip_till_any_match",
    ),
    ("PATTERN SEQ(C c, (A a & B b)) WHERE strict_contiguity { }", 18, "not strict_contiguity", "with SEQ"),
    ("PATTERN OR(C c, AND(A a, B b)) WHERE partition_contiguity { [n] }", 17, "AND takes all", None),
    ("PATTERN A a RETURN price", 20, "no variable 'price'", "as in a.price"),
    ("PATTERN SEQ(A a, ~B b) RETURN b", 31, "'b' is negated", None),
    ("PATTERN SEQ(A a, B b) RETURN a AS c, b AS c", 38, "two columns of the result are named 'c'", None),
    ("PATTERN A a WITHIN 0 min", 20, "longer than nothing", None),
    ("PATTERN A a WITHIN 0 EVENTS", 20, "at least 1 event", None),
    ("PATTERN A a WITHIN < 5 EVENTS", 20, "no half-open form", "WITHIN 4 EVENTS"),
    ("PATTERN SEQ(A a, (B b) WITHIN 0)", 31, "longer than nothing", None),
    ("PATTERN SEQ(A a, EVERY 0 min)", 18, "longer than nothing", None),
    ("PATTERN SEQ(A a, AT '25:00')", 18, "'25:00' is not a time of day", "AT '17:00'"),
    (KLEENE + "WHERE x.y = 1", 44, "no variable 'x'", "it declares 'a', 'b'"),
    ("PATTERN A shelf WHERE shlf.x = 1", 23, "no variable 'shlf'", "did you mean 'shelf'?"),
    (KLEENE + "WHERE a.x = 1", 44, "'a' holds several events", "a[i].x"),
    (KLEENE + "WHERE b[1].x = 1", 44, "'b' holds one event", "write b.x"),
    (KLEENE + "WHERE avg(b.x) = 1", 44, "'b' holds one event, and avg() is over several", None),
    (KLEENE + "WHERE count(b) = 1", 44, "'b' holds one event", None),
    (KLEENE + "WHERE first_time() < b.time", 44, "first_time() stands only in RETURN", "v.time"),
    (KLEENE + "WHERE collect(a.x) = 1", 44, "collect() stands only in RETURN", None),
    (KLEENE + "WHERE abs(b.x, b.y) = 1", 44, "abs() takes one argument, not 2", None),
    (KLEENE + "WHERE b.x LIKE 'a\\'", 44, "escapes nothing", None),
    (KLEENE + "WHERE b.x = 9223372036854775808", 50, "does not fit 64 bits", "float"),
    ("PATTERN SEQ(A a, ~B b, ~C c, D d) WHERE b.x = c.x", 41, "two negated variables, 'b' and 'c'", None),
    (KLEENE + "RETURN d.x", 45, "'d' is negated", None),
    (KLEENE + "RETURN d.*", 45, "'d' is negated", None),
    (KLEENE + "RETURN z.*", 45, "no variable 'z'", None),
    (KLEENE + "RETURN a[i].x", 45, "no event is being taken", "collect"),
    (KLEENE + "RETURN avg(a[..i-1].x)", 45, "no event is being taken", None),
    (KLEENE + "RETURN abs(collect(a.x))", 49, "stands alone in RETURN", None),
    (KLEENE + "RETURN b.x AS n, b.y AS n", 55, "named 'n'", "AS"),
    (KLEENE + "RETURN b.x AS match_id", 45, "named 'match_id'", None),
    ("PATTERN A a AGG COUNT RETURN a.x", 13, "exclude each other", None),
    ("PATTERN A a WHERE strict_contiguity {} AGG COUNT", 40, "needs skip_till_any_match", None),
    ("PATTERN A a AGG COUNT AS time", 17, "named 'time'", None),
    ("PATTERN A+ a[] AGG SUM(avg(a.x))", 24, "over attributes", None),
    ("PATTERN SEQ(A a, ~B b) AGG SUM(b.x)", 32, "'b' is negated", None),
    ("PATTERN A a AGG COUNT EMIT LONGEST", 23, "EMIT LONGEST is for matches", "ON CLOSE"),
    ("PATTERN A a EMIT ON CLOSE", 13, "EMIT ON CLOSE needs AGG", None),
    ("PATTERN A a RETURN a.x EMIT COUNT", 24, "RETURN is for matches", "EMIT COMPRESSED"),
]


@pytest.mark.parametrize(("text", "column", "message", "hint"), REFUSED, ids=[row[0] for row in REFUSED])
def test_refused(text: str, column: int, message: str, hint: str | None) -> None:
    query = parse(text)
    with pytest.raises(QueryCheckError) as caught:
        check(query)
    error = caught.value.with_text(text)
    assert message in error.message
    assert (hint or "") in (error.hint or "")
    assert error.column == column


FINE = [
    "PATTERN OR(A a, SEQ(~B b, C? c, D d))",
    "PATTERN SEQ(A a, OR(B? b, C c))",
    "PATTERN A a WHERE 1 = 1 AND a.x = -9223372036854775808",
    KLEENE
    + "WHERE a[i].x > a[i-1].x AND d.x = a[last].x AND a.len > 2 RETURN a.*, collect(a.x), last_time()",
    "PATTERN A+ a[] AGG COUNT, SUM(a.x) GROUP BY k EMIT EVERY 1 min",
    "PATTERN SEQ(A a, AT '09:30', EVERY 30 min, SILENCE OF B b FOR 5 min, T[2] t)",
]


@pytest.mark.parametrize("text", FINE)
def test_fine(text: str) -> None:
    check(parse(text))


AGAINST: list[tuple[EventSchema, str, int | None, str, str | None]] = [
    (TIMED, "PATTERN A a WHERE a.prise > 1", 19, "no attribute 'prise'", "did you mean 'price'?"),
    (TIMED, "PATTERN A a WHERE a.Price > 1", 19, "no attribute 'Price'", "did you mean 'price'?"),
    (TIMED, "PATTERN A a WHERE a.zzz > 1", 19, "no attribute 'zzz'", "it has ts, kind"),
    (TIMED, "PATTERN A+ a[] WHERE sum(a.prise) > 1", 26, "no attribute 'prise'", None),
    (TIMED, "PATTERN A a WHERE a.tags = 1", 19, "cannot be used in expressions", None),
    (TIMED, "PATTERN A a WHERE [symbl]", 19, "no attribute 'symbl'", "did you mean 'symbol'?"),
    (TIMED, "PATTERN A a WHERE [tags]", 19, "grouped only by plain values", None),
    (TIMED, "PATTERN A a AGG COUNT GROUP BY tags", 13, "grouped only by plain values", None),
    (TIMED, "PATTERN A a WHERE a.price", 19, "a condition is expected here, and this is a float", "compare"),
    (TIMED, "PATTERN A a WHERE NOT a.price", 23, "a condition is expected here", None),
    (TIMED, "PATTERN A a WHERE a.price = 1 OR a.volume", 34, "a condition is expected here", None),
    (TIMED, "PATTERN A a WHERE a.price = '5'", 19, "cannot be compared", "without quotes"),
    (TIMED, "PATTERN A a WHERE a.price IN (1, '2')", 34, "cannot be compared", None),
    (TIMED, "PATTERN A a WHERE a.price BETWEEN 1 AND 'z'", 41, "cannot be compared", None),
    (TIMED, "PATTERN A a WHERE a.open < TRUE", 19, "only by = and !=", None),
    (TIMED, "PATTERN A a WHERE a.time > 'yesterday'", 28, "is not one", "ISO 8601"),
    (TIMED, "PATTERN A a WHERE a.time > a.kind", 19, "cannot be compared", "written in the query"),
    (TIMED, "PATTERN A a WHERE a.time > 5", 19, "cannot be compared", None),
    (TIMED, "PATTERN A a WHERE time_of_day(a.time) > '25:00'", 41, "not one", "'17:00'"),
    (TIMED, "PATTERN A a WHERE a.kind + 1 = 2", 19, "has no meaning", "cast"),
    (TIMED, "PATTERN A a WHERE a.time + 5 > a.time", 19, "has no meaning", "5 min"),
    (TIMED, "PATTERN A a WHERE a.time - '2024-05-01' > 5 min", 19, "has no meaning", "TIMESTAMP"),
    (TIMED, "PATTERN A a WHERE 2 * (a.time - a.time) > 5 min", 19, "has no meaning", "write the product out"),
    (TIMED, "PATTERN A a WHERE -a.kind = 'a'", 19, "the negative of a string", None),
    (TIMED, "PATTERN A a WHERE lower(a.price) = 'a'", 25, "lower() takes a string", None),
    (TIMED, "PATTERN A a WHERE hour(a.price) = 1", 24, "hour() takes a timestamp", None),
    (TIMED, "PATTERN A a WHERE a.price LIKE 'a'", 19, "LIKE is for strings", None),
    (TIMED, "PATTERN A+ a[] WHERE avg(a.kind) = 1", 22, "avg() of a string has no meaning", "cast"),
    (TIMED, "PATTERN A a AGG SUM(a.kind)", 17, "SUM of a string", None),
    (TIMED, "PATTERN A a RETURN a.zzz", 20, "no attribute 'zzz'", None),
    (TIMED, "PATTERN A a WITHIN 5", 20, "has no unit", "5 seconds"),
    (TIMED, "PATTERN SEQ(A a, (B b) WITHIN 5)", 31, "has no unit", None),
    (NUMBERED, "PATTERN ANY a WITHIN 5 s", 22, "is a plain number", 'time_unit="s"'),
    (NUMBERED, "PATTERN A a", 9, "no type column", "ANY a"),
    (NUMBERED, "PATTERN ANY a WHERE a.type = 'x'", 21, "no attribute 'type'", None),
    (SECONDS, "PATTERN A a WHERE a.time - a.time < 5 min", 19, "cannot be compared", "plain number"),
]


@pytest.mark.parametrize(
    ("schema", "text", "column", "message", "hint"), AGAINST, ids=[row[1] for row in AGAINST]
)
def test_refused_against(schema: EventSchema, text: str, column: int, message: str, hint: str | None) -> None:
    query = parse(text)
    check(query)
    with pytest.raises(QueryCheckError) as caught:
        check_against(query, schema)
    error = caught.value.with_text(text)
    assert message in error.message
    assert (hint or "") in (error.hint or "")
    assert error.column == column


FITS = [
    (
        TIMED,
        "PATTERN A a WHERE [symbol, raw] AND a.time > '2024-05-01' AND a.day = TIMESTAMP '2024-05-01'",
    ),
    (TIMED, "PATTERN A a WHERE a.open AND a.open = FALSE AND a.price = NULL AND a.symbol = a.type"),
    (TIMED, "PATTERN A a WHERE a.cost * 2 > a.volume AND a.time + 5 min > a.time AND NULL"),
    (TIMED, "PATTERN A a WHERE time_of_day(a.time) BETWEEN '09:00' AND '17:30:15.5' AND sqrt(a.volume) < 3"),
    (
        TIMED,
        "PATTERN A+ a[] WHERE max(a.kind) = 'z' AND sum(a.price * a.n) > 1 RETURN a[1].tags, collect(a.raw)",
    ),
    (TIMED, "PATTERN A a WITHIN 5 EVENTS AGG COUNT, MAX(a.kind) GROUP BY symbol"),
    (NUMBERED, "PATTERN T1;T2 WHERE T1.time < T2.time + 5 WITHIN 5"),
    (SECONDS, "PATTERN A a WITHIN 5 min RETURN first_time()"),
]


@pytest.mark.parametrize(("schema", "text"), FITS, ids=[row[1] for row in FITS])
def test_fits(schema: EventSchema, text: str) -> None:
    query = parse(text)
    check(query)
    check_against(query, schema)
