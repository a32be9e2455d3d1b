"""The arrays of the nfa engine."""

import numpy as np

from cepheid.matchers.arrays import Arrays, free_rows, row_bytes
from cepheid.matchers.candidates import WIDTH
from cepheid.matchers.nfa import layout as at
from cepheid.matchers.nfa.layout import NfaState, NfaTables

_START = 1024
_BUCKET = 16  # bytes a run in the lists that runs are found in, at most
_CALLED = {
    "runs": "partial matches",
    "nodes": "buffered events",
    "candidates": "candidates for absence",
    "parts": "partitions",
}


class NfaMemory(Arrays):
    """Runs, the buffer of their events, partitions, and candidates for absence."""

    state: NfaState
    scratch = frozenset({"registers", "buckets", "tally"})
    refusal = (
        "the query's state would pass max_state = {max_state:,} bytes (growing its {growing}): "
        "too many partial matches are alive at once. Bound it: a shorter WITHIN, a stricter strategy "
        "such as skip_till_next_match, an equivalence test [key], more selective conditions, "
        "or a larger max_state="
    )

    def __init__(
        self, tables: NfaTables, values: int, remembered: int, registers: int, max_state: int
    ) -> None:
        cursor = np.zeros(at.CURSOR_WIDTH, np.int64)
        cursor[[at.FREE_RUN, at.PENDING, at.LAST_EVENT, at.FRESH]] = at.NONE
        state = NfaState(
            runs=np.zeros((0, tables.slots + values), np.int64),
            nodes=np.zeros((0, at.NODE_WIDTH + remembered), np.int64),
            parts=np.zeros((0, tables.candidate_heads + tables.absence_count), np.int64),
            candidates=np.zeros((0, WIDTH + tables.candidate_count), np.int64),
            registers=np.zeros((max(registers, tables.states), at.SCRATCH_WIDTH), np.int64),
            buckets=_buckets(_START),
            tally=np.zeros((_tally_rows(tables), at.TALLY_WIDTH), np.int64),
        )
        super().__init__(state, cursor, max_state)
        part = np.full(state.parts.shape[1], at.NONE)
        part[[at.LIVE, at.COUNTED]] = 0
        self.fresh = {"parts": part}
        self.grow_runs(_START)
        self.grow_nodes(_START)
        if tables.absence_count:
            self.grow_candidates(_START)

    def called(self, name: str) -> str:
        """What users would call the rows of an array."""
        return _CALLED[name]

    def grow_runs(self, size: int) -> None:
        """Room for `size` runs in all. Runs have to be listed anew."""
        first = self.state.runs.shape[0]
        self.grow(runs=size)
        free_rows(self.state.runs[:, at.RUN_NEXT], first, self.cursor, at.FREE_RUN, at.FREE_RUNS)
        self.replace(buckets=_buckets(size))

    def grow_nodes(self, size: int) -> None:
        """Room for `size` buffered events in all."""
        self.grow(nodes=size)

    def grow_candidates(self, size: int) -> None:
        """Room for `size` candidates for absence in all."""
        self.grow(candidates=size)

    def grow_partitions(self, count: int) -> None:
        """Rows for `count` partitions."""
        if count > self.state.parts.shape[0]:
            self.extend(parts=count)

    def keep_partitions(self, kept: np.ndarray) -> None:
        """Drop all partitions but these; they are numbered anew, in their order."""
        self.replace(parts=self.state.parts[kept])

    def most_rows(self, array: np.ndarray) -> int:
        """How many rows an array may have at most, as things are."""
        row = row_bytes(array) + (_BUCKET if array is self.state.runs else 0)
        return int(array.shape[0] + max(self.max_state - self.bytes, 0) // row)

    def used(self) -> dict[str, int]:
        """How many buffered events and candidates there are."""
        return {"nodes": int(self.cursor[at.NODES]), "candidates": int(self.cursor[at.CANDIDATES])}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Go on from saved arrays. Runs have to be listed anew."""
        super().restore(arrays)
        self.replace(buckets=_buckets(self.state.runs.shape[0]))


def _tally_rows(tables: NfaTables) -> int:
    """A row for each state, and for each edge between two."""
    positions = tables.book[tables.positions : tables.positions + tables.states]
    return max(tables.states, int(positions[:, at.FOLLOW_END].max(initial=0)))


def _buckets(runs: int) -> np.ndarray:
    """Empty lists for so many runs to be found in."""
    return np.full(1 << max(runs - 1, 1).bit_length(), at.NONE, np.int64)
