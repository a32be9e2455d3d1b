"""Probable causes of a syntax error: each rule looks at the place and may offer words and a fix."""

import difflib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from cepheid.pattern.words import KEYWORDS, STRATEGIES

CLAUSES = ("WHERE", "WITHIN", "RETURN", "AGG", "EMIT")

_CLAUSE = re.compile(r"\b(?:where|within|return|agg|emit)\b", re.IGNORECASE)
_BRACKET = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|--[^\n]*|[(){}]""")


@dataclass(frozen=True, slots=True)
class Failure:
    """The place where the parser stopped."""

    text: str
    position: int
    found: str  # the word, string or sign at the place; "" at the end
    before: str  # the text up to it, without the space between
    accepted: frozenset[str]  # the terminals that could have stood there
    start: str  # the rule that was being parsed

    @property
    def at_end(self) -> bool:
        return not self.found

    @property
    def previous(self) -> str:
        """The word just before the place, if there is one."""
        word = re.search(r"\w+\Z", self.before)
        return word.group() if word else ""

    @property
    def begins_clause(self) -> bool:
        return self.found.upper() in CLAUSES


Advice = tuple[str | None, str | None]  # a message, or None for the general one, and a hint


def _empty_or_without_pattern(failure: Failure) -> Advice | None:
    if failure.before or failure.start != "query":
        return ("there is nothing here", None) if not failure.before and failure.at_end else None
    if failure.at_end:
        return "the query is empty", "write PATTERN SEQ(A a, B b) WITHIN 10 min"
    near = _near(failure.found, ["PATTERN"])
    return "a query begins with PATTERN", near or "write PATTERN SEQ(A a, B b) WITHIN 10 min"


def _open_quote(failure: Failure) -> Advice | None:
    if failure.found in ("'", '"'):
        return f"the quote {failure.found} is never closed", f"close it with {failure.found}"
    if failure.found == "`":
        return "the backquote is never closed, or has no name in it", "write `name`"
    if failure.found[:1] in ("'", '"') and failure.before.endswith(failure.found[0]):
        return None, "a quote inside a string is written twice, as in 'it''s'"
    if failure.found in ("‘", "’", "“", "”"):
        return f"{failure.found} is a typographic quote", "write ' or \""
    return None


_SIGNS = {
    "=>": "write >= for greater or equal",
    "=<": "write <= for less or equal",
    "&&": "write AND",
    "==": "write = once",
    "**": "there is no power; multiply",
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
    "^": "for n repetitions write Type{n} v[]",
    "$": "a parameter is $ and a name, as in $least",
    "#": "comments begin with --",
}


def _foreign_sign(failure: Failure) -> Advice | None:
    around = failure.text[max(0, failure.position - 1) : failure.position + 2]
    for sign, hint in _SIGNS.items():
        if sign in around:
            return None, hint
    if failure.found == "!" and "NEGATION" not in failure.accepted and "COMPARE" not in failure.accepted:
        return None, _SIGN["!"]
    return (None, _SIGN[failure.found]) if failure.found in _SIGN else None


def _percentage(failure: Failure) -> Advice | None:
    if (
        re.search(r"\d%\Z", failure.before)
        and re.match(r"[\w(.'\"]", failure.found)
        and "PLUS" in failure.accepted
    ):
        if failure.found.upper() in ("AND", "OR", *CLAUSES):
            return None
        return None, "digits directly before % are a percentage; for the remainder write 10 % 3, with a space"
    return None


def _strategy_form(failure: Failure) -> Advice | None:
    hyphenated = re.search(r"[\w-]+\Z", failure.before)
    name = hyphenated.group().lower() if hyphenated else ""
    if failure.found == "{" and "-" in name and name.replace("-", "_") in STRATEGIES:
        return f"there is no strategy '{name}'", f"did you mean {name.replace('-', '_')}?"
    if name in STRATEGIES:
        return None, f"the conditions of a strategy stand in braces: WHERE {name} {{ … }}"
    return None


def _open_bracket(failure: Failure) -> Advice | None:
    """A missing `)` or `}`, or one too many."""
    opened: list[tuple[str, int]] = []
    for piece in _BRACKET.finditer(failure.text, 0, failure.position):
        if piece.group() in "({":
            opened.append((piece.group(), piece.start()))
        elif piece.group() in ")}" and opened:
            opened.pop()
    if failure.found in (")", "}") and not opened:
        return f"this {failure.found} closes nothing", None
    if not opened or not (failure.at_end or failure.begins_clause or failure.found in (")", "}")):
        return None
    sign, place = opened[-1]
    closing, terminal = (")", "RPAR") if sign == "(" else ("}", "RBRACE")
    if terminal not in failure.accepted:
        return None
    line = failure.text.count("\n", 0, place) + 1
    column = place - failure.text.rfind("\n", 0, place)
    return f"a {closing} is missing", f"the {sign} of line {line}, column {column} is not closed"


def _empty_list(failure: Failure) -> Advice | None:
    if failure.found == ")" and failure.before.endswith("("):
        return None, "the parentheses are empty"
    if failure.found in (")", "}", "") and failure.before.endswith((",", ";")):
        return None, f"there is a '{failure.before[-1]}' too many"
    return None


def _joined_patterns(failure: Failure) -> Advice | None:
    if failure.found.upper() in ("AND", "OR") and "AMPERSAND" in failure.accepted:
        word = failure.found.upper()
        return None, f"between patterns write {'&' if word == 'AND' else '|'}, or {word}(p, q)"
    if failure.found in ("+", "*", "?", "{") and re.search(r"[~!]\s*[\w`]+\Z", failure.before):
        return None, "~ and repetitions take one type, not each other"
    if failure.found == "," and failure.start == "query" and not _CLAUSE.search(failure.before):
        return None, "a list of parts stands in SEQ(p, q), AND(p, q) or OR(p, q)"
    if failure.found in ("~", "!") and "AMPERSAND" in failure.accepted:
        return None, "~ stands before a type, and parts are separated by , or ;"
    return None


def _two_units(failure: Failure) -> Advice | None:
    if failure.found.isdigit() and re.search(r"\d\s*[^\W\d]+\Z", failure.before):
        return None, "a duration is one number and one unit: for 1 hour 30 min write 90 min"
    return None


def _misspelt(failure: Failure) -> Advice | None:
    """The word here, or the one just before, is nearly a keyword."""
    expected = [name for name in failure.accepted if name.lower() in KEYWORDS or name in _OTHER_WORDS]
    near = _near(failure.found, expected) if failure.found[:1].isalpha() else None
    if near:
        return None, near
    previous = failure.previous
    if previous and previous.upper() not in (*CLAUSES, "SEQ", "AND", "OR"):
        near = _near(previous, [*CLAUSES, "SEQ", "AND", "OR"], cutoff=0.65)
        return (None, f"{near[:-1]} instead of {previous}?") if near else None
    return None


_FOREIGN_WORDS = {
    "GROUP": "GROUP BY follows AGG",
    "SELECT": "what to return follows RETURN",
    "HAVING": "conditions follow WHERE",
    "LIMIT": "for some matches only, write EMIT FIRST k",
    "ORDER": "matches come in the order in which they are completed",
    "FROM": "the stream is given to run(), not named in the query",
}


def _foreign_word(failure: Failure) -> Advice | None:
    hint = _FOREIGN_WORDS.get(failure.found.upper())
    return (None, hint) if hint else None


def _reserved(failure: Failure) -> Advice | None:
    if failure.found == "." and failure.previous.lower() in KEYWORDS:
        return None, f"{failure.previous} is a keyword: as a name, write `{failure.previous}`"
    return None


_OTHER_WORDS = (
    "WHEN",
    "THEN",
    "ELSE",
    "END",
    "ALL",
    "NON",
    "OVERLAPPING",
    "COMPRESSED",
    "FIRST",
    "LONGEST",
    "COUNT",
    "ON",
    "CLOSE",
)

DIAGNOSES: tuple[Callable[[Failure], Advice | None], ...] = (
    _empty_or_without_pattern,
    _open_quote,
    _strategy_form,
    _percentage,
    _joined_patterns,
    _empty_list,
    _open_bracket,
    _foreign_sign,
    _two_units,
    _foreign_word,
    _misspelt,
    _reserved,
)


def _near(found: str, words: Iterable[str], cutoff: float = 0.6) -> str | None:
    close = difflib.get_close_matches(found.upper(), sorted(words), n=1, cutoff=cutoff)
    return f"did you mean {close[0]}?" if close else None
