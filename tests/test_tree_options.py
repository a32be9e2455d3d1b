"""Random options of the tree engine are valid for their queries, and every combination of them is drawn."""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import product

from cepheid.language.sase.parse import parse
from cepheid.pattern.nodes import Absent, Choice, Pattern, Seq, atoms, parts, walk
from tests.cases import random_and_case, random_tree_options
from tests.cases.dice import Dice
from tests.cases.shapes import CONDENSE, random_shape


def _positive(node: Pattern) -> list[str]:
    return [atom.variable for atom in atoms(node) if not isinstance(atom, Absent)]


def _groups(shape: str) -> list[set[str]]:
    """The variables of every pair of parentheses, and every variable."""
    found: list[set[str]] = [{name} for name in re.findall(r"\w+", shape)]
    opened: list[int] = []
    for place, letter in enumerate(shape):
        if letter == "(":
            opened.append(place)
        elif letter == ")":
            found.append(set(re.findall(r"\w+", shape[opened.pop() : place])))
    assert not opened
    return found


def test_a_written_shape_names_all_variables_and_keeps_parts_together() -> None:
    for seed in range(200):
        pattern = parse(random_and_case(random.Random(f"shape-{seed}")).query_text).pattern
        shape = random_shape(Dice(random.Random(seed).randint), pattern).text
        groups = _groups(shape)
        assert sorted(re.findall(r"\w+", shape)) == sorted(_positive(pattern))
        for node in walk(pattern):
            names = _positive(node)
            assert not names or set(names) in groups, (shape, node)
            if isinstance(node, Seq | Choice):
                starts = [
                    min(shape.index(name) for name in _positive(p)) for p in parts(node) if _positive(p)
                ]
                assert starts == sorted(starts), (shape, node)


def test_every_combination_of_options_is_drawn() -> None:
    """With 20,000 cases, each of them at least 500 times."""
    drawn = 1200
    counts: Counter[tuple[str, bool, str]] = Counter()
    for seed in range(drawn):
        rng = random.Random(f"options-{seed}")
        options = random_tree_options(rng, random_and_case(rng).query_text)
        counts[options.condense, options.index, options.kind] += 1
    combinations = product(CONDENSE, (True, False), ("left", "right", "bushy"))
    assert all(counts[one] * 20_000 >= 500 * drawn for one in combinations), counts
