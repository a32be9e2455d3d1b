"""A float64 in a row of int64, and back: the same 64 bits."""

from __future__ import annotations

import numpy as np

from cepheid.matchers.jit import inlined


@inlined
def as_real(bits):
    """The float64 that a row holds."""
    return np.int64(bits).view(np.float64)


@inlined
def as_bits(real):
    """A float64 as a row holds it."""
    return np.float64(real).view(np.int64)
