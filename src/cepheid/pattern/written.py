"""The text of a query, for each of many that differ only in constants: rendered once, and then filled in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
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
        self._pieces: list[str] | None = None

    def text(self, constants: Sequence[Constant]) -> str:
        """The text of a profile's query."""
        if self._pieces is None:
            self._pieces = self._cut(constants)
        if not self._pieces:
            return self._rendered(constants)
        found = [self._pieces[0]]
        for value, piece in zip(constants, self._pieces[1:], strict=True):
            found += [_written(value), piece]
        return "".join(found)

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


def _written(value: Constant) -> str:
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)
