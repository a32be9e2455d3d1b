"""Whether events come while a command runs: asked at every run, so it imports little."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Sequence
from typing import Any

from cepheid.sources.paths import STANDARD


def is_live(paths: Sequence[str], follow: bool) -> bool:
    """Whether events come while the command runs: `< file` gives standard input an end."""
    if follow:
        return True
    return STANDARD in paths and sys.stdin is not None and not _is_file(sys.stdin)


def _is_file(stream: Any) -> bool:
    try:
        return stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):
        return True  # it is closed, or no stream of the system
