"""SQLite's log, moved into the database while nobody waits for it.

SQLite would do so by itself within whichever commit makes the log 4 MB long, and everyone in that commit, and
whoever comes in the meantime, would wait for some more syncs. And the log is made long at the start: to write
over what is there is synced twice as fast as what makes a file longer.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

EVERY = 5.0  # seconds, at the soonest
FIRST_LENGTH = 16 * 2**20  # bytes
LONGEST_LOG = 16_384  # pages of 4 KiB: beyond these it is moved within a commit, should nobody ever not wait


class Checkpoints:
    """Only the engine's thread uses it. Other databases look after themselves."""

    def __init__(self, connection: Connection) -> None:
        is_sqlite = connection.dialect.name == "sqlite"
        self._writer: Any = connection.connection.dbapi_connection if is_sqlite else None
        self._moved_at = time.monotonic()
        self._has_more = True  # than was moved

    def note(self) -> None:
        """Something was committed."""
        self._has_more = True

    def move(self) -> None:
        """Move the log, if it is time."""
        if self._writer is None or not self._has_more or time.monotonic() < self._moved_at + EVERY:
            return
        self._writer.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        self._moved_at, self._has_more = time.monotonic(), False


def lengthen_log(database: Path) -> None:
    """Fill the log up with zeros. SQLite reads a log up to the first frame that is none of its own."""
    with contextlib.suppress(OSError), open(f"{database}-wal", "r+b") as log:
        missing = FIRST_LENGTH - log.seek(0, os.SEEK_END)
        if missing > 0:
            log.write(bytes(missing))
            log.flush()
            os.fsync(log.fileno())
