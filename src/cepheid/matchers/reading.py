"""The masks and columns that a plan asks of its events: of many events by Arrow, of a few one by one."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cepheid.events import EventBatch, EventSchema, FewEvents, Row
from cepheid.matchers.codes import TextCodes
from cepheid.matchers.masks import BatchRows, event_columns, event_masks, no_counts
from cepheid.matchers.one_event import OfRow, RowFunctions
from cepheid.pattern.types import ValueType
from cepheid.plan.program import Column, EventTest

_REAL, _WORD = struct.Struct("=d"), struct.Struct("=q")


@dataclass(frozen=True, slots=True)
class EventRead:
    """The events of a batch as kernels read them."""

    mask: np.ndarray  # a word an event, whose bit k says whether it passes test k
    columns: np.ndarray  # column, event
    valid: np.ndarray


class EventReader:
    """Reads batch after batch. What a plan asks is made ready once, for the columns that events come with.

    `passed` counts the events of batches that Arrow reads, for each test step by step.
    """

    def __init__(
        self, tests: Sequence[EventTest], columns: Sequence[Column], schema: EventSchema, unit: str
    ) -> None:
        self._tests = tests
        self._columns = columns
        self._schema = schema
        self._unit = unit
        self._few: _FewReader | None = None
        self.passed = [no_counts(test) for test in tests]

    def read(self, batch: EventBatch, codes: TextCodes) -> EventRead:
        """The masks and columns of a batch; new texts get a code."""
        events = batch.events
        if isinstance(events, FewEvents):
            few = self._reader_of(events.names)
            if few is not None:
                return few.read(events, codes)
        rows = BatchRows(batch.data, self._schema, self._unit)
        columns, valid = event_columns(self._columns, rows, codes)
        return EventRead(event_masks(self._tests, rows, self.passed), columns, valid)

    def _reader_of(self, names: tuple[str, ...]) -> "_FewReader | None":
        """What reads events of these columns; None if some expression is for Arrow."""
        if self._few is None or self._few.names != names:
            self._few = _FewReader(self._tests, self._columns, RowFunctions(names, self._schema, self._unit))
        return self._few if self._few.is_whole else None


class _FewReader:
    """The same for a few events: functions of their rows."""

    def __init__(
        self, tests: Sequence[EventTest], columns: Sequence[Column], functions: RowFunctions
    ) -> None:
        self.names = functions.names
        self.is_whole = True
        kind = functions.schema.type
        self._type = self.names.index(kind) if kind is not None and kind in self.names else None
        self._asked = [
            (1 << bit, test.type, self._functions(test, functions)) for bit, test in enumerate(tests)
        ]
        self._columns = [(functions.function_of(each.expression, each.type), each.type) for each in columns]
        self.is_whole &= all(function is not None for function, _ in self._columns)

    def _functions(self, test: EventTest, functions: RowFunctions) -> list[OfRow]:
        found = [functions.function_of(condition) for condition in test.conditions]
        self.is_whole &= None not in found and (test.type is None or self._type is not None)
        return [function for function in found if function is not None]

    def read(self, events: FewEvents, codes: TextCodes) -> EventRead:
        rows = events.rows
        bits = np.zeros((len(self._columns), len(rows)), np.int64)
        valid = np.zeros((len(self._columns), len(rows)), np.uint8)
        for k, (function, kind) in enumerate(self._columns):
            assert function is not None
            for place, row in enumerate(rows):
                value = function(row)
                if value is not None:
                    bits[k, place] = _word(value, kind, codes)
                    valid[k, place] = 1
        return EventRead(np.array([self._mask(row) for row in rows], np.int64), bits, valid)

    def _mask(self, row: Row) -> int:
        kind = None if self._type is None else row[self._type]
        mask = 0
        for bit, wanted, conditions in self._asked:
            if wanted is None or wanted == kind:
                for condition in conditions:
                    if condition(row) is not True:
                        break
                else:
                    mask |= bit
        return mask


def _word(value: Any, kind: ValueType, codes: TextCodes) -> int:
    """A value that is not null as the 64 bits that kernels read."""
    if kind is ValueType.FLOAT:
        word: int = _WORD.unpack(_REAL.pack(value))[0]
        return word
    return codes.code(value) if kind is ValueType.STRING else int(value)
