"""How far a window reaches back."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from cepheid.matchers.aggregate import layout as at
from cepheid.matchers.jit import inlined


@inlined
def within(kind, limit, since, now):
    """Whether the window that ends now reaches back so far."""
    if kind == at.TICKS or kind == at.EVENTS:
        return now - since <= limit
    if kind == at.UNLIMITED:
        return True
    span = np.int64(now).view(np.float64) - np.int64(since).view(np.float64)
    most = np.int64(limit).view(np.float64)
    return span <= most if kind == at.REALS else span < most
