"""Where compiled kernels and the parser's tables come from: a package that has them, or the user's cache."""

import os
import stat
import tempfile
from pathlib import Path

READY_PACKAGE = "cepheid_kernels"
"""The package with kernels and tables that come ready, if it is installed."""

READY_SWITCH = "CEPHEID_READY_KERNELS"
"""An environment variable: `0` means that what comes ready is not used."""


def is_ready_wanted() -> bool:
    """Whether to look for what comes ready."""
    return os.environ.get(READY_SWITCH, "1") not in ("0", "")


def cache_folder(stamp: str, *, made: bool = True) -> Path | None:
    """The folder for this stamp in the first of the usual places that can be written to, or None.

    With `made=False` it is made by whoever writes to it first: a run with nothing to keep leaves no trace.
    """
    given = os.environ.get("CEPHEID_CACHE_DIR") or os.environ.get("NUMBA_CACHE_DIR")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    owner = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    shared = Path(tempfile.gettempdir(), f"cepheid-{owner}")
    for folder in (given, os.path.join(home, "cepheid"), shared if _is_ours(shared) else None):
        if folder:
            stamped = Path(folder) / stamp
            if (_is_made if made else _can_be_made)(stamped):
                return stamped
    return None


def _is_made(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _can_be_made(folder: Path) -> bool:
    """Whether the folder, or the nearest one above it that exists, can be written to."""
    there = next((path for path in (folder, *folder.absolute().parents) if path.exists()), None)
    return there is not None and there.is_dir() and os.access(there, os.W_OK | os.X_OK)


def _is_ours(folder: Path) -> bool:
    """Whether a folder in a place that all users share is none yet, or can be written to by us alone.

    What is kept there is run as code: a folder that someone else has put there is not used.
    """
    try:
        found = os.lstat(folder)
    except OSError:
        return True
    is_private = stat.S_ISDIR(found.st_mode) and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return is_private and (not hasattr(os, "getuid") or found.st_uid == os.getuid())
