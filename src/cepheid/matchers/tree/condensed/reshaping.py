"""A condensed tree goes on in another shape, in one pass over the live window.

Groups and ranges are of a shape, so they cannot be taken over. But the events of all members are known, with
their values in the store. An event of which no member is left can be in no match that is still to come: a
part of every match with it would have to be there. So these events, fed to the other shape in their order,
are all that it needs. The root takes no part: what they complete has been told.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from cepheid.events import EventBatch, time_values
from cepheid.matchers.match_identity import without_variable
from cepheid.matchers.tree import layout as at
from cepheid.matchers.tree.condensed import layout as of
from cepheid.matchers.tree.condensed.refeeding import refeed
from cepheid.matchers.tree.condensed.results import CondensedResults
from cepheid.matchers.tree.layout import TreeEvents
from cepheid.matchers.tree.matcher import TreeMatcher
from cepheid.matchers.tree.memory import TreeMemory
from cepheid.matchers.tree.tables import TreeTableBuilder
from cepheid.plan.tree.plan import TreePlan

_TAKEN_OVER = (at.CANDIDATES, at.PAIRS, at.COMPOSITES)


def may_reshape(plan: TreePlan) -> bool:
    """Whether a condensed tree may change its shape: the number of an event in its partition is not kept."""
    windows = (plan.window, *plan.inner_windows)
    return not any(window is not None and window.counts_events for window in windows)


def reshape_condensed(tree: TreeMatcher, plan: TreePlan) -> None:
    """Go on in another shape."""
    held, stored = _events_held(tree)
    positions = held[:, of.EVENT].copy()
    events = _as_events(tree, held, stored)
    old = tree.memory
    _begin_anew(tree, plan, positions.size)
    memory, cursor = tree.memory, tree.memory.cursor
    cursor[at.AT_EVENT], cursor[at.AT_NODE], cursor[at.STORE] = 0, at.BETWEEN, 0
    while full := refeed(tree.tables, events, memory.state, tree.found, cursor, positions):
        _MAKES_ROOM[full](memory)
    places = memory.state.members[: cursor[at.MEMBERS], of.STORED]
    places[places != of.NONE] = stored[places[places != of.NONE]]
    for place in (at.AT_EVENT, at.AT_NODE, at.OFFSET, at.STORE, at.BLOCK_END):
        cursor[place] = old.cursor[place]
    tree.list_anew()
    cursor[at.COLLECT_AT] = max(int(old.cursor[at.COLLECT_AT]), 2 * int(cursor[at.ROWS]))
    cursor[at.COLLECT_MEMBERS_AT] = max(int(old.cursor[at.COLLECT_MEMBERS_AT]), 2 * int(cursor[at.MEMBERS]))


def _events_held(tree: TreeMatcher) -> tuple[np.ndarray, np.ndarray]:
    """One member of each event that there is, in the order of events, and where these are in the store."""
    members = tree.memory.state.members[: tree.memory.cursor[at.MEMBERS]]
    alone = members[members[:, of.POSITION] != of.NONE]
    _, first = np.unique(alone[:, of.EVENT], return_index=True)
    held = alone[first]
    return held, held[:, of.STORED].copy()


def _as_events(tree: TreeMatcher, held: np.ndarray, stored: np.ndarray) -> TreeEvents:
    """Events of the store as they were read when they came."""
    plan = tree.plan
    columns = [tree.store.column(name, stored) for name in plan.needed]
    data = pa.RecordBatch.from_arrays(columns, list(plan.needed))
    time = time_values(data.column(plan.schema.time))
    batch = EventBatch(data, time, 0)
    read = tree.reader.read(batch, tree.texts)
    head = np.zeros((at.HEAD_WIDTH, batch.count), np.int64)
    head[at.MASK] = read.mask
    head[at.IN_PARTITION] = tree.keys.encode(batch.columns(plan.query.keys), batch.count)
    head[at.TIME] = np.ascontiguousarray(time).view(np.int64)
    identities = held[:, of.IDENTITY : of.IDENTITY + 2].copy().view(np.uint64)
    variables = held[:, of.POSITION].astype(np.uint64)[:, np.newaxis]
    head[at.HASH :] = without_variable(identities, variables).view(np.int64).T
    return TreeEvents(head, read.columns, read.valid, tree.texts.tables())


def _begin_anew(tree: TreeMatcher, plan: TreePlan, events: int) -> None:
    """An empty tree of another shape, with the partitions and the candidates of the old one."""
    builder = TreeTableBuilder(plan, tree.texts)
    tables = builder.build()
    old = tree.memory
    memory = TreeMemory(
        tables, len(plan.remembered), builder.conditions.registers, builder.indexes, old.max_state, True
    )
    parts = old.state.parts
    parts[:, at.HEADS : at.HEADS + tables.node_count] = at.NONE
    memory.replace(parts=parts, candidates=old.state.candidates)
    memory.cursor[list(_TAKEN_OVER)] = old.cursor[list(_TAKEN_OVER)]
    memory.peak = max(memory.peak, old.peak)
    memory.fit_buckets(events)
    tree.work_before = tree.work
    tree.plan, tree.tables, tree.memory = plan, tables, memory
    tree.condensed = CondensedResults(plan, tables, tree.results.expect)


_MAKES_ROOM = {
    at.ROWS_FULL: lambda memory: memory.grow_rows(memory.state.rows.shape[0] + 4),
    at.MEMBERS_FULL: TreeMemory.grow_members,
    at.COUNTS_FULL: TreeMemory.fit_counts,
}
