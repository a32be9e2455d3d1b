"""Words, signs and functions of other languages, and what stands for them here."""

import difflib
import re

from cepheid.language.sase.failure import Advice, Failure
from cepheid.pattern.functions import AGGREGATES, FUNCTIONS

_LIKE = "write LIKE, where % is any text and _ any character:"
_POWER = "there is no power; multiply"
_TEXT_PATTERN = "for patterns of text write regexp_like(a.x, 'p.*'), or LIKE 'p%'"
_PART = "write substr(a.x, from, n)"
_CHOICE = "write CASE WHEN condition THEN value ELSE value END"
_CLOCK = "a query knows only the times of its events: a.time, and in RETURN first_time() and last_time()"
_DIFFERENCE = "subtract the times: b.time - a.time > 5 min"
_ALL_VALUES = "write collect(a.x), in RETURN"
_PARAMETER = "a parameter is $ and a name, as in $least"
_LATER = "an event does not know the next one: compare a[i].x with a[i-1].x, or name the next as a variable"

_FUNCTIONS_ELSEWHERE = {
    **dict.fromkeys(("contains", "includes", "instr", "strpos", "position"), f"{_LIKE} a.x LIKE '%text%'"),
    **dict.fromkeys(("startswith", "starts_with"), f"{_LIKE} a.x LIKE 'text%'"),
    **dict.fromkeys(("endswith", "ends_with"), f"{_LIKE} a.x LIKE '%text'"),
    **dict.fromkeys(("regexp", "regex", "rlike", "match", "matches", "regexp_matches"), _TEXT_PATTERN),
    **dict.fromkeys(("substring", "mid", "left", "right"), _PART),
    **dict.fromkeys(("ifnull", "nvl"), "write coalesce(a.x, 0)"),
    "isnull": "write a.x IS NULL",
    **dict.fromkeys(("if", "iif", "decode", "nullif"), _CHOICE),
    **dict.fromkeys(("len", "size"), "the number of events of a is a.len; of characters, length(a.x)"),
    **dict.fromkeys(("strlen", "char_length"), "write length(a.x)"),
    **dict.fromkeys(("now", "today", "getdate", "current_timestamp"), _CLOCK),
    **dict.fromkeys(("datediff", "date_diff", "timestampdiff"), _DIFFERENCE),
    **dict.fromkeys(("date", "to_date", "to_timestamp"), "write TIMESTAMP '2024-05-01 12:30:00'"),
    **dict.fromkeys(("dayofweek", "weekday", "dow"), "write day_of_week(a.time)"),
    **dict.fromkeys(("pow", "power"), _POWER),
    **dict.fromkeys(("mean", "average"), "write avg(a.x)"),
    **dict.fromkeys(("lag", "prev", "previous"), "the event before, of a Kleene variable, is a[i-1]"),
    **dict.fromkeys(("lead", "next"), _LATER),
    **dict.fromkeys(("array_agg", "list", "group_concat", "string_agg"), _ALL_VALUES),
    "count_distinct": "write count(DISTINCT a.x)",
    **dict.fromkeys(("exists", "not_exists"), "for an event that is not there write ~Type v in PATTERN"),
    **dict.fromkeys(("cast", "int", "float"), "values are not converted: compare numbers with numbers"),
}


def function_hint(name: str) -> str:
    """What to write instead of a function that is not there."""
    known = [*FUNCTIONS, *AGGREGATES]
    near = difflib.get_close_matches(name.lower(), [*known, *_FUNCTIONS_ELSEWHERE], n=1, cutoff=0.75)
    if near and near[0] in _FUNCTIONS_ELSEWHERE:
        return _FUNCTIONS_ELSEWHERE[near[0]]
    return f"did you mean {near[0]}?" if near else f"functions: {', '.join(known)}"


NAMES_ELSEWHERE = {
    **dict.fromkeys(("none", "nil", "undefined"), "write NULL; to test for it, IS NULL"),
    "nan": "compare it with itself: a.x != a.x holds for NaN alone",
}

_FOLLOWS_WHERE = "conditions follow WHERE"
_FOLLOWS_RETURN = "what to return follows RETURN"
_GIVEN_TO_RUN = "the stream is given to run(), not named in the query"
_NOT_OVERLAPPING = "for matches that do not overlap write EMIT NON OVERLAPPING"

_CLAUSES_ELSEWHERE = {
    "GROUP": "GROUP BY follows AGG; to keep the events of each key apart, write WHERE [k]",
    "PARTITION": "to keep the events of each key apart, write WHERE [k]",
    "SELECT": _FOLLOWS_RETURN,
    "MEASURES": _FOLLOWS_RETURN,
    "DEFINE": _FOLLOWS_WHERE,
    "IF": _FOLLOWS_WHERE,
    "WHEN": _FOLLOWS_WHERE,
    "FILTER": _FOLLOWS_WHERE,
    "WITH": "conditions follow WHERE; a length of time follows WITHIN",
    "LIMIT": "EMIT FIRST k gives k matches of each last event; for k in all, cut the result",
    "ORDER": "matches come in the order in which they are completed: sort the result",
    "FROM": _GIVEN_TO_RUN,
    "ON": _GIVEN_TO_RUN,
    "AFTER": _NOT_OVERLAPPING,
    "UNTIL": "for what ends it, write SEQ(A+ a[], B b)",
}

_INSIDE_CONDITIONS = {
    "CONTAINS": f"{_LIKE} a.x LIKE '%text%'",
    "STARTSWITH": f"{_LIKE} a.x LIKE 'text%'",
    "ENDSWITH": f"{_LIKE} a.x LIKE '%text'",
    "ILIKE": "write lower(a.x) LIKE 'text%'",
    **dict.fromkeys(("MATCHES", "REGEXP", "RLIKE", "SIMILAR"), _TEXT_PATTERN),
    "UNLESS": "write AND NOT",
    "XOR": "there is no XOR: write p AND NOT q OR q AND NOT p",
    "FOR": "for how long is a difference of times: b.time - a.time >= 10 min",
}

_QUERIES_ELSEWHERE = {
    "SELECT": "this is not SQL: write PATTERN SEQ(A a, B b) WHERE … RETURN …",
    "MATCH_RECOGNIZE": "there is no table around it: write PATTERN SEQ(A a, B b) WHERE … RETURN …",
    "PARTITION": "PATTERN comes first; to keep the events of each key apart, write WHERE [k]",
    "FROM": _GIVEN_TO_RUN,
    "EVENT": "write PATTERN instead of EVENT",
}


def begins_elsewhere(word: str) -> str | None:
    """What a query that begins with this word should begin with."""
    if word in ("SEQ", "AND", "OR"):
        return f"write PATTERN before {word}"
    return _QUERIES_ELSEWHERE.get(word)


def foreign_word(failure: Failure) -> Advice | None:
    """A clause or an operator of another language; after a number, it was read as a unit of time."""
    if re.search(r"\bexists\s*\([^)]*\Z", failure.before, re.IGNORECASE):
        return None, _FUNCTIONS_ELSEWHERE["exists"]
    after_number = re.search(r"\d\s+(\w+)\Z", failure.before)
    if not failure.previous_is_a_name and (hint := _hint_for(failure.word, failure)):
        return None, hint
    if after_number and (hint := _hint_for(after_number[1].upper(), failure)):
        return failure.at_previous(hint)
    return None


def _hint_for(word: str, failure: Failure) -> str | None:
    return _CLAUSES_ELSEWHERE.get(word) or (None if failure.in_pattern else _INSIDE_CONDITIONS.get(word))


_SIGNS = {
    "=>": "write >= for greater or equal",
    "=<": "write <= for less or equal",
    "=~": _TEXT_PATTERN,
    "&&": "write AND",
    "==": "write = once",
    "**": _POWER,
    "//": "comments begin with --",
    "/*": "comments begin with --, and end with the line",
    "->": "the attribute of an event is a.x",
}

_SIGN = {
    "≤": "write <=",
    "≥": "write >=",
    "≠": "write !=",
    "∨": "write OR",
    "¬": "write NOT",
    "!": "write NOT before a condition, != for unequal, ~ or ! only in PATTERN",
    "~": "~ stands before a type in PATTERN; in conditions write NOT",
    "&": "write AND between conditions",
    "|": "write OR between conditions",
    "^": _POWER,
    "$": _PARAMETER,
    ":": _PARAMETER,
    "@": _PARAMETER,
    "?": _PARAMETER,
    "#": "comments begin with --",
}


def foreign_sign(failure: Failure) -> Advice | None:
    around = failure.text[max(0, failure.position - 1) : failure.position + 2]
    for sign, hint in _SIGNS.items():
        if sign in around:
            return None, hint
    if failure.found == "~" and re.match(r"~\s*['\"]", failure.rest):
        return None, _TEXT_PATTERN
    if failure.found == "!" and "NEGATION" not in failure.accepted and "COMPARE" not in failure.accepted:
        return None, _SIGN["!"]
    if failure.found == "^" and failure.in_pattern:
        return None, "for n repetitions write Type{n} v[]"
    return (None, _SIGN[failure.found]) if failure.found in _SIGN else None


def called_as_a_method(failure: Failure) -> Advice | None:
    """`a.name.contains('x')`, `a.size()`."""
    ahead = re.match(r"\.\s*(\w+)\s*\(", failure.rest)
    behind = re.search(r"\.\s*(\w+)\Z", failure.before) if failure.found == "(" else None
    name = (ahead or behind or [None, ""])[1]
    if not name or failure.in_pattern:
        return None
    hint = _FUNCTIONS_ELSEWHERE.get(name.lower(), f"a function stands before its argument: {name}(a.x)")
    return "an attribute has no methods", hint
