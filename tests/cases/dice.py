"""The one source of chance in random cases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


class Dice:
    """All randomness, as integers between two bounds; the smallest is the simplest."""

    def __init__(self, integer: Callable[[int, int], int]) -> None:
        self.integer = integer

    def pick(self, options: Sequence[Any]) -> Any:
        return options[self.integer(0, len(options) - 1)]

    def chance(self, percent: int) -> bool:
        return self.integer(0, 99) >= 100 - percent

    def weighted(self, options: dict[Any, int]) -> Any:
        """One of the options, by weight; put the simplest first."""
        drawn = self.integer(0, sum(options.values()) - 1)
        for option, weight in options.items():
            if drawn < weight:
                return option
            drawn -= weight
        raise AssertionError
