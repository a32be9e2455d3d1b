"""Ways as plain graphs: nodes, and edges from what comes before to what comes after.

Where a chain of several rows may come before another row, a junction stands between them, so that a graph has
hardly more edges than nodes: the rows of the chain lead to the junction, and so does the junction of an older
part of the same chain, if that has one.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
from dataclasses import dataclass, replace

import numpy as np

from cepheid.matchers.jit import kernel
from cepheid.matchers.ways import layout as at
from cepheid.matchers.ways.ways import Ways

JUNCTION, WANTED = -1, -2


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
    graphs = Graphs(
        nodes[: ends[0, -1]], ends[0], edges[: ends[1, -1]], ends[1], roots[: ends[2, -1]], ends[2]
    )
    return _in_order_of_events(graphs, ways)


def _in_order_of_events(graphs: Graphs, ways: Ways) -> Graphs:
    """The same graphs, where the nodes that are events stand in their order: no other is known later on."""
    group = np.repeat(np.arange(ways.count), np.diff(ways.groups))
    event = ways.rows[:, at.EVENT]
    if ways.meets and ((event[1:] >= event[:-1]) | (group[1:] != group[:-1])).all():
        return graphs
    order = np.lexsort((ways.rows[:, at.POSITION], event, group))
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size) - ways.groups[group]
    place = np.arange(graphs.nodes.size) - np.repeat(graphs.nodes_of[:-1], np.diff(graphs.nodes_of))
    is_row = graphs.nodes != JUNCTION
    place[is_row] = rank[graphs.nodes[is_row]]  # where each node of a graph is now
    nodes = np.empty_like(graphs.nodes)
    nodes[place + np.repeat(graphs.nodes_of[:-1], np.diff(graphs.nodes_of))] = graphs.nodes
    begins = np.repeat(graphs.nodes_of[:-1], np.diff(graphs.edges_of))
    roots = place[graphs.roots + np.repeat(graphs.nodes_of[:-1], np.diff(graphs.roots_of))]
    return replace(graphs, nodes=nodes, edges=place[graphs.edges + begins[:, np.newaxis]], roots=roots)


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
            if previous != at.NONE and rows[previous, at.SIBLING] != at.NONE:
                junction[previous] = WANTED
        for k in range(begin, end):  # that of an older part of a chain first
            if junction[k] == WANTED:
                junction[k] = node - first
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
    rows[:, at.ROW] = nodes
    rows[:, at.EVENT] = _first_of_each_event(nodes, identities)
    rows[:, at.POSITION] = positions[nodes]
    rows[:, at.IDENTITY :] = identities[nodes]
    rows[:, at.ROOT] = 0
    rows[place[graphs.roots + np.repeat(graphs.nodes_of[:-1], np.diff(graphs.roots_of))], at.ROOT] = 1
    edges = graphs.edges + np.repeat(graphs.nodes_of[:-1], np.diff(graphs.edges_of))[:, np.newaxis]
    source, target = edges[:, 0], edges[:, 1]
    order = np.lexsort((source, is_row[source], target, is_row[target]))
    link_rows(edges[order], is_row, place, np.where(is_row, place, at.NONE), rows)
    groups = np.concatenate([[0], np.cumsum(is_row)])[graphs.nodes_of]
    return Ways(_in_order_of_ways(rows), groups.astype(np.int64))


def _in_order_of_ways(rows: np.ndarray) -> np.ndarray:
    """The same rows, each behind those that come before it on a way or stand before it in a chain; those of a
    group stay together."""
    links = rows[:, [at.PREVIOUS, at.SIBLING]]
    if (links < np.arange(rows.shape[0])[:, np.newaxis]).all():
        return rows
    order, place = np.empty(rows.shape[0], np.int64), np.full(rows.shape[0], at.NONE, np.int64)
    put_behind(rows, order, place, np.empty(2 * rows.shape[0] + 1, np.int64))
    moved = rows[order]
    for column in (at.PREVIOUS, at.SIBLING):
        linked = moved[:, column] != at.NONE
        moved[linked, column] = place[moved[linked, column]]
    return moved


@kernel
def put_behind(rows, order, place, stack):
    """Number the rows so that each comes behind its PREVIOUS and its SIBLING."""
    count = 0
    for row in range(rows.shape[0]):
        stack[0] = row
        depth = 1
        while depth > 0:
            top = stack[depth - 1]
            waits = place[top] == at.NONE
            if waits:
                for column in (at.PREVIOUS, at.SIBLING):
                    other = rows[top, column]
                    if other != at.NONE and place[other] == at.NONE:
                        stack[depth] = other
                        depth += 1
                        waits = False
            if waits:
                place[top] = count
                order[count] = top
                count += 1
            if place[top] != at.NONE:
                depth -= 1


def _first_of_each_event(nodes: np.ndarray, identities: np.ndarray) -> np.ndarray:
    """In a graph the nodes stand in the order of their events: those of one event are neighbours."""
    is_new = np.ones(nodes.size, np.bool_)
    is_new[1:] = (identities[nodes[1:]] != identities[nodes[:-1]]).any(axis=1)
    begins = np.flatnonzero(is_new)
    first: np.ndarray = nodes[begins][np.cumsum(is_new) - 1]
    return first


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
