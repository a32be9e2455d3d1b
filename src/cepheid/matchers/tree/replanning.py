"""A tree that changes its shape while it runs, when rates and selectivities have.

What the leaves hold is joined anew in the other shape, which is one pass over the live window. The root takes
no part in that: all that the events so far complete has been told, and a match that waits for a window to
close waits on. So nothing is lost or repeated, and nothing need be known of what was told.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from cepheid.errors import SnapshotError
from cepheid.events import END, EventBatch
from cepheid.matchers.allowance import Allowance
from cepheid.matchers.protocol import Outputs
from cepheid.matchers.snapshot import Snapshot
from cepheid.matchers.tree import layout as at
from cepheid.matchers.tree.choosing import reshaped
from cepheid.matchers.tree.condensed.reshaping import may_reshape, reshape_condensed
from cepheid.matchers.tree.layout import TreeEvents
from cepheid.matchers.tree.matcher import CONDENSED, TreeMatcher
from cepheid.matchers.tree.memory import TreeMemory
from cepheid.matchers.tree.rejoining import rejoin
from cepheid.matchers.tree.tables import TreeTableBuilder
from cepheid.matchers.tree.watching import ShapeWatch
from cepheid.plan.tree.choice import shape_count
from cepheid.plan.tree.plan import TreePlan
from cepheid.plan.tree.shape import AUTO


def tree_matcher(plan: TreePlan, allowance: Allowance) -> TreeMatcher:
    """A matcher for a plan. It keeps the plan's shape if that was asked for or is the only one, or where the
    tree is condensed and a window counts events."""
    is_fixed = plan.asked_shape != AUTO or shape_count(plan.query.pattern) == 1
    if is_fixed or (plan.groupings and not may_reshape(plan)):
        return TreeMatcher(plan, allowance)
    return ReplanningTree(plan, allowance)


class ReplanningTree(TreeMatcher):
    """A tree matcher whose shape follows the stream. It looks whether another one is better after each batch
    and, in a long one, whenever composites are dropped."""

    def __init__(self, plan: TreePlan, allowance: Allowance) -> None:
        super().__init__(plan, allowance)
        self.watch = ShapeWatch()
        self.changes = 0
        self._batch: EventBatch | None = None

    @property
    def figures(self) -> dict[str, Any]:
        """Those of every tree, and how often it changed its shape."""
        return {**super().figures, "shape_changes": self.changes}

    def process(self, batch: EventBatch) -> Outputs:
        """The matches that became certain with this batch."""
        self._batch = batch
        found = super().process(batch)
        self.watch.recent.add(batch)
        self._batch = None
        if batch.watermark != END:
            better = self._better(0)
            if better is not None:
                self.collect_between(batch)
                self._change_to(better)
        return found

    def _make_room(self, full: int, events: TreeEvents, tables: list[pa.Table]) -> None:
        super()._make_room(full, events, tables)
        if full == at.COLLECT:
            better = self._better(int(self.memory.cursor[at.AT_EVENT]))
            if better is not None:
                self._change_to(better)

    def _better(self, done: int) -> TreePlan | None:
        """A better plan, if there is one after so many events of the batch at hand."""
        cursor = self.memory.cursor
        work = int(cursor[at.PAIRS] + cursor[at.COMPOSITES])
        return self.watch.look(self.plan, self.position + done, work, self._batch, done)

    def _change_to(self, plan: TreePlan) -> None:
        """Take another shape, unless that cannot be condensed where this one is."""
        if plan.shape != self.plan.shape and bool(plan.groupings) == self.is_condensed:
            (reshape_condensed if self.is_condensed else change_shape)(self, plan)
            self.changes += 1

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot of the same plan, in the shape that it is of."""
        shape = snapshot.values.get("shape")
        if snapshot.fingerprint == self.plan.fingerprint and shape != self.layout:
            if not isinstance(shape, str):
                raise SnapshotError("the snapshot is not of a tree: go on with the engine that wrote it")
            plan = reshaped(self.plan, shape.removesuffix(CONDENSED))
            if shape.endswith(CONDENSED) == self.is_condensed:
                (reshape_condensed if self.is_condensed else change_shape)(self, plan)  # of nothing yet
        super().restore(snapshot)
        self.watch = ShapeWatch()


# -- another shape ---------------------------------------------------------------------------------


def change_shape(tree: TreeMatcher, plan: TreePlan) -> None:
    """Go on in another shape; what is out of reach has been dropped."""
    builder = TreeTableBuilder(plan, tree.texts)
    tables = builder.build()
    old, rows = tree.memory, _rows_to_keep(tree, plan)
    memory = TreeMemory(
        tables,
        len(plan.remembered),
        builder.conditions.registers,
        builder.indexes,
        old.max_state,
        is_condensed=False,
    )
    memory.replace(parts=old.state.parts, candidates=old.state.candidates, pending=old.state.pending)
    memory.cursor[:] = old.cursor
    memory.peak = max(memory.peak, old.peak)
    tree.work_before = tree.work
    tree.plan, tree.tables, tree.memory = plan, tables, memory
    tree.results.tables = tables
    _fill(tree, *rows)
    _rejoin(tree)


def _rows_to_keep(tree: TreeMatcher, plan: TreePlan) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rows of the leaves, in the order of their nodes in the new plan, then those of matches that wait;
    the node of each, and where each row has gone."""
    state, count = tree.memory.state, int(tree.memory.cursor[at.ROWS])
    rows = state.rows[:count]
    positions = np.array([node.position for node in tree.plan.nodes])[rows[:, at.OF_NODE]]
    number = {node.position: number for number, node in enumerate(plan.nodes) if node.position >= 0}
    leaves = np.flatnonzero(positions >= 0)
    nodes = np.array([number[p] for p in positions[leaves].tolist()], np.int64)
    order = np.argsort(nodes, kind="stable")
    waiting = _waiting(tree, rows)
    kept = np.concatenate([leaves[order], waiting])
    moved = np.full(count + 1, at.NONE, np.int64)  # its last place is that of NONE
    moved[kept] = np.arange(kept.size)
    return rows[kept], np.concatenate([nodes[order], np.full(waiting.size, plan.root)]), moved


def _waiting(tree: TreeMatcher, rows: np.ndarray) -> np.ndarray:
    """The rows of matches that wait for a window to close, and of the joins that they are made of."""
    is_join = np.array([node.position < 0 for node in tree.plan.nodes])
    found = np.zeros(rows.shape[0], np.bool_)
    above = np.flatnonzero(rows[:, at.OF_NODE] == tree.plan.root) if is_join[tree.plan.root] else found[:0]
    while above.size:
        found[above] = True
        parts = rows[above][:, [at.PART_LEFT, at.PART_RIGHT]].reshape(-1)
        parts = np.unique(parts[parts != at.NONE])
        above = parts[is_join[rows[parts, at.OF_NODE]] & ~found[parts]]
    return np.flatnonzero(found)


def _fill(tree: TreeMatcher, rows: np.ndarray, nodes: np.ndarray, moved: np.ndarray) -> None:
    """Put the kept rows into the new arrays. Joins of matches that wait count as whole matches, which no join
    looks for."""
    memory = tree.memory
    if rows.shape[0] > memory.state.rows.shape[0]:
        memory.grow(rows=2 * rows.shape[0])
    state, cursor = memory.state, memory.cursor
    state.rows[: rows.shape[0]] = rows
    kept = state.rows[: rows.shape[0]]
    kept[:, at.OF_NODE] = nodes
    for part in (at.PART_LEFT, at.PART_RIGHT, at.LAST_LEAF):
        kept[:, part] = moved[kept[:, part]]
    cursor[at.ROWS] = rows.shape[0]
    waits = state.pending[:, at.WAITS]
    in_use = waits < moved.size - 1
    waits[in_use] = moved[waits[in_use]]
    for number, node in enumerate(tree.plan.nodes):
        if node.position >= 0:
            begin, end = np.searchsorted(nodes, [number, number + 1])
            state.spans[number] = begin, end


def _rejoin(tree: TreeMatcher) -> None:
    """Join what the leaves hold, up to the root."""
    memory = tree.memory
    tree.list_anew()
    cursor = memory.cursor
    cursor[at.AT_NODE], cursor[at.BLOCK_END] = 0, at.NONE
    while full := rejoin(tree.tables, tree.no_events(), memory.state, tree.found, cursor):
        if full == at.PENDING_FULL:
            memory.grow_pending()
        else:
            memory.grow_rows(memory.state.rows.shape[0] + 2)
    cursor[at.COLLECT_AT] = max(int(cursor[at.COLLECT_AT]), 2 * int(cursor[at.ROWS]))
    cursor[at.AT_NODE] = at.BETWEEN
