"""The one way kernels are compiled: `@kernel`, cached once per machine.

The cache directory must be chosen before numba is imported, so every module that
compiles imports this one first.

The letters in kernels: `t` is the plan as tables, `ev` the events of the batch, `st` the state, `e` an event,
`p` a partition, `m` a match, `a` an absence, `c` a candidate or a condition, `i` and `k` places in a list. In
the nfa engine `r` is a run, `s` the state that it waits in, and `w` a window or the state that comes next. In
the aggregate engine `s` is a start, `q` a step, and `d` the whole matches of a start.
"""

import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from cepheid.cache import cache_folder
from cepheid.plan.program import Source

Function = TypeVar("Function", bound=Callable[..., Any])

_COMPILERS = ("jit.py", "linking.py")


def _stamp() -> str:
    """What a cached kernel depends on: numba sees changes of its own file, not of those it calls into."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        source = path.read_bytes()
        if b"matchers.jit import" in source or path.name in _COMPILERS or path.name.endswith("layout.py"):
            digest.update(source)
    digest.update(str({source.name: int(source) for source in Source}).encode())  # which kernels compile in
    checked = "-boundscheck" if os.environ.get("NUMBA_BOUNDSCHECK", "0") not in ("", "0") else ""
    return f"kernels-{digest.hexdigest()[:12]}-py{sys.version_info.major}{sys.version_info.minor}{checked}"


CACHE = cache_folder(_stamp())
if CACHE is not None:
    os.environ["NUMBA_CACHE_DIR"] = str(CACHE)

import numba  # noqa: E402

if CACHE is not None:
    numba.config.CACHE_DIR = str(CACHE)  # type: ignore[attr-defined]

LINKS = numba.__version__.startswith("0.68.") and not numba.config.DISABLE_JIT  # type: ignore[attr-defined]
"""Whether kernels are linked as `linking` says. With another Numba they are compiled as usual, for longer."""

if LINKS:
    from cepheid.matchers import linking


def kernel(function: Function) -> Function:
    """Compile a function of arrays and numbers; it runs without the interpreter lock.

    Kernels never allocate, so references to arrays are not counted: else each access to an array in a tuple
    would cost two atomic operations, most of a kernel's time.
    """
    return _compile(function, forceinline=False)


def inlined(function: Function) -> Function:
    """Compile a small function into every kernel that calls it: a call would pass dozens of array fields."""
    return _compile(function, forceinline=True)


def _compile(function: Function, **options: Any) -> Function:
    """What Python calls, which is cached; and, as its `part`, what other kernels call, which is not."""
    decorate: Any = numba.njit
    options |= {"nogil": True, "_nrt": False}
    if not LINKS:
        return decorate(cache=CACHE is not None, **options)(function)  # type: ignore[no-any-return]
    part = decorate(pipeline_class=linking.PartCompiler, **options, **linking.PART_OPTIONS)(function)
    options |= linking.KERNEL_OPTIONS
    compiled = decorate(cache=CACHE is not None, pipeline_class=linking.KernelCompiler, **options)(function)
    linking.stand_in(compiled, part)
    return compiled  # type: ignore[no-any-return]


def is_cold() -> bool:
    """Whether no compiled kernel is cached on this machine, so that the first run must compile."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return False
    return CACHE is None or next(CACHE.rglob("*.nbi"), None) is None
