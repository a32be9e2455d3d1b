"""Where primitives are found: what each is found by, and what is left to test."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from cepheid.matchers.profile.pool import layout as at
from cepheid.matchers.profile.pool.choosing import RANGE, Conjunct, chosen, conjuncts_of
from cepheid.matchers.profile.pool.growing import GrowingArray
from cepheid.matchers.profile.pool.layout import PoolTables
from cepheid.matchers.profile.pool.programs import Programs, Words
from cepheid.matchers.profile.pool.sampling import Sample
from cepheid.matchers.profile.pool.structures import Slots, TextHashes, Watches
from cepheid.matchers.profile.pool.trees import Ranged, RangeForest
from cepheid.plan.profile.primitives import Shape


@dataclass(slots=True)
class Placed:
    """The places of primitives, and all that they are found by."""

    layout: object = field(default_factory=object)  # that of a fork is the same, as its places are
    types: dict[str | None, int] = field(default_factory=lambda: {None: 0})
    slots: Slots = field(default_factory=Slots)
    watches: Watches = field(default_factory=Watches)
    forest: RangeForest = field(default_factory=RangeForest)
    hashes: TextHashes = field(default_factory=TextHashes)
    tests: GrowingArray = field(default_factory=lambda: GrowingArray(np.int64, at.TEST_WIDTH))
    places: GrowingArray = field(default_factory=lambda: GrowingArray(np.int32))
    waiting: dict[tuple[int, int], list[Ranged]] = field(
        default_factory=dict
    )  # to be planted, by type, column

    def add(self, shape: Shape, programs: Programs, numbers: np.ndarray, sample: Sample) -> np.ndarray:
        """Place primitives of one shape; their rows."""
        of_type = self.types.setdefault(shape.event_type, len(self.types))
        conjuncts = conjuncts_of(shape, programs)
        by = chosen(conjuncts, sample, programs)
        rows = np.zeros((numbers.size, at.PRIMITIVE_WIDTH), np.int32)
        self._add_tests(conjuncts, by, programs, rows)
        keyed = [self._keyed(each, by == k, of_type) for k, each in enumerate(conjuncts)]
        self._add_places([*keyed, self._listed(np.flatnonzero(by == at.NONE), of_type)], rows)
        for k, each in enumerate(conjuncts):
            self._index(each, by == k, (of_type, numbers, rows), programs.words, sample)
        return rows

    def _add_tests(
        self, conjuncts: list[Conjunct], by: np.ndarray, programs: Programs, rows: np.ndarray
    ) -> None:
        """The tests of each primitive but the one that it is found by."""
        tables = [programs.table(each.rows) for each in conjuncts]
        blank = np.zeros((by.size, 0, at.TEST_WIDTH), np.int64)
        every = np.concatenate([blank, *tables], axis=1)
        of = np.repeat(np.arange(len(tables)), [table.shape[1] for table in tables])
        kept = by[:, None] != of[None, :] if tables else np.zeros((by.size, 0), np.bool_)
        ends = self.tests.count + np.cumsum(kept.sum(axis=1))
        rows[:, at.TESTS_END] = ends
        rows[:, at.TESTS] = ends - kept.sum(axis=1)
        self.tests.append(every[kept])

    def _keyed(self, conjunct: Conjunct, some: np.ndarray, of_type: int) -> tuple[np.ndarray, np.ndarray]:
        """Which primitives have a place, and what it is: a slot, or NONE where a tree will say."""
        if conjunct.kinds is None or conjunct.keys is None or not some.any():
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        ranged = np.flatnonzero(some & (conjunct.kinds == RANGE))
        owners, slots = [ranged], [np.full(ranged.size, at.NONE)]
        for kind in (at.EQUAL, at.EQUAL_TEXT, at.ALIKE):
            chosen_rows = np.flatnonzero(some & (conjunct.kinds == kind))
            if not chosen_rows.size:
                continue
            group = self.slots.group(of_type, kind, conjunct.column)
            keys = conjunct.keys[chosen_rows]
            for k in range(1 if conjunct.is_stretch else keys.shape[1]):
                fresh = np.ones(chosen_rows.size, np.bool_) if k == 0 else keys[:, k] != keys[:, k - 1]
                owners.append(chosen_rows[fresh])
                slots.append(self.slots.add(group, keys[fresh, k]))
        return np.concatenate(owners), np.concatenate(slots)

    def _listed(self, some: np.ndarray, of_type: int) -> tuple[np.ndarray, np.ndarray]:
        """The place of primitives that every event of the type is tested for."""
        if not some.size:
            return some, some
        return some, self.slots.add(self.slots.group(of_type, at.ALL, 0), np.zeros(some.size, np.int64))

    def _add_places(self, parts: list[tuple[np.ndarray, np.ndarray]], rows: np.ndarray) -> None:
        owners = np.concatenate([part[0] for part in parts])
        slots = np.concatenate([part[1] for part in parts])
        order = np.argsort(owners, kind="stable")
        counts = np.bincount(owners, minlength=rows.shape[0])
        ends = self.places.count + np.cumsum(counts)
        rows[:, at.PLACES], rows[:, at.PLACES_END] = ends - counts, ends
        self.places.append(slots[order].astype(np.int32))

    def _index(
        self,
        conjunct: Conjunct,
        some: np.ndarray,
        placed: tuple[int, np.ndarray, np.ndarray],
        words: Words,
        sample: Sample,
    ) -> None:
        """Let ranges be planted and patterns searched."""
        if conjunct.kinds is None or conjunct.keys is None:
            return
        of_type, numbers, rows = placed
        ranged = some & (conjunct.kinds == RANGE)
        if ranged.any():
            ends = conjunct.keys[ranged]
            owners = 2 * numbers[ranged] + (rows[ranged, at.TESTS] < rows[ranged, at.TESTS_END])
            members = Ranged(ends[:, 0], ends[:, 1], owners, rows[ranged, at.PLACES])
            self.waiting.setdefault((of_type, conjunct.column), []).append(members)
        alike = some & (conjunct.kinds == at.ALIKE)
        if alike.any():
            self.watches.add(words.likes, conjunct.column, conjunct.keys[alike, 0], sample.grams)

    # -- what kernels see --------------------------------------------------------------------------

    def tables(self, primitives: np.ndarray, words: Words) -> PoolTables:
        """All of it as kernels read it."""
        for (of_type, column), members in self.waiting.items():
            self.forest.add(of_type, column, Ranged.all_of(members), self.places.rows)
        self.waiting = {}
        groups, group_starts, group_list = self.slots.rows(len(self.types))
        trees, tree_starts = self.forest.table(len(self.types))
        forest, texts, likes = self.forest, words.texts, words.likes
        return PoolTables(
            primitives=primitives,
            tests=self.tests.rows,
            places=self.places.rows,
            text_starts=texts.starts,
            text_bytes=texts.symbols,
            text_table=self.hashes.up_to_date(texts),
            like_starts=likes.starts,
            like_symbols=likes.symbols,
            groups=groups,
            group_starts=group_starts,
            group_list=group_list,
            slots=self.slots.table,
            trees=trees,
            tree_starts=tree_starts,
            entries=forest.entries.rows,
            highs=forest.highs.rows,
            parents=forest.parents.rows,
            grams=self.watches.grams,
            gram_bits=self.watches.bits,
            gram_sizes=self.watches.size_rows(len(words.expressions)),
            watches=self.watches.rows.rows,
        )

    def leaves_since(self, entries: int) -> list[np.ndarray]:
        """The leaves of the trees that were planted when there were so many entries, or later."""
        fresh = (tree for tree in self.forest.trees if tree.root >= entries)
        return [~self.places.rows[tree.members.places] for tree in fresh]

    def fork(self) -> Placed:
        """The same places, to which others may be added by themselves."""
        return Placed(
            self.layout,
            dict(self.types),
            self.slots.fork(),
            self.watches.fork(),
            self.forest.fork(),
            TextHashes(),
            self.tests.fork(),
            self.places.fork(),
            {key: list(members) for key, members in self.waiting.items()},
        )
