"""Whole numbers of any size from their remainders, by the Chinese remainder theorem."""

from collections.abc import Sequence
from functools import cache
from math import gcd, prod

import numpy as np

_BITS = 30
"""How many bits of a number each remainder tells, at least."""


def moduli(bits: int) -> tuple[int, ...]:
    """Numbers below 2^31 without a factor in common. Their remainders tell numbers of so many bits, and the
    sign."""
    return _coprime(bits // _BITS + 1)


@cache
def _coprime(count: int) -> tuple[int, ...]:
    found: list[int] = []
    product, number = 1, 2**31 - 1
    while len(found) < count:
        if gcd(product, number) == 1:
            found.append(number)
            product *= number
        number -= 1
    return tuple(found)


def from_remainders(remainders: Sequence[np.ndarray], by: Sequence[int]) -> np.ndarray:
    """The numbers, positive or negative, that leave these remainders: Python's integers."""
    whole = prod(by)
    total = np.zeros(remainders[0].shape, object)
    for remainder, modulus in zip(remainders, by, strict=True):
        others = whole // modulus
        total += remainder.astype(object) * (others * pow(others, -1, modulus))
    total %= whole
    signed: np.ndarray = np.where(total > whole // 2, total - whole, total)
    return signed
