"""Chance with exact shares: values are dealt from shuffled decks, as cards are.

Of 1,000 people, a share of 0.49 then has an address in every document, not only on average. So generated
documents have the counts that they should have even where they are small.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import TypeVar

CARDS = 400

Card = TypeVar("Card")


def dealt(chance: Random, cards: Sequence[Card]) -> Callable[[], Card]:
    """A function that deals one card at each call; an empty deck is shuffled anew."""
    return _deals(chance, list(cards)).__next__


def _deals(chance: Random, deck: list[Card]) -> Iterator[Card]:
    while True:
        chance.shuffle(deck)
        yield from deck


def by_shares(shares: Mapping[Card, float]) -> list[Card]:
    """A deck in which each value has its share; shares need not add up to 1."""
    whole, below, deck = sum(shares.values()), 0.0, list[Card]()
    for value, share in shares.items():
        below += share
        deck += [value] * (round(below / whole * CARDS) - len(deck))
    return deck


def yes(share: float) -> list[bool]:
    """A deck that says yes so often."""
    return by_shares({True: share, False: 1 - share})


def spread(
    mean: float, *, least: int = 0, most: int | None = None, rounded: Callable[[float], int] = round
) -> list[int]:
    """Numbers from `least` on: `mean` is that of an exponential distribution above it, before rounding."""
    above = (-mean * math.log(1 - (place + 0.5) / CARDS) for place in range(CARDS))
    numbers = [least + rounded(each) for each in above]
    return numbers if most is None else [min(each, most) for each in numbers]
