"""Room for what the tokenizer finds: made at first, and made larger."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from cepheid.matchers.twig.scan import layout as at
from cepheid.matchers.twig.scan.byte_classes import CLASSES
from cepheid.matchers.twig.scan.names import put_names
from cepheid.matchers.twig.scan.tables import NameTable, Scan, TokenSpans

FEW = 16
KINDS = (np.int8, np.int32, np.int64, np.int64, np.int32)
"""Of the columns of tokens."""

TOKENS = 1 << 12
"""At a time: enough that Python's part does not count, and few enough to stay in the processor's cache."""


def new_scan(entities: Iterable[str], max_depth: int) -> Scan:
    """The beginning of a document."""
    tokens = TokenSpans(*(np.zeros(TOKENS, kind) for kind in KINDS))
    state = np.zeros(at.STATE_SIZE, np.int64)
    known = named([each.encode() for each in entities])
    opened = np.zeros(min(64, max_depth), np.int32)
    names = _room_for_names(1 << 9)
    state[at.NAMES] = 1
    names.facts[at.NO_PREFIX, at.BOUND] = at.NO_NAMESPACE
    declarations = np.zeros((FEW, at.DECLARATION_SIZE), np.int64)
    return Scan(CLASSES, state, opened, names, known, _room_for_names(FEW), declarations, tokens)


def _room_for_names(count: int) -> NameTable:
    facts = np.full((count, at.FACTS), at.NONE, np.int32)
    facts[:, at.WRITTEN] = np.arange(count)
    facts[:, at.NAMESPACE] = at.NO_NAMESPACE
    return NameTable(
        np.full(2 * count, -1, np.int32),
        np.zeros(count, np.int64),
        np.zeros(count, np.int64),
        np.zeros(16 * count, np.uint8),
        np.zeros(count, np.int64),
        facts,
        np.full(2 * count, -1, np.int32),
        np.zeros((count, at.WORDS), np.uint64),
        np.full(count, at.ALL_OF_IT, np.uint8),
    )


def named(names: list[bytes]) -> NameTable:
    """A table of just these names."""
    count = 1 << len(names).bit_length()
    table = _room_for_names(count)
    table = table._replace(letters=longer(np.frombuffer(b"".join(names), np.uint8), 1))
    ends = np.cumsum([len(name) for name in names], dtype=np.int64)
    table.ends[: len(names)] = ends
    table.starts[: len(names)] = ends - [len(name) for name in names]
    put_names(table, 0, len(names))
    return table


def names_again(state: np.ndarray, saved: NameTable) -> NameTable:
    """The names that came so far, from what was kept of them: all but the tables of hashes."""
    count = 1 << max(9, len(saved.starts).bit_length())
    room = _room_for_names(count)
    names = _filled(room, saved)
    names.last_tag[:] = -1
    put_names(names, 1, int(state[at.NAMES]))
    return names


def more_names(names: NameTable, first: int, count: int) -> NameTable:
    """Twice the room; the tables of hashes are filled anew with the names from `first` on."""
    room = _room_for_names(2 * len(names.starts))
    wider = _filled(room, names)
    put_names(wider, first, count)
    return wider


def _filled(room: NameTable, names: NameTable) -> NameTable:
    """The names in a table that has room for more, and whose tables of hashes are empty."""
    room.facts[: len(names.facts)] = names.facts
    kept = min(len(names.asked), len(names.starts))
    room.asked[:kept] = names.asked[:kept]
    return room._replace(
        starts=longer(names.starts, len(room.starts)),
        ends=longer(names.ends, len(room.ends)),
        letters=longer(names.letters, max(2 * len(names.letters), len(room.letters))),
        last_tag=longer(names.last_tag, len(room.last_tag)),
    )


def with_spelling(spellings: NameTable, count: int, value: bytes, namespace: int) -> NameTable:
    """One more way to write a namespace, besides `count` others."""
    end = int(spellings.ends[count - 1]) if count else 0
    if 2 * (count + 1) > len(spellings.starts):
        spellings = more_names(spellings, 0, count)
    if end + len(value) > len(spellings.letters):
        spellings = spellings._replace(letters=longer(spellings.letters, 2 * (end + len(value))))
    spellings.letters[end : end + len(value)] = np.frombuffer(value, np.uint8)
    spellings.starts[count], spellings.ends[count] = end, end + len(value)
    spellings.facts[count, at.MEANS] = namespace
    put_names(spellings, count, count + 1)
    return spellings


def longer(array: np.ndarray, length: int) -> np.ndarray:
    """The same array with room for more."""
    wider = np.zeros((max(length, len(array)), *array.shape[1:]), array.dtype)
    wider[: len(array)] = array
    return wider
