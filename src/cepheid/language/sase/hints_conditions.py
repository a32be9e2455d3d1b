"""Probable causes of a syntax error in WHERE, RETURN, AGG, EMIT and WITHIN."""

import re

from cepheid.language.sase.failure import CLAUSES, Advice, Failure
from cepheid.time import parse_unit

_OPERATOR_AT_END = re.compile(r"(?:[=<>+\-*/%,({]|\b(?:and|or|not|where|return))\Z", re.IGNORECASE)


def missing_before(failure: Failure) -> Advice | None:
    """`WHERE a.x > WITHIN 5`: the keyword stands where a value should, and was read as a name."""
    word = failure.previous.upper()
    if failure.previous_is_a_name and word in (*CLAUSES, "AND", "OR"):
        if _OPERATOR_AT_END.search(failure.before_previous()):
            return failure.at_previous(
                f"an expression is missing before it; as a name, write `{failure.previous}`"
            )
    return None


def comma(failure: Failure) -> Advice | None:
    """`1,000`, `BETWEEN 1, 5`, `WHERE p, q`."""
    if failure.found != "," or failure.in_pattern:
        return None
    if failure.before[-1:].isdigit() and re.match(r",\d", failure.rest):
        if not re.search(r"between\s*\(?\s*\S+\Z", failure.before, re.IGNORECASE):
            return None, "a number has no comma: write 1000, or 1.5"
    if re.search(r"\bbetween\b(?:(?!\band\b).)*\Z", failure.before, re.IGNORECASE | re.DOTALL):
        return None, "write BETWEEN 1 AND 5"
    return (None, "join conditions with AND") if failure.clause == "WHERE" else None


def tested_value(failure: Failure) -> Advice | None:
    """`x IS 5`, `x NOT NULL`, `x IN 1, 2`."""
    if failure.in_pattern:
        return None
    if re.search(r"\bis\Z", failure.before, re.IGNORECASE) and "NULL" in failure.accepted:
        return None, "IS is for IS NULL alone: write = for a value"
    if re.search(r"\bis\s+not\Z", failure.before, re.IGNORECASE):
        return None, "IS NOT is for IS NOT NULL alone: write != for a value"
    if failure.word == "NULL" and failure.previous.upper() == "NOT":
        return None, "write IS NOT NULL"
    if failure.previous.upper() == "IN" and failure.accepted == {"LPAR"}:
        return None, "write IN (1, 2)"
    return None


def index(failure: Failure) -> Advice | None:
    """`a[-1]`, `a[i+1]`, `a['x']`."""
    if failure.in_pattern or not re.search(r"\w\s*\[\s*i?\Z", failure.before):
        return None
    if failure.found == "-" and failure.before.endswith("["):
        return None, "the last event is a[last], and the one before this a[i-1]"
    if failure.found == "+":
        return None, "an event does not know the next one: compare a[i] with a[i-1]"
    if failure.found[:1] in ("'", '"'):
        return (
            None,
            f"an attribute is a.x, or a.`x` where its name is no plain word: a.`{failure.found[1:-1]}`",
        )
    return None


def equivalence(failure: Failure) -> Advice | None:
    """`[a.k]`, `[k] = 'p'`."""
    if failure.clause != "WHERE":
        return None
    if failure.found == "." and re.search(
        r"(?:\A|[^\w\s])\s*\[\s*\w+\Z|\bwhere\s*\[\s*\w+\Z", failure.before, re.I
    ):
        return None, "all events agree on an attribute: [k], without a variable"
    if failure.before.endswith("]") and "AND" in failure.accepted and "PLUS" not in failure.accepted:
        if re.match(r"[=<>!]", failure.rest):
            return None, "[k] says that all events agree on k; for a value write a.k = 'p'"
    return None


def braces(failure: Failure) -> Advice | None:
    """`WHERE { p }`, `WHERE strategy { p } AND q`."""
    if failure.found == "{" and failure.previous.upper() == "WHERE":
        return None, "braces follow a strategy: WHERE skip_till_next_match { … }"
    if failure.before.endswith("}") and failure.word in ("AND", "OR") and failure.clause == "WHERE":
        return None, "all conditions stand inside the braces"
    return None


def strategy_in_words(failure: Failure) -> Advice | None:
    """`WHERE SKIP TILL NEXT MATCH { … }`."""
    words = re.search(r"\bskip\s*\Z", failure.before, re.IGNORECASE)
    if words and re.match(r"(?:till|to|until)\b", failure.rest, re.IGNORECASE):
        return None, "a strategy is one word: skip_till_next_match or skip_till_any_match"
    return None


def returned(failure: Failure) -> Advice | None:
    """`RETURN *`, `RETURN a.x x`, `RETURN DISTINCT a.x`, `AS 'x'`, `count(*)`, `GROUP BY a.k`."""
    if failure.found == "*" and re.search(r"\bcount\s*\(\Z", failure.before, re.IGNORECASE):
        if failure.clause == "HAVING":
            return None, "name the column of the row: HAVING count > 5, or with AGG COUNT AS n, HAVING n > 5"
        return None, "the number of matches is AGG COUNT; of the events of a Kleene variable, a.len"
    if re.search(r"\bgroup\s+by\b[\w\s,]*\Z", failure.before, re.IGNORECASE) and failure.found == ".":
        return None, "GROUP BY names an attribute, without a variable: GROUP BY k"
    if failure.clause != "RETURN":
        return None
    if failure.found == "*":
        return None, "leave out RETURN for all variables; a.* is all columns of a"
    if failure.previous.upper() == "DISTINCT":
        return failure.at_previous("a match is a row: drop repeated rows from the result")
    if failure.found == ":":
        return None, "the name comes last: RETURN a.x AS x"
    if failure.found[:1] in ("'", '"') and failure.previous.upper() == "AS":
        return None, f"a name has no quotes; where it is no plain word, write `{failure.found[1:-1]}`"
    return None


def name_without_as(failure: Failure) -> Advice | None:
    """`RETURN a.x x`."""
    if failure.clause == "RETURN" and "AS" in failure.accepted and re.match(r"[^\W\d]", failure.found):
        return None, f"write AS before a name: AS {failure.found}"
    return None


def emitted(failure: Failure) -> Advice | None:
    """`EMIT NON-OVERLAPPING`, `EMIT ONCE`."""
    if failure.clause != "EMIT":
        return None
    if re.match(r"non[-_]?overlapping", failure.rest, re.IGNORECASE) or failure.previous.upper() == "NON":
        return None, "write EMIT NON OVERLAPPING"
    if failure.word == "ONCE":
        return None, "write EMIT FIRST 1 for one match of each last event, or EMIT NON OVERLAPPING"
    return None


def window(failure: Failure) -> Advice | None:
    """`WITHIN '5 min'`, `WITHIN INTERVAL …`, `WITHIN <= 5 min`, `1h30m`, `1_000`."""
    if re.search(r"\d_\Z", failure.before) and failure.found[:1].isdigit():
        return None, "a number has no _: write 1000"
    if re.search(r"\bwithin\s*<\Z", failure.before, re.IGNORECASE) and failure.found == "=":
        return None, "WITHIN 5 min includes its end, and WITHIN < 5 min does not"
    if failure.previous.upper() == "WITHIN" and "NUMBER" in failure.accepted and not failure.at_end:
        return None, "write a number and a unit: WITHIN 5 min"
    if re.search(r"\binterval\s*'[^']*'\Z", failure.before, re.IGNORECASE) and parse_unit(failure.found):
        return None, "a duration is a number and a unit: 5 min"
    if failure.clause == "WITHIN" and failure.word in ("AND", "OR", ","):
        return None, "conditions follow WHERE, before WITHIN or after it"
    unit = re.search(r"\d\s*([^\W\d_]+)\Z", failure.before)
    if failure.found[:1].isdigit() and unit and parse_unit(unit[1]):
        return None, "a duration is one number and one unit: for 1 hour 30 min write 90 min"
    return None


def semicolon_at_the_end(failure: Failure) -> Advice | None:
    if failure.found == ";" and not failure.rest[1:].strip() and not failure.in_pattern:
        return None, "a query ends without ;"
    return None
