"""The text of a query, for each of many that differ only in constants: rendered once, and then filled in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from cepheid.pattern.constants import Constant
from cepheid.pattern.profile import without_selection
from cepheid.pattern.query import PatternQuery
from cepheid.pattern.render import render
from cepheid.pattern.template import Template

_MARKS: dict[type, Callable[[int], Any]] = {
    int: lambda k: 8_100_000_000_000_000_000 + k,
    float: lambda k: 81_000_000_000_000.5 + k,
    str: lambda k: f"\x01{k}\x01",
}
"""A constant of each type that no query is likely to have, by its number."""


class WrittenQueries:
    """Renders the queries of one template, without what `select` says; as `render` does, and sooner."""

    def __init__(self, template: Template) -> None:
        self._template = template.as_written
        self._form: str | None = None  # with a place for each constant; empty if there is none like that

    def texts(self, many: Sequence[tuple[Constant, ...]]) -> list[str]:
        """The texts of profiles' queries, by their constants."""
        if self._form is None and many:
            self._form = _form(self._cut(many[0]), many[0])
        form = self._form
        if not form:
            return [self._rendered(constants) for constants in many]
        if not any(isinstance(value, str) for value in many[0]):
            return [form % constants for constants in many]
        return [form % tuple([_doubled(value) for value in constants]) for constants in many]

    def _cut(self, constants: Sequence[Constant]) -> list[str]:
        """What stands between the constants; nothing if they cannot be told from the rest."""
        if any(type(value) not in _MARKS for value in constants):
            return []
        marks = [_MARKS[type(value)](k) for k, value in enumerate(constants)]
        pieces, rest = [], self._rendered(marks)
        for mark in marks:
            piece, found, rest = rest.partition(_written(mark))
            if not found:
                return []
            pieces.append(piece)
        pieces.append(rest)
        is_cut = all(_written(mark) not in piece for mark in marks for piece in pieces)
        return pieces if is_cut else []

    def _rendered(self, constants: Sequence[Constant]) -> str:
        filled = self._template.filled(constants)
        return render(_plain(filled))


def _plain(query: PatternQuery) -> PatternQuery:
    return replace(query, pattern=without_selection(query.pattern))


def _form(pieces: Sequence[str], constants: Sequence[Constant]) -> str:
    """What `%` fills in with the constants of a profile."""
    places = ["'%s'" if isinstance(value, str) else "%r" for value in constants]
    fixed = [piece.replace("%", "%%") for piece in pieces]
    return (
        "".join(each for pair in zip_longest(fixed, places, fillvalue="") for each in pair) if fixed else ""
    )


def _doubled(value: Constant) -> Constant:
    return value.replace("'", "''") if type(value) is str and "'" in value else value


def _written(value: Constant) -> str:
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)
