"""What the wheel of the kernels depends on is known once they are built: their manifests tell it."""

import json
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

ROOT = Path(__file__).resolve().parent.parent
BUILT = ROOT / "build" / "kernels" / "cepheid_kernels"


class KernelsMetadata(MetadataHookInterface):
    """The version of cepheid, and the compilers of the manifests."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Fill in what pyproject.toml calls dynamic."""
        import tomllib

        built = _built()
        metadata["version"] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
        metadata["dependencies"] = [f"{name}=={built[name]}" for name in ("numba", "llvmlite")]


class KernelsWheel(BuildHookInterface):
    """A wheel for this system and this Python."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Take in the kernels, which lie outside of this folder and in no repository."""
        _built()
        python = f"cp{sys.version_info.major}{sys.version_info.minor}"
        system = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"{python}-{python}-{system}"
        build_data["force_include"][str(BUILT)] = BUILT.name


def _built() -> dict[str, Any]:
    """What the kernels were built by."""
    manifests = sorted(BUILT.glob("*/manifest.json"))
    if not manifests:
        raise FileNotFoundError(f"there are no kernels in {BUILT}: `make kernels` builds them")
    (built,) = {json.dumps(json.loads(path.read_text())["built"], sort_keys=True) for path in manifests}
    found: dict[str, Any] = json.loads(built)
    return found
