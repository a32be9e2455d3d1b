"""A new virtual environment from the two wheels, with a new home folder, which nothing is written to.

What cepheid depends on is taken from the running environment, so no package index is needed.
"""

import os
import site
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cepheid.bench.harness import PACKAGE_HOME

HIDDEN = ("PYTHONPATH", "VIRTUAL_ENV", "CEPHEID_CACHE_DIR", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME")


@dataclass(frozen=True, slots=True)
class Wheels:
    """The package, and its compiled kernels."""

    package: Path
    kernels: Path


def wheels() -> Wheels | None:
    """The wheels in `dist/`, here or in the checkout; None if there are not both."""
    for folder in (Path("dist"), PACKAGE_HOME.parent / "dist"):
        package, kernels = (_newest(folder, name) for name in ("cepheid-[0-9]*.whl", "cepheid_kernels-*.whl"))
        if package is not None and kernels is not None:
            return Wheels(package, kernels)
    return None


def _newest(folder: Path, name: str) -> Path | None:
    return max(folder.glob(name), key=lambda path: path.stat().st_mtime, default=None)


@dataclass(frozen=True, slots=True)
class Install:
    """A virtual environment and a home folder of its own."""

    python: Path
    packages: Path
    home: Path

    def environment(self, **more: str) -> Mapping[str, str]:
        """What its processes see: nothing of the running environment, nor of the user's caches."""
        kept = {name: value for name, value in os.environ.items() if name not in HIDDEN}
        written = {"HOME": str(self.home), "TMPDIR": str(self.home), "PYTHONDONTWRITEBYTECODE": "1"}
        return {**kept, **written, **more}

    def files(self) -> dict[str, tuple[int, int]]:
        """Every file of the install and of the home, with its size and when it was written."""
        found = (path for folder in (self.packages, self.home) for path in folder.rglob("*"))
        return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in found if path.is_file()}


def install(folder: Path, *archives: Path) -> Install:
    """Make the environment in a folder, install the wheels, and let nothing in it be written to any more."""
    place = folder / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(place), "platbase": str(place)}))
    for wheel in archives:
        with zipfile.ZipFile(wheel) as files:
            files.extractall(packages)
    outside = [path for path in (*site.getsitepackages(), site.getusersitepackages()) if Path(path).is_dir()]
    (packages / "dependencies.pth").write_text("\n".join(outside) + "\n")
    for path in packages.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    home = folder / "home"
    home.mkdir()
    return Install(place / "bin" / "python", packages, home)
