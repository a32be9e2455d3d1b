"""Events by what they do: those that pass the same tests are of one class.

What an event does to the numbers of a workload follows from its class, so it is worked out once a class. Few
classes occur, however many tests there are: mostly an event's type decides.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cepheid.matchers.codes import NumberCodes
from cepheid.matchers.jit import kernel
from cepheid.matchers.masks import BatchRows, passes
from cepheid.plan.program import EventTest

_BITS = 32
"""How many tests are joined to a class at a time."""


class EventClasses:
    """The classes that have occurred, numbered in the order of appearance."""

    def __init__(self, tests: list[EventTest]) -> None:
        self.tests = tests
        self.types = sorted({test.type for test in tests if test.type is not None})
        self._judged = [number for number, test in enumerate(tests) if test.conditions]
        self._plain = [number for number, test in enumerate(tests) if not test.conditions]
        self._joined = [NumberCodes() for _ in range(0, len(self._judged), _BITS)]
        self._places = {name: place for place, name in enumerate(self.types, 1)}

    @property
    def count(self) -> int:
        """How many there are; of types alone, those that may occur."""
        return self._joined[-1].count if self._joined else 1 + len(self.types)

    def encode(self, rows: BatchRows) -> np.ndarray:
        """The class of each event."""
        codes = self._of_type(rows)
        for first, joined in zip(range(0, len(self._judged), _BITS), self._joined, strict=True):
            bits = np.zeros(rows.length, np.int64)
            known: dict[str, np.ndarray] = {}
            for bit, number in enumerate(self._judged[first : first + _BITS]):
                passed = passes(self.tests[number], rows, known)
                assert passed is not None
                bits |= passed.astype(np.int64) << bit
            codes = joined.encode(codes.astype(np.int64) << _BITS | bits, np.ones(rows.length, np.uint8))
        return codes.astype(np.int32, copy=False)

    def passed(self, number: int) -> frozenset[int]:
        """The tests that the events of a class pass."""
        judged: set[int] = set()
        for place in reversed(range(len(self._joined))):
            pair = int(self._joined[place].numbers[number])
            number = pair >> _BITS
            asked = self._judged[place * _BITS : (place + 1) * _BITS]
            judged |= {test for bit, test in enumerate(asked) if pair >> bit & 1}
        names = (None, self.types[number - 1] if number else None)
        return frozenset(judged | {test for test in self._plain if self.tests[test].type in names})

    def saved(self) -> list[np.ndarray]:
        """What a snapshot keeps."""
        return [joined.numbers for joined in self._joined]

    def restore(self, saved: list[np.ndarray]) -> None:
        """Go on from a snapshot."""
        self._joined = [NumberCodes(numbers) for numbers in saved]

    def _of_type(self, rows: BatchRows) -> np.ndarray:
        """The place of each event's type among those of the tests, from one; zero for any other."""
        codes = np.zeros(rows.length, np.int32)
        if not self.types:
            return codes
        assert rows.schema.type is not None
        column = rows.batch.column(rows.schema.type)
        if not pa.types.is_dictionary(column.type):
            column = column.dictionary_encode()
        names = column.dictionary.to_pylist()
        table = np.array([self._places.get(name, 0) for name in names] or [0], np.int32)
        indices = column.indices
        valid = np.asarray(pc.is_valid(column)) if column.null_count else np.ones(0, np.bool_)
        if indices.null_count:
            indices = indices.fill_null(0)
        look_up(np.asarray(indices), table, valid, codes)
        return codes


@kernel
def look_up(indices, table, valid, codes):
    """The codes of a dictionary's entries, in place of its indices."""
    if valid.shape[0] == 0:
        for i in range(indices.shape[0]):
            codes[i] = table[indices[i]]
        return
    for i in range(indices.shape[0]):
        codes[i] = table[indices[i]] if valid[i] else 0
