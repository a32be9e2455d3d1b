"""What a parser's refusal means in words: what was found, what was expected, and a probable fix."""

import re
from typing import Any

from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from cepheid.errors import QuerySyntaxError, Span
from cepheid.language.sase.failure import CLAUSES, Advice, Failure
from cepheid.language.sase.hints import DIAGNOSES

_SPACE_AT_END = re.compile(r"(?:[\s\ufeff]|--[^\n]*(?:\n|$))*\Z")
_PIECE = re.compile(r"""\w+|'(?:[^']|'')*'|"(?:[^"]|"")*"|.""", re.DOTALL)


def explain(error: UnexpectedInput, text: str, start: str) -> QuerySyntaxError:
    """The error to show for a text that the grammar refuses."""
    failure = _failure(error, text, start)
    none: Advice = (None, None)
    message, hint, *place = next((advice for rule in DIAGNOSES if (advice := rule(failure))), none)
    span = place[0] if place else Span(failure.position, failure.position + max(1, len(failure.found)))
    return QuerySyntaxError(message or _general(failure), span=span, text=text, hint=hint)


def _failure(error: UnexpectedInput, text: str, start: str) -> Failure:
    trailing = _SPACE_AT_END.search(text)
    end = trailing.start() if trailing else len(text)
    position = end
    if isinstance(error, UnexpectedToken) and error.token.type != "$END":
        position = error.token.start_pos or 0
    elif isinstance(error, UnexpectedCharacters):
        position = error.pos_in_stream or 0
    piece = _PIECE.match(text, position) if position < end else None
    before = _SPACE_AT_END.sub("", text[:position])
    parser: Any = error.interactive_parser
    accepted = frozenset[str](parser.accepts() if parser else ())
    return Failure(text, position, piece.group() if piece else "", before, accepted, start)


# ---------------------------------------------------------------- the general message


_GROUPS: tuple[tuple[str, frozenset[str], frozenset[str]], ...] = tuple(
    (phrase, frozenset(mark.split()), frozenset(members.split()))
    for phrase, mark, members in (
        ("a pattern", "SEQ ANY NAME", "SEQ AND OR ANY AT EVERY SILENCE NEGATION LPAR NAME QUOTED"),
        (
            "an expression",
            "NAME NUMBER STRING LPAR",
            "NAME QUOTED NUMBER PERCENTAGE STRING LPAR MINUS NOT NULL TRUE FALSE LSQB "
            "CASE PARAMETER DISTINCT",
        ),
        (
            "an operator",
            "PLUS COMPARE",
            "PLUS MINUS STAR SLASH PERCENT CONCAT COMPARE NOT IN BETWEEN LIKE IS AND OR WEDGE",
        ),
        ("AND or OR", "AND OR", "AND OR WEDGE"),
        ("AND", "AND WEDGE", "AND WEDGE"),
        ("a clause (WHERE, WITHIN, RETURN, AGG, HAVING, EMIT)", "WHERE RETURN EMIT", " ".join(CLAUSES)),
        ("a name", "NAME", "NAME QUOTED"),
    )
)

_NAMES = {
    "NUMBER": "a number",
    "STRING": "a string in quotes",
    "PARAMETER": "a parameter",
    "UNIT": "a unit of time",
    **dict(
        pair.split()
        for pair in (
            *("LPAR (", "RPAR )", "LSQB [", "RSQB ]", "LBRACE {", "RBRACE }", "COMMA ,", "SEMICOLON ;"),
            *("AMPERSAND &", "VBAR |", "DOT .", "DOTS ..", "LESS <", "PLUS +", "MINUS -", "STAR *"),
            *("SLASH /", "PERCENT %", "QUESTION ?", "NEGATION ~"),
        )
    ),
}


def _general(failure: Failure) -> str:
    expected = _expected(failure.accepted)
    if failure.at_end:
        return f"the text ends too early: expected {expected}"
    return f"{_shown(failure.found)} does not fit here: expected {expected}"


def _expected(accepted: frozenset[str]) -> str:
    left, phrases = set(accepted), []
    for phrase, mark, members in _GROUPS:
        if mark <= left:
            phrases.append(phrase)
            left -= members
    phrases += sorted(_NAMES.get(name, name) for name in left if name != "$END")
    if "$END" in left:
        phrases.append("the end")
    if len(phrases) < 2:
        return phrases[0] if phrases else "the end"
    return f"{', '.join(phrases[:-1])} or {phrases[-1]}"


def _shown(found: str) -> str:
    short = found if len(found) <= 40 else found[:40] + "…"
    return short if short[0] in "'\"" else f"'{short}'"
