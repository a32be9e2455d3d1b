"""Where compiled kernels and the parser are kept between runs: once per machine and user."""

import os
import tempfile
from pathlib import Path


def cache_folder(stamp: str) -> Path | None:
    """The folder for this stamp in the first of the usual places that can be written to, or None."""
    given = os.environ.get("CEPHEID_CACHE_DIR") or os.environ.get("NUMBA_CACHE_DIR")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    owner = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    for folder in (
        given,
        os.path.join(home, "cepheid"),
        os.path.join(tempfile.gettempdir(), f"cepheid-{owner}"),
    ):
        if folder:
            path = Path(folder)
            # a parent process may have chosen already, and told its choice in NUMBA_CACHE_DIR
            stamped = path.parent / stamp if path.name.startswith(("kernels-", "parser-")) else path / stamp
            if _is_writable(stamped):
                return stamped
    return None


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False
