"""A plan of sharing as the tables of the kernel: what is counted where, and how it is connected.

Each segment is a string of steps in a prefix tree (PreTree), and a tree has a counter for each start: a
column for each of its nodes. A chopped query adds to these: a column of its whole matches to the tree that it
begins with, and to the tree of each later segment the snapshots that connect it to what stands before. Its
last step needs no count, since what it completes is added up at once.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cepheid.matchers.baselines.chop_connect import layout as at
from cepheid.matchers.baselines.chop_connect.layout import ChopTables
from cepheid.plan.aggregate.sharing.prefix_tree import NO_PARENT, PreTree, prefix_tree
from cepheid.plan.aggregate.sharing.sharing_plan import SharingPlan
from cepheid.plan.aggregate.sharing.workload import Step, Steps

Place = tuple[int, int]  # a query's number, and a segment's in it

SLOTS = 4
"""How many starts a queue has room for at first."""


@dataclass(slots=True)
class _Root:
    """A tree: how many columns its starts have, which of them are parts of totals, and its links."""

    columns: int = 0
    kept: list[tuple[int, int]] = field(default_factory=list)
    links: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _Count:
    """A node of a tree, by its column."""

    root: int
    column: int
    parent: int
    test: int
    depth: int
    total: int = at.NONE


Source = tuple[int, int, int]  # where a part's count stands: root, column, and the link that connects it


class Forest:
    """All trees of a plan, and what events do there that pass a test."""

    def __init__(self, sharing: SharingPlan, prefix_trees: bool) -> None:
        steps = (step for query in sharing.workload for step in query.steps)
        self.tests: dict[Step, int] = {step: number for number, step in enumerate(dict.fromkeys(steps))}
        self.roots: list[_Root] = []
        self.counts: list[_Count] = []
        self.begins: dict[int, list[int]] = defaultdict(list)  # what a test does: start a tree,
        self.connects: dict[int, list[tuple[int, ...]]] = defaultdict(list)  # take a snapshot,
        self.finishes: dict[int, list[tuple[int, ...]]] = defaultdict(list)  # make matches whole,
        self.reports: dict[int, list[tuple[int, int]]] = defaultdict(list)  # and have rows
        self.totals = 0
        self._ends: dict[Place, _Count] = {}  # where the count of a segment stands
        for strings in _trees(sharing, prefix_trees):
            self._plant(prefix_tree((_label(place), steps) for place, steps in strings), strings)
        for number in range(len(sharing.workload)):
            self._connect_query(sharing, number)

    def _plant(self, tree: PreTree, strings: list[tuple[Place, Steps]]) -> None:
        counts: list[_Count] = []
        for node in tree.nodes:
            test = self.tests[node.step]
            if node.parent == NO_PARENT:
                self.begins[test].append(len(self.roots))
                counts.append(_Count(len(self.roots), 0, at.NONE, test, 0))
                self.roots.append(_Root(1))
            else:
                parent = counts[node.parent]
                column = self._new_columns(parent.root, 1)
                counts.append(_Count(parent.root, column, parent.column, test, node.depth))
        ends = {name: count for node, count in zip(tree.nodes, counts, strict=True) for name in node.ends}
        self._ends |= {place: ends[_label(place)] for place, _ in strings}
        self.counts += counts

    def _new_columns(self, root: int, count: int) -> int:
        first = self.roots[root].columns
        self.roots[root].columns += count
        return first

    def _new_total(self, root: int, column: int) -> int:
        self.roots[root].kept.append((column, self.totals))
        self.totals += 1
        return self.totals - 1

    def _connect_query(self, sharing: SharingPlan, number: int) -> None:
        query, segments = sharing.workload[number], sharing.chops[number]
        first, last = self._ends[number, 0], self.tests[query.steps[-1]]
        if len(segments) == 1:
            if first.total == at.NONE:
                first.total = self._new_total(first.root, first.column)
            self.reports[last].append((number, first.total))
            return
        whole = self._new_columns(first.root, 1)
        total = self._new_total(first.root, whole)
        source: Source = (first.root, first.column, at.NONE)
        for place, segment in enumerate(segments[1:], 1):
            if (number, place) in self._ends:
                end, begins = self._ends[number, place], self.tests[query.steps[segment.start]]
                link = self._new_columns(end.root, at.LINK_WIDTH)
                self.roots[end.root].links.append(link)
                self.connects[begins].append((*source, first.root, end.root, link, at.NONE))
                source = (end.root, end.column, link)
        self.finishes[last].append((*source, first.root, first.root, whole, total))
        self.reports[last].append((number, total))


def _trees(sharing: SharingPlan, prefix_trees: bool) -> Iterable[list[tuple[Place, Steps]]]:
    """The strings that are counted, those together that may stand in one tree."""
    trees: dict[object, list[tuple[Place, Steps]]] = defaultdict(list)
    for number, (query, segments) in enumerate(zip(sharing.workload, sharing.chops, strict=True)):
        for place, segment in enumerate(segments):
            steps = segment.steps(query)
            if place > 0 and place == len(segments) - 1:
                steps = steps[:-1]
            alone = (number, place) if segment.shared is None else segment.shared
            if steps:
                trees[None if prefix_trees else alone].append(((number, place), steps))
    return trees.values()


def _label(place: Place) -> str:
    return f"{place[0]}.{place[1]}"


def tables_of(forest: Forest, window: tuple[int, int], queries: int, most_events: int) -> ChopTables:
    """The tables of a forest."""
    tests = len(forest.tests)
    rows = np.zeros((tests, at.TEST_WIDTH), np.int64)
    flows = _listed(rows, (at.CONNECTS, forest.connects), (at.FINISHES, forest.finishes))
    begins = _listed(rows, (at.BEGINS, forest.begins))
    reports = _listed(rows, (at.REPORTS, forest.reports))
    roots = np.zeros((len(forest.roots), at.ROOT_WIDTH), np.int64)
    roots[:, at.COLUMNS] = [root.columns for root in forest.roots]
    kept = _listed(roots, (at.KEPT, {n: root.kept for n, root in enumerate(forest.roots)}))
    links = _listed(roots, (at.LINKS, {n: root.links for n, root in enumerate(forest.roots)}))
    nodes, depths = _by_depth(forest.counts, tests)
    return ChopTables(
        window=window,
        roots=roots,
        kept=_array(kept, 2),
        links=np.array(links, np.int64),
        nodes=nodes,
        depths=depths,
        flows=_array(flows, at.FLOW_WIDTH),
        tests=rows,
        begins=np.array(begins, np.int64),
        reports=_array(reports, 2),
        queries=queries,
        slots=SLOTS,
        most_events=most_events,
    )


def _listed(rows: np.ndarray, *kinds: tuple[int, Mapping[int, Sequence[Any]]]) -> list[Any]:
    """All lists one behind the other; the rows say where theirs begins and ends."""
    items: list[Any] = []
    for column, lists in kinds:
        for number, row in enumerate(rows):
            row[column] = len(items)
            items += lists.get(number, ())
            row[column + 1] = len(items)
    return items


def _array(items: list[tuple[int, ...]], width: int) -> np.ndarray:
    return np.array(items, np.int64).reshape(-1, width)


def _by_depth(counts: list[_Count], tests: int) -> tuple[np.ndarray, np.ndarray]:
    """The nodes below roots by test, the deepest first, and where those of each depth begin."""
    deepest = max((count.depth for count in counts), default=0)
    below: dict[tuple[int, int], list[_Count]] = defaultdict(list)
    for count in counts:
        below[count.test, count.depth].append(count)
    nodes: list[tuple[int, ...]] = []
    depths = np.zeros((tests, deepest + 1), np.int64)
    for test in range(tests):
        depths[test, 0] = len(nodes)
        for place, depth in enumerate(range(deepest, 0, -1), 1):
            nodes += ((each.root, each.column, each.parent, each.total) for each in below[test, depth])
            depths[test, place] = len(nodes)
    return _array(nodes, 4), depths
