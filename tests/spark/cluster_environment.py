"""An archive of an environment, as it is shipped to the executors of a cluster.

A user with a package index makes it with four commands:

    python -m venv environment
    make package
    environment/bin/pip install dist/cepheid-*.whl 'pandas<3' protobuf
    tar -czf environment.tar.gz -C environment .

Here the packages come from the running environment, so that no index is needed. Spark brings its own
Python part to the executors, so the archive holds no pyspark.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from importlib import metadata
from pathlib import Path

from cepheid.matchers.jit import CACHE as KERNELS

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".cache" / "cluster"
NEEDED = ("lark", "llvmlite", "numba", "numpy", "pandas", "protobuf", "pyarrow", "rich", "typer")
IN_TREE = {"NUMBA_CACHE_LOCATOR_CLASSES": "InTreeCacheLocator"}
"""Kernels are cached beside their source, so that they travel in the archive: executors compile none."""

WARM = """
import cepheid
events = [{"ts": 1, "kind": "A", "k": 1, "x": 0.5}, {"ts": 2, "kind": "B", "k": 1, "x": 0.7}]
query = "PATTERN SEQ(A+ a[], B b) WHERE skip_till_next_match { [k] AND a[i].x > a[i-1].x } WITHIN 10"
assert len(cepheid.query(query).run(events, time="ts", type="kind")) == 1
"""


def shipped_environment() -> tuple[Path, Path]:
    """The environment, and the archive of it; packages and kernels are kept between runs."""
    folder = CACHE / _stamp()
    environment, archive = folder / "environment", folder / "environment.tar.gz"
    if not (folder / "complete").exists():
        shutil.rmtree(CACHE, ignore_errors=True)
        folder.mkdir(parents=True)
        _make(environment)
        (folder / "complete").touch()
    print("packing the environment with the package as it is now …", flush=True)
    _install(environment, folder)
    with tarfile.open(archive, "w:gz", compresslevel=1) as packed:
        packed.add(environment, arcname=".")
    return environment, archive


def _stamp() -> str:
    """Of what takes long to make: the packages and the kernels."""
    versions = [sys.version, str(KERNELS and KERNELS.name), *(metadata.version(name) for name in NEEDED)]
    return hashlib.sha256(" ".join(versions).encode()).hexdigest()[:12]


def _make(environment: Path) -> None:
    print("making the environment that is shipped (the first time only) …", flush=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    for name in sorted(_with_requirements(NEEDED)):
        _copy(metadata.distribution(name), _packages(environment))
    _install(environment, environment.parent)
    print("compiling its kernels …", flush=True)
    subprocess.run([environment / "bin" / "python", "-c", WARM], check=True, env=_clean() | IN_TREE)


def _install(environment: Path, folder: Path) -> None:
    """The package, as its wheel has it, over what is there."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    wheel = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run([*pip, *wheel], check=True)
    for made in folder.glob("cepheid-*.whl"):
        with zipfile.ZipFile(made) as files:
            files.extractall(_packages(environment))


def _packages(environment: Path) -> Path:
    (found,) = environment.glob("lib/python*/site-packages")
    return found


def _clean() -> dict[str, str]:
    hidden = ("PYTHONPATH", "NUMBA_CACHE_DIR", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if name not in hidden}


def _with_requirements(names: tuple[str, ...]) -> set[str]:
    """Distributions and what they need, without extras and without what other platforms need."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        try:
            requirements = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue  # needed elsewhere only
        found.add(name)
        waiting += [re.split(r"[^\w.-]", one, maxsplit=1)[0] for one in requirements if "extra ==" not in one]
    return found


def _copy(distribution: metadata.Distribution, packages: Path) -> None:
    for file in distribution.files or []:
        if ".." not in file.parts and file.suffix != ".pyc":
            target = packages / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(str(distribution.locate_file(file)), target)
