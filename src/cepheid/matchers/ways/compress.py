"""Ways as plain graphs: nodes, and edges from what comes before to what comes after.

Where a chain of several rows may come before another row, a junction stands between them, so that a graph has
hardly more edges than nodes: the rows of the chain lead to the junction, and so does the junction of an older
part of the same chain, if that has one.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
from dataclasses import dataclass

import numpy as np

from cepheid.matchers.jit import kernel
from cepheid.matchers.ways import layout as at
from cepheid.matchers.ways.ways import Ways

JUNCTION = -1


@dataclass(frozen=True, slots=True)
class Graphs:
    """A graph for each group: nodes are rows or junctions; edges and roots number the nodes of their own."""

    nodes: np.ndarray  # a row of the ways, or JUNCTION
    nodes_of: np.ndarray
    edges: np.ndarray  # source, target
    edges_of: np.ndarray
    roots: np.ndarray
    roots_of: np.ndarray


def compress(ways: Ways) -> Graphs:
    """The graph of each group."""
    size, count = ways.rows.shape[0], ways.count
    nodes, edges, roots = (
        np.empty(2 * size, np.int64),
        np.empty((3 * size, 2), np.int64),
        np.empty(size, np.int64),
    )
    ends = np.zeros((3, count + 1), np.int64)
    write_graphs(ways.rows, ways.groups, ways.newer, np.empty((2, size), np.int64), nodes, edges, roots, ends)
    return Graphs(nodes[: ends[0, -1]], ends[0], edges[: ends[1, -1]], ends[1], roots[: ends[2, -1]], ends[2])


@kernel
def write_graphs(rows, groups, newer, scratch, nodes, edges, roots, ends):
    """Write the graph of each group; `ends` says where the nodes, edges and roots of each end."""
    junction, joined = scratch[0], scratch[1]  # of a row that is a PREVIOUS; of a row in a chain
    for group in range(groups.size - 1):
        begin, end = groups[group], groups[group + 1]
        node, edge, root = ends[0, group], ends[1, group], ends[2, group]
        first = node
        for k in range(begin, end):
            junction[k] = joined[k] = at.NONE
            nodes[node] = k
            node += 1
            if rows[k, at.ROOT] != 0:
                roots[root] = k - begin
                root += 1
        for k in range(begin, end):
            previous = rows[k, at.PREVIOUS]
            if (
                previous != at.NONE
                and rows[previous, at.SIBLING] != at.NONE
                and junction[previous] == at.NONE
            ):
                junction[previous] = node - first
                nodes[node] = JUNCTION
                node += 1
        for k in range(end - 1, begin - 1, -1):
            previous = rows[k, at.PREVIOUS]
            if previous != at.NONE:
                edges[edge, 0] = junction[previous] if junction[previous] != at.NONE else previous - begin
                edges[edge, 1] = k - begin
                edge += 1
            above = joined[newer[k]] if newer[k] != at.NONE else np.int64(at.NONE)
            joined[k] = junction[k] if junction[k] != at.NONE else above
            if joined[k] != at.NONE:
                edges[edge, 0], edges[edge, 1] = k - begin, joined[k]
                edge += 1
            if junction[k] != at.NONE and above != at.NONE:
                edges[edge, 0], edges[edge, 1] = junction[k], above
                edge += 1
        ends[0, group + 1], ends[1, group + 1], ends[2, group + 1] = node, edge, root


def restore(graphs: Graphs, positions: np.ndarray, identities: np.ndarray) -> Ways:
    """The ways of graphs; `positions` and `identities` are of all nodes, those of junctions JUNCTION."""
    is_row = positions != JUNCTION
    place = np.cumsum(is_row) - 1  # of a node among the rows
    nodes = np.flatnonzero(is_row)
    rows = np.full((nodes.size, at.WAY_WIDTH), at.NONE, np.int64)
    rows[:, at.ROW] = rows[:, at.EVENT] = nodes  # in a graph the nodes stand in the order of their events
    rows[:, at.POSITION] = positions[nodes]
    rows[:, at.IDENTITY :] = identities[nodes]
    rows[:, at.ROOT] = 0
    rows[place[graphs.roots + np.repeat(graphs.nodes_of[:-1], np.diff(graphs.roots_of))], at.ROOT] = 1
    edges = graphs.edges + np.repeat(graphs.nodes_of[:-1], np.diff(graphs.edges_of))[:, np.newaxis]
    source, target = edges[:, 0], edges[:, 1]
    order = np.lexsort((source, is_row[source], target, is_row[target]))
    link_rows(edges[order], is_row, place, np.where(is_row, place, at.NONE), rows)
    groups = np.concatenate([[0], np.cumsum(is_row)])[graphs.nodes_of]
    return Ways(rows, groups.astype(np.int64))


@kernel
def link_rows(edges, is_row, place, heads, rows):
    """Chains again from edges: those to junctions, older ones first, then those to rows.

    `heads` is the newest row of the chain that leads out of a node.
    """
    for k in range(edges.shape[0]):
        source, target = edges[k, 0], edges[k, 1]
        if is_row[target]:
            rows[place[target], at.PREVIOUS] = heads[source]
        elif is_row[source]:
            rows[place[source], at.SIBLING] = heads[target]
            heads[target] = place[source]
        else:
            heads[target] = heads[source]
