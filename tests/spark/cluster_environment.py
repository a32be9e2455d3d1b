"""An archive of an environment, as it is shipped to the executors of a cluster.

A user with a package index makes it with four commands:

    python -m venv environment
    make package
    environment/bin/pip install dist/cepheid-*.whl 'pandas<3' protobuf
    tar -czf environment.tar.gz -C environment .

Here the packages come from the running environment, so that no index is needed. Spark brings its own
Python part to the executors, so the archive holds no pyspark. The kernels are not in the archive: the job
brings them in a zip, as one does where nothing can be installed.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from cepheid.matchers.jit import STAMP
from cepheid.warm_up.pack import pack_kernels

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".cache" / "cluster"
NEEDED = ("lark", "llvmlite", "numba", "numpy", "pandas", "protobuf", "pyarrow", "rich", "typer")


@dataclass(frozen=True)
class Shipped:
    """What executors are given: an environment, as a folder and as an archive, and kernels in a zip."""

    environment: Path
    archive: Path
    kernels: Path


def shipped_environment() -> Shipped:
    """The environment, the archive of it, and the kernels; packages and kernels are kept between runs."""
    folder = CACHE / _stamp()
    environment, archive, kernels = folder / "environment", folder / "environment.tar.gz", folder / "k.zip"
    if not (folder / "complete").exists():
        shutil.rmtree(CACHE, ignore_errors=True)
        folder.mkdir(parents=True)
        _make(environment)
        pack_kernels(kernels, print)
        (folder / "complete").touch()
    print("packing the environment with the package as it is now …", flush=True)
    _install(environment, folder)
    with tarfile.open(archive, "w:gz", compresslevel=1) as packed:
        packed.add(environment, arcname=".")
    return Shipped(environment, archive, kernels)


def _stamp() -> str:
    """Of what takes long to make: the packages and the kernels."""
    versions = [sys.version, STAMP, *(metadata.version(name) for name in NEEDED)]
    return hashlib.sha256(" ".join(versions).encode()).hexdigest()[:12]


def _make(environment: Path) -> None:
    print("making the environment that is shipped (the first time only) …", flush=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    for name in sorted(_with_requirements(NEEDED)):
        _copy(metadata.distribution(name), _packages(environment))
    _install(environment, environment.parent)


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
