"""A quicker start where scipy is installed: numba would import its linear algebra, which no kernel needs."""

import sys
from importlib.abc import MetaPathFinder

_ASKED_FOR, _BY = "scipy.linalg", ("numba.np.arraymath", "numba.np.linalg")


def without_linear_algebra() -> None:
    """Hide scipy.linalg from numba, in a process of our own, whenever numba may be imported; others still
    find it."""
    if _ASKED_FOR not in sys.modules and not any(
        isinstance(each, _NoLinearAlgebra) for each in sys.meta_path
    ):
        sys.meta_path.insert(0, _NoLinearAlgebra())


class _NoLinearAlgebra(MetaPathFinder):
    """Says of scipy.linalg, to numba alone, that it is not there."""

    def find_spec(self, name: str, path: object, target: object = None) -> None:
        """Refuse it while numba's modules are being imported; leave the rest to the next finder."""
        if name == _ASKED_FOR and any(map(_is_being_imported, _BY)):
            raise ModuleNotFoundError("scipy.linalg is left out", name=name)


def _is_being_imported(name: str) -> bool:
    spec = getattr(sys.modules.get(name), "__spec__", None)
    return bool(getattr(spec, "_initializing", False))
