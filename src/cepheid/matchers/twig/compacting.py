"""Forget the texts and attributes that no open element and no waiting row needs."""

from __future__ import annotations

import numpy as np

from cepheid.matchers.twig import layout as at
from cepheid.matchers.twig.state import TwigState


def compact(m: TwigState) -> None:
    """Move what is needed together. All rows that are told have been taken away."""
    st = m.state
    rows = m.rows[: st[at.USED_ROWS]]
    waiting = np.flatnonzero(rows[:, at.STANDS] > 0)
    layers = m.layers[1 : st[at.TOP] + 1]
    _compact_texts(m, rows, waiting, layers)
    _compact_values(m, rows, waiting, layers)


def _compact_texts(m: TwigState, rows: np.ndarray, waiting: np.ndarray, layers: np.ndarray) -> None:
    size = int(m.state[at.TEXT_SIZE])
    reading = np.flatnonzero(layers[:, at.TEXT_FROM] >= 0)
    opened = layers[reading, at.TEXT_FROM]
    starts = np.concatenate([rows[waiting, at.ROW_TEXT], opened])
    ends = np.concatenate([rows[waiting, at.ROW_TEXT_END], np.full(len(opened), size)])
    kept = _Kept(starts, ends)
    lengths = rows[waiting, at.ROW_TEXT_END] - rows[waiting, at.ROW_TEXT]
    rows[waiting, at.ROW_TEXT] = kept.moved(rows[waiting, at.ROW_TEXT])
    rows[waiting, at.ROW_TEXT_END] = rows[waiting, at.ROW_TEXT] + lengths
    layers[reading, at.TEXT_FROM] = kept.moved(opened)
    m.state[at.TEXT_SIZE] = m.state[at.TEXT_HELD] = kept.move(m.texts)


def _compact_values(m: TwigState, rows: np.ndarray, waiting: np.ndarray, layers: np.ndarray) -> None:
    held = np.flatnonzero(layers[:, at.IS_RETURNED] > 0)
    starts = np.concatenate([rows[waiting, at.ROW_VALUES], layers[held, at.VALUES_FROM]])
    ends = np.concatenate([rows[waiting, at.ROW_VALUES_END], layers[held, at.VALUES_TO]])
    kept = _Kept(starts, ends)
    places = kept.moved(starts)
    n = len(waiting)
    rows[waiting, at.ROW_VALUES], rows[waiting, at.ROW_VALUES_END] = places[:n], (places + ends - starts)[:n]
    layers[held, at.VALUES_FROM] = places[n:]
    layers[held, at.VALUES_TO] = (places + ends - starts)[n:]
    count = m.state[at.ATTRIBUTES] = kept.move(m.attributes)
    values = m.attributes[:count]
    texts = _Kept(values[:, at.VALUE_FROM], values[:, at.VALUE_TO])
    lengths = values[:, at.VALUE_TO] - values[:, at.VALUE_FROM]
    values[:, at.VALUE_FROM] = texts.moved(values[:, at.VALUE_FROM])
    values[:, at.VALUE_TO] = values[:, at.VALUE_FROM] + lengths
    m.state[at.VALUE_SIZE] = texts.move(m.values)


class _Kept:
    """Spans of an array that are kept; they may overlap."""

    def __init__(self, starts: np.ndarray, ends: np.ndarray) -> None:
        order = np.argsort(starts, kind="stable")
        starts, ends = starts[order], np.maximum.accumulate(ends[order])
        first = np.ones(len(starts), bool)
        first[1:] = starts[1:] > ends[:-1]
        last = np.ones(len(starts), bool)
        last[:-1] = first[1:]
        self._starts, self._ends = starts[first], ends[last]
        lengths = self._ends - self._starts
        self._places = np.cumsum(lengths) - lengths

    def moved(self, positions: np.ndarray) -> np.ndarray:
        """Where the first places of spans will be."""
        if not len(positions):
            return positions
        segment = np.searchsorted(self._starts, positions, side="right") - 1
        found: np.ndarray = self._places[segment] + positions - self._starts[segment]
        return found

    def move(self, array: np.ndarray) -> int:
        """Move them together, to the front; how long they are."""
        for start, end, place in zip(self._starts, self._ends, self._places, strict=True):
            array[place : place + end - start] = array[start:end]
        return int((self._ends - self._starts).sum())
