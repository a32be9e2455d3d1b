"""A command in a fresh process: how long it took, and what it said."""

import os
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from cepheid.bench.results import Figure, Row
from cepheid.errors import CepheidError


@dataclass(frozen=True, slots=True)
class Start:
    """One process, from its start to its end."""

    wall: float
    cpu: float
    out: str
    said: str


def started(command: Sequence[str], environment: Mapping[str, str]) -> Start:
    """Run a command to its end, which must be a good one."""
    wall, cpu = time.perf_counter(), _children_seconds()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    wall, cpu = time.perf_counter() - wall, _children_seconds() - cpu
    if done.returncode != 0:
        raise CepheidError(f"{' '.join(command)} ended with status {done.returncode}:\n{done.stderr}")
    return Start(wall, cpu, done.stdout, done.stderr)


def row_of(what: str, starts: Sequence[Start]) -> Row:
    """The least of several starts, and all of them."""
    return {
        "start": what,
        "seconds (wall, least)": round(min(start.wall for start in starts), 3),
        "seconds (cpu, least)": round(min(start.cpu for start in starts), 3),
        "all, by the wall": _listed(start.wall for start in starts),
        "all, by the processor": _listed(start.cpu for start in starts),
    }


def under(
    name: str,
    bar: float,
    starts: Sequence[Start],
    clock: Callable[[Start], float] = lambda start: start.wall,
    note: str = "",
) -> Figure:
    """A figure whose least should stay under a number of seconds."""
    seconds = [clock(start) for start in starts]
    spread = f"{min(seconds):.2f} to {max(seconds):.2f} s over {len(seconds)} fresh processes"
    return Figure(
        name,
        f"under {bar:g} s",
        f"{min(seconds):.2f} s",
        min(seconds) < bar,
        f"{spread}; {note}" if note else spread,
    )


def _listed(seconds: Iterable[float]) -> str:
    return " ".join(f"{each:.2f}" for each in seconds)


def _children_seconds() -> float:
    used = os.times()
    return used.children_user + used.children_system
