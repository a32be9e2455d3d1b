"""What a wrong text is told: where, what, and what instead."""

from __future__ import annotations

import pytest

from cepheid.errors import QuerySyntaxError
from cepheid.language.sase.parse import parse, parse_conditions, parse_returns

A = "PATTERN A a "
W = A + "WHERE "
K = "PATTERN A+ a[] WHERE "

ERRORS: list[tuple[str, int, int, str, str | None]] = [
    # no query
    ("", 1, 1, "the query is empty", "write PATTERN"),
    ("  -- nothing\n ", 1, 1, "the query is empty", "write PATTERN"),
    ("PATERN A a", 1, 1, "a query begins with PATTERN", "did you mean PATTERN?"),
    ("SELECT a FROM b", 1, 1, "a query begins with PATTERN", "write PATTERN"),
    ("A a ; B b", 1, 1, "a query begins with PATTERN", "write PATTERN"),
    ("PATTERN", 1, 8, "expected a pattern", None),
    # patterns
    ("PATTERN SEQ(A a, B b", 1, 21, "a ) is missing", "the ( of line 1, column 12"),
    ("PATTERN\nSEQ(A a,\n  B b\nWHERE a.x", 4, 1, "a ) is missing", "the ( of line 2, column 4"),
    ("PATTERN SQE(A a, B b)", 1, 12, "'(' does not fit here", "did you mean SEQ instead of SQE?"),
    ("PATTERN A a)", 1, 12, "this ) closes nothing", None),
    ("PATTERN A a, B b", 1, 12, "',' does not fit here", "SEQ(p, q)"),
    ("PATTERN A a AND B b", 1, 13, "'AND' does not fit here", "write &, or AND(p, q)"),
    ("PATTERN A a OR B b", 1, 13, "'OR' does not fit here", "write |, or OR(p, q)"),
    ("PATTERN A a ;", 1, 14, "expected a pattern", "a ';' too many"),
    ("PATTERN SEQ()", 1, 13, "expected a pattern", "the parentheses are empty"),
    ("PATTERN SEQ(A a,)", 1, 17, "expected a pattern", "a ',' too many"),
    ("PATTERN SEQ(A a, B b) SEQ(C c)", 1, 23, "'SEQ' does not fit here", None),
    ("PATTERN A a ~B b", 1, 13, "'~' does not fit here", "separated by"),
    ("PATTERN ~A+ a[]", 1, 11, "'+' does not fit here", "take one type, not each other"),
    ("PATTERN A+ a", 1, 12, "'a' holds several events", "write a[]"),
    ("PATTERN A a[]", 1, 11, "'a' holds one event", "Type+ a[]"),
    ("PATTERN A^5 a", 1, 10, "'^' does not fit here", "Type{n} v[]"),
    ("PATTERN A{1.5} a[]", 1, 11, "should be a whole number", None),
    ("PATTERN A{,3} a[]", 1, 11, "expected a number", None),
    ("PATTERN A[0] a", 1, 11, "an ordinal should be a whole number, 1 or more", None),
    ("PATTERN ANY", 1, 9, "ANY needs a variable", "write ANY v"),
    ("PATTERN A a ; WHERE a.x = 1", 1, 15, "a pattern is expected before WHERE", "`WHERE`"),
    ("PATTERN A case WHERE case.x > 1", 1, 26, "'.' does not fit here", "as a name, write `case`"),
    ("PATTERN A ``", 1, 11, "backquote", "write `name`"),
    ("PATTERN SILENCE OF A a", 1, 23, "expected FOR", None),
    ("PATTERN AT 17:00", 1, 12, "expected a string in quotes", None),
    (A + "# shelf", 1, 13, "'#' does not fit here", "comments begin with --"),
    # clauses
    ("PATTERN SEQ(A a, B b) WERE a.x = 1", 1, 23, "'WERE' does not fit here", "did you mean WHERE?"),
    (A + "WITHIN 5 min RETRUN a.x", 1, 26, "'RETRUN' does not fit here", "did you mean RETURN?"),
    (W + "a.x = 5 RETRUN a.x", 1, 34, "'a' does not fit here", "did you mean RETURN instead of RETRUN?"),
    (W + "a.x WHERE a.y", 1, 23, "WHERE is given twice", "join conditions with AND"),
    (A + "WITHIN 5 s WITHIN 6 s", 1, 24, "WITHIN is given twice", "stands once"),
    (A + "EMIT ALL EMIT ALL", 1, 22, "EMIT is given twice", "stands once"),
    (A + "GROUP BY k", 1, 13, "'GROUP' does not fit here", "GROUP BY follows AGG"),
    (A + "LIMIT 5", 1, 13, "'LIMIT' does not fit here", "EMIT FIRST k"),
    (A + "WITHIN 5 fortnights", 1, 22, "'fortnights' is not a unit of time", "units:"),
    (A + "WITHIN 5 m", 1, 22, "'m' is not a unit of time", "did you mean min?"),
    (A + "WITHIN 5 huors", 1, 22, "'huors' is not a unit of time", "did you mean hours?"),
    (A + "WITHIN 1 hour 30 min", 1, 27, "'30' does not fit here", "one number and one unit"),
    (A + "WITHIN ten min", 1, 20, "expected < or a number", None),
    (A + "WITHIN 1.5 EVENTS", 1, 20, "a number of events should be a whole number", None),
    (A + "EMIT NONE", 1, 18, "'NONE' does not fit here", "did you mean NON?"),
    (A + "EMIT LONGST", 1, 18, "'LONGST' does not fit here", "did you mean LONGEST?"),
    (A + "EMIT FIRST", 1, 23, "expected a number", None),
    (A + "EMIT FIRST 0", 1, 24, "1 or more", None),
    (A + "EMIT EVERY", 1, 23, "expected a number", None),
    (A + "HAVING n > 1", 1, 13, "HAVING is about the rows of AGG", "follow WHERE"),
    (A + "AGG COUNT HAVING [k]", 1, 30, "an equivalence test [ … ] stands only", None),
    (A + "AGG COUNTT", 1, 17, "AGG has no function 'COUNTT'", "did you mean count?"),
    (A + "AGG SUM", 1, 17, "SUM needs an attribute", "SUM(v.attribute)"),
    (A + "AGG COUNT(a.x)", 1, 17, "COUNT counts matches", "write COUNT"),
    (A + "RETURN", 1, 19, "expected an expression", None),
    (A + "RETURN a.x,", 1, 24, "expected an expression", "a ',' too many"),
    (A + "RETURN lenght(a.x)", 1, 20, "there is no function 'lenght'", "did you mean length?"),
    # WHERE
    (A + "WHERE", 1, 18, "the text ends too early: expected an expression", None),
    (W + "skip_till_next_mach { a.x }", 1, 19, "there is no strategy", "did you mean skip_till_next_match?"),
    (W + "skip-till-next-match { a.x }", 1, 40, "there is no strategy", "did you mean skip_till_next_match?"),
    (W + "skip_till_next_match [id]", 1, 19, "should stand in braces", "{ … }"),
    (W + "skip_till_next_match a.x", 1, 40, "'a' does not fit here", "stand in braces"),
    (W + "skip_till_next_match", 1, 19, "should stand in braces", "{ … }"),
    (W + "skip_till_next_match { [id]", 1, 46, "a } is missing", "the { of line 1, column 40"),
    (W + "skip_till_any_match { a.x WITHIN 5 s", 1, 45, "a } is missing", "is not closed"),
    (W + "a.x = 1 AND", 1, 30, "expected an expression", None),
    (W + "a.x = 1 ADN a.y = 2", 1, 31, "'a' does not fit here", "did you mean AND instead of ADN?"),
    (W + "a.x BETWEN 1 AND 2", 1, 23, "'BETWEN' does not fit here", "did you mean BETWEEN?"),
    (W + "a.x => 1", 1, 24, "'>' does not fit here", "write >="),
    (W + "a.x =< 1", 1, 24, "'<' does not fit here", "write <="),
    (W + "a.x = 1 && a.y = 2", 1, 27, "'&' does not fit here", "write AND"),
    (W + "a.x | a.y", 1, 23, "'|' does not fit here", "write OR"),
    (W + "!a.x", 1, 19, "'!' does not fit here", "write NOT"),
    (W + "a.x ≤ 5", 1, 23, "'≤' does not fit here", "write <="),
    (W + "a.x = 'abc", 1, 25, "the quote ' is never closed", "close it"),
    (W + 'a.x = "abc', 1, 25, 'the quote " is never closed', "close it"),
    (W + "a.x = ‘abc’", 1, 25, "typographic quote", "write '"),
    (W + "a.x = 'it' 's'", 1, 30, "does not fit here", "written twice"),
    (W + "a.x = 10%3", 1, 28, "'3' does not fit here", "write 10 % 3"),
    (W + "(a.x = 1", 1, 27, "a ) is missing", "the ( of line 1, column 19"),
    (W + "a.x = 1)", 1, 26, "this ) closes nothing", None),
    (W + "a.x IN ()", 1, 27, "expected an expression", "the parentheses are empty"),
    (W + "a.x IS 5", 1, 26, "expected NOT or NULL", None),
    (W + "a.x LIKE 5", 1, 28, "expected a parameter or a string in quotes", None),
    (W + "a. = 1", 1, 22, "expected a name", None),
    (W + "price > 5", 1, 19, "'price' alone is not a value", "a.price"),
    (W + "a[i] > 3", 1, 19, "an event is not a value", "a[…].attribute"),
    (W + "a.x = 1e350", 1, 25, "too large", None),
    (W + "date '2020-01-01' < a.time", 1, 19, "a string after 'date'", "TIMESTAMP"),
    (W + "TIMESTAMP '2020-13-01' < a.time", 1, 29, "is not a timestamp", "ISO 8601"),
    (W + "[id] OR a.x", 1, 19, "stands only in the top-level AND", None),
    (W + "NOT [id]", 1, 23, "stands only in the top-level AND", None),
    # Kleene variables and aggregates
    (K + "a[0].x > 1", 1, 24, "'a' has no such index", "an index is 1"),
    (K + "a[i-2].x > 1", 1, 24, "'a' has no such index", "an index is 1"),
    (K + "a[b.len].x > 1", 1, 24, "the length of 'b' is no index into 'a'", "a[last]"),
    (K + "a[..i-1].x > 1", 1, 22, "stands only in an aggregate", "avg(a[..i-1].attribute)"),
    (K + "avg(a[1].x) > 1", 1, 26, "an aggregate runs over all events", "a.x for all of them"),
    (K + "avg(a) > 1", 1, 22, "avg() needs an attribute", "avg(a.attribute)"),
    (K + "sum(a.x + b.y) > 1", 1, 26, "an aggregate is over one variable", None),
    (K + "sum(a.x + a[..i-1].x) > 1", 1, 26, "not both", None),
    (K + "sum(avg(a.x)) > 1", 1, 26, "aggregates cannot be nested", None),
    (K + "sum(1) > 1", 1, 26, "needs an attribute of a Kleene variable", None),
    (K + "count(a.x, a.y) > 1", 1, 22, "takes one argument, not 2", None),
    (K + "\n  a[1].x >\n", 2, 11, "the text ends too early", None),
]


@pytest.mark.parametrize(
    ("text", "line", "column", "message", "hint"), ERRORS, ids=[row[0] for row in ERRORS]
)
def test_errors(text: str, line: int, column: int, message: str, hint: str | None) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse(text)
    error = caught.value
    assert (error.line, error.column) == (line, column)
    assert message in error.message
    assert (hint or "") in (error.hint or "")
    assert hint is None or error.hint is not None
    assert "^" in str(error)


def test_the_message_points_with_a_caret() -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse("PATTERN SEQ(A a, B b)\nWERE a.x = 1")
    assert str(caught.value) == (
        "line 2, column 1: 'WERE' does not fit here: "
        "expected a clause (WHERE, WITHIN, RETURN, AGG, HAVING, EMIT), &, ;, | or the end\n"
        "  WERE a.x = 1\n"
        "  ^^^^\n"
        "did you mean WHERE?"
    )


def test_parts_for_the_builder_point_into_their_own_text() -> None:
    with pytest.raises(QuerySyntaxError, match="line 1, column 6"):
        parse_conditions("a.x = ")
    with pytest.raises(QuerySyntaxError, match="there is nothing here"):
        parse_returns("")
