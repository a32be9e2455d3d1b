"""PreTree (A-Seq 4.1): strings that begin alike are counted together as far as they are alike.

A counter of a string holds the counts of all its prefixes. So strings with a common prefix need one counter
for it, and a tree of counters takes the place of a row for each string: an event updates a node once,
however many strings lead through it, and the count of a string is read at the node where it ends.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from cepheid.plan.aggregate.sharing.workload import SharedQuery, Step, Steps, text_of

NO_PARENT = -1


@dataclass(frozen=True, slots=True)
class Node:
    """A count: that of the path from a root to here."""

    step: Step
    parent: int
    depth: int
    children: tuple[int, ...]
    ends: tuple[str, ...]  # the strings whose count is read here


@dataclass(frozen=True, slots=True)
class PreTree:
    """A forest, one tree for each first step (PreTreeCntr); a parent stands before its children."""

    nodes: tuple[Node, ...]
    roots: tuple[int, ...]

    @property
    def total_steps(self) -> int:
        """How many counts the strings would need each for itself."""
        return sum((node.depth + 1) * len(node.ends) for node in self.nodes)

    @property
    def saved(self) -> int:
        """How many counts are saved by counting prefixes together."""
        return self.total_steps - len(self.nodes)

    def __str__(self) -> str:
        head = f"{len(self.nodes)} counts for {self.total_steps} steps, {self.saved} saved"
        return "\n".join([head, *_drawn(self)])


def prefix_tree(strings: Iterable[tuple[str, Steps]]) -> PreTree:
    """The tree of named strings."""
    steps: list[Step] = []
    parents: list[int] = []
    children: list[dict[Step, int]] = []
    ends: list[list[str]] = []
    roots: dict[Step, int] = {}
    for name, string in strings:
        number, below = NO_PARENT, roots
        for step in string:
            if step not in below:
                below[step] = len(steps)
                steps.append(step)
                parents.append(number)
                children.append({})
                ends.append([])
            number = below[step]
            below = children[number]
        ends[number].append(name)
    return PreTree(_nodes(steps, parents, children, ends), tuple(roots.values()))


def _nodes(
    steps: list[Step], parents: list[int], children: list[dict[Step, int]], ends: list[list[str]]
) -> tuple[Node, ...]:
    depths: list[int] = []
    for parent in parents:
        depths.append(0 if parent == NO_PARENT else depths[parent] + 1)
    return tuple(
        Node(step, parent, depth, tuple(below.values()), tuple(names))
        for step, parent, depth, below, names in zip(steps, parents, depths, children, ends, strict=True)
    )


def prefix_trees(workload: Iterable[SharedQuery]) -> tuple[PreTree, ...]:
    """A tree for each window of a workload, in the order in which the windows come."""
    strings: dict[object, list[tuple[str, Steps]]] = {}
    for query in workload:
        strings.setdefault(query.window, []).append((query.name, query.steps))
    return tuple(prefix_tree(group) for group in strings.values())


def _drawn(tree: PreTree) -> Iterator[str]:
    """The tree as lines; a chain of single children stands on one line."""
    stack = [("", "", root) for root in reversed(tree.roots)]
    while stack:
        lead, rest, number = stack.pop()
        chain = [number]
        while not (node := tree.nodes[chain[-1]]).ends and len(node.children) == 1:
            chain.append(node.children[0])
        ends = f"  → {', '.join(node.ends)}" if node.ends else ""
        yield f"{lead}{text_of(tuple(tree.nodes[n].step for n in chain))[1:-1]}{ends}"
        for place, child in enumerate(reversed(node.children)):
            stack.append(
                (rest + ("└─ " if place == 0 else "├─ "), rest + ("   " if place == 0 else "│  "), child)
            )
