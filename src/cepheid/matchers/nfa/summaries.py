"""A row for each completing event: how many matches it completes, and the graph of them if that is wanted."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from cepheid.matchers.completions import Completions, Waits, completion_table, group_identities
from cepheid.matchers.nfa import layout as at
from cepheid.matchers.nfa.gather import gather_ways
from cepheid.matchers.nfa.layout import NfaState
from cepheid.matchers.nfa.results import NfaResults
from cepheid.matchers.store import EventStore
from cepheid.matchers.ways import layout as way
from cepheid.matchers.ways.counting import counts
from cepheid.matchers.ways.ways import Ways
from cepheid.matchers.windows import FAR
from cepheid.pattern.query import EmitMode
from cepheid.plan.nfa.plan import NfaPlan


class Summaries:
    """Turns found matches into rows about all that one event completes."""

    def __init__(self, plan: NfaPlan, results: NfaResults) -> None:
        self.plan = plan
        self.results = results
        self._held: list[tuple[np.ndarray, pa.Table]] = []

    def take(
        self, found: np.ndarray, state: NfaState, nodes: int, store: EventStore, last: bool
    ) -> Iterator[pa.Table]:
        """The rows that can be handed out now."""
        if found.shape[0]:
            found, groups = self.results.grouped(found)
            began = np.minimum.reduceat(found[:, at.FOUND_MEASURE], groups[:-1])
            for ways, first in gather_ways(self.results.tables, state, nodes, found, groups):
                rows = found[groups[first : first + ways.count]]
                rows[:, at.FOUND_MEASURE] = began[first : first + ways.count]
                self._held.append((rows, summary_table(self.plan, ways, rows, store)))
        if not self._held or (self.results.tables.trailing and not last):
            return
        held, self._held = self._held, []
        if not self.results.tables.trailing:
            yield from (table for _, table in held)
            return
        rows = np.concatenate([told for told, _ in held])
        order = np.lexsort([rows[:, at.FOUND_LAST], *self.results.completion(rows)])
        yield pa.concat_tables([table for _, table in held]).take(pa.array(order))


def summary_table(plan: NfaPlan, ways: Ways, found: np.ndarray, store: EventStore) -> pa.Table:
    """A row for each group of matches, all of which have one last event."""
    last = ways.rows[last_rows(ways)]
    waits = Waits(
        waited=found[:, at.FOUND_EVENT] != found[:, at.FOUND_LAST],
        at_event=found[:, at.FOUND_EVENT] != FAR,
        began=found[:, at.FOUND_MEASURE].copy(),
        completed=found[:, at.FOUND_TIME].copy(),
    )
    known = group_identities(last[:, way.IDENTITY : way.IDENTITY + 2].view(np.uint64), waits, plan.window)
    graph = ways if plan.query.emit.mode is EmitMode.COMPRESSED else None
    groups = Completions(last[:, way.ROW], known, counts(ways), graph)
    return completion_table(plan, groups, store)


def last_rows(ways: Ways) -> np.ndarray:
    """Of each group the last event at the first variable that it is bound to."""
    roots = np.flatnonzero(ways.rows[:, way.ROOT])
    group = np.searchsorted(ways.groups, roots, side="right") - 1
    roots = roots[np.lexsort((ways.rows[roots, way.POSITION], group))]
    first = np.searchsorted(np.sort(group), np.arange(ways.count))
    chosen: np.ndarray = roots[first]
    return chosen
