"""SQLite's log is moved into the database now and then, and by nobody else's commit."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="needs cepheid[service]")

from sqlalchemy import func, insert, select

from cepheid.service.checkpoints import EVERY, FIRST_LENGTH, LONGEST_LOG, Checkpoints
from cepheid.service.store import Database
from cepheid.service.tables import FACTS

pytestmark = pytest.mark.service


def test_the_log_is_moved_when_it_is_time_and_there_is_something(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = [100.0]
    monkeypatch.setattr("cepheid.service.checkpoints.time.monotonic", lambda: at[0])
    store = Database(f"sqlite:///{tmp_path / 'cepheid.db'}")
    checkpoints = Checkpoints(store.writer)
    asked: list[str] = []
    store.writer.connection.dbapi_connection.set_trace_callback(asked.append)  # type: ignore[union-attr]

    def commit(name: str) -> None:
        with store.writer.begin():
            store.writer.execute(insert(FACTS).values(name=name, value=1))
        checkpoints.note()

    def moved() -> bool:
        asked.clear()
        checkpoints.move()
        return bool(asked)

    commit("a")
    assert not moved(), "too soon"
    at[0] += EVERY
    assert moved() and not moved()
    at[0] += EVERY
    assert not moved(), "there is nothing more"
    commit("b")
    assert moved()
    plain = sqlite3.connect(f"file:{tmp_path}/cepheid.db?immutable=1", uri=True)  # without its log
    assert plain.execute("SELECT name FROM facts ORDER BY name").fetchall() == [("a",), ("b",)]
    assert store.writer.exec_driver_sql("PRAGMA wal_autocheckpoint").scalar() == LONGEST_LOG
    store.close()


def test_a_log_that_was_made_long_is_read_as_far_as_it_was_written(tmp_path: Path) -> None:
    store = Database(f"sqlite:///{tmp_path / 'cepheid.db'}")
    log = tmp_path / "cepheid.db-wal"
    assert log.stat().st_size == FIRST_LENGTH
    for number in range(20):
        with store.writer.begin():
            store.writer.execute(insert(FACTS).values(name=str(number), value=number))
    assert log.stat().st_size == FIRST_LENGTH, "it was written over, not made longer"
    after_a_kill = tmp_path / "after"
    after_a_kill.mkdir()
    for name in ("cepheid.db", "cepheid.db-wal"):
        shutil.copy(tmp_path / name, after_a_kill / name)
    store.close()
    again = Database(f"sqlite:///{after_a_kill / 'cepheid.db'}")
    assert again.writer.execute(select(func.sum(FACTS.c.value))).scalar() == sum(range(20))
    again.writer.rollback()
    again.close()
    assert not (after_a_kill / "cepheid.db-wal").exists(), "a service that ends in peace leaves none"
