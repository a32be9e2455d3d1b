"""Sixty-four bits: a float64 in a row of int64 and back, and what still fits into int64.

Whether a result fits is asked before it is computed: a compiler may take it for granted that
signed arithmetic does not overflow.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import inlined, kernel


@inlined
def as_real(bits):
    """The float64 that a row holds."""
    return np.int64(bits).view(np.float64)


@inlined
def as_bits(real):
    """A float64 as a row holds it."""
    return np.float64(real).view(np.int64)


LOWEST, HIGHEST = -(2**63), 2**63 - 1


@kernel
def sum_fits(left, right):
    """Whether left + right stays in int64."""
    return left <= HIGHEST - right if right > 0 else left >= LOWEST - right


@kernel
def difference_fits(left, right):
    """Whether left - right stays in int64."""
    return left >= LOWEST + right if right > 0 else left <= HIGHEST + right


@kernel
def magnitude(number):
    """The size of a number, whatever its sign; the lowest int64 has one too."""
    return np.uint64(number) if number >= 0 else np.uint64(-(number + 1)) + np.uint64(1)


@kernel
def product_fits(left, right):
    """Whether left * right stays in int64."""
    if left == 0 or right == 0:
        return True
    limit = np.uint64(2**63 - 1) if (left > 0) == (right > 0) else np.uint64(2**63)
    return magnitude(left) <= limit // magnitude(right)
