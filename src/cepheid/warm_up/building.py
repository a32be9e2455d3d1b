"""What the processes of a build do: `python -m cepheid.warm_up.building FUNCTION …`, called by `build`."""

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

from cepheid.errors import CepheidError
from cepheid.matchers.jit import STAMP
from cepheid.matchers.ready.cache import KernelCache
from cepheid.matchers.ready.lookup import ready_kernels, why_not
from cepheid.matchers.ready.manifest import MANIFEST, Manifest, ReadyKernel, name_of
from cepheid.matchers.ready.surroundings import surroundings
from cepheid.runners.stream.compiling import announce_compiling
from cepheid.warm_up.families import FAMILIES, all_kernels


def write_all(folder: str, level: str) -> None:
    """Go through the list, and write every kernel that was compiled for the level."""
    announce_compiling()
    for exercise in FAMILIES.values():
        exercise()
    kernels = {}
    for compiled in all_kernels():
        for signature, result in compiled.overloads.items():
            _refuse_another_level(result, level)
            key, kernel = written(Path(folder), compiled, signature, result)
            kernels[key] = kernel
    manifest = Manifest(level, surroundings(STAMP), kernels)
    Path(folder, MANIFEST).write_text(manifest.text(), encoding="utf-8")


def _refuse_another_level(result: Any, level: str) -> None:
    """Numba must have compiled for the level, and not for this host."""
    _, name, features = result.library.codegen.magic_tuple()
    if (name, features) != (level, ""):
        raise CepheidError(f"Numba compiled for '{name}' with '{features}' instead of {level}")


def written(folder: Path, compiled: Any, signature: Any, result: Any) -> tuple[str, ReadyKernel]:
    """Write one compiled kernel to a file of its own."""
    cache: KernelCache = compiled._cache
    key = cache.key(signature)
    if key is None:
        raise CepheidError(f"the kernel {name_of(compiled.py_func)} has a closure, so it cannot come ready")
    content = cache.content(signature, result)
    file = f"{compiled.py_func.__name__}-{key[:12]}.kernel"
    (folder / file).write_bytes(content)
    return key, ReadyKernel(name_of(compiled.py_func), file, hashlib.sha256(content).hexdigest())


def used_alone() -> None:
    """Go through the list with ready kernels alone, and print the keys of those that were used."""
    ready = ready_kernels(STAMP)
    if ready is None:
        raise CepheidError(why_not(STAMP) or "the kernels that were built are not found")
    for exercise in FAMILIES.values():
        exercise()
    compiled = [name_of(kernel.py_func) for kernel in all_kernels() if kernel.stats.cache_misses]
    if compiled:
        raise CepheidError(f"these kernels were compiled a second time: {', '.join(compiled)}")
    print(json.dumps(sorted(ready.used)))


def main(function: str, *arguments: str) -> None:
    """One of the above, by its name."""
    try:
        globals()[function](*arguments)
    except CepheidError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main(*sys.argv[1:])
