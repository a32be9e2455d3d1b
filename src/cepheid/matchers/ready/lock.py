"""A lock for each kernel: of many processes that need one at once, one compiles it, and the others wait.

All locks are bytes of one file in the cache folder. The system takes them back when a process ends, however
it ends. A kernel is locked before those that it calls, and no kernel calls itself, so no two processes wait
for each other. Nothing but time depends on the lock: where it cannot be had, every process compiles.
"""

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba.core import event

fcntl: Any
try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None

FILE = "compiling.lock"
WAITING = "cepheid:waiting"
"""Numba's listeners are told by this name when another process is waited for, and when that is over."""

PATIENCE = 600.0  # seconds: a process that is stopped, or lost in an error, is waited for no longer
INTERVAL = 0.05


class KernelLocks:
    """The locks of the kernels in one cache folder."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._file: int | None = None
        self._process = 0

    def acquire(self, key: str) -> None:
        """Lock a kernel, by a key in hexadecimal digits, before it is compiled."""
        if fcntl is None:
            return
        with suppress(OSError):  # a system without locks
            if not self._try(key):
                with event.trigger_event(WAITING):
                    until = time.monotonic() + PATIENCE
                    while not self._try(key) and time.monotonic() < until:
                        time.sleep(INTERVAL)

    def release(self, key: str) -> None:
        """Unlock it, once it is kept."""
        if fcntl is not None and self._file is not None and self._process == os.getpid():
            with suppress(OSError):
                fcntl.lockf(self._file, fcntl.LOCK_UN, 1, _place(key))

    def _try(self, key: str) -> bool:
        try:
            fcntl.lockf(self._opened(), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _place(key))
            return True
        except (BlockingIOError, PermissionError):
            return False

    def _opened(self) -> int:
        """The file, which stays open: closing it would give up all locks of this process."""
        if self._file is None or self._process != os.getpid():
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            self._process = os.getpid()
        return self._file


def _place(key: str) -> int:
    """The byte of the file that stands for a kernel."""
    return int(key[:10], 16)
