"""The writer in this process, over a real database: what fails, what is kept, and what is forgotten."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs cepheid[service]")

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import delete, func, select, update

from cepheid.cli.failure import status_of
from cepheid.errors import BindingError, SourceError
from cepheid.service import store as stores
from cepheid.service.clock import IdleClock
from cepheid.service.engine import ServiceEngine
from cepheid.service.intake import read_events
from cepheid.service.metrics import ServiceMetrics
from cepheid.service.moments import NoMoment, shown, ticks_of
from cepheid.service.problems import Problem
from cepheid.service.repeats import RequestKey, once
from cepheid.service.settings import Settings, settings_from
from cepheid.service.store import Database, file_system
from cepheid.service.subscriptions import ProfileDraft, change, create, found
from cepheid.service.tables import ANSWERS, METADATA, NOTIFICATIONS, SNAPSHOTS, STEPS
from tests.service.serving import START, event

pytestmark = pytest.mark.service

PAIR = ProfileDraft("pair", "PATTERN SEQ(A a, B b) WITHIN 1 min RETURN a.n AS a, b.n AS b", {}, False, ())

Scene = Callable[[ServiceEngine], Coroutine[Any, Any, Any]]


def played(folder: Path, scene: Scene, **settings: Any) -> Any:
    """What a scene gives that is played with an engine, which is then stopped in peace."""
    store = Database(f"sqlite:///{folder / 'a.db'}")
    engine = ServiceEngine(store, _settings(**settings), ServiceMetrics(), lambda: None)

    async def play() -> Any:
        engine.begin(asyncio.get_running_loop(), lambda due, more: None)
        while not engine.is_ready:
            assert engine.is_alive()
            await asyncio.sleep(0.01)
        try:
            return await scene(engine)
        finally:
            engine.stop()
            await asyncio.to_thread(engine.join)

    try:
        return asyncio.run(play())
    finally:
        store.close()


def _settings(**given: Any) -> Settings:
    return settings_from(**{"idle": "1 day", **given})


async def send(engine: ServiceEngine, *events: Any, key: str | None = None) -> Any:
    arrived = read_events(json.dumps(events).encode(), {"content-type": "application/json"})
    known = None if key is None else RequestKey("t", key, "")
    act = lambda turn: once(turn, known, lambda turn: turn.take_events(arrived))  # noqa: E731
    return await engine.do(act, arrived.count, arrived.size)


async def told(engine: ServiceEngine) -> list[Any]:
    rows = await engine.do(
        lambda turn: turn.connection.execute(select(NOTIFICATIONS.c.match).order_by(NOTIFICATIONS.c.id)).all()
    )
    return [json.loads(row.match) for row in rows]


def test_only_the_culprit_of_a_group_is_refused(tmp_path: Path) -> None:
    def culprit(turn: Any) -> None:
        turn.flush()
        turn.connection.execute(delete(STEPS))
        raise ZeroDivisionError

    async def scene(engine: ServiceEngine) -> Any:
        await engine.do(lambda turn: create(turn, PAIR))
        await send(engine, event("A", START, 0, n=1))
        asked = [send(engine, event("A", START, 1, n=2)), engine.do(culprit)]
        asked += [send(engine, event("B", START, 2, n=3)), send(engine, event("B", START, 1, n=4))]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        return answers, await told(engine)

    answers, found = played(tmp_path, scene, gather="300 ms")
    assert [each["accepted"] for each in (answers[0], answers[2], answers[3])] == [1, 1, 0]
    assert isinstance(answers[1], Problem) and answers[1].status == 500
    assert found == [{"a": 1, "b": 3}, {"a": 2, "b": 3}]


@pytest.mark.parametrize("kind", ["told", "held", "beside"])
def test_a_greedy_profile_is_stopped_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    queries = {
        "told": "PATTERN SEQ(A a, B b) WITHIN 1 hour RETURN a.n AS a, b.n AS b",
        "held": "PATTERN SEQ(A a, A b, A c, Z z) WITHIN 1 hour RETURN a.n AS a",
        "beside": "PATTERN AND(A a, A b, A c, Z z) WITHIN 1 hour RETURN a.n AS a",
    }
    if kind == "told":
        monkeypatch.setattr("cepheid.service.steps.MOST_TOLD", 50)
    else:
        monkeypatch.setattr("cepheid.runners.stream.terms.default_max_state", lambda: 2_000_000)
    greedy = ProfileDraft("greedy", queries[kind], {}, False, ())
    modest = ProfileDraft("modest", "PATTERN A a WHERE a.n < 3 WITHIN 1 s RETURN a.n AS n", {}, False, ())

    async def scene(engine: ServiceEngine) -> Any:
        made = await engine.do(lambda turn: create(turn, greedy))
        await engine.do(lambda turn: create(turn, modest))
        for first in range(0, 100, 20):
            sent = [event("A", START, first + n, n=first + n) for n in range(20)]
            answer = await send(engine, *sent, event("B", START, first + 20, n=0))
            assert answer["accepted"] == 21, answer
        shown = await engine.do(lambda turn: found(turn.connection, made["id"]))
        resumed = await engine.do(lambda turn: change(turn, made["id"], {"paused": False}))
        return shown, resumed, await told(engine)

    shown, resumed, matches = played(tmp_path, scene)
    assert shown["paused"] and shown["stopped"]["reason"] and shown["name"] == "greedy"
    assert not resumed["paused"] and resumed["stopped"] is None
    assert [match for match in matches if "n" in match] == [{"n": 0}, {"n": 1}, {"n": 2}]


def test_too_much_that_waits_is_refused(tmp_path: Path) -> None:
    async def scene(engine: ServiceEngine) -> Any:
        many = [event("A", START, 0, n=n) for n in range(6)]
        asked = [send(engine, *many) for _ in range(5)]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        return answers, await send(engine, *many * 3)

    answers, large = played(tmp_path, scene, max_waiting=10, gather="300 ms")
    busy = [each for each in answers if isinstance(each, Problem)]
    assert len(busy) == 4 and busy[0].status == 503 and dict(busy[0].headers or {})["Retry-After"]
    assert large["accepted"] == 18, "one request alone is never too much"


def test_keys_events_and_notifications_are_forgotten_in_time(tmp_path: Path) -> None:
    async def first(engine: ServiceEngine) -> Any:
        await engine.do(lambda turn: create(turn, PAIR))
        await send(engine, event("A", START, 0, n=1), key="k")
        return await send(engine, event("B", START, 1, n=2))

    async def age(engine: ServiceEngine) -> None:
        def act(turn: Any) -> None:
            for table, column in ((STEPS, "accepted"), (NOTIFICATIONS, "told"), (ANSWERS, "made")):
                turn.connection.execute(update(table).values({column: 1}))

        await engine.do(act)
        engine._keeping._forgot_at = 0.0

    async def later(engine: ServiceEngine) -> Any:
        await age(engine)
        for _ in range(40):
            await asyncio.sleep(0.1)
            counts = await engine.do(
                lambda turn: [
                    turn.connection.execute(select(func.count()).select_from(each)).scalar()
                    for each in (STEPS, NOTIFICATIONS, ANSWERS)
                ]
            )
            if counts[1] == 0:
                break
        again = await send(engine, event("A", START, 5, n=3), key="k")
        await send(engine, event("B", START, 6, n=4))
        ids = await engine.do(lambda turn: turn.connection.execute(select(NOTIFICATIONS.c.id)).all())
        return counts, again, ids, await told(engine)

    played(tmp_path, first)
    counts, again, ids, found = played(tmp_path, later)
    assert counts == [0, 0, 0]
    assert again["accepted"] == 1, "the key was forgotten"
    assert [row.id for row in ids] == [2, 3], "ids are never used again"
    assert found == [{"a": 1, "b": 4}, {"a": 3, "b": 4}]


@pytest.mark.parametrize("lost", ["nothing", "newest", "snapshots", "snapshots and steps"])
def test_damage_is_survived_as_well_as_can_be(tmp_path: Path, lost: str) -> None:
    async def first(engine: ServiceEngine) -> None:
        await engine.do(lambda turn: create(turn, PAIR))
        await send(engine, event("A", START, 0, n=1))

    async def second(engine: ServiceEngine) -> None:
        await send(engine, event("A", START, 1, n=2))

    async def last(engine: ServiceEngine) -> Any:
        answer = await send(engine, event("A", START, 0, n=0))
        await send(engine, event("B", START, 2, n=3))
        return answer, await told(engine)

    played(tmp_path, first)
    played(tmp_path, second)
    store = Database(f"sqlite:///{tmp_path / 'a.db'}")
    with store.writer.begin():
        newest = store.writer.execute(select(func.max(SNAPSHOTS.c.seq))).scalar()
        broken = update(SNAPSHOTS).values(body=b"no snapshot")
        if lost != "nothing":
            store.writer.execute(broken.where(SNAPSHOTS.c.seq == newest) if lost == "newest" else broken)
        if lost == "snapshots and steps":
            store.writer.execute(delete(STEPS).where(STEPS.c.seq == 1))
    store.close()
    answer, found = played(tmp_path, last)
    assert len(answer["late"]) == 1, "the clock stands where it stood"
    whole = [{"a": 1, "b": 3}, {"a": 2, "b": 3}]
    assert found == ([] if lost == "snapshots and steps" else whole)


# -- the store -------------------------------------------------------------------------------------


def test_the_migrations_make_the_tables(tmp_path: Path) -> None:
    store = Database(f"sqlite:///{tmp_path / 'a.db'}")
    context = MigrationContext.configure(store.writer)
    assert compare_metadata(context, METADATA) == []
    pragma = {name: store.writer.exec_driver_sql(f"PRAGMA {name}").scalar() for name in PRAGMAS}
    assert pragma == PRAGMAS
    with store.reading() as connection, pytest.raises(Exception, match="readonly"):
        connection.execute(delete(STEPS))
    store.close()


PRAGMAS = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}


def test_a_migration_that_is_cut_off_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def cut_off(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("alembic.runtime.migration.HeadMaintainer.update_to_step", cut_off)
    with pytest.raises(KeyboardInterrupt):
        Database(f"sqlite:///{tmp_path / 'a.db'}")
    monkeypatch.undo()
    Database(f"sqlite:///{tmp_path / 'a.db'}").close()


@pytest.mark.parametrize(
    ("url", "error", "message"),
    [
        ("sqlite://", BindingError, "needs a file"),
        ("sqlite:///:memory:", BindingError, "needs a file"),
        ("mysql://a/b", BindingError, "not known here"),
        ("nonsense", BindingError, "no address of a database"),
        ("sqlite:////nosuch/folder/a.db", SourceError, "is not there"),
    ],
)
def test_a_database_that_cannot_be_used_is_refused(url: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Database(url)


def test_network_file_systems_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert file_system(Path("/proc")) == "proc"
    monkeypatch.setattr(stores, "file_system", lambda folder: "nfs4")
    with pytest.raises(SourceError, match="network file system"):
        Database(f"sqlite:///{tmp_path / 'a.db'}")


# -- small parts -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2026-01-31T17:00:00Z", "2026-01-31T17:00:00Z"),
        ("2026-01-31T17:00:00", "2026-01-31T17:00:00Z"),
        ("2026-01-31 17:00:00.25+02:00", "2026-01-31T15:00:00.250000Z"),
        ("2026-01-31", "2026-01-31T00:00:00Z"),
        (0, "1970-01-01T00:00:00Z"),
        (-1.5, "1969-12-31T23:59:58.500000Z"),
        (1769878800.25, "2026-01-31T17:00:00.250000Z"),
    ],
)
def test_times_come_in_two_forms(text: Any, iso: str) -> None:
    assert shown(ticks_of(text)) == iso


AT_THE_ENDS = ["0001-01-01T00:00:00+08:00", "9999-12-31T23:59:59-01:00"]
"""Of the years 1 to 9999 in their own zone, and not in UTC."""


@pytest.mark.parametrize(
    "text", ["", "17121212123", "soon", None, [], True, float("inf"), 1e300, 10**400, *AT_THE_ENDS]
)
def test_what_is_no_time(text: Any) -> None:
    with pytest.raises(NoMoment):
        ticks_of(text)


def test_an_idle_clock_starts_anew_with_every_acceptance() -> None:
    clock = IdleClock(timedelta(seconds=10))
    clock.start(None, 0.0)
    assert clock.reading(100.0) is None, "before the first event there is no time"
    clock.start(5_000_000, 100.0)
    assert clock.reading(110.0) is None
    assert clock.reading(111.5) == 6_500_000
    clock.start(6_500_000, 112.0)
    assert clock.reading(121.0) is None
    assert clock.reading(123.0) == 7_500_000


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"idle": "5"}, "has no unit"),
        ({"lateness": "soon"}, "not a duration"),
        ({"allow_network": ["10.0.0.0/33"]}, "allow-network"),
        ({"port": 70000}, "port"),
        ({"admin_token": "short"}, "32 or more"),
    ],
)
def test_settings_are_checked(given: dict[str, Any], message: str) -> None:
    with pytest.raises(BindingError, match=message):
        settings_from(**given)


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CEPHEID_IDLE", "90 s")
    monkeypatch.setenv("CEPHEID_ALLOW_NETWORK", "10.0.0.0/8, ::1/128")
    found = settings_from(ahead="2 hours")
    assert (found.idle, found.ahead) == (timedelta(seconds=90), timedelta(hours=2))
    assert [str(each) for each in found.allow_network] == ["10.0.0.0/8", "::1/128"]
    assert "given" not in repr(settings_from(admin_token="given" * 10, mqtt="mqtt://u:given@host/topic"))
    assert datetime.now(UTC) > START


def test_the_command_refuses_what_it_cannot_do(capfd: pytest.CaptureFixture[str]) -> None:
    assert status_of(["serve", "--idle", "5"]) == 2
    assert "--idle (CEPHEID_IDLE): '5' has no unit" in capfd.readouterr().err
    program = "import sys; sys.modules['uvicorn'] = None; from cepheid.cli import main; main(['serve'])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 1 and "pip install 'cepheid[service]'" in done.stderr


STARTING = """
import sys, time
from cepheid.service import run
from cepheid.service.settings import settings_from

def compile_slowly():
    print("compiling", flush=True)
    time.sleep(600)

run.compile_all = compile_slowly
run.serve(settings_from(db=sys.argv[1], port=0))
"""


def test_a_service_that_compiles_can_be_stopped(tmp_path: Path) -> None:
    command = [sys.executable, "-c", STARTING, f"sqlite:///{tmp_path / 'a.db'}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as service:
        assert service.stdout is not None
        while service.stdout.readline() != "compiling\n":
            pass
        service.terminate()
        assert service.wait(300) == 0


def test_that_kernels_are_compiled_is_a_line_of_the_log() -> None:
    program = (
        "from cepheid.runners.stream import compiling; from cepheid.service import logs; "
        "logs.set_up('info'); compiling._announcer._say('compiling kernels')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert json.loads(done.stderr)["message"] == "compiling kernels"
