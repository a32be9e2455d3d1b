"""The one way kernels are compiled: `@kernel`. They come ready, or are compiled once per machine and kept.

The letters in kernels: `t` is the plan as tables, `ev` the events of the batch, `st` the state, `e` an event,
`p` a partition, `m` a match, `a` an absence, `c` a candidate or a condition, `i` and `k` places in a list. In
the nfa engine `r` is a run, `s` the state that it waits in, and `w` a window or the state that comes next. In
the aggregate engine `s` is a start, `q` a step, and `d` the whole matches of a start.
"""

import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from functools import cached_property, update_wrapper
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, TypeVar

import numba

from cepheid.cache import cache_folder
from cepheid.matchers.ready.cache import KernelHome, keep
from cepheid.matchers.ready.lookup import ready_kernels
from cepheid.plan.program import Source

Function = TypeVar("Function", bound=Callable[..., Any])

_COMPILERS = ("jit.py", "linking.py")


def _stamp() -> str:
    """What a cached kernel depends on: numba sees changes of its own file, not of those it calls into."""
    digest = hashlib.sha256()
    for path in _sources(resources.files(__package__)):
        source = path.read_bytes()
        if b"matchers.jit import" in source or path.name in _COMPILERS or path.name.endswith("layout.py"):
            digest.update(source)
    digest.update(str({source.name: int(source) for source in Source}).encode())  # which kernels compile in
    checked = "-boundscheck" if os.environ.get("NUMBA_BOUNDSCHECK", "0") not in ("", "0") else ""
    return f"kernels-{digest.hexdigest()[:12]}-py{sys.version_info.major}{sys.version_info.minor}{checked}"


def _sources(folder: Traversable) -> Iterator[Traversable]:
    """All Python files of a folder, which may lie in a zip, as on a worker of Spark."""
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        if item.is_dir():
            yield from _sources(item)
        elif item.name.endswith(".py"):
            yield item


STAMP = _stamp()
CACHE = cache_folder(STAMP, made=False)
_HOME = KernelHome.of(STAMP, CACHE)

LINKS = numba.__version__.startswith("0.68.") and not numba.config.DISABLE_JIT  # type: ignore[attr-defined]
"""Whether kernels are linked as `linking` says. With another Numba they are compiled as usual, for longer."""

_OPTIONS: dict[str, Any] = {"nogil": True, "_nrt": False}

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
    if not LINKS:
        return keep(numba.njit(**options, **_OPTIONS)(function), _HOME)  # type: ignore[no-any-return]
    return LinkedKernel(function, options | _OPTIONS)  # type: ignore[return-value]


class LinkedKernel:
    """A kernel that asks nothing of Numba before it is called, or is compiled into another kernel.

    Of the kernels that a query imports, most are only parts of others, and those come compiled."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self._options = options

    def __call__(self, *args: Any) -> Any:
        """Run it."""
        return self.compiled(*args)

    @cached_property
    def compiled(self) -> Any:
        """What Python calls, which is cached."""
        decorate: Any = numba.njit
        options = self._options | linking.KERNEL_OPTIONS
        compiled = keep(decorate(pipeline_class=linking.KernelCompiler, **options)(self.py_func), _HOME)
        linking.stand_in(compiled, self)
        return compiled

    @cached_property
    def part(self) -> Any:
        """What other kernels call, which is not cached."""
        decorate: Any = numba.njit
        options = self._options | linking.PART_OPTIONS
        return decorate(pipeline_class=linking.PartCompiler, **options)(self.py_func)

    @property
    def _numba_type_(self) -> Any:
        """What Numba takes it for, in a kernel that calls it."""
        return self.compiled._numba_type_

    def __getattr__(self, name: str) -> Any:
        """All else that one may ask of what Numba compiles."""
        return getattr(self.compiled, name)


def is_cold() -> bool:
    """Whether the first run must compile: nothing is kept on this machine, and no kernels came ready."""
    if numba.config.DISABLE_JIT or ready_kernels(STAMP) is not None:  # type: ignore[attr-defined]
        return False
    return CACHE is None or next(CACHE.rglob("*.nbi"), None) is None
