"""Probable causes of a syntax error in PATTERN."""

import re

from cepheid.errors import Span
from cepheid.language.sase.failure import Advice, Failure
from cepheid.pattern.words import STRATEGIES

_ARROWS = ("THEN", "FOLLOWED", "FOLLOWEDBY", "FOLLOWED_BY", "NEXT")
_IN_ORDER = "for A and then B write SEQ(A a, B b), or A a ; B b"
_SEPARATED = "parts are separated by commas in SEQ(A a, B b), or by ;"
_VARIABLE = "the variable follows its type: A a"
_REPEATED = re.compile(r"(?P<type>\w+)\s+(?P<variable>\w+)(?:\[\])?\Z")


def arrow(failure: Failure) -> Advice | None:
    """`A -> B`, `A then B`, `A FOLLOWED BY B`."""
    if not failure.in_pattern:
        return None
    if re.match(r"-+>|=>|→", failure.rest) or failure.word in _ARROWS:
        return None, _IN_ORDER
    return failure.at_previous(_IN_ORDER) if failure.previous.upper() in _ARROWS else None


def name_with_a_dash(failure: Failure) -> Advice | None:
    """`add-to-cart c`."""
    after = re.match(r"(?:-\w+)+", failure.rest)
    if not failure.in_pattern or after is None or not re.match(r"[^\W\d]", failure.previous):
        return None
    if failure.position != len(failure.before):  # there is space before the dash
        return None
    name = failure.previous + after.group()
    start = len(failure.before) - len(failure.previous)
    hint = f"a name with a dash stands in backquotes: `{name}`"
    return "a plain name has no dash", hint, Span(start, start + len(name))


def absence(failure: Failure) -> Advice | None:
    """`NOT A a`, `NOT(A a)`, `!(A a)`."""
    if not failure.in_pattern:
        return None
    word = re.search(r"\b(not)(?:\s+\w+)?\Z", failure.before, re.IGNORECASE)
    if word:
        return "NOT is no type", "absence is written ~ before one type: ~A a", Span(*word.span(1))
    if failure.found == "(" and failure.before.endswith(("~", "!")):
        return None, "~ takes one type, as in ~A a, and no parentheses"
    return None


def every(failure: Failure) -> Advice | None:
    """Esper's `every A`."""
    if failure.in_pattern and failure.previous.upper() == "EVERY" and not failure.found.isdigit():
        return failure.at_previous("leave out EVERY: each event that fits starts a match of its own")
    return None


def repetition(failure: Failure) -> Advice | None:
    """`A a+`, `(A a)+`, `A{,3}`, `A{2-3}`, `(A B+ C)`."""
    if not failure.in_pattern:
        return None
    if failure.found == "," and failure.before.endswith("{"):
        return None, "for at most n write {0,n}"
    if failure.found == "-" and re.search(r"\{\s*\d+\Z", failure.before):
        return None, "write {n,m}, with a comma"
    sign = re.match(r"[+*?]|\{[\d\s,]*\}", failure.rest)
    if sign is None or re.search(r"[~!]\s*[\w`]+\Z", failure.before):
        return None
    if re.match(r"\s*\w", failure.rest[sign.end() :]):
        return None, _SEPARATED
    if failure.before.endswith(")"):
        return None, f"a repetition takes one type: A{sign.group()} a[]"
    declared = _REPEATED.search(failure.before)
    if declared is None:
        return None
    brackets = "" if sign.group() == "?" else "[]"
    return None, f"write it after the type: {declared['type']}{sign.group()} {declared['variable']}{brackets}"


def call(failure: Failure) -> Advice | None:
    """`SEQ[A a]`, `seq A a`, `ALL(A a, B b)`, `ANY(A a, B b)`."""
    previous = failure.previous.upper()
    if previous in ("SEQ", "AND", "OR") and failure.accepted == {"LPAR"} and failure.found:
        return None, f"write {previous}(A a, B b)"
    if failure.in_pattern and failure.found == "(" and previous in ("ALL", "ANY"):
        return None, f"write {'AND' if previous == 'ALL' else 'OR'}(A a, B b)"
    if failure.in_pattern and failure.found == "(" and previous in ("ITERATE", "REPEAT", "LOOP", "KLEENE"):
        return None, "one event or more is A+ a[]; n of them, A{n} a[]"
    return None


def window_of_a_part(failure: Failure) -> Advice | None:
    """`SEQ(SEQ(A a, B b) WITHIN 5 min, C c)`: closed, but WITHIN takes parentheses of its own."""
    if failure.word != "WITHIN" or not failure.in_pattern or not re.match(r"\w+\s*<?\s*[\d.]", failure.rest):
        return None
    if not failure.open_brackets() or not failure.brackets_are_closed_later():
        return None
    return (
        "the window of a part stands after parentheses",
        "write (A a ; B b) WITHIN 5 min, or (SEQ(…)) WITHIN …",
    )


def keyword_as_a_name(failure: Failure) -> Advice | None:
    """`SEQ(A a, B where)`, `SEQ(A and, B b)`."""
    is_word = failure.begins_clause or failure.word in ("AND", "OR")
    if failure.in_pattern and is_word and failure.open_brackets():
        if re.match(r"\w+\s*[,);]", failure.rest):
            return None, f"{failure.found} is a keyword: as a name, write `{failure.found}`"
    return None


def type_and_variable(failure: Failure) -> Advice | None:
    """`A AS a`, `a: A`, `'A' a`."""
    if not failure.in_pattern:
        return None
    if failure.word == "AS":
        return None, _VARIABLE
    if failure.previous.upper() == "AS" and failure.found.isidentifier():
        return failure.at_previous(_VARIABLE)
    if failure.found == ":":
        return None, "the type comes first, and then the variable: A a"
    if failure.found[:1] in ("'", '"') and len(failure.found) > 1 and "NAME" in failure.accepted:
        return None, f"a type has no quotes; where its name is no plain word, write `{failure.found[1:-1]}`"
    return None


def strategy_without_where(failure: Failure) -> Advice | None:
    if failure.in_pattern and failure.found.lower() in STRATEGIES:
        return None, f"a strategy stands after WHERE: WHERE {failure.found} {{ … }}"
    return None


def missing_separator(failure: Failure) -> Advice | None:
    """`SEQ(A a B b)`."""
    if failure.in_pattern and failure.previous and "SEMICOLON" in failure.accepted:
        if re.match(r"[^\W\d]", failure.found) and not failure.begins_clause:
            return None, _SEPARATED
    return None
