"""Where the state holds keys and texts, so that those that nothing refers to can be forgotten."""

import numpy as np

from cepheid.matchers import candidates as kept_at
from cepheid.matchers.codes import KeyCodes
from cepheid.matchers.tree import layout as at
from cepheid.matchers.tree.layout import TreeTables
from cepheid.matchers.tree.memory import TreeMemory
from cepheid.pattern.types import ValueType
from cepheid.plan.tree.plan import TreePlan


def forget_partitions(memory: TreeMemory, keys: KeyCodes, tables: TreeTables) -> KeyCodes:
    """Number the partitions that have a composite or a candidate anew; drop the others."""
    state, cursor = memory.state, memory.cursor
    places = (
        (state.rows[: cursor[at.ROWS]], at.PARTITION),
        (state.candidates[: cursor[at.CANDIDATES]], kept_at.PARTITION),
    )
    alive = np.zeros(state.parts.shape[0], np.bool_)
    for rows, column in places:
        alive[rows[:, column]] = True
    kept = np.flatnonzero(alive[: keys.count])
    renumbered = np.full(state.parts.shape[0], at.NONE, np.int64)
    renumbered[kept] = np.arange(kept.size)
    for rows, column in places:
        rows[:, column] = renumbered[rows[:, column]]
    memory.replace(parts=state.parts[kept])
    return keys.only(kept)


def text_places(plan: TreePlan, memory: TreeMemory, tables: TreeTables) -> list[np.ndarray]:
    """The columns of the state's rows that hold texts."""
    rows = memory.state.rows[: memory.cursor[at.ROWS]]
    candidates = memory.state.candidates[: memory.cursor[at.CANDIDATES]]
    columns = tables.book[tables.candidate_columns : tables.candidate_columns + tables.candidate_count, 0]
    slots = [rows[:, at.WIDTH + k] for k, slot in enumerate(plan.slots) if slot.type is ValueType.STRING]
    kept = [
        rows[:, tables.kept + k]
        for k, item in enumerate(plan.remembered)
        if item.value.type is ValueType.STRING
    ]
    read = [
        candidates[:, kept_at.WIDTH + k]
        for k, column in enumerate(columns)
        if plan.columns[column].type is ValueType.STRING
    ]
    return [*slots, *kept, *read]
