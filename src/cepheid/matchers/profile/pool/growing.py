"""Arrays that rows are appended to, and texts that are kept once each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

import numpy as np


class GrowingArray:
    """Rows of one type. Adding a few to many copies the many only now and then."""

    def __init__(self, dtype: Any, width: int = 0, first: Iterable[int] = ()) -> None:
        self._room = np.zeros((16, width) if width else 16, dtype)
        self.count = 0
        self.append(np.array(list(first), dtype).reshape((-1, *self._room.shape[1:])))

    @property
    def rows(self) -> np.ndarray:
        """The rows so far."""
        return self._room[: self.count]

    def append(self, rows: np.ndarray) -> None:
        """Add rows behind the others. What was seen of `rows` before stays as it was."""
        end = self.count + rows.shape[0]
        if end > self._room.shape[0]:
            room = np.zeros((max(end, 2 * self._room.shape[0]), *self._room.shape[1:]), self._room.dtype)
            room[: self.count] = self.rows
            self._room = room
        self._room[self.count : end] = rows
        self.count = end

    def fork(self) -> GrowingArray:
        """The same rows, to which others may be added by themselves."""
        fresh = object.__new__(GrowingArray)
        fresh._room, fresh.count = self.rows.copy(), self.count
        return fresh


class TextTable:
    """Texts as sequences of symbols, each once, numbered in the order in which they came."""

    def __init__(self, dtype: Any) -> None:
        self.codes: dict[str, int] = {}
        self._starts = GrowingArray(np.int64, first=[0])
        self._symbols = GrowingArray(dtype)

    @property
    def starts(self) -> np.ndarray:
        """Where each text starts, and behind them where the last ends."""
        return self._starts.rows

    @property
    def symbols(self) -> np.ndarray:
        """The symbols of all."""
        return self._symbols.rows

    def add(
        self, texts: Iterable[str], change: Callable[[np.ndarray], np.ndarray] | None = None
    ) -> np.ndarray:
        """The numbers of texts, whose symbols are their bytes, or what these are changed to."""
        codes, known = self.codes, len(self.codes)
        found = np.array([codes.setdefault(text, len(codes)) for text in texts], np.int64)
        if len(codes) > known:
            fresh = [text.encode() for text in islice(codes, known, None)]
            data = np.frombuffer(b"".join(fresh), np.uint8)
            self._extend([len(each) for each in fresh], data if change is None else change(data))
        return found

    def add_symbols(self, name: str, symbols: list[int]) -> int:
        """The number of one text that is given as symbols."""
        found = self.codes.setdefault(name, len(self.codes))
        if found == self._starts.count - 1:
            self._extend([len(symbols)], np.array(symbols, self._symbols.rows.dtype))
        return found

    def _extend(self, sizes: list[int], symbols: np.ndarray) -> None:
        self._starts.append(self._symbols.count + np.cumsum(sizes))
        self._symbols.append(symbols)

    def fork(self) -> TextTable:
        """The same texts, to which others may be added by themselves."""
        fresh = object.__new__(TextTable)
        fresh.codes = dict(self.codes)
        fresh._starts, fresh._symbols = self._starts.fork(), self._symbols.fork()
        return fresh
