"""Where Numba looks for a kernel: among those compiled here, then among the ready ones; else it compiles."""

import hashlib
import os
import pickle
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.serialize import dumps

from cepheid.matchers.ready.lock import KernelLocks
from cepheid.matchers.ready.lookup import ready_kernels
from cepheid.matchers.ready.manifest import key_of


@dataclass(frozen=True, slots=True)
class KernelHome:
    """Where the kernels of one state of the sources are kept: nowhere, if no folder can be written to."""

    stamp: str
    folder: Path | None
    locks: KernelLocks | None

    @classmethod
    def of(cls, stamp: str, folder: Path | None) -> "KernelHome":
        """The home in a folder, which need not exist yet."""
        return cls(stamp, folder, None if folder is None else KernelLocks(folder))


def keep(compiled: Any, home: KernelHome) -> Any:
    """Let a compiled function be looked up, and kept, at its home."""
    if hasattr(compiled, "overloads"):  # else kernels run as plain Python
        compiled._cache = KernelCache(compiled, home)
    return compiled


class KernelCache(FunctionCache):
    """The user's cache for this host, then the ready kernels, then compiling, by one process at a time."""

    def __init__(self, compiled: Any, home: KernelHome) -> None:
        self._home = home
        self._options = str(sorted(compiled.targetoptions.items()))
        self._impl_class: Any = lambda function: KernelFiles(function, home)
        super().__init__(compiled.py_func)

    def key(self, signature: object) -> str | None:
        """What a ready kernel for these types is known by."""
        return key_of(self._py_func, self._options, signature)

    def content(self, signature: object, result: Any) -> bytes:
        """A compiled kernel as a file holds it: as it is kept here, as what was loaded is not kept anew."""
        kept = None
        if self._home.folder is not None:
            kept = self._cache_file.load(self._index_key(signature, result.library.codegen))
        content: bytes = dumps(result._reduce() if kept is None else kept)
        return content

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The kernel for these types, from wherever it is; None, with its lock held, if there is none.

        Numba would first import all that it knows to compile, and register it. Loading needs none of it, and
        compiling does it anyway.
        """
        found = self._kept(sig, target_context)
        if found is None:
            found = self._ready(sig, target_context)
        if found is None and self._home.locks is not None:
            self._home.locks.acquire(self._lock_key(sig))
            found = self._kept(sig, target_context)  # another process may have compiled it meanwhile
            if found is not None:
                self._home.locks.release(self._lock_key(sig))
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was just compiled; where that fails, the next process compiles again."""
        if self._home.locks is None:
            return
        try:
            with suppress(OSError):
                super().save_overload(sig, data)
        finally:
            self._home.locks.release(self._lock_key(sig))

    def _lock_key(self, sig: Any) -> str:
        return self.key(sig) or "0"

    def _kept(self, sig: Any, target_context: Any) -> Any:
        if self._home.folder is None:
            return None
        try:
            return self._load_overload(sig, target_context)
        except Exception:  # a file that is cut off or damaged: whatever its pickle raises
            with suppress(OSError):
                self.flush()
            return None

    def _ready(self, sig: Any, target_context: Any) -> Any:
        ready, key = ready_kernels(self._home.stamp), self.key(sig)
        if ready is None or key is None:
            return None
        content = ready.read(key)
        if content is None:
            return None
        try:
            found = self._impl.rebuild(target_context, pickle.loads(content))
        except Exception as error:  # it was built as it is, so this is a doubt about ourselves
            ready.refuse(key, f"it cannot be loaded ({type(error).__name__}: {error})")
            return None
        if tuple(found.signature.args) != tuple(sig):
            ready.refuse(key, f"it is for other types: {found.signature}")
            return None
        ready.used.add(key)
        return found


class KernelFiles(CompileResultCacheImpl):
    """The files of one kernel, in a folder that is made when the first is written."""

    def __init__(self, function: Any, home: KernelHome) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = KernelFolder(function, home)
        self._filename_base = self.get_filename_base(function.__qualname__, getattr(sys, "abiflags", ""))


class KernelFolder(_CacheLocator):
    """A folder for each module with kernels, wherever the package is installed."""

    def __init__(self, function: Any, home: KernelHome) -> None:
        self._py_file = function.__code__.co_filename
        self._lineno = function.__code__.co_firstlineno
        self._stamp = home.stamp
        self._is_stamped = function.__module__.startswith("cepheid.matchers.")
        folder = home.folder or Path(os.devnull)
        self._path = str(folder / f"numba-{numba.__version__}" / function.__module__)

    def get_cache_path(self) -> str:
        return self._path

    def get_source_stamp(self) -> str:
        """The stamp of all sources, as a kernel holds what it calls; elsewhere, also the file itself."""
        if self._is_stamped:
            return self._stamp
        try:
            content = Path(self._py_file).read_bytes()
        except OSError:
            content = os.urandom(16)  # never kept as something that fits
        return f"{self._stamp}-{hashlib.sha256(content).hexdigest()}"

    def get_disambiguator(self) -> str:
        return str(self._lineno)
