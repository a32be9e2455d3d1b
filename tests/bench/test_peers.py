"""The benchmark against peers: its events and patterns, whom it skips, and what it fails for."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from cepheid.bench.harness import Timing
from cepheid.bench.peers import fetching, java
from cepheid.bench.peers.bench import ground_of, run
from cepheid.bench.peers.compare import Spent
from cepheid.bench.peers.driver import driven
from cepheid.bench.peers.events import events_of, write_for_java
from cepheid.bench.peers.patterns import PARTS, TEXTS
from cepheid.bench.peers.peer import Peer, PeerGround, ReadyPeer
from cepheid.bench.peers.sizes import TINY
from cepheid.bench.peers.skipped import PeerSkippedError
from cepheid.errors import CepheidError
from cepheid.query import query

WINDOW = 10_000


def by_loop(name: str, events: pa.Table) -> int:
    """The patterns once more, as plainly as can be."""
    rows = [{**row, "ts": int(row["ts"].timestamp() * 1000)} for row in events.to_pylist()]
    return sum(_completed(name, rows, at) for at, row in enumerate(rows) if row["kind"] == "A")


def _completed(name: str, rows: list[dict[str, Any]], at: int) -> int:
    first, found, second = rows[at], 0, False
    if name == "QB" and first["price"] <= 800:
        return 0
    for row in rows[at + 1 :]:
        if row["ts"] - first["ts"] > WINDOW:
            break
        if row["symbol"] != first["symbol"]:
            continue
        above = row["kind"] == "B" and row["price"] > first["price"]
        if name == "QB":
            if second and row["kind"] == "C" and row["price"] < first["price"]:
                return 1
            second = second or above
        elif above:
            found += 1
            if name == "QA next":
                return 1
    return found


def counted(name: str, events: pa.Table) -> int:
    return len(query(TEXTS[name]).run(events, time="ts", type="kind"))


@contextmanager
def agreeing(ground: PeerGround, more: int = 0) -> Iterator[ReadyPeer]:
    runs = {name: partial(lambda asked: by_loop(asked, ground.events) + more, name) for name in PARTS}
    yield ReadyPeer("1", runs, lambda: 0)


def absent(ground: PeerGround) -> AbstractContextManager[ReadyPeer]:
    raise PeerSkippedError("fetch", "Traceback\n  of no use\nthere is no network\n")


@pytest.mark.parametrize("name", PARTS)
def test_the_patterns_mean_what_a_loop_finds(name: str) -> None:
    events = events_of(1_500, 3)
    assert counted(name, events) == by_loop(name, events) > 0


def test_no_two_events_are_a_window_apart() -> None:
    times = events_of(4_000, 3)["ts"].cast(pa.int64()).to_numpy()
    assert WINDOW not in set((times - times[0]).tolist())
    assert np.all(np.diff(times) > 0)


def test_java_reads_columns_one_after_the_other(tmp_path: Path) -> None:
    events = events_of(5, 3)
    write_for_java(events, tmp_path / "events")
    told = (tmp_path / "events").read_bytes()
    assert len(told) == 8 + 5 * (8 + 8 + 4 + 4)
    assert np.frombuffer(told[8:48], "<i8").tolist() == [0, 7, 14, 21, 28]
    assert np.frombuffer(told[48:88], "<f8").tolist() == events["price"].to_pylist()


def test_a_peer_that_is_skipped_names_the_step_and_others_are_measured() -> None:
    peers = (Peer("loop", "by a loop", agreeing), Peer("gone", "never", absent))
    report = run(TINY, peers)
    there, *patterns = report.sections
    assert [row["skipped at"] for row in there.rows] == ["–", "fetch: there is no network"]
    for section in patterns:
        by = {row["by"]: row for row in section.rows}
        assert by.keys() == {"Cepheid", "loop", "gone"}
        assert by["gone"]["matches"] == "skipped at fetch: there is no network"
        assert by["loop"]["matches"] == by["Cepheid"]["matches"]
        assert by["loop"]["events/s (cpu)"] > 0


def test_another_count_fails_the_benchmark() -> None:
    with pytest.raises(CepheidError, match=r"off by one finds .* matches of QA next, Cepheid"):
        run(TINY, (Peer("off by one", "wrongly", lambda ground: agreeing(ground, more=1)),))


def test_the_time_of_the_source_is_taken_off() -> None:
    whole, source = Timing((3.0, 4.0), (5.0, 6.0)), Timing((1.0, 1.0), (2.0, 2.0))
    spent = Spent.of(whole, source, 1_000_000_000)
    assert spent.cpu == (2.0, 3.0)
    assert spent.times(Spent((1.0, 2.0), (1.0, 1.0))) == (2.0, 1.5)


def test_what_is_fetched_is_kept_and_what_fails_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(fetching, "cache_folder", lambda stamp: tmp_path)
    answers = {"install": 1}

    def pip(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, answers["install"], "", "no such package\n")

    monkeypatch.setattr(subprocess, "run", pip)
    with pytest.raises(PeerSkippedError, match="pip install some==1: no such package"):
        fetching.installed("some==1")
    assert list(tmp_path.iterdir()) == []
    answers["install"] = 0
    assert fetching.installed("some==1") == tmp_path / "some--1"
    answers["install"] = 1
    assert fetching.installed("some==1").is_dir()
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(PeerSkippedError, match="mvn: there is no Maven on the path"):
        fetching.jars_of_maven("a:b:1")


def test_without_a_compiler_java_is_skipped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    refused = pytest.raises(PeerSkippedError, match="javac: there is no Java compiler")
    with ground_of(TINY) as ground, refused, java.java_peer(ground, "Siddhi", [], "1"):
        pass


@pytest.mark.parametrize("script", ["exit 3", "echo count=1; read line; echo Error: boom >&2"])
def test_a_driver_that_ends_is_skipped_with_what_it_said(script: str) -> None:
    refused = pytest.raises(PeerSkippedError, match=r"start|run QB: Error: boom")
    with refused, driven(["sh", "-c", script]) as process:
        process.count("QB")
