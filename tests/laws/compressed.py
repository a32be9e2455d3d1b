"""Reads a row of EMIT COMPRESSED by what it is said to be: paths through nodes, from a start to a root."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

GRAPH = ("nodes", "edges", "roots")
Events = list[tuple[str, dict[str, Any]]]  # the variable and the columns of each event of a match


def event_columns(table: pa.Table) -> list[str]:
    """The columns that the events of the nodes have."""
    event = table.schema.field("nodes").type.value_type.field("event").type
    return [event.field(place).name for place in range(event.num_fields)]


def matches_in(row: Mapping[str, Any]) -> list[Events]:
    """The matches of a row, in no order; fails where a path is no match, or is there twice."""
    nodes = row["nodes"]
    _check_identities(nodes)
    found: dict[tuple[tuple[str, bytes], ...], Events] = {}
    for path in _paths(row):
        selected = [nodes[place] for place in path if nodes[place]["variable"] is not None]
        known = tuple((node["variable"], node["identity"]) for node in selected)
        assert known not in found, f"two paths are one match: {known}"
        assert len({identity for _, identity in known}) == len(known), f"an event is there twice: {known}"
        found[known] = [(node["variable"], node["event"]) for node in selected]
    return list(found.values())


def _check_identities(nodes: list[dict[str, Any]]) -> None:
    """A node is an event with its identity, or joins ways and has neither."""
    events: dict[bytes, str] = {}
    for node in nodes:
        if node["variable"] is None:
            assert node["event"] is None, "a junction stands for no event"
            continue
        assert isinstance(node["identity"], bytes) and len(node["identity"]) == 16
        assert events.setdefault(node["identity"], repr(node["event"])) == repr(node["event"])


def _paths(row: Mapping[str, Any]) -> Iterator[list[int]]:
    """From a node without incoming edge to a root, each as the places of its nodes."""
    before: dict[int, list[int]] = {place: [] for place in range(len(row["nodes"]))}
    for edge in row["edges"]:
        assert edge["source"] in before, f"an edge from no node: {edge}"
        before[edge["target"]].append(edge["source"])
    assert len(set(row["roots"])) == len(row["roots"]), "a root twice"
    open_paths = [[root] for root in row["roots"]]
    while open_paths:
        path = open_paths.pop()
        assert len(path) <= len(before), "a way that comes back to itself"
        if not before[path[0]]:
            yield path
        open_paths += [[source, *path] for source in before[path[0]]]
