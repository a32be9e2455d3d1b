"""Ready kernels as one zip, for workers of Spark that nothing may be installed on.

The zip is a package to import. Spark puts it on the path of its Python workers, which find the kernels as if
they were installed: `spark.addArtifacts("k.zip", pyfile=True)`.
"""

import tempfile
import zipfile
from collections.abc import Callable, Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from cepheid.cache import READY_PACKAGE
from cepheid.errors import CepheidError
from cepheid.matchers.jit import STAMP
from cepheid.matchers.ready.levels import USUAL
from cepheid.matchers.ready.lookup import ready_kernels
from cepheid.warm_up.build import build_kernels

MOMENT = (1980, 1, 1, 0, 0, 0)  # the same kernels give the same zip, which Spark knows by its content


def pack_kernels(out: Path, say: Callable[[str], None]) -> int:
    """Write a zip of the installed ready kernels, or of kernels built now; how many it holds."""
    if out.suffix != ".zip":
        raise CepheidError(f"the kernels go into a zip, so its name ends in .zip: {out.name}.zip, say")
    if not out.parent.is_dir():
        raise CepheidError(f"there is no folder {out.parent}")
    ready = ready_kernels(STAMP)
    if ready is not None:
        say(f"packing the installed kernels, for {ready.manifest.level}")
        _write(out, resources.files(READY_PACKAGE))
        return len(ready.manifest.kernels)
    with tempfile.TemporaryDirectory(prefix="cepheid-kernels-") as folder:
        manifest = build_kernels(Path(folder), USUAL, say)
        _write(out, Path(folder) / READY_PACKAGE)
        return len(manifest.kernels)


def _write(out: Path, package: Traversable) -> None:
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, file in _files(package, READY_PACKAGE):
            packed.writestr(zipfile.ZipInfo(name, MOMENT), file.read_bytes(), zipfile.ZIP_DEFLATED)


def _files(folder: Traversable, name: str) -> Iterator[tuple[str, Traversable]]:
    """All files of the package with their names in the zip, in the order of these names."""
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        if item.is_dir():
            if item.name != "__pycache__":
                yield from _files(item, f"{name}/{item.name}")
        else:
            yield f"{name}/{item.name}", item
