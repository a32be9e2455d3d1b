"""The nfa engine in doubt: it defers whatever it may, and every few events it shares work in another way."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from cepheid.matchers.nfa import matcher
from cepheid.matchers.nfa.sharing import Switch, Work


class Restless(Switch):
    """Looks after every few events, and decides by chance."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._rng = random.Random(5)
        self._wait = 1

    def look(self, work: Work) -> None:
        self._since, self._wait = work, self._rng.randrange(1, 5)
        self.merging = self._may_merge and self._rng.random() < 0.5
        self.deferring = self._may_defer and self._rng.random() < 0.7


@contextmanager
def restless() -> Iterator[None]:
    """Let every session and every run in here be restless."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matcher, "Switch", Restless)
        patch.setattr(matcher, "_DEFERS_FROM", 0)
        yield
