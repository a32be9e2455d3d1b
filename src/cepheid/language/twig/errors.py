"""What a parser's refusal of a tree pattern means: what was found, what was expected, and a probable fix."""

import re
from collections.abc import Callable
from typing import Any

from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from cepheid.errors import QuerySyntaxError, Span

_PIECE = re.compile(r"""[^\W\d][\w.-]*|\d+|'[^']*'|"[^"]*"|//|->|.""", re.DOTALL)
_OPENED = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|[()\[\]]""")

_NAMES = {
    "AXIS": "/ or //",
    "NAME": "a tag",
    "VARIABLE": "a variable",
    "STRING": "a string in quotes",
    "NUMBER": "a number",
    "QUANTIFIER": "a repetition (* + ?)",
    "ARROW": "->",
    "COMPARE": "a comparison",
    "LAST": "last()",
    "AT": "@",
    "STAR": "*",
    "LSQB": "[",
    "RSQB": "]",
    "LPAR": "(",
    "RPAR": ")",
    "VBAR": "|",
    "COLON": ":",
    "$END": "the end",
}

Hint = tuple[str | None, str]
"""A message, or None for the general one, and what to do."""


def explain_twig(error: UnexpectedInput, text: str) -> QuerySyntaxError:
    """The error to show for a text that the grammar refuses."""
    position = len(text.rstrip())
    if isinstance(error, UnexpectedToken) and error.token.type != "$END":
        position = error.token.start_pos or 0
    elif isinstance(error, UnexpectedCharacters):
        position = error.pos_in_stream or 0
    parser: Any = error.interactive_parser
    accepted = frozenset[str](parser.accepts() if parser else ())
    piece = _PIECE.match(text, position)
    found = piece.group() if piece and position < len(text.rstrip()) else ""
    before = text[:position].rstrip()
    advice = next((told for rule in _RULES if (told := rule(found, before, accepted))), None)
    message, hint = advice if advice else (None, None)
    return QuerySyntaxError(
        message or _general(found, accepted),
        span=Span(position, position + max(1, len(found))),
        text=text,
        hint=hint,
    )


def _general(found: str, accepted: frozenset[str]) -> str:
    names = sorted({_NAMES.get(name, name) for name in accepted})
    expected = f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else "".join(names) or "the end"
    if not found:
        return f"the pattern ends too early: expected {expected}"
    return f"'{found}' does not fit here: expected {expected}"


# ---------------------------------------------------------------- probable causes


def _empty(found: str, before: str, accepted: frozenset[str]) -> Hint | None:
    return ("the pattern is empty", "write //a[/b]/c") if not found and not before else None


def _open_quote(found: str, before: str, accepted: frozenset[str]) -> Hint | None:
    return (f"the quote {found} is never closed", f"close it with {found}") if found in ("'", '"') else None


def _bracket(found: str, before: str, accepted: frozenset[str]) -> Hint | None:
    opened: list[str] = []
    for piece in _OPENED.finditer(before):
        if piece.group() in "([":
            opened.append(piece.group())
        elif piece.group() in ")]" and opened:
            opened.pop()
    if found in (")", "]") and not opened:
        return f"this {found} closes nothing", "leave it out"
    if not opened or found not in ("", ")", "]"):
        return None
    closing = ")" if opened[-1] == "(" else "]"
    if found == closing and before[-1] in "([":
        return "the brackets are empty", "write what must hold in them, or leave them out"
    if found in ("", ")", "]") and found != closing and ({"RPAR", "RSQB"} & accepted):
        return f"a {closing} is missing", f"close the {opened[-1]} before"
    return None


def _value(found: str, before: str, accepted: frozenset[str]) -> Hint | None:
    if accepted == {"STRING", "NUMBER"} and found[:1].isalpha():
        return None, f"a string needs its quotes: '{found}'"
    return None


def _xpath(found: str, before: str, accepted: frozenset[str]) -> Hint | None:
    """What XPath has, and regular tree patterns say otherwise or not at all."""
    if found == ":" and before.endswith(":"):
        return None, "axes have no names here: / is a child, // any element below"
    if found == ".":
        return None, "paths in brackets are relative: write [/a] for [./a], [//a] for [.//a]"
    if found in ("and", "or", "not") or found == ",":
        return None, "write [/a][/b] for both, (/a:/b) for one after the other, (/a|/b) for either"
    if found == "(" and re.search(r"(?:text|position|count|not|contains)\Z", before):
        return None, "functions of XPath are not part of the language, but last()"
    if found in ("{", "&", ";"):
        return None, "signs of sibling expressions are : | * + ?"
    return None


def _operator(found: str, before: str, accepted: frozenset[str]) -> Hint | None:
    if found in ("/", "//") and before[-1:] in ("*", "+", "?") and "COLON" in accepted:
        return None, "a repetition ends an item: write : before the next one, or the path in parentheses"
    if found == "->" and before.endswith(("]", ")")):
        return None, "a mark stands directly after its tag: //a->X[/b]"
    if found in ("*", "+", "?") and "AXIS" in accepted and "NAME" in accepted:
        return None, "any tag is /* or //*; a repetition stands after what it repeats"
    if found[:1].isalpha() and "AXIS" in accepted and "COLON" in accepted:
        return None, f"a step begins with its axis: write /{found}"
    return None


_RULES: tuple[Callable[[str, str, frozenset[str]], Hint | None], ...] = (
    _empty,
    _open_quote,
    _xpath,
    _bracket,
    _value,
    _operator,
)
