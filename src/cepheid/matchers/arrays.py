"""The arrays of a running matcher: grown within a budget of bytes, saved and restored.

A matcher declares its arrays as one or more tuples, which is how kernels see them, and calls `grow` when a
kernel finds no room. Rows of partitions and of groups come through `extend`.
"""

import math
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from cepheid.errors import LimitError


class Arrays:
    """Owns the state of a matcher and the cursor of its kernels."""

    tuples: ClassVar[dict[str, str]] = {"state": ""}
    """The attributes that hold named tuples of arrays, and what stands before the names of these where they
    are saved. No two fields have one name."""

    scratch: ClassVar[frozenset[str]] = frozenset()
    """Arrays that hold nothing between two calls of a kernel, so that they need not be saved."""

    refusal: ClassVar[str] = "the state would pass max_state = {max_state:,} bytes"
    """What to say where the budget is spent; `{growing}` stands for the array that wanted to grow."""

    def __init__(self, state: Any, cursor: np.ndarray, max_state: int) -> None:
        self.state = state
        self.cursor = cursor
        self.max_state = max_state
        self.peak = 0
        self.waits: str | None = None  # what else a user should know whose budget is spent
        self.fresh: dict[str, Any] = {}  # what new rows of an array hold, where that is not 0
        self._room: dict[str, np.ndarray] = {}

    # -- which arrays there are --------------------------------------------------------------------

    def array(self, name: str) -> np.ndarray:
        """The array of this name."""
        found: np.ndarray = getattr(getattr(self, self._owner(name)), name)
        return found

    def replace(self, **arrays: np.ndarray) -> None:
        """Put other arrays in the place of these."""
        for name, array in arrays.items():
            owner = self._owner(name)
            self._room.pop(name, None)
            setattr(self, owner, getattr(self, owner)._replace(**{name: array}))

    def _owner(self, name: str) -> str:
        return next(owner for owner in self.tuples if name in getattr(self, owner)._fields)

    # -- their size --------------------------------------------------------------------------------

    @property
    def bytes(self) -> int:
        """How much the arrays take."""
        return sum(array.nbytes for owner in self.tuples for array in getattr(self, owner))

    @property
    def figures(self) -> dict[str, int]:
        """What a matcher tells of itself beyond what all of them do."""
        return {}

    def grow(self, **rows: int) -> None:
        """Let arrays have so many rows; what was there stays, the rest is 0."""
        for name, size in rows.items():
            old = self.array(name)
            self.allow((size - old.shape[0]) * row_bytes(old), name)
            longer = np.zeros((size, *old.shape[1:]), old.dtype)
            longer[: old.shape[0]] = old
            self.replace(**{name: longer})

    def grow_ring(self, name: str, oldest: int, size: int) -> None:
        """Let a ring have so many rows. Its oldest, which the cursor has at `oldest`, becomes the first."""
        self.replace(**{name: np.roll(self.array(name), -int(self.cursor[oldest]), axis=0)})
        self.cursor[oldest] = 0
        self.grow(**{name: size})

    def extend(self, **rows: int) -> None:
        """Let arrays have at least so many rows, fresh ones. They get room for more, so that they rarely
        move; but rows that nothing has asked for yet are neither touched nor seen nor counted."""
        for name, count in rows.items():
            array = self.array(name)
            have = array.shape[0]
            if count <= have:
                continue
            self.allow((count - have) * row_bytes(array), name)
            room = self._room.get(name)
            if room is None or count > room.shape[0]:
                room = np.zeros((max(count, 2 * have), *array.shape[1:]), array.dtype)
                room[:have] = array
            if name in self.fresh:
                room[have:count] = self.fresh[name]
            self.replace(**{name: room[:count]})
            self._room[name] = room

    def allow(self, more: int, growing: str) -> None:
        """Refuse to grow an array by so many bytes past the limit."""
        total = self.bytes + more
        if total > self.max_state:
            refusal = self.refusal.format(max_state=self.max_state, growing=self.called(growing))
            raise LimitError(refusal if self.waits is None else f"{refusal}. {self.waits}")
        self.peak = max(self.peak, total)

    def called(self, name: str) -> str:
        """What users would call the rows of an array."""
        return name

    # -- saved and restored ------------------------------------------------------------------------

    def used(self) -> dict[str, int]:
        """Of which arrays only the first rows are in use, and how many."""
        return {}

    def saved(self) -> dict[str, np.ndarray]:
        """Everything to go on from, as named arrays."""
        used = self.used()
        kept = {saved: self.array(name)[: used.get(name)].copy() for name, saved in self._names()}
        return {"cursor": self.cursor.copy(), **kept}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Go on from saved arrays."""
        self.cursor[:] = arrays["cursor"]
        self.replace(**{name: arrays[saved] for name, saved in self._names()})
        self.peak = max(self.peak, self.bytes)

    def _names(self) -> list[tuple[str, str]]:
        """The arrays that are saved, and as what."""
        return [
            (name, prefix + name)
            for owner, prefix in self.tuples.items()
            for name in getattr(self, owner)._fields
            if name not in self.scratch
        ]


def moment_bits(moment: int | float, kind: np.dtype[Any]) -> np.int64:
    """A time as kernels see it: the bits of a number of this kind."""
    return np.int64(np.array([moment], kind).view(np.int64)[0])


def row_bytes(array: np.ndarray) -> int:
    """How much a row takes."""
    return math.prod(array.shape[1:]) * array.itemsize


def free_rows(links: np.ndarray, first: int, cursor: np.ndarray, head: int, count: int) -> None:
    """Put the rows from `first` on in front of the list of free ones, whose first and whose number the
    cursor holds at `head` and `count`."""
    links[first:] = np.arange(first + 1, links.size + 1)
    links[-1] = cursor[head]
    cursor[head] = first
    cursor[count] += links.size - first


def chained(first: int, links: np.ndarray) -> np.ndarray:
    """Which rows a list of them has, from its first on; a link of -1 is the end."""
    found = np.zeros(links.size + 1, np.bool_)  # its last place stands for the end
    found[first] = True
    ahead = np.append(np.where(links < 0, links.size, links), links.size)
    for _ in range(int(links.size).bit_length()):  # each time, twice as far
        found[ahead[found]] = True
        ahead = ahead[ahead]
    return found[:-1]


Owned = TypeVar("Owned", bound=Arrays)


class InArrays(Generic[Owned]):
    """A matcher whose whole state is in arrays."""

    memory: Owned

    @property
    def state_bytes(self) -> int:
        """How much it takes."""
        return self.memory.bytes

    @property
    def peak_state_bytes(self) -> int:
        """The most that it has taken."""
        return max(self.memory.peak, self.memory.bytes)

    @property
    def max_state(self) -> int:
        """The most that it may take."""
        return self.memory.max_state
