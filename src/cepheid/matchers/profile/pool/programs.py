"""Tests of a shape with the constants of many primitives, as rows that kernels read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cepheid.events import EventSchema
from cepheid.matchers.profile.pool import layout as at
from cepheid.matchers.profile.pool.growing import TextTable
from cepheid.matchers.profile.pool.keys import stretches
from cepheid.matchers.profile.pool.patterns import symbols_of, with_wildcards
from cepheid.pattern.types import ValueType
from cepheid.plan.profile.primitives import ComparedWith, Holds, JoinedTests, LikePattern, Test
from cepheid.plan.program import Column

Row = tuple[int, int, Any, Any]
"""Operation, column, low and high; the last two for all primitives, or one for each."""

_TEXT_SIGNS: dict[str, tuple[int, bool]] = {
    "=": (at.SAME_TEXT, False),
    "!=": (at.SAME_TEXT, True),
    "<": (at.BELOW, False),
    ">=": (at.BELOW, True),
    "<=": (at.NOT_ABOVE, False),
    ">": (at.NOT_ABOVE, True),
}


@dataclass(slots=True)
class Words:
    """What the rows of an index refer to: columns, texts and patterns."""

    schema: EventSchema
    unit: str
    columns: dict[str, int]  # by how they are written
    expressions: list[Column]
    texts: TextTable
    likes: TextTable

    @staticmethod
    def over(schema: EventSchema, unit: str) -> Words:
        """None yet."""
        return Words(schema, unit, {}, [], TextTable(np.uint8), TextTable(np.uint8))

    def column(self, column: Column) -> int:
        """The number of a column. `x + 1` and `x + 1.0` are two, though Python has them equal."""
        number = self.columns.setdefault(repr(column), len(self.columns))
        if number == len(self.expressions):
            self.expressions.append(column)
        return number

    def fork(self) -> Words:
        """The same words, to which others may be added by themselves."""
        return Words(
            self.schema,
            self.unit,
            dict(self.columns),
            list(self.expressions),
            self.texts.fork(),
            self.likes.fork(),
        )


class Programs:
    """Makes rows of tests, for primitives whose constants are given column by column."""

    def __init__(self, words: Words, constants: Sequence[Sequence[Any]], count: int) -> None:
        self.words, self.constants, self.count = words, constants, count

    def rows(self, test: Test) -> list[Row]:
        """A test in postfix order."""
        return _MAKE[type(test)](self, test)

    def table(self, rows: Iterable[Row]) -> np.ndarray:
        """The rows of one conjunct, for each primitive: [primitive, row, TEST_WIDTH]."""
        found = list(rows)
        table = np.empty((self.count, len(found), at.TEST_WIDTH), np.int64)
        for k, row in enumerate(found):
            for place, value in enumerate(row):
                table[:, k, place] = value
        table[:, -1, at.OPERATION] += at.MUST
        return table

    def compared(self, test: ComparedWith) -> list[Row]:
        """A comparison with a constant."""
        column, values = self.words.column(test.column), self.constants[test.constant]
        if test.column.type is ValueType.STRING:
            operation, negated = _TEXT_SIGNS[test.operator]
            return self._turned((operation, column, self.words.texts.add(values), 0), negated)
        negated = test.operator == "!="
        low, high = self.stretch(test)
        return self._turned((at.INSIDE, column, low, high), negated)

    def stretch(self, test: ComparedWith) -> tuple[np.ndarray, np.ndarray]:
        """Between which keys a column lies that compares so; those it does not differ from, for `!=`."""
        sign = "=" if test.operator == "!=" else test.operator
        if test.column.type is ValueType.NULL:
            return np.ones(self.count, np.int64), np.zeros(self.count, np.int64)
        return stretches(
            test.column, sign, self.constants[test.constant], (self.words.schema, self.words.unit)
        )

    def alike(self, test: LikePattern) -> list[Row]:
        """A LIKE; without wildcards it is an equality."""
        column, values = self.words.column(test.column), self.constants[test.constant]
        odd = np.array(["\\" in each for each in values])
        wild = np.array(["%" in each or "_" in each for each in values]) & ~odd
        operations = np.where(wild | odd, at.LIKE, at.SAME_TEXT)
        codes = np.empty(self.count, np.int64)
        for some, table, change in (
            (wild, self.words.likes, with_wildcards),
            (~wild & ~odd, self.words.texts, None),
        ):
            codes[some] = table.add([values[k] for k in np.flatnonzero(some).tolist()], change)
        for k in np.flatnonzero(odd).tolist():
            codes[k] = self.words.likes.add_symbols(values[k], symbols_of(values[k]))
        return [(operations, column, codes, 0)]  # type: ignore[list-item]

    def holds(self, test: Holds) -> list[Row]:
        """A column of truth values."""
        return [(at.INSIDE, self.words.column(test.column), 1, 1)]

    def joined(self, test: JoinedTests) -> list[Row]:
        """AND, OR or NOT."""
        parts = [self.rows(part) for part in test.parts]
        if test.word == "not":
            return [*parts[0], (at.NOT, 0, 0, 0)]
        word: Row = (at.AND if test.word == "and" else at.OR, 0, 0, 0)
        found = list(parts[0])
        for part in parts[1:]:
            found += [*part, word]
        return found

    @staticmethod
    def _turned(row: Row, negated: bool) -> list[Row]:
        return [row, (at.NOT, 0, 0, 0)] if negated else [row]


_MAKE: dict[type, Callable[[Programs, Any], list[Row]]] = {
    ComparedWith: Programs.compared,
    LikePattern: Programs.alike,
    Holds: Programs.holds,
    JoinedTests: Programs.joined,
}
