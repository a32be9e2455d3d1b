"""Random options of the tree engine: shapes that a pattern allows, condensing, indexes and batches."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from cepheid.language.sase.parse import parse
from cepheid.pattern.nodes import Absent, Atom, Choice, Pattern, Seq, Within, atoms, parts
from tests.cases.dice import Dice

CONDENSE = ("never", "always", "auto")
BATCHES = (1, 1, 2, 3, 7, 100)
SHIFTING = "shifting"
WITH_BUSHY = {"left": 4, "right": 4, "auto": 2, SHIFTING: 10, "written": 80}
WITHOUT_BUSHY = {"left": 36, "right": 36, "auto": 4, SHIFTING: 12, "written": 12}


@dataclass(frozen=True)
class Joined:
    """What is joined: a variable, or two that are joined."""

    text: str
    size: int = 1
    is_bushy: bool = False


@dataclass(frozen=True)
class TreeOptions:
    """Options of `q.using("tree", …)`, and what kind of shape they have."""

    shape: str
    kind: str  # auto, shifting, left, right, bushy, or written: another one that is written out
    condense: str
    index: bool
    batch: int

    @property
    def keywords(self) -> dict[str, Any]:
        """As they are given to `using`."""
        shape = "auto" if self.shape == SHIFTING else self.shape
        return {"shape": shape, "condense": self.condense, "index": self.index, "batch": self.batch}

    def __str__(self) -> str:
        told = ", ".join(f"{name}={value!r}" for name, value in self.keywords.items())
        return f"{told}, changed again and again" if self.shape == SHIFTING else told


def random_tree_options(rng: random.Random, query_text: str) -> TreeOptions:
    """Options for this query; bushy shapes more often than chance has them."""
    dice = Dice(rng.randint)
    tries = [random_shape(dice, parse(query_text).pattern) for _ in range(12)]
    written = next((one for one in tries if one.is_bushy), tries[0])
    name = dice.weighted(WITH_BUSHY if written.is_bushy else WITHOUT_BUSHY)
    kind = "bushy" if name == "written" and written.is_bushy else name
    shape = written.text if name == "written" else name
    return TreeOptions(shape, kind, dice.pick(CONDENSE), dice.chance(50), dice.pick(BATCHES))


def random_shape(dice: Dice, pattern: Pattern) -> Joined:
    """A shape such as `((a b) c)`: it names the positive variables, and each part of the pattern is a group.

    Parts of a SEQ are joined with a neighbour, in the order of the text; those of an AND in any order.
    """
    match pattern:
        case Atom(variable=variable):
            return Joined(variable)
        case Within(part=part):
            return random_shape(dice, part)
    groups = [random_shape(dice, part) for part in parts(pattern) if _has_positive(part)]
    while len(groups) > 1:
        first = dice.integer(0, len(groups) - 2)
        if isinstance(pattern, Seq | Choice):
            groups[first : first + 2] = [_joined(*groups[first : first + 2])]
        else:
            one = groups.pop(dice.integer(0, len(groups) - 1))
            other = groups.pop(dice.integer(0, len(groups) - 1))
            groups.append(_joined(one, other))
    return groups[0]


def _has_positive(node: Pattern) -> bool:
    return not all(isinstance(atom, Absent) for atom in atoms(node))


def _joined(one: Joined, other: Joined) -> Joined:
    is_bushy = one.is_bushy or other.is_bushy or min(one.size, other.size) > 1
    return Joined(f"({one.text} {other.text})", one.size + other.size, is_bushy)
