"""A quicker start where scipy is installed: numba would import its linear algebra, which no kernel needs."""

import sys

LINEAR_ALGEBRA = "scipy.linalg"


def without_linear_algebra() -> None:
    """Hide scipy.linalg while numba is imported, in a process of our own; later imports still find it."""
    if LINEAR_ALGEBRA in sys.modules:
        return
    sys.modules[LINEAR_ALGEBRA] = None  # type: ignore[assignment]
    try:
        import numba.np.arraymath  # noqa: F401
    finally:
        del sys.modules[LINEAR_ALGEBRA]
