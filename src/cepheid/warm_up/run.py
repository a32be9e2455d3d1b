"""Going through the warm-up list on this machine, in one process or in several, and saying how far it is.

Kernels are locked one by one while they are compiled (`matchers/ready/lock.py`). So several processes here,
and others that start meanwhile, share the work and do none of it twice.
"""

import os
import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from multiprocessing import get_context

from cepheid.warm_up.families import FAMILIES, all_kernels

EVERY = 10.0  # seconds between two lines while nothing is finished

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Warmed:
    """What it took to make some families ready."""

    compiled: int
    loaded: int
    seconds: float


def warm_up(jobs: int | None, say: Say, families: Iterable[str] = tuple(FAMILIES)) -> Warmed:
    """Make sure that all kernels of these families are ready on this machine."""
    started = time.monotonic()
    names = tuple(families)
    processes = min(jobs or os.cpu_count() or 1, len(names))
    parts = _alone(names, say) if processes == 1 else _side_by_side(names, processes, say)
    compiled, loaded = sum(part.compiled for part in parts), sum(part.loaded for part in parts)
    return Warmed(compiled, loaded, time.monotonic() - started)


def _alone(names: tuple[str, ...], say: Say) -> list[Warmed]:
    from cepheid.runners.stream.compiling import announce_compiling

    announce_compiling()  # tells of single functions
    done = []
    for number, name in enumerate(names, 1):
        done.append(exercised(name))
        say(_line(number, len(names), name, done[-1]))
    return done


def _side_by_side(names: tuple[str, ...], processes: int, say: Say) -> list[Warmed]:
    """A fresh process for each of the first families; it then takes the next that is left."""
    started = time.monotonic()
    done: list[Warmed] = []
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=_quietly) as pool:
        waiting: dict[Future[Warmed], str] = {pool.submit(exercised, name): name for name in names}
        while waiting:
            finished, _ = wait(waiting, timeout=EVERY, return_when=FIRST_COMPLETED)
            for future in finished:
                done.append(future.result())
                say(_line(len(done), len(names), waiting.pop(future), done[-1]))
            if not finished:
                at_work = ", ".join(list(waiting.values())[:processes])
                passed = time.monotonic() - started
                say(f"compiling: {at_work}; {len(done)} of {len(names)} done, {passed:.0f} s")
    return done


def _quietly() -> None:
    """Several processes would write over each other's lines: the first one tells for all."""
    os.environ["CEPHEID_QUIET"] = "1"


def exercised(name: str) -> Warmed:
    """Go through one family in this process, which compiles or loads what it needs."""
    before, started = _counts(), time.monotonic()
    FAMILIES[name]()
    after = _counts()
    return Warmed(after[0] - before[0], after[1] - before[1], time.monotonic() - started)


def _counts() -> tuple[int, int]:
    """How many kernels this process has compiled, and how many it has loaded."""
    stats = [kernel.stats for kernel in all_kernels()]
    return (
        sum(sum(each.cache_misses.values()) for each in stats),
        sum(sum(each.cache_hits.values()) for each in stats),
    )


def _line(number: int, total: int, name: str, warmed: Warmed) -> str:
    what = f"{warmed.compiled} compiled" if warmed.compiled else f"{warmed.loaded} loaded"
    return f"[{number}/{total}] {name}: {what}, {warmed.seconds:.1f} s"
