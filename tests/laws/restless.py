"""The nfa engine in doubt: it defers whatever it may, and every few events it shares work in another way."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from cepheid.matchers.nfa import matcher
from cepheid.matchers.nfa.sharing import RunWork, Switch
from cepheid.plan.nfa.plan import NfaPlan


class Restless(Switch):
    """Looks after every few events, and decides by chance."""

    def __init__(self, plan: NfaPlan) -> None:
        super().__init__(plan)
        self._rng = random.Random(5)
        self._merging.next_look = self._deferring.next_look = 1

    def look(self, work: RunWork, partitions: int) -> None:
        for judge, chance in ((self._merging, 0.5), (self._deferring, 0.7)):
            if judge.decides and work.events >= judge.next_look:
                judge.on = self._rng.random() < chance
                judge.next_look = work.events + self._rng.randrange(1, 5)


@contextmanager
def restless() -> Iterator[None]:
    """Let every session and every run in here be restless."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matcher, "Switch", Restless)
        patch.setattr(matcher, "_DEFERS_FROM", 0)
        yield
