"""The arrays of a running matcher: made, grown within a budget, saved and restored."""

from __future__ import annotations

import numpy as np

from cepheid.errors import LimitError
from cepheid.matchers.nfa import layout as at
from cepheid.matchers.nfa.layout import State, Tables

_START = 1024
_BUCKET = 16  # bytes a run in the lists that runs are found in, at most


class Memory:
    """Owns the `State`; kernels see it as one tuple."""

    def __init__(self, tables: Tables, values: int, remembered: int, registers: int, max_state: int) -> None:
        self.max_state = max_state
        self.peak = 0
        self._candidate_heads = tables.candidate_heads
        self.cursor = np.zeros(at.CURSOR_WIDTH, np.int64)
        self.cursor[[at.FREE_RUN, at.PENDING, at.LAST_EVENT, at.FRESH]] = at.NONE
        self.state = State(
            runs=np.zeros((0, tables.slots + values), np.int64),
            nodes=np.zeros((0, at.NODE_WIDTH + remembered), np.int64),
            parts=np.zeros((0, tables.candidate_heads + tables.absence_count), np.int64),
            candidates=np.zeros((0, at.CANDIDATE_WIDTH + tables.candidate_count), np.int64),
            registers=np.zeros((max(registers, tables.states), at.SCRATCH_WIDTH), np.int64),
            buckets=np.full(_START, at.NONE, np.int64),
        )
        self._parts_room = self.state.parts  # `state.parts` is the first rows of it, those in use
        self.grow_runs(_START)
        self.grow_nodes(_START)
        if tables.absence_count:
            self.grow_candidates(_START)

    @property
    def bytes(self) -> int:
        """How much the arrays take."""
        return sum(array.nbytes for array in self.state)

    def grow_runs(self, size: int) -> None:
        """Room for `size` runs in all; the new ones go to the free list. Runs have to be listed anew."""
        first = self.state.runs.shape[0]
        runs = self._longer(self.state.runs, size, "partial matches")
        runs[first:, at.RUN_NEXT] = np.arange(first + 1, size + 1)
        runs[size - 1, at.RUN_NEXT] = self.cursor[at.FREE_RUN]
        self.cursor[at.FREE_RUN] = first
        self.cursor[at.FREE_RUNS] += size - first
        self.state = self.state._replace(runs=runs, buckets=_buckets(size))

    def grow_nodes(self, size: int) -> None:
        """Room for `size` buffered events in all."""
        self.state = self.state._replace(nodes=self._longer(self.state.nodes, size, "buffered events"))

    def grow_candidates(self, size: int) -> None:
        """Room for `size` candidates for absence in all."""
        candidates = self._longer(self.state.candidates, size, "candidates for absence")
        self.state = self.state._replace(candidates=candidates)

    def grow_partitions(self, count: int) -> None:
        """Rows for `count` partitions. There is room for more, so that they are rarely moved, but what has
        no partition yet is neither touched nor seen."""
        parts = self.state.parts
        have = parts.shape[0]
        if count <= have:
            return
        self._allow(count - have, parts, "partitions")
        if count > self._parts_room.shape[0]:
            self._parts_room = np.empty((max(count, 2 * have), parts.shape[1]), parts.dtype)
            self._parts_room[:have] = parts
        self._parts_room[have:count] = at.NONE
        self._parts_room[have:count, [at.LIVE, at.COUNTED]] = 0
        self.state = self.state._replace(parts=self._parts_room[:count])

    def most_rows(self, array: np.ndarray) -> int:
        """How many rows an array may have at most, as things are."""
        row = array.shape[1] * array.itemsize + (_BUCKET if array is self.state.runs else 0)
        return int(array.shape[0] + max(self.max_state - self.bytes, 0) // row)

    def keep_partitions(self, kept: np.ndarray) -> None:
        """Drop all partitions but these; they are numbered anew, in their order."""
        self._parts_room = self.state.parts[kept]
        self.state = self.state._replace(parts=self._parts_room)

    def _longer(self, array: np.ndarray, size: int, what: str) -> np.ndarray:
        self._allow(size - array.shape[0], array, what)
        longer = np.zeros((size, array.shape[1]), array.dtype)
        longer[: array.shape[0]] = array
        return longer

    def _allow(self, more: int, array: np.ndarray, what: str) -> None:
        """Say so if there may not be so many more rows of an array."""
        total = self.bytes + more * array.shape[1] * array.itemsize
        if total > self.max_state:
            raise LimitError(
                f"the query's state would pass max_state = {self.max_state:,} bytes (growing its {what}): "
                "too many partial matches are alive at once. Bound it: a shorter WITHIN, a stricter strategy "
                "such as skip_till_next_match, an equivalence test [key], more selective conditions, "
                "or a larger max_state="
            )
        self.peak = max(self.peak, total)

    def saved(self) -> dict[str, np.ndarray]:
        """Everything that is alive, as named arrays."""
        st, cursor = self.state, self.cursor
        return {
            "cursor": cursor.copy(),
            "runs": st.runs.copy(),
            "nodes": st.nodes[: cursor[at.NODES]].copy(),
            "parts": st.parts.copy(),
            "candidates": st.candidates[: cursor[at.CANDIDATES]].copy(),
        }

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Go on from saved arrays."""
        self.cursor[:] = arrays["cursor"]
        self.state = self.state._replace(**{n: a for n, a in arrays.items() if n in State._fields})
        self.state = self.state._replace(buckets=_buckets(self.state.runs.shape[0]))
        self._parts_room = self.state.parts
        self.peak = max(self.peak, self.bytes)


def _buckets(runs: int) -> np.ndarray:
    """Empty lists for so many runs to be found in."""
    return np.full(1 << max(runs - 1, 1).bit_length(), at.NONE, np.int64)
