"""Room for what the tokenizer finds: made at first, and made larger."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from cepheid.matchers.twig.scan import layout as at
from cepheid.matchers.twig.scan.byte_classes import CLASSES
from cepheid.matchers.twig.scan.names import put_names
from cepheid.matchers.twig.scan.tables import NameTable, Scan, TokenSpans

TOKENS = 1 << 12
"""At a time: enough that Python's part does not count, and few enough to stay in the processor's cache."""


def new_scan(entities: Iterable[str], max_depth: int) -> Scan:
    """The beginning of a document."""
    tokens = TokenSpans(*(np.zeros(TOKENS, kind) for kind in (np.int8, np.int32, np.int64, np.int64)))
    state = np.zeros(at.STATE_SIZE, np.int64)
    known = named([each.encode() for each in entities])
    opened = np.zeros(min(64, max_depth), np.int32)
    return Scan(CLASSES, state, opened, _room_for_names(1 << 9), known, tokens)


def _room_for_names(count: int) -> NameTable:
    return NameTable(
        np.full(2 * count, -1, np.int32),
        np.zeros(count, np.int64),
        np.zeros(count, np.int64),
        np.zeros(16 * count, np.uint8),
        np.zeros(count, np.int64),
    )


def named(names: list[bytes]) -> NameTable:
    """A table of just these names."""
    count = 1 << len(names).bit_length()
    table = _room_for_names(count)
    table = table._replace(letters=longer(np.frombuffer(b"".join(names), np.uint8), 1))
    ends = np.cumsum([len(name) for name in names], dtype=np.int64)
    table.ends[: len(names)] = ends
    table.starts[: len(names)] = ends - [len(name) for name in names]
    put_names(table, len(names))
    return table


def more_names(names: NameTable) -> NameTable:
    """Twice the room; the table of hashes is filled anew."""
    slots = np.full(2 * len(names.slots), -1, np.int32)
    wider = NameTable(slots, *(longer(column, 2 * len(column)) for column in names[1:]))
    put_names(wider, int(np.count_nonzero(names.slots >= 0)))
    return wider


def longer(array: np.ndarray, length: int) -> np.ndarray:
    """The same array with room for more."""
    wider = np.zeros(max(length, len(array)), array.dtype)
    wider[: len(array)] = array
    return wider
