"""Two small kernels, and a package of ready kernels that holds them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numba

from cepheid.cache import READY_PACKAGE
from cepheid.matchers.ready.cache import KernelHome, keep
from cepheid.matchers.ready.manifest import MANIFEST, Manifest
from cepheid.matchers.ready.surroundings import surroundings
from cepheid.warm_up.building import written

STAMP = "kernels-of-a-test"
LEVEL = "x86-64"


def double(x):  # type: ignore[no-untyped-def]
    return x + x


def triple(x):  # type: ignore[no-untyped-def]
    return x + x + x


def compiled(function: Any, folder: Path | None = None) -> Any:
    """A new kernel of a function, with nothing compiled yet, kept in this folder or nowhere."""
    return keep(numba.njit(nogil=True)(function), KernelHome.of(STAMP, folder))


def write_package(folder: Path) -> Path:
    """Ready kernels of both functions for whole numbers and for floats; the folder of the level."""
    level = folder / READY_PACKAGE / LEVEL
    level.mkdir(parents=True)
    (folder / READY_PACKAGE / "__init__.py").touch()
    kernels = {}
    for function in (double, triple):
        made = compiled(function)
        for value in (1, 1.5):
            made(value)
        for signature, result in made.overloads.items():
            key, kernel = written(level, made, signature, result)
            kernels[key] = kernel
    (level / MANIFEST).write_text(Manifest(LEVEL, surroundings(STAMP), kernels).text())
    return level


def change_manifest(level: Path, /, **changes: Any) -> None:
    """Say something else in the manifest; `built_numba` is the field `numba` of what it was built by."""
    manifest = json.loads((level / MANIFEST).read_text())
    for name, value in changes.items():
        if name.startswith("built_"):
            manifest["built"][name.removeprefix("built_")] = value
        else:
            manifest[name] = value
    (level / MANIFEST).write_text(json.dumps(manifest))
