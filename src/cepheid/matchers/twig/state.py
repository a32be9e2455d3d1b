"""The arrays that the transducer works on: made at first, and made larger."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.matchers.twig import layout as at
from cepheid.matchers.twig.tables import TwigTables

FEW = 32
TOLD = 1 << 12
BYTES = 1 << 16
HEAP = 1 << 12
FEW_YET, SOON = 1 << 16, 8
"""What is short is made so many times as long as it has to be: whoever needs room soon needs more."""

NO_PLACES = np.zeros(0, np.int64)


class TwigState(NamedTuple):
    """All that changes."""

    state: np.ndarray
    layers: np.ndarray  # with sets of steps and counts of children behind each
    heap: np.ndarray
    rows: np.ndarray  # that wait, each with its standings behind it
    told: np.ndarray
    texts: np.ndarray  # uint8
    values: np.ndarray  # uint8, of attributes
    attributes: np.ndarray
    names: np.ndarray  # of each name: the steps that want it, then whether it is what tests ask of attributes
    places: np.ndarray  # of another encoding: the offset of each byte at hand


def new_state(tables: TwigTables, most_stands: int, asked: int) -> TwigState:
    """The beginning of a document, which stands at step 0."""
    steps = len(tables.steps)
    return TwigState(
        state=new_registers(tables),
        layers=np.zeros((FEW, tables.lasts_at + tables.positions), np.int64),
        heap=np.zeros(HEAP + 4 * tables.need, np.int64),
        rows=np.zeros((FEW + steps, at.ROW_SIZE + most_stands), np.int64),
        told=np.zeros((TOLD, at.TOLD_SIZE), np.int64),
        texts=np.zeros(BYTES, np.uint8),
        values=np.zeros(BYTES, np.uint8),
        attributes=np.zeros((FEW, at.ATTRIBUTE_SIZE), np.int64),
        names=np.zeros((0, tables.words + asked), np.int64),
        places=NO_PLACES,
    )


def new_registers(tables: TwigTables) -> np.ndarray:
    """The numbers that all arrays are used by, as they are before the first byte."""
    state = np.zeros(at.STATE_SIZE + len(tables.steps) + tables.words, np.int64)
    state[at.FREE : at.FREE + len(at.KINDS)] = at.NONE
    state[[at.FREE_ROW, at.TOP, at.MET, at.TOUCHED, at.STIRRED, at.DEAD]] = at.NONE
    state[at.STATE_SIZE :] = at.NONE
    state[at.USED] = at.HEAP_BEGIN
    return state


def with_room(tables: TwigTables, m: TwigState, size: int, attributes: int) -> TwigState:
    """The same state, with room for what a token may need that means so many bytes."""
    st = m.state
    needs = {
        "layers": st[at.TOP] + 2,
        "heap": st[at.USED] + max(tables.need + tables.need_queued * st[at.QUEUED], st[at.NEEDED]),
        "rows": st[at.WAITING_ROWS] + len(tables.steps),
        "told": st[at.TOLD] + 1,
        "texts": st[at.TEXT_SIZE] + size,
        "values": st[at.VALUE_SIZE] + size,
        "attributes": st[at.ATTRIBUTES] + attributes,
    }
    st[at.NEEDED] = 0
    wider = {
        name: longer_table(getattr(m, name), int(need) * (SOON if need < FEW_YET else 2))
        for name, need in needs.items()
        if need > len(getattr(m, name))
    }
    return m._replace(**wider)


def longer_table(array: np.ndarray, length: int) -> np.ndarray:
    """The same rows, and room for more."""
    wider = np.zeros((max(length, len(array)), *array.shape[1:]), array.dtype)
    wider[: len(array)] = array
    return wider
