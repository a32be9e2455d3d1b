"""The arrays of the tree engine."""

import numpy as np

from cepheid.matchers.arrays import Arrays, row_bytes
from cepheid.matchers.candidates import WIDTH
from cepheid.matchers.tree import layout as at
from cepheid.matchers.tree.condensed import layout as of
from cepheid.matchers.tree.condensed.counting import COUNT_WIDTH, compact_counts
from cepheid.matchers.tree.layout import TreeState, TreeTables

_START = 1024
_BUCKETS = 256  # of an index, at first
_CALLED = {
    "rows": "composites",
    "candidates": "candidates for absence",
    "parts": "partitions",
    "pending": "matches that wait for a window to close",
    "buckets": "indexes",
    "members": "composites in groups",
    "groups": "groups",
    "homes": "indexes",
    "counts": "numbers of matches",
}


class TreeMemory(Arrays):
    """Composites, partitions, candidates for absence, and matches that wait."""

    state: TreeState
    scratch = frozenset({"scratch", "spans", "buckets", "homes"})
    refusal = (
        "the query's state would pass max_state = {max_state:,} bytes (growing its {growing}): "
        "too many combinations of events are alive at once. Bound it: a shorter WITHIN, an equivalence test "
        "[key], more selective conditions, another shape=, or a larger max_state="
    )

    def __init__(
        self,
        tables: TreeTables,
        remembered: int,
        registers: int,
        indexes: int,
        max_state: int,
        is_condensed: bool,
    ) -> None:
        cursor = np.zeros(at.CURSOR_WIDTH, np.int64)
        cursor[[at.PENDING, at.FREE_PENDING, at.AT_NODE]] = at.NONE
        cursor[[at.COLLECT_AT, at.COLLECT_MEMBERS_AT]] = _START
        tried = tables.node_count if is_condensed else 0  # a condensed tree has a row a node to try with
        cursor[at.ROWS] = tried
        grouped = _START + tried if is_condensed else 0
        stack = 2 * tables.node_count + 2
        state = TreeState(
            rows=np.zeros((_START + tried, tables.kept + remembered), np.int64),
            parts=np.zeros((0, tables.candidate_heads + tables.absence_count), np.int64),
            candidates=np.zeros(
                (_START if tables.absence_count else 0, WIDTH + tables.candidate_count), np.int64
            ),
            pending=np.zeros((0, 2), np.int64),
            spans=np.zeros((tables.node_count, 2), np.int64),
            scratch=np.zeros((max(registers, tables.position_count, stack), at.SCRATCH_WIDTH), np.int64),
            buckets=np.full((indexes, _BUCKETS), at.NONE, np.int64),
            groups=np.zeros((grouped, of.GROUP_WIDTH), np.int64),
            members=np.zeros((grouped, of.MEMBER_WIDTH), np.int64),
            homes=np.full(_START if is_condensed else 0, at.NONE, np.int64),
            tally=np.zeros((tables.node_count, at.TALLY_WIDTH), np.int64),
            counts=np.zeros((_START if tables.counts else 0, COUNT_WIDTH), np.int64),
        )
        super().__init__(state, cursor, max_state)
        part = np.full(state.parts.shape[1], at.NONE)
        part[at.COUNTED] = 0
        self.fresh = {"parts": part}
        self._has_candidates = tables.absence_count > 0
        self.is_condensed, self._counts = is_condensed, tables.counts
        self.grow_pending()

    def called(self, name: str) -> str:
        """What users would call the rows of an array."""
        return _CALLED[name]

    def grow_rows(self, least: int) -> None:
        """Room for more composites, at least so many in all."""
        larger = self._larger(self.state.rows, least)
        self.grow(rows=larger, **({"groups": larger} if self.is_condensed else {}))

    def grow_members(self) -> None:
        """Room for more members of groups."""
        self.grow(members=self._larger(self.state.members, self.state.members.shape[0] + 1))

    def grow_candidates(self, least: int) -> None:
        """Room for more candidates for absence, at least so many in all."""
        self.grow(candidates=self._larger(self.state.candidates, least))

    def grow_pending(self) -> None:
        """Room for more matches that wait."""
        first = self.state.pending.shape[0]
        self.grow(pending=max(2 * first, 64))
        links = self.state.pending[:, at.NEXT]
        links[first:] = np.arange(first + 1, links.size + 1)
        links[-1] = self.cursor[at.FREE_PENDING]
        self.cursor[at.FREE_PENDING] = first

    def fit_buckets(self, least: int = 0) -> None:
        """As many buckets an index as there are composites, or more. They have to be listed anew."""
        indexes, size = self.state.buckets.shape
        wanted = 1 << max(int(self.cursor[at.ROWS]) - 1, least, 1).bit_length()
        if indexes and wanted > size:
            self.allow(8 * indexes * (wanted - size), "buckets")
            self.replace(buckets=np.full((indexes, wanted), at.NONE, np.int64))

        if self.is_condensed and wanted > self.state.homes.size:
            self.allow(8 * (wanted - self.state.homes.size), "homes")
            self.replace(homes=np.full(wanted, at.NONE, np.int64))

    def fit_counts(self) -> None:
        """Room for more numbers: those of no group are dropped, and there is twice as much as is used."""
        live = int(self.state.groups[: self.cursor[at.ROWS], [of.OLD_SIZE, of.NEW_SIZE]].sum())
        wanted = max(4 * live, live + 128 * (int(self.cursor[at.LONGEST_COUNT]) + 2), _START)
        self.allow(16 * wanted, "counts")
        counts = np.zeros((wanted, COUNT_WIDTH), np.int64)
        compact_counts(self.state, self.cursor, counts)
        self.replace(counts=counts)

    def _larger(self, array: np.ndarray, least: int) -> int:
        """Twice the rows, as far as there is room; if there is none for the least, growing says so."""
        most = array.shape[0] + max(self.max_state - self.bytes, 0) // row_bytes(array)
        return int(max(min(2 * array.shape[0], most), least))

    def used(self) -> dict[str, int]:
        """How many composites and candidates there are."""
        used = {"rows": int(self.cursor[at.ROWS]), "candidates": int(self.cursor[at.CANDIDATES])}
        if self.is_condensed:
            used |= {"groups": used["rows"], "members": int(self.cursor[at.MEMBERS])}
            used["counts"] = int(self.cursor[at.COUNTS])
        return used

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Go on from saved arrays."""
        super().restore(arrays)
        self.grow(rows=self.state.rows.shape[0] + _START)
        if self.is_condensed:
            self.grow(groups=self.state.rows.shape[0], members=self.state.members.shape[0] + _START)
        if self._counts:
            self.fit_counts()
        if self._has_candidates:
            self.grow(candidates=self.state.candidates.shape[0] + _START)
