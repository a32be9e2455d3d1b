"""Building ready kernels: all of them for one level of processors, in one fresh process.

A process of its own goes through the warm-up list with Numba told to compile for the level, and writes what
it compiled. A second one goes through the same list with these kernels alone. It must compile nothing, and
what it asked for is kept: the others are compiled into those already.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from cepheid.cache import READY_PACKAGE
from cepheid.errors import CepheidError
from cepheid.language.sase.parse import GRAMMAR as QUERIES
from cepheid.language.twig.parse import GRAMMAR as TREE_PATTERNS
from cepheid.matchers.jit import STAMP
from cepheid.matchers.ready.levels import LEVELS, USUAL, is_known_machine, lacking
from cepheid.matchers.ready.manifest import MANIFEST, Manifest, read_manifest
from cepheid.matchers.ready.surroundings import host_features, surroundings

SOURCES = Path(__file__).resolve().parents[2]
INIT = '"""Compiled kernels of cepheid, for one Numba, one Python and one level of processors."""\n'


def main(out: str, level: str = USUAL) -> None:
    """`python -m cepheid.warm_up.build OUT [LEVEL]`: build them, unless they are there already."""
    folder = Path(out)
    try:
        manifest = _up_to_date(folder, level) or build_kernels(folder, level)
    except CepheidError as error:
        sys.exit(f"error: {error}")
    size = sum(file.stat().st_size for file in (folder / READY_PACKAGE / level).iterdir())
    print(f"{len(manifest.kernels)} kernels for {level} in {folder / READY_PACKAGE}, {size / 1e6:.1f} MB")


def _up_to_date(out: Path, level: str) -> Manifest | None:
    try:
        manifest = read_manifest((out / READY_PACKAGE / level / MANIFEST).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    if surroundings(STAMP).difference(manifest.built) is not None:
        return None
    _write_tables(out / READY_PACKAGE)  # the grammar may have changed, and no kernel
    return manifest


def build_kernels(out: Path, level: str = USUAL, say: Callable[[str], None] = print) -> Manifest:
    """Write the package of ready kernels into a folder; what it holds."""
    _refuse_unknown(level)
    folder = out / READY_PACKAGE / level
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (out / READY_PACKAGE / "__init__.py").write_text(INIT)
    _write_tables(out / READY_PACKAGE)
    say(f"compiling all kernels for {level}, in one process: some minutes …")
    with tempfile.TemporaryDirectory(prefix="cepheid-build-") as empty:
        told_level = {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": "", "NUMBA_DISABLE_INTEL_SVML": "1"}
        _in_child(out, empty, "write_all", str(folder), level, **told_level)
        say("going through the same list with these kernels alone …")
        used = json.loads(_in_child(out, empty, "used_alone"))
    return _kept(folder, set(used))


def _write_tables(package: Path) -> None:
    for grammar in (QUERIES, TREE_PATTERNS):
        grammar.write_ready_tables(package)


def _refuse_unknown(level: str) -> None:
    if level not in LEVELS:
        raise CepheidError(f"there is no level of processors '{level}'; it is one of {', '.join(LEVELS)}")
    if not is_known_machine():
        raise CepheidError("ready kernels are built for x86-64 alone; here kernels are compiled once")
    missing = lacking(level, host_features())
    if missing:
        raise CepheidError(
            f"kernels for {level} run while they are built, and this processor lacks {', '.join(missing)}: "
            f"build for a lower level, one of {', '.join(LEVELS)}"
        )


def _in_child(out: Path, empty: str, function: str, *arguments: str, **settings: str) -> str:
    """Call a function of `building` in a process whose caches are empty; what it printed."""
    paths = os.pathsep.join([str(out), str(SOURCES), os.environ.get("PYTHONPATH", "")])
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    fresh = {
        "PYTHONPATH": paths,
        "CEPHEID_CACHE_DIR": tempfile.mkdtemp(dir=empty),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [sys.executable, "-m", "cepheid.warm_up.building", function, *arguments]
    done = subprocess.run(
        command, env={**kept, **fresh, **settings}, stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode != 0:
        raise CepheidError(f"building the kernels failed with status {done.returncode}; see above")
    return done.stdout


def _kept(folder: Path, used: set[str]) -> Manifest:
    """Drop the kernels that nobody asked for, and write the manifest of the others."""
    built = read_manifest((folder / MANIFEST).read_text("utf-8"))
    for key, kernel in built.kernels.items():
        if key not in used:
            (folder / kernel.file).unlink()
    kept = {key: kernel for key, kernel in built.kernels.items() if key in used}
    manifest = Manifest(built.level, built.built, kept)
    (folder / MANIFEST).write_text(manifest.text(), encoding="utf-8")
    return manifest


if __name__ == "__main__":
    main(*sys.argv[1:])
