"""How things are measured: contenders take turns in one loop, so that a noisy machine treats them alike.

Times are of the process's processor (all its threads) and of the wall clock. A first run of each
contender is thrown away: it compiles or loads kernels, and touches the memory that later runs reuse.
A result is dropped before the next run, so that each finds the memory of the one before.
"""

import gc
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from cepheid.errors import CepheidError

Contender = Callable[[], object]
InPieces = Callable[[], Iterator[object]]
"""A contender whose work comes in pieces."""

PACKAGE_HOME = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Timing:
    """The seconds of several runs."""

    cpu: tuple[float, ...]
    wall: tuple[float, ...]

    @property
    def best(self) -> float:
        """The least processor time: what the work takes when nothing disturbs it."""
        return min(self.cpu)

    @property
    def median(self) -> float:
        return statistics.median(self.cpu)

    @property
    def best_wall(self) -> float:
        """The least time by the clock on the wall."""
        return min(self.wall)

    @property
    def median_wall(self) -> float:
        """The median time by the clock on the wall."""
        return statistics.median(self.wall)


def median_ratio(slow: Sequence[float], fast: Sequence[float]) -> float:
    """How many times as long one takes as the other, round by round, in the middle."""
    return statistics.median(one / max(other, 1e-9) for one, other in zip(slow, fast, strict=True))


Clock = Callable[[], float]

_ENDED = object()


def measure(
    contenders: Mapping[str, Contender],
    repeat: int,
    *,
    discarded: int = 1,
    processor: Clock = time.process_time,
    is_tidied: bool = False,
) -> dict[str, Timing]:
    """Time contenders side by side, after discarded runs of each; `processor` is the clock of used time.

    `is_tidied`: what one run leaves behind is tidied up before the next, on nobody's account.
    """
    for _ in range(discarded):
        for run in contenders.values():
            run()
    whole = {name: _whole(run) for name, run in contenders.items()}
    return measure_pieces(whole, repeat, processor, is_tidied)


def measure_pieces(
    contenders: Mapping[str, InPieces],
    repeat: int,
    processor: Clock = time.process_time,
    is_tidied: bool = False,
) -> dict[str, Timing]:
    """Time contenders side by side, piece after piece, so that what slows the machine down for a while slows
    all of them down. A contender's time is that of all its pieces."""
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in contenders}
    for turn in range(repeat):
        for name, spent in _round(contenders, turn, processor, is_tidied).items():
            seconds[name].append(spent)
    return {name: Timing(*zip(*pairs, strict=True)) for name, pairs in seconds.items()}


def _round(
    contenders: Mapping[str, InPieces], turn: int, processor: Clock, is_tidied: bool
) -> dict[str, tuple[float, float]]:
    going = {name: begin() for name, begin in contenders.items()}
    spent = dict.fromkeys(contenders, (0.0, 0.0))
    while going:
        for name in in_turn(list(going), turn):
            if is_tidied:
                _tidy()
            cpu, wall = processor(), time.perf_counter()
            piece = next(going[name], _ENDED)
            passed = processor() - cpu, time.perf_counter() - wall
            spent[name] = spent[name][0] + passed[0], spent[name][1] + passed[1]
            if piece is _ENDED:
                del going[name]
            del piece  # outside the measured time, and before the next run
        turn += 1
    return spent


def _tidy() -> None:
    """Collect garbage, and let the C library put its free memory in order.

    It does that when it is next asked for a large piece, which took a fifth of a second after lxml's loop.
    """
    gc.collect()
    bytearray(1 << 20)


def in_turn(names: Sequence[str], turn: int) -> list[str]:
    """A B C, C B A, B C A, A C B, …: none always comes first, nor after the same one."""
    first = turn // 2 % len(names)
    order = [*names[first:], *names[:first]]
    return order[::-1] if turn % 2 else order


def _whole(run: Contender) -> InPieces:
    def only_piece() -> Iterator[object]:
        yield run()

    return only_piece


@contextmanager
def one_arrow_thread() -> Iterator[None]:
    """Hold Arrow to one thread, so that processor time is that of one core."""
    threads = pa.cpu_count()
    pa.set_cpu_count(1)
    try:
        yield
    finally:
        pa.set_cpu_count(threads)


def resident_bytes() -> int:
    """The memory that this process has in use now; where that is not told, the most it had."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return peak_resident_bytes()
    return pages * resource.getpagesize()


def peak_resident_bytes() -> int:
    """The most memory that this process has had in use since its program began.

    On Linux `ru_maxrss` starts at what the parent had in use, which here may be gigabytes; so it is
    only asked where the kernel's own high-water mark is not to be read.
    """
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        status = ""
    marks = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")]
    if marks:
        return int(marks[0]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def in_fresh_process(measurement: Callable[..., dict[str, Any]], **arguments: Any) -> dict[str, Any]:
    """What a function of a module gives in a process of its own, and the peak of that process's memory."""
    name = measurement.__name__
    command = [sys.executable, "-m", "cepheid.bench.child", measurement.__module__, name]
    command.append(json.dumps(arguments))
    done = subprocess.run(command, env=child_environment(), stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise CepheidError(f"the measurement '{name}' ended with status {done.returncode}; see above")
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def child_environment(**more: str) -> dict[str, str]:
    """The environment of a child: it finds this very package, installed or not."""
    paths = [str(PACKAGE_HOME), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), **more}
