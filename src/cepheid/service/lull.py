"""When to stop gathering: as soon as the event loop has read all that has come in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

ROUNDS = 3
"""Rounds of the event loop without anything new. A request takes two, from its bytes to its order."""


class Lull:
    """Calls `then` in the event loop once nothing has stirred for a few of its rounds, or after `most`
    seconds.

    So a lone request waits for nobody, and many that come at once are done together.
    """

    def __init__(self, most: float, then: Callable[[], None]) -> None:
        self._most, self._then = most, then
        self._is_watching = False
        self._quiet = 0
        self._since = 0.0

    def stir(self, loop: asyncio.AbstractEventLoop) -> None:
        """Something has come."""
        self._quiet = 0
        if not self._is_watching:
            self._is_watching, self._since = True, loop.time()
            loop.call_soon(self._look, loop)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        self._quiet += 1
        if self._quiet <= ROUNDS and loop.time() < self._since + self._most:
            loop.call_soon(self._look, loop)
        else:
            self._is_watching = False
            self._then()
