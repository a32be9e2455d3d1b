"""A row for each completing event: how many matches it completes, and the graph of them if that is wanted."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from cepheid.matchers.completions import Completions, Waits, completion_table, group_identities
from cepheid.matchers.nfa import layout as at
from cepheid.matchers.nfa.gather import gather_shared, gather_ways
from cepheid.matchers.nfa.layout import NfaState
from cepheid.matchers.nfa.results import NfaResults
from cepheid.matchers.store import EventStore
from cepheid.matchers.ways import layout as way
from cepheid.matchers.ways.shared import SharedWays, shared
from cepheid.matchers.ways.ways import Ways
from cepheid.matchers.windows import FAR
from cepheid.pattern.query import EmitMode
from cepheid.plan.nfa.plan import NfaPlan
from cepheid.plan.summaries import is_packed


class Summaries:
    """Turns found matches into rows about all that one event completes."""

    def __init__(self, plan: NfaPlan, results: NfaResults) -> None:
        self.plan = plan
        self.results = results
        is_shared = plan.query.emit.mode is EmitMode.COUNT or is_packed(plan)
        self._gather = gather_shared if is_shared and not results.tables.trailing else gather_ways
        self._held: list[tuple[np.ndarray, pa.Table]] = []

    def take(
        self, found: np.ndarray, state: NfaState, nodes: int, store: EventStore, last: bool
    ) -> Iterator[pa.Table]:
        """The rows that can be handed out now."""
        if found.shape[0]:
            found, groups = self.results.grouped(found)
            began = np.minimum.reduceat(found[:, at.FOUND_MEASURE], groups[:-1])
            for ways, first in self._gather(self.results.tables, state, nodes, found, groups):
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


def summary_table(plan: NfaPlan, ways: Ways | SharedWays, found: np.ndarray, store: EventStore) -> pa.Table:
    """A row for each group of matches, all of which have one last event."""
    together = shared(ways)
    last = together.rows[last_rows(together)]
    waits = Waits(
        waited=found[:, at.FOUND_EVENT] != found[:, at.FOUND_LAST],
        at_event=found[:, at.FOUND_EVENT] != FAR,
        began=found[:, at.FOUND_MEASURE].copy(),
        completed=found[:, at.FOUND_TIME].copy(),
        side=found[:, at.FOUND_CLOSED].copy(),
    )
    known = group_identities(last[:, way.IDENTITY : way.IDENTITY + 2].view(np.uint64), waits, plan.window)
    graph = ways if plan.query.emit.mode is EmitMode.COMPRESSED else None
    groups = Completions(last[:, way.ROW], known, together.counts(), graph)
    return completion_table(plan, groups, store)


def last_rows(ways: SharedWays) -> np.ndarray:
    """Of each group the last event at the first variable that it is bound to."""
    group = np.repeat(np.arange(ways.count), np.diff(ways.roots_of))
    order = np.lexsort((ways.rows[ways.roots, way.POSITION], group))
    chosen: np.ndarray = ways.roots[order[ways.roots_of[:-1]]]
    return chosen
