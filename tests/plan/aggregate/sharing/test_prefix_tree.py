"""PreTree: prefixes are counted once (A-Seq 4.1)."""

from __future__ import annotations

from collections.abc import Hashable

from hypothesis import given
from hypothesis import strategies as st

from cepheid.plan.aggregate.sharing.prefix_tree import NO_PARENT, PreTree, prefix_tree, prefix_trees
from cepheid.plan.aggregate.sharing.workload import SharedQuery

EXAMPLE_7 = {
    "Q1": ("VKindle", "BKindle", "VCase", "BCase"),
    "Q2": ("VKindle", "BKindle", "VKindleFire"),
    "Q3": ("VKindle", "BKindle", "VCase", "BCase", "VeBook", "BeBook"),
    "Q4": ("VKindle", "BKindle", "VCase", "BCase", "VLight", "BLight"),
}


def test_the_tree_of_the_thesis() -> None:
    tree = prefix_tree(EXAMPLE_7.items())
    assert (len(tree.nodes), tree.total_steps, tree.saved) == (9, 19, 10)
    assert len(tree.roots) == 1
    assert str(tree) == (
        "9 counts for 19 steps, 10 saved\n"
        "VKindle, BKindle\n"
        "├─ VCase, BCase  → Q1\n"
        "│  ├─ VeBook, BeBook  → Q3\n"
        "│  └─ VLight, BLight  → Q4\n"
        "└─ VKindleFire  → Q2"
    )


def test_equal_strings_end_at_one_node() -> None:
    tree = prefix_tree([("p", ("A", "B")), ("q", ("A", "B"))])
    assert [node.ends for node in tree.nodes] == [(), ("p", "q")]
    assert tree.saved == 2


def test_windows_have_trees_of_their_own() -> None:
    trees = prefix_trees([SharedQuery("p", ("A", "B"), window=1), SharedQuery("q", ("A", "B"), window=2)])
    assert [tree.saved for tree in trees] == [0, 0]


@given(st.lists(st.lists(st.sampled_from("AB"), min_size=1, max_size=5).map(tuple), max_size=8))
def test_every_string_is_the_path_to_its_end(strings: list[tuple[str, ...]]) -> None:
    named = [(f"q{number}", string) for number, string in enumerate(strings)]
    tree = prefix_tree(named)
    ends = {name: number for number, node in enumerate(tree.nodes) for name in node.ends}
    assert [_path(tree, ends[name]) for name, _ in named] == strings
    prefixes = {string[:length] for string in strings for length in range(1, len(string) + 1)}
    assert len(tree.nodes) == len(prefixes)
    assert tree.saved == sum(map(len, strings)) - len(prefixes)
    assert all(node.parent < number for number, node in enumerate(tree.nodes))
    assert all(tree.nodes[child].parent == n for n, node in enumerate(tree.nodes) for child in node.children)


def _path(tree: PreTree, number: int) -> tuple[Hashable, ...]:
    """The string that a node counts."""
    node = tree.nodes[number]
    return (node.step,) if node.parent == NO_PARENT else (*_path(tree, node.parent), node.step)
