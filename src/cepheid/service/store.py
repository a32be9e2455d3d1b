"""The database: opened, brought up to date, and locked, as two services would not know of each other."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, OperationalError
from sqlalchemy.pool import NullPool

from cepheid.errors import BindingError, MissingExtraError, SourceError
from cepheid.service.checkpoints import LONGEST_LOG, lengthen_log

NETWORKED = ("nfs", "cifs", "smb", "afs", "ceph", "lustre", "glusterfs", "beegfs", "gpfs", "ocfs", "gfs2")
"""File systems on which SQLite's locks and shared memory cannot be relied on."""

LOCK = 0x6365_7068  # of PostgreSQL: one service a database
READERS = 8


def now() -> int:
    """The wall clock, in microseconds."""
    return time.time_ns() // 1000


class Database:
    """One connection that writes, for the engine's thread alone, and others that can only read."""

    def __init__(self, url: str) -> None:
        self.url = _checked(url)
        self._lock: TextIO | Connection | None = None
        open_it = _open_sqlite if self.url.get_backend_name() == "sqlite" else _open_postgres
        try:
            self._writing, self._reading, self._lock = open_it(self.url)
            self.writer = self._writing.connect()
            _bring_up_to_date(self.writer)
            if self.is_sqlite:
                lengthen_log(Path(str(self.url.database)))
        except ModuleNotFoundError:
            raise MissingExtraError("PostgreSQL", "postgres") from None
        except OperationalError as error:
            raise SourceError(f"the database {self.shown} cannot be opened: {_first_line(error)}") from None

    @property
    def shown(self) -> str:
        """The address of the database, without its password."""
        return self.url.render_as_string(hide_password=True)

    @property
    def is_sqlite(self) -> bool:
        """Whether it is a file."""
        return self.url.get_backend_name() == "sqlite"

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection that can only read."""
        with self._reading.connect() as connection:
            yield connection

    def close(self) -> None:
        """Let others have the database."""
        self.writer.close()
        self._writing.dispose()
        self._reading.dispose()
        if self._lock is not None:
            self._lock.close()


def _checked(url: str) -> URL:
    try:
        found = make_url(url)
        backend = found.get_backend_name()
    except (ArgumentError, NoSuchModuleError):
        raise BindingError(
            "--db is no address of a database: write sqlite:///file.db or postgresql://…"
        ) from None
    if backend == "sqlite":
        if not found.database or found.database == ":memory:" or found.database.startswith("file:"):
            raise BindingError("--db needs a file, since what is accepted must be kept: sqlite:///file.db")
        return found.set(drivername="sqlite")
    if backend != "postgresql":
        raise BindingError(f"--db: {backend} is not known here: use sqlite:///file.db or postgresql://…")
    return found.set(drivername="postgresql+psycopg")


# -- SQLite ----------------------------------------------------------------------------------------


def _open_sqlite(url: URL) -> tuple[Engine, Engine, TextIO]:
    path = Path(str(url.database)).absolute()
    if not path.parent.is_dir():
        raise SourceError(f"the folder {path.parent} for the database is not there: make it first")
    kind = file_system(path.parent)
    if kind is not None and kind.removeprefix("fuse.").startswith((*NETWORKED, "sshfs")):
        raise SourceError(
            f"{path} is on a network file system ({kind}), where SQLite may lose data: use a local disk, "
            "or PostgreSQL"
        )
    lock = _locked(path)
    writing = create_engine(url, poolclass=NullPool, connect_args={"check_same_thread": False})
    _begin_by_ourselves(writing)
    durable = ("journal_mode=WAL", "synchronous=FULL", f"wal_autocheckpoint={LONGEST_LOG}")
    _at_connect(writing, *durable, "foreign_keys=ON", "busy_timeout=10000")
    return writing, reading_engine(url), lock


def _begin_by_ourselves(engine: Engine) -> None:
    """Python would begin a transaction only at the first row that is written, so that a migration which is
    cut off could leave half of its tables behind."""

    def let_begin(connection: Any, record: object) -> None:
        connection.isolation_level = None

    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    event.listen(engine, "connect", let_begin)
    event.listen(engine, "begin", begin)


def _quoted(path: Path) -> str:
    """A path as SQLite reads it in an address."""
    return str(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _at_connect(engine: Engine, *pragmas: str) -> None:
    def set_pragmas(connection: Any, record: object) -> None:
        cursor = connection.cursor()
        for pragma in pragmas:
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    event.listen(engine, "connect", set_pragmas)


def _locked(path: Path) -> TextIO:
    """The lock of a database's file, held until this process ends, however it ends."""
    try:
        lock = open(f"{path}.lock", "a+")  # noqa: SIM115  kept open as long as the service runs
    except OSError as error:
        raise SourceError(f"{path}.lock cannot be written: {error.strerror}") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise SourceError(f"another service uses {path}: stop it first, or name another --db") from None
    return lock


def file_system(folder: Path) -> str | None:
    """The kind of file system that a folder is on, where the machine says it."""
    try:
        lines = Path("/proc/self/mountinfo").read_text().splitlines()
    except OSError:
        return None
    real, best, kind = os.path.realpath(folder), "", None
    for line in lines:
        before, _, after = line.partition(" - ")
        mount = before.split()[4].replace("\\040", " ")
        is_inside = real == mount or real.startswith(mount.rstrip("/") + "/")
        if is_inside and len(mount) >= len(best):
            best, kind = mount, after.split()[0]
    return kind


# -- PostgreSQL ------------------------------------------------------------------------------------


def _open_postgres(url: URL) -> tuple[Engine, Engine, Connection]:
    writing = create_engine(url, poolclass=NullPool)
    lock = create_engine(url, poolclass=NullPool, isolation_level="AUTOCOMMIT").connect()
    if not lock.execute(text(f"SELECT pg_try_advisory_lock({LOCK})")).scalar():
        lock.close()
        raise SourceError("another service uses this database: stop it first, or name another --db")
    return writing, reading_engine(url), lock


# -- both ------------------------------------------------------------------------------------------


def reading_engine(url: URL) -> Engine:
    """Connections that can only read."""
    pool = {"pool_size": READERS, "max_overflow": READERS}
    if url.get_backend_name() != "sqlite":
        return create_engine(url, connect_args={"options": "-c default_transaction_read_only=on"}, **pool)
    path = _quoted(Path(str(url.database)).absolute())
    found = create_engine(
        f"sqlite:///file:{path}?mode=ro&uri=true", connect_args={"check_same_thread": False}, **pool
    )
    _at_connect(found, "query_only=ON", "busy_timeout=10000")
    return found


def _bring_up_to_date(connection: Connection) -> None:
    config = Config()
    config.set_main_option("script_location", "cepheid.service:migrations")
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    with connection.begin():
        command.upgrade(config, "head")


def _first_line(error: DBAPIError) -> str:
    return (str(error.orig).splitlines() or [type(error).__name__])[0]
