"""The tree engine in doubt: every few events, and whenever it drops composites, it takes another shape."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice

import pytest

from cepheid.events import EventBatch
from cepheid.matchers.tree import matcher, memory, replanning
from cepheid.matchers.tree.choosing import reshaped
from cepheid.matchers.tree.watching import ShapeWatch
from cepheid.plan.tree.plan import TreePlan
from cepheid.plan.tree.shapes import all_shapes

MOST_SHAPES = 200


class ShiftingWatch(ShapeWatch):
    """Decides by chance, after each batch and between events."""

    def __init__(self) -> None:
        super().__init__()
        self._rng = random.Random(7)

    def look(
        self, plan: TreePlan, seen: int, work: int, batch: EventBatch | None = None, done: int = 0
    ) -> TreePlan | None:
        if self._rng.random() < 0.3:
            return None
        shapes = list(islice(all_shapes(plan.query.pattern), MOST_SHAPES))
        return reshaped(plan, self._rng.choice(shapes))


@contextmanager
def shifting() -> Iterator[None]:
    """Let every tree in here that may choose its shape change it again and again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replanning, "ShapeWatch", ShiftingWatch)
        patch.setattr(matcher, "_COLLECT_FROM", 1)
        patch.setattr(memory, "_START", 2)
        yield
