"""The one way kernels are compiled: `@kernel`, cached once per machine.

The cache directory must be chosen before numba is imported, so every module that
compiles imports this one first.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def _stamp() -> str:
    """What a cached kernel depends on: numba sees changes of its own file, not of those it calls into."""
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(source.read_bytes())
    checked = "-boundscheck" if os.environ.get("NUMBA_BOUNDSCHECK", "0") not in ("", "0") else ""
    return f"kernels-{digest.hexdigest()[:12]}-py{sys.version_info.major}{sys.version_info.minor}{checked}"


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _choose_cache() -> Path | None:
    """The first folder that can be written, or None: then kernels compile in each process."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    candidates = [Path(given)] if given else []
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    candidates += [Path(home) / "cepheid", Path(tempfile.gettempdir()) / f"cepheid-{os.getuid()}"]
    stamp = _stamp()
    for folder in candidates:
        stamped = folder if folder.name == stamp else folder / stamp  # a parent process may have chosen
        if _writable(stamped):
            return stamped
    return None


CACHE = _choose_cache()
if CACHE is not None:
    os.environ["NUMBA_CACHE_DIR"] = str(CACHE)

import numba  # noqa: E402

if CACHE is not None:
    numba.config.CACHE_DIR = str(CACHE)  # type: ignore[attr-defined]


def kernel(function: Function) -> Function:
    """Compile a function of arrays and numbers; it runs without the interpreter lock.

    Kernels never allocate, so the counting of references to arrays is left out: each access
    to an array in a tuple would cost two atomic operations, most of a kernel's time.
    """
    return _compile(function)


def inlined(function: Function) -> Function:
    """Compile a small function into every kernel that calls it: a call would pass dozens of array fields."""
    return _compile(function, forceinline=True)


def _compile(function: Function, **options: bool) -> Function:
    decorate: Any = numba.njit
    compiled: Function = decorate(cache=CACHE is not None, nogil=True, _nrt=False, **options)(function)
    return compiled


def is_cold() -> bool:
    """Whether no compiled kernel is cached on this machine, so that the first run must compile."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return False
    return CACHE is None or next(CACHE.rglob("*.nbi"), None) is None
