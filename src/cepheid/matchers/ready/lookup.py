"""Finding ready kernels: in the package `cepheid_kernels`, installed, or in a zip on a Spark worker's path.

Any doubt about them means that kernels are compiled, and `why_not` tells the doubt.
"""

import hashlib
from importlib import resources
from importlib.resources.abc import Traversable

from cepheid.cache import READY_PACKAGE, is_ready_wanted
from cepheid.matchers.ready.levels import LEVELS, lacking
from cepheid.matchers.ready.manifest import MANIFEST, Manifest, read_manifest
from cepheid.matchers.ready.surroundings import chosen_cpu, host_features, surroundings


class ReadyKernels:
    """The ready kernels of one level, which this host may run."""

    def __init__(self, folder: Traversable, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest
        self.doubt: str | None = None  # about a single kernel: the last one
        self.refused: set[str] = set()
        self.used: set[str] = set()

    def read(self, key: str) -> bytes | None:
        """The file of a kernel, if it is there and just as it was built."""
        kernel = self.manifest.kernels.get(key)
        if kernel is None or key in self.refused:
            return None
        try:
            content = self.folder.joinpath(kernel.file).read_bytes()
        except (OSError, KeyError, ValueError) as error:
            self.refuse(key, f"its file cannot be read ({error})")
            return None
        if hashlib.sha256(content).hexdigest() != kernel.sha256:
            self.refuse(key, "its file is not the one that was built")
            return None
        return content

    def refuse(self, key: str, reason: str) -> None:
        """Do not use a kernel, now or later in this process."""
        self.refused.add(key)
        self.doubt = f"the ready kernel {self.manifest.kernels[key].name} is not used: {reason}"


def ready_kernels(stamp: str) -> ReadyKernels | None:
    """The kernels of the best level that this host has, if there are any and all is as it was built."""
    found = _looked_up(stamp)
    return found if isinstance(found, ReadyKernels) else None


def why_not(stamp: str) -> str | None:
    """Why the ready kernels that are there are not used, or one of them; None if there is nothing to tell."""
    found = _looked_up(stamp)
    if isinstance(found, ReadyKernels):
        return found.doubt
    return f"the ready kernels are not used: {found}" if found else None


_found: dict[str, ReadyKernels | str] = {}


def _looked_up(stamp: str) -> ReadyKernels | str:
    """The ready kernels, or why they are not used: an empty text where none are installed or wanted.

    That there are none is not remembered: they may be added to the path of a running Spark worker.
    """
    if stamp not in _found:
        found = _look_up(stamp)
        if not found:
            return found
        _found[stamp] = found
    return _found[stamp]


def _look_up(stamp: str) -> ReadyKernels | str:
    if not is_ready_wanted():
        return ""
    package = _package()
    if package is None:
        return ""
    chosen = chosen_cpu()
    if chosen is not None:
        return f"Numba is told to compile for '{chosen}'"
    return _best(package, stamp)


def _package() -> Traversable | None:
    try:
        return resources.files(READY_PACKAGE)
    except ImportError:
        return None


def _best(package: Traversable, stamp: str) -> ReadyKernels | str:
    """Of several levels the best one; else why the last one is not used."""
    reason = f"the package {READY_PACKAGE} holds none"
    for level in LEVELS:
        folder = package.joinpath(level)
        if folder.is_dir():
            found = _judged(folder, level, stamp)
            if isinstance(found, ReadyKernels):
                return found
            reason = found
    return reason


def _judged(folder: Traversable, level: str, stamp: str) -> ReadyKernels | str:
    try:
        manifest = read_manifest(folder.joinpath(MANIFEST).read_text("utf-8"))
    except (OSError, KeyError, ValueError) as error:
        return str(error)
    if manifest.level != level:
        return f"the folder {level} holds kernels for {manifest.level}"
    difference = surroundings(stamp).difference(manifest.built)
    if difference is not None:
        return difference
    missing = lacking(level, host_features())
    if missing:
        return f"they are for {level}, and this processor lacks {', '.join(missing)}"
    return ReadyKernels(folder, manifest)
