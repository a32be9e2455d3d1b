"""Arrays that a method counts in: grown within a budget, widened, saved and restored."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from cepheid.errors import LimitError

Moves = Sequence[tuple[slice, slice, bool]]
"""Which words of a cell go where, and whether they have a sign to be continued."""


def wider(cells: np.ndarray, moves: Moves, width: int) -> np.ndarray:
    """Cells of more words; what has a sign keeps it."""
    wide = np.zeros((cells.shape[0], width), np.uint64)
    for source, target, signed in moves:
        words = cells[:, source]
        wide[:, target][:, : words.shape[1]] = words
        if signed:
            sign = words[:, -1].astype(np.int64) >> 63
            wide[:, target][:, words.shape[1] :] = sign.astype(np.uint64)[:, None]
    return wide


class Arrays:
    """Owns the state of a method, which kernels see as one tuple, and their cursor."""

    cells: tuple[str, ...] = ()
    """The arrays of the state whose rows are cells."""

    crowd = "first events"
    """What there may be too many of in a window."""

    def __init__(self, state: Any, cursor: np.ndarray, max_state: int) -> None:
        self.state = state
        self.cursor = cursor
        self.max_state = max_state
        self.peak = 0

    @property
    def bytes(self) -> int:
        """How much the arrays take."""
        return sum(array.nbytes for array in self.state)

    @property
    def figures(self) -> dict[str, int]:
        """What a method tells of itself, besides what all of them do."""
        return {}

    def widen(self, moves: Moves, width: int) -> None:
        """Cells of more words; what has a sign keeps it."""
        for name in self.cells:
            old = getattr(self.state, name)
            self.within_budget(old.shape[0] * (width - old.shape[1]) * old.itemsize)
            self.state = self.state._replace(**{name: wider(old, moves, width)})

    def longer(self, array: np.ndarray, size: int) -> np.ndarray:
        """The same rows, and room for more."""
        self.within_budget((size - array.shape[0]) * math.prod(array.shape[1:]) * array.itemsize)
        longer = np.zeros((size, *array.shape[1:]), array.dtype)
        longer[: array.shape[0]] = array
        return longer

    def within_budget(self, more: int) -> None:
        """Refuse to grow by so many bytes past the limit."""
        if self.bytes + more > self.max_state:
            raise LimitError(
                f"the aggregate's state would pass max_state = {self.max_state:,} bytes: too many "
                f"{self.crowd} are in the window at once. Bound it: a shorter WITHIN, more selective "
                "conditions, or a larger max_state="
            )
        self.peak = max(self.peak, self.bytes + more)

    def saved(self) -> dict[str, np.ndarray]:
        """Everything, as named arrays."""
        return {"cursor": self.cursor.copy(), **{n: a.copy() for n, a in self.state._asdict().items()}}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Go on from saved arrays."""
        self.cursor[:] = arrays["cursor"]
        self.state = type(self.state)(**{name: arrays[name] for name in self.state._fields})
        self.peak = max(self.peak, self.bytes)


Owned = TypeVar("Owned", bound=Arrays)


class InArrays(Generic[Owned]):
    """What a matcher says of its state, all of which is in arrays."""

    memory: Owned

    @property
    def state_bytes(self) -> int:
        """How much it takes."""
        return self.memory.bytes

    @property
    def peak_state_bytes(self) -> int:
        """The most that it has taken."""
        return max(self.memory.peak, self.memory.bytes)
