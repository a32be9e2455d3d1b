"""A quicker start where scipy is installed: numba would import its linear algebra, which no kernel needs."""

from __future__ import annotations

import sys

LINEAR_ALGEBRA = "scipy.linalg"


def without_linear_algebra() -> None:
    """Let numba find none, in a process that is only ours; others who want it later still do."""
    if LINEAR_ALGEBRA in sys.modules:
        return
    sys.modules[LINEAR_ALGEBRA] = None  # type: ignore[assignment]
    try:
        import numba.np.arraymath  # noqa: F401
    finally:
        del sys.modules[LINEAR_ALGEBRA]
