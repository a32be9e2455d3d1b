"""Probable causes of a syntax error: each rule looks at the place and may offer words and a fix."""

import difflib
import re
from collections.abc import Callable, Iterable

from cepheid.language.sase import foreign, hints_conditions, hints_patterns
from cepheid.language.sase.failure import CLAUSES, Advice, Failure
from cepheid.pattern.words import KEYWORDS, STRATEGIES


def _empty_or_without_pattern(failure: Failure) -> Advice | None:
    if failure.before or failure.start != "query":
        return ("there is nothing here", None) if not failure.before and failure.at_end else None
    if failure.at_end:
        return "the query is empty", "write PATTERN SEQ(A a, B b) WITHIN 10 min"
    hint = foreign.begins_elsewhere(failure.word) or _near(failure.found, ["PATTERN"])
    return "a query begins with PATTERN", hint or "write PATTERN SEQ(A a, B b) WITHIN 10 min"


def _open_quote(failure: Failure) -> Advice | None:
    if failure.found in ("'", '"'):
        return f"the quote {failure.found} is never closed", f"close it with {failure.found}"
    if failure.found == "`":
        return "the backquote is never closed, or has no name in it", "write `name`"
    is_word_after_quote = failure.text[: failure.position].endswith(("'", '"')) and failure.found.isalnum()
    if failure.found[:1] in ("'", '"') and re.search(r"\bin\s*\([^()]*\Z", failure.before, re.IGNORECASE):
        return None, "values are separated by commas: IN ('p', 'q')"
    if is_word_after_quote or (failure.found[:1] in ("'", '"') and failure.before.endswith(failure.found[0])):
        return None, "a quote inside a string is written twice, as in 'it''s'"
    if failure.found in ("‘", "’", "“", "”"):
        return f"{failure.found} is a typographic quote", "write ' or \""
    return None


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
    opened = failure.open_brackets()
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
    if failure.found == "," and failure.in_pattern:
        return None, "a list of parts stands in SEQ(p, q), AND(p, q) or OR(p, q)"
    if failure.found in ("~", "!") and "AMPERSAND" in failure.accepted:
        return None, "~ stands before a type, and parts are separated by , or ;"
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
    hints_conditions.missing_before,
    hints_patterns.arrow,
    hints_patterns.name_with_a_dash,
    hints_patterns.absence,
    hints_patterns.every,
    hints_patterns.repetition,
    hints_patterns.call,
    hints_patterns.window_of_a_part,
    hints_patterns.keyword_as_a_name,
    hints_patterns.type_and_variable,
    hints_patterns.strategy_without_where,
    hints_conditions.comma,
    hints_conditions.tested_value,
    hints_conditions.index,
    hints_conditions.equivalence,
    hints_conditions.braces,
    hints_conditions.strategy_in_words,
    hints_conditions.returned,
    hints_conditions.emitted,
    hints_conditions.window,
    hints_conditions.semicolon_at_the_end,
    _joined_patterns,
    _empty_list,
    _open_bracket,
    foreign.called_as_a_method,
    foreign.foreign_sign,
    foreign.foreign_word,
    _misspelt,
    _reserved,
    hints_patterns.missing_separator,
    hints_conditions.name_without_as,
)


def _near(found: str, words: Iterable[str], cutoff: float = 0.7) -> str | None:
    close = difflib.get_close_matches(found.upper(), sorted(words), n=1, cutoff=cutoff)
    return f"did you mean {close[0]}?" if close else None
