"""A row for each completing event: how many matches it completes, and the graph of them if that is wanted."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from cepheid.matchers.bindings import Bindings, joined_bindings
from cepheid.matchers.completions import Completions, Waits, completion_table, group_identities
from cepheid.matchers.emit import in_order, output_order
from cepheid.matchers.store import EventStore
from cepheid.matchers.tree import layout as at
from cepheid.matchers.tree.layout import TreeState
from cepheid.matchers.tree.listing import listed
from cepheid.matchers.tree.results import COMPLETION, TreeResults
from cepheid.matchers.ways.plaiting import plaited
from cepheid.matchers.ways.ways import Ways
from cepheid.matchers.windows import FAR
from cepheid.pattern.query import EmitMode
from cepheid.plan.tree.plan import TreePlan

# a row about some matches of a group: what they agree on, then what is known of all of them together
_KEYS = len(COMPLETION)
MEASURE, POSITION, STORED, IDENTITY, NUMBER = range(_KEYS, _KEYS + 5)
NUMBER = IDENTITY + 2
WIDTH = NUMBER + 1

_OF_VARIABLE = 40
"""How far a variable's number is shifted beside that of an event of the store."""


class TreeSummaries:
    """Turns found matches into rows about all that one event completes."""

    def __init__(self, plan: TreePlan, results: TreeResults) -> None:
        self.plan = plan
        self.results = results
        self.lists = plan.query.emit.mode is EmitMode.COMPRESSED
        self._held: list[np.ndarray] = []
        self._listed: list[tuple[np.ndarray, Bindings]] = []
        self._known: list[np.ndarray] = []  # variable and event of the store, and two words of identity

    def take(
        self, found: np.ndarray, state: TreeState, store: EventStore, complete: bool, last: bool
    ) -> Iterator[pa.Table]:
        """The rows that can be handed out now: see `TreeResults.take`."""
        if found.shape[0]:
            self._held.append(self._counted(found))
            if self.lists:
                self._list(found, state)
        if not self._held or not (last if self.results.trailing else complete):
            return
        groups = _merged(np.concatenate(self._held))
        self._held = []
        keys = [groups[:, k] for k in range(_KEYS)]
        if self.results.tables.real_time:
            keys[-1] = keys[-1].copy().view(np.float64)
        groups = groups[np.lexsort(keys)]
        last, event, side, time = groups[:, :_KEYS].T
        waits = Waits(event != last, event != FAR, groups[:, MEASURE].copy(), time.copy(), side.copy())
        known = groups[:, IDENTITY : IDENTITY + 2].copy().view(np.uint64)
        yield completion_table(
            self.plan,
            Completions(
                last=groups[:, STORED].copy(),
                identities=group_identities(known, waits, self.plan.window),
                numbers=groups[:, NUMBER].tolist(),
                ways=self._ways(groups) if self.lists else None,
            ),
            store,
        )

    def _counted(self, found: np.ndarray) -> np.ndarray:
        """The groups of found matches; each is known by its last event at the first variable of it."""
        rows = np.empty((found.shape[0], WIDTH), np.int64)
        rows[:, :_KEYS] = found[:, list(COMPLETION)]
        rows[:, MEASURE] = found[:, at.FOUND_MEASURE]
        rows[:, POSITION] = found[:, at.FOUND_POSITION]
        rows[:, STORED] = found[:, at.FOUND_STORED]
        rows[:, IDENTITY : IDENTITY + 2] = found[:, at.FOUND_IDENTITY : at.FOUND_IDENTITY + 2]
        rows[:, NUMBER] = 1
        return _merged(rows)

    # -- graphs ------------------------------------------------------------------------------------

    def _list(self, found: np.ndarray, state: TreeState) -> None:
        bindings, leaves = listed(self.results.tables, state, found[:, at.FOUND_ROW])
        self._listed.append((found.copy(), bindings))
        for variable, of_variable in enumerate(leaves):
            rows = state.rows[np.unique(of_variable)]
            key = (np.int64(variable) << _OF_VARIABLE) + rows[:, at.STORED]
            known = np.column_stack([key, rows[:, at.IDENTITY : at.IDENTITY + 2]])
            self._known.append(known)

    def _ways(self, groups: np.ndarray) -> Ways:
        """The graphs of all groups, in their order."""
        found = np.concatenate([rows for rows, _ in self._listed])
        bindings = joined_bindings([each for _, each in self._listed])
        known = np.unique(np.concatenate(self._known), axis=0)
        self._listed, self._known = [], []
        order = output_order(
            bindings, [found[:, at.FOUND_LAST], *self.results.completion(found)], is_sorted=False
        )
        bindings = in_order(bindings, order)
        identities = [
            known[np.searchsorted(known[:, 0], (np.int64(v) << _OF_VARIABLE) + events), 1:]
            for v, events in enumerate(bindings.events)
        ]
        begins = np.concatenate([[0], np.cumsum(groups[:, NUMBER])])
        return plaited(bindings, np.concatenate(identities), begins)


def _merged(rows: np.ndarray) -> np.ndarray:
    """One row a group, from several about some of its matches each."""
    order = np.lexsort([rows[:, POSITION], *(rows[:, k] for k in range(_KEYS))])
    rows = rows[order]
    changed = np.ones(rows.shape[0], np.bool_)
    changed[1:] = (rows[1:, :_KEYS] != rows[:-1, :_KEYS]).any(axis=1)
    begins = np.flatnonzero(changed)
    merged: np.ndarray = rows[begins]
    merged[:, MEASURE] = np.minimum.reduceat(rows[:, MEASURE], begins)
    merged[:, NUMBER] = np.add.reduceat(rows[:, NUMBER], begins)
    return merged
