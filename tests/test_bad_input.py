"""Bad input of every kind: an error of ours that says what is wrong, never another traceback."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import (
    BindingError,
    CepheidError,
    LimitError,
    QueryCheckError,
    QueryError,
    QuerySyntaxError,
    SourceError,
    UnsupportedError,
)
from cepheid.testing import events

BINDING: dict[str, Any] = {"time": "time", "type": "type"}
TABLE = events(
    """
    time type x y   s f     d
    1    A    1 1.5 p true  2024-01-01
    2    B    2 2.5 q false 2024-01-02
    3    A    3 3.5 r null  null
    """
)
STAMPED = TABLE.set_column(0, "time", pa.array([0, 60, 120], pa.timestamp("s")))


def run(query: str, given: Any = TABLE, **binding: Any) -> Any:
    return cepheid.query(query).run(given, **{**BINDING, **binding})


# -- queries ---------------------------------------------------------------------------------------

PAIR = "PATTERN SEQ(A a, B b) "
QUERIES: list[tuple[str, type[CepheidError], str]] = [
    # malformed
    ("", QuerySyntaxError, "the query is empty"),
    ("   -- nothing\n", QuerySyntaxError, "the query is empty"),
    ("SELECT * FROM t", QuerySyntaxError, "PATTERN"),
    ("PATTERN", QuerySyntaxError, "expected a pattern"),
    ("PATTERN SEQ(A a, B b", QuerySyntaxError, "a ) is missing"),
    ("PATTERN SEQ(A a,, B b)", QuerySyntaxError, "does not fit here"),
    ("PATTERN A a WHERE", QuerySyntaxError, "ends too early"),
    ("PATTERN A a WHERE a.x =", QuerySyntaxError, "ends too early"),
    ("PATTERN A a WHERE a.x = 'open", QuerySyntaxError, "'"),
    ("PATTERN A a WITHIN 5 fortnights", QuerySyntaxError, "fortnights"),
    ("PATTERN A a WITHIN 5 WITHIN 6", QuerySyntaxError, "given twice"),
    ("PATTERN A a\0", QuerySyntaxError, ""),
    ("PATTERN A a WHERE a.s = '\ud800'", QuerySyntaxError, "half a character, U+D800"),
    # what is not there
    (PAIR + "WHERE a.xx = 1", QueryCheckError, "no attribute 'xx'"),
    (PAIR + "WHERE c.x = 1", QueryCheckError, "no variable 'c'"),
    (PAIR + "WHERE [xx]", QueryCheckError, "no attribute 'xx'"),
    (PAIR + "RETURN a.xx", QueryCheckError, "no attribute 'xx'"),
    (PAIR + "RETURN c.*", QueryCheckError, "no variable 'c'"),
    (PAIR + "WHERE nope(a.x) = 1", QuerySyntaxError, "no function 'nope'"),
    # types
    (PAIR + "WHERE a.x = 'p'", QueryCheckError, "cannot be compared"),
    (PAIR + "WHERE a.s > 1", QueryCheckError, "cannot be compared"),
    (PAIR + "WHERE a.f > b.f", QueryCheckError, "only by = and !="),
    (PAIR + "WHERE a.x", QueryCheckError, "a condition is expected"),
    (PAIR + "WHERE a.s + 1 = 2", QueryCheckError, "has no meaning"),
    (PAIR + "WHERE a.x LIKE 'p'", QueryCheckError, "LIKE is for strings"),
    (PAIR + "WHERE hour(a.x) = 1", QueryCheckError, "hour() takes a timestamp"),
    (PAIR + "WHERE a.d > 'noon'", QueryCheckError, "'noon'"),
    (PAIR + "WHERE a.x IN (1, 'p')", QueryCheckError, "cannot be compared"),
    (PAIR + "WHERE a.x BETWEEN 1 AND 'p'", QueryCheckError, "cannot be compared"),
    (PAIR + "WHERE NOT a.x", QueryCheckError, "a condition is expected"),
    (PAIR + "WHERE -a.s = 1", QueryCheckError, "the negative of a string"),
    ("PATTERN A+ a[] WHERE sum(a.s) > 1", QueryCheckError, "sum() of a string"),
    (PAIR + "WHERE a.x = 99999999999999999999", QueryCheckError, "does not fit 64 bits"),
    (PAIR + "WHERE a.x = 1e999", QuerySyntaxError, "too large"),
    # windows
    (PAIR + "WITHIN 0", QueryCheckError, "longer than nothing"),
    (PAIR + "WITHIN 0 EVENTS", QueryCheckError, "at least 1 event"),
    (PAIR + "WITHIN -1", QuerySyntaxError, "does not fit here"),
    (PAIR + "WITHIN 5 min", QueryCheckError, "time_unit="),
    # patterns
    ("PATTERN ~A a", QueryCheckError, "positive"),
    ("PATTERN A? a", QueryCheckError, "optional"),
    ("PATTERN SEQ(A a, B a)", QueryCheckError, "declared twice"),
    ("PATTERN A{3,1} a[]", QueryCheckError, "impossible"),
    ("PATTERN A match_id", QueryCheckError, "match_id"),
    (PAIR + "RETURN a.x AS match_id", QueryCheckError, "match_id"),
    # size
    ("PATTERN A a WHERE " + "a.x = 1 AND " * 90_000 + "a.x = 1", QuerySyntaxError, "the limit is 262,144"),
    ("PATTERN " + "(" * 1000 + "A a" + ")" * 1000, QuerySyntaxError, "nested more than 200"),
    ("PATTERN A a WHERE " + "(" * 1000 + "a.x = 1" + ")" * 1000, QuerySyntaxError, "nested more than 200"),
    ("PATTERN A a WHERE " + "NOT " * 1000 + "a.f", QuerySyntaxError, "nested more than 200"),
    ("PATTERN A a WHERE a.x = " + "-" * 1000 + "1", QueryError, ""),
    ("PATTERN SEQ(" + ", ".join(f"A a{n}" for n in range(64)) + ")", LimitError, "64 variables"),
    ("PATTERN SEQ(" + ", ".join(f"A a{n}" for n in range(5000)) + ")", LimitError, "5000 variables"),
    # known, and not run by any engine yet
    (PAIR + "AGG SUM(a.x + b.x)", UnsupportedError, "several variables"),
    (PAIR + "AGG COUNT, COUNT", QueryCheckError, "two columns of the result are named 'count'"),
    (PAIR + "EMIT ON CLOSE", QueryCheckError, "EMIT ON CLOSE needs AGG"),
    (PAIR + "EMIT EVERY 1 min", QueryCheckError, "EMIT EVERY"),
    (PAIR + "AGG COUNT EMIT EVERY 0", QueryCheckError, "longer than nothing"),
    ("PATTERN SEQ(A a, AT '17:00')", UnsupportedError, "AT"),
    ("PATTERN SEQ(A a, B[2] b)", UnsupportedError, "Type[i] v"),
]


@pytest.mark.parametrize(("text", "kind", "part"), QUERIES, ids=[text[:60] for text, _, _ in QUERIES])
def test_queries(text: str, kind: type[CepheidError], part: str) -> None:
    with pytest.raises(kind) as caught:
        run(text)
    assert part in str(caught.value)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(
    "text", ["PATTERN SEQ(A a, EVERY 30 min)", "PATTERN SEQ(A a, SILENCE OF B b FOR 30 min)"]
)
def test_time_events_of_profiles(text: str) -> None:
    with pytest.raises(UnsupportedError, match=r"EVERY|SILENCE"):
        run(text, STAMPED)


@pytest.mark.parametrize(
    "given", [None, 5, b"PATTERN A a", ["PATTERN A a"], TABLE], ids=lambda given: type(given).__name__
)
def test_what_is_no_query(given: Any) -> None:
    with pytest.raises(QueryError, match="a query is a text or a pattern"):
        cepheid.query(given)


@pytest.mark.parametrize("text", ["PATTERN SEQ(A a, B b)", "PATTERN A+ a[]", "PATTERN SEQ(A a, ~B b)"])
def test_unbounded_over_a_session(text: str) -> None:
    with pytest.raises(QueryCheckError, match="remember events for ever"):
        cepheid.query(text).session(TABLE.schema, **BINDING)


# -- streams ---------------------------------------------------------------------------------------


def with_column(values: Any) -> pa.Table:
    return TABLE.append_column("v", pa.array(values))


STREAMS: list[tuple[str, Callable[[], Any], type[CepheidError], str]] = [
    ("no such time", lambda: run(PAIR, time="tiem"), BindingError, "did you mean 'time'?"),
    ("no such type", lambda: run(PAIR, type="typ"), BindingError, "did you mean 'type'?"),
    ("no such order", lambda: run(PAIR, order=["seq"]), BindingError, "no column 'seq' for order="),
    ("a time that is text", lambda: run(PAIR, time="s"), BindingError, "is not a time"),
    ("a time that is truth", lambda: run(PAIR, time="f"), BindingError, "is not a time"),
    ("a type that is a number", lambda: run(PAIR, type="x"), BindingError, "should be text"),
    ("no name for the time", lambda: run(PAIR, time=None), BindingError, "the name of a column"),
    ("a number for the time", lambda: run(PAIR, time=0), BindingError, "the name of a column"),
    ("a number for the type", lambda: run(PAIR, type=1), BindingError, "the name of a column"),
    ("a number for the order", lambda: run(PAIR, order=1), BindingError, "order= is a list of columns"),
    ("numbers for the order", lambda: run(PAIR, order=[1]), BindingError, "the name of a column"),
    ("a unit that is none", lambda: run(PAIR, time_unit="parsec"), BindingError, "is no unit"),
    (
        "a unit for timestamps",
        lambda: run(PAIR, STAMPED, time_unit="s"),
        BindingError,
        "time_unit= is for numeric",
    ),
    ("a bare window on timestamps", lambda: run(PAIR + "WITHIN 5", STAMPED), QueryCheckError, "has no unit"),
    (
        "a column twice",
        lambda: run(PAIR, pa.table([[1], [2], ["A"]], names=["time", "time", "type"])),
        BindingError,
        "more than one column named 'time'",
    ),
    ("types without a type column", lambda: run(PAIR, type=None), QueryCheckError, "has no type column"),
    (
        "v.type without a type column",
        lambda: run("PATTERN ANY a WHERE a.kind = 'A'"),
        QueryCheckError,
        "'kind'",
    ),
    ("nothing", lambda: run(PAIR, None), BindingError, "cannot be read from NoneType"),
    (
        "a list in WHERE",
        lambda: run(PAIR + "WHERE a.v = b.v", with_column([[1]] * 3)),
        QueryCheckError,
        "'v' is list",
    ),
    (
        "a list as a key",
        lambda: run(PAIR + "WHERE [v]", with_column([[1]] * 3)),
        QueryCheckError,
        "plain values",
    ),
    (
        "a struct as a key",
        lambda: run(PAIR + "WHERE [v]", with_column([{"p": 1}] * 3)),
        QueryCheckError,
        "plain values",
    ),
    (
        "a struct in WHERE",
        lambda: run(PAIR + "WHERE a.v = b.v", with_column([{"p": 1}] * 3)),
        QueryCheckError,
        "struct",
    ),
    (
        "bytes in WHERE",
        lambda: run(PAIR + "WHERE a.v = b.v", with_column([b"p"] * 3)),
        QueryCheckError,
        "'v' is binary",
    ),
    (
        "bytes in an expression",
        lambda: run(PAIR + "RETURN length(a.v)", with_column([b"p"] * 3)),
        QueryCheckError,
        "binary",
    ),
    (
        "a list in an aggregate",
        lambda: run("PATTERN A+ a[] RETURN max(a.v)", with_column([[1]] * 3)),
        QueryCheckError,
        "list",
    ),
    ("a missing file", lambda: run(PAIR, "no/such/file.parquet"), SourceError, "does not exist"),
    ("a missing file among others", lambda: run(PAIR, ["no.csv", "nor.csv"]), SourceError, "no.csv"),
    ("a file of no known kind", lambda: run(PAIR, __file__), SourceError, "the format is told by the ending"),
    ("a pattern of files without one", lambda: run(PAIR, "no/such/*.csv"), SourceError, "*.csv"),
]


@pytest.mark.parametrize(
    ("call", "kind", "part"), [row[1:] for row in STREAMS], ids=[row[0] for row in STREAMS]
)
def test_streams(call: Callable[[], Any], kind: type[CepheidError], part: str) -> None:
    with pytest.raises(kind) as caught:
        call()
    assert part in str(caught.value)


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl", "arrow"])
@pytest.mark.parametrize("content", [b"", b"\x00\xff\xfe nonsense", b"PAR1 but not really", b"\n\n\n"])
def test_files_that_are_not_what_they_seem(tmp_path: Path, ending: str, content: bytes) -> None:
    path = tmp_path / f"events.{ending}"
    path.write_bytes(content)
    try:
        result = run(PAIR, path)
    except CepheidError as error:
        assert str(error)
    else:
        assert len(result) == 0


def test_a_folder_and_an_unreadable_file(tmp_path: Path) -> None:
    with pytest.raises(SourceError):
        run(PAIR, tmp_path)
    folder = tmp_path / "events.parquet"
    folder.mkdir()
    with pytest.raises(SourceError):
        run(PAIR, folder)


def test_half_a_character_in_a_built_pattern() -> None:
    from cepheid import pattern as p

    with pytest.raises(QueryError):
        cepheid.query(p.event("\ud800", "a"))
