"""The place where the parser stopped, as the rules of `hints` see it."""

import re
from dataclasses import dataclass

from cepheid.errors import Span

CLAUSES = ("WHERE", "WITHIN", "RETURN", "AGG", "HAVING", "EMIT")

_CLAUSE = re.compile(r"\b(?:where|within|return|agg|having|emit)\b", re.IGNORECASE)
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
    def word(self) -> str:
        """What was found, in capitals."""
        return self.found.upper()

    @property
    def previous(self) -> str:
        """The word just before the place, if there is one."""
        word = re.search(r"\w+\Z", self.before)
        return word.group() if word else ""

    @property
    def rest(self) -> str:
        """The text from the place on."""
        return self.text[self.position :]

    @property
    def begins_clause(self) -> bool:
        return self.word in CLAUSES

    @property
    def clause(self) -> str:
        """The keyword of the clause that the place is in: PATTERN, WHERE, …"""
        clauses = _CLAUSE.findall(self.before)
        if clauses:
            return str(clauses[-1]).upper()
        return "PATTERN" if self.start == "query" else "WHERE"

    @property
    def in_pattern(self) -> bool:
        return self.clause == "PATTERN"

    @property
    def previous_is_a_name(self) -> bool:
        """Whether the word before was read as a name of an expression, though it may be a keyword."""
        return bool(self.previous) and {"LPAR", "COMPARE"} <= self.accepted  # to be called, or compared

    def before_previous(self) -> str:
        """The text up to the word before the place."""
        return self.before[: len(self.before) - len(self.previous)].rstrip()

    def at_previous(self, hint: str) -> "Advice":
        """Advice about the word before the place, with the caret there."""
        message = f"'{self.previous}' does not fit here"
        return message, hint, Span(len(self.before) - len(self.previous), len(self.before))

    def open_brackets(self) -> list[tuple[str, int]]:
        """The brackets `(` and `{` that are open at the place, each with its own place."""
        return _open_brackets(self.text, self.position)

    def brackets_are_closed_later(self) -> bool:
        """Whether the whole text closes what it opens."""
        return not _open_brackets(self.text, len(self.text))


# A message, or None for the general one; a hint; and a place, where it is not where the parser stopped.
Advice = tuple[str | None, str | None] | tuple[str | None, str | None, Span]


def _open_brackets(text: str, end: int) -> list[tuple[str, int]]:
    opened: list[tuple[str, int]] = []
    for piece in _BRACKET.finditer(text, 0, end):
        if piece.group() in "({":
            opened.append((piece.group(), piece.start()))
        elif piece.group() in ")}" and opened:
            opened.pop()
    return opened
