"""Where the state holds keys and texts, so that those that nothing refers to can be forgotten."""

import numpy as np

from cepheid.matchers import candidates as kept_at
from cepheid.matchers.codes import KeyCodes
from cepheid.matchers.nfa import layout as at
from cepheid.matchers.nfa.layout import NfaTables
from cepheid.matchers.nfa.memory import NfaMemory
from cepheid.pattern.types import ValueType
from cepheid.plan.nfa.plan import NfaPlan


def forget_partitions(memory: NfaMemory, keys: KeyCodes, tables: NfaTables) -> KeyCodes:
    """Number the partitions that have a run, a waiting match or a candidate anew; drop the others."""
    parts, cursor = memory.state.parts, memory.cursor
    alive = (parts[:, at.LIVE] > 0) | (parts[:, at.WAITING] != at.NONE)
    if tables.absence_count:
        alive |= (parts[:, tables.candidate_heads :] != at.NONE).any(axis=1)
    alive[memory.state.runs[pending_runs(memory), at.RUN_PARTITION]] = True
    kept = np.flatnonzero(alive[: keys.count])
    renumbered = np.full(parts.shape[0], at.NONE, np.int64)
    renumbered[kept] = np.arange(kept.size)
    for rows, column in (
        (memory.state.runs, at.RUN_PARTITION),
        (memory.state.candidates[: cursor[at.CANDIDATES]], kept_at.PARTITION),
    ):
        rows[:, column] = renumbered[rows[:, column]]
    memory.keep_partitions(kept)
    return keys.only(kept)


def pending_runs(memory: NfaMemory) -> list[int]:
    """The runs in the list of matches that wait for time to pass."""
    found = []
    run = int(memory.cursor[at.PENDING])
    while run != at.NONE:
        found.append(run)
        run = int(memory.state.runs[run, at.RUN_NEXT])
    return found


def text_places(plan: NfaPlan, memory: NfaMemory, tables: NfaTables) -> list[np.ndarray]:
    """The columns of the state's rows that hold texts."""
    state, cursor = memory.state, memory.cursor
    columns = tables.book[tables.candidate_columns : tables.candidate_columns + tables.candidate_count, 0]
    slots = [state.runs[:, tables.slots + k] for k, slot in enumerate(plan.slots) if _is_text(slot.type)]
    nodes = [
        state.nodes[: cursor[at.NODES], at.NODE_WIDTH + k]
        for k, item in enumerate(plan.remembered)
        if _is_text(item.value.type)
    ]
    candidates = [
        state.candidates[: cursor[at.CANDIDATES], kept_at.WIDTH + k]
        for k, column in enumerate(columns)
        if _is_text(plan.columns[column].type)
    ]
    return [*slots, *nodes, *candidates]


def _is_text(kind: ValueType) -> bool:
    return kind is ValueType.STRING
