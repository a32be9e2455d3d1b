"""Peers on Java: their drivers are compiled here, when they run."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from cepheid.bench.peers.driver import SOURCE, driven
from cepheid.bench.peers.events import write_for_java
from cepheid.bench.peers.patterns import PARTS
from cepheid.bench.peers.peer import PeerGround, ReadyPeer
from cepheid.bench.peers.skipped import PeerSkippedError
from cepheid.errors import CepheidError
from cepheid.runners.spark.java import ensure_java

SOURCES = Path(__file__).parent
SHARED = ("Event", "Peer")
MEMORY = "-Xmx3g"
OPEN = (
    "lang",
    "lang.invoke",
    "util",
    "util.concurrent",
    "util.concurrent.atomic",
    "time",
    "io",
    "nio",
    "net",
)
"""Packages of java.base that serializers look into."""


@contextmanager
def java_peer(
    ground: PeerGround,
    driver: str,
    jars: Sequence[Path],
    version: str,
    *,
    beside: Sequence[str] = (),
    unsaid: Mapping[str, str] | None = None,
    differs: Mapping[str, str] | None = None,
    events: int | None = None,
) -> Iterator[ReadyPeer]:
    """A driver among our sources, with its jars: compiled, started, and holding the events in memory, or so
    many of them."""
    without = unsaid or {}
    compiler, java = _compiler(), _java()
    classes = ground.folder / driver
    path = os.pathsep.join([str(classes), *map(str, jars)])
    sources = [str(SOURCES / f"{name}.java") for name in (*SHARED, *beside, driver)]
    done = subprocess.run(
        [compiler, "-proc:none", "-nowarn", "-d", str(classes), "-cp", path, *sources],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise PeerSkippedError("javac", done.stdout + done.stderr)
    opened = [f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in OPEN]
    command = [java, MEMORY, *opened, "-cp", path, driver, str(_events_for(ground, events))]
    with driven(command) as process:
        runs = {name: partial(process.count, name) for name in PARTS if name not in without}
        source = partial(process.count, SOURCE)
        yield ReadyPeer(version, runs, source, events, differs or {}, without)


def _events_for(ground: PeerGround, events: int | None) -> Path:
    if events is None:
        return ground.for_java
    some = ground.folder / f"{events}-events"
    write_for_java(ground.events.slice(0, events), some)
    return some


def _compiler() -> str:
    home = os.environ.get("JAVA_HOME")
    beside = os.path.join(home, "bin", "javac") if home else None
    found = beside if beside and os.access(beside, os.X_OK) else shutil.which("javac")
    if found is None:
        raise PeerSkippedError("javac", "there is no Java compiler; a JDK of 17 or later has one")
    return found


def _java() -> str:
    """The one beside the compiler, if it is there: what it compiles, another may be too old for."""
    beside = Path(_compiler()).resolve().with_name("java")
    try:
        return str(beside) if beside.exists() else ensure_java()
    except CepheidError as error:
        raise PeerSkippedError("java", str(error)) from None
