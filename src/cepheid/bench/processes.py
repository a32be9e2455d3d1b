"""The processor time of this process and all that it started: on Spark, the JVM and its Python workers."""

import os
import time
from pathlib import Path

PROCESSES = Path("/proc")


def family_seconds() -> float:
    """What this process and its descendants have used, those that have ended included; the time by the
    clock on the wall where the system does not tell."""
    if not (PROCESSES / "self" / "stat").exists():
        return time.perf_counter()
    parents, used = _processes()
    return sum(ticks for process, ticks in used.items() if _is_ours(process, parents)) / os.sysconf(
        "SC_CLK_TCK"
    )


def _processes() -> tuple[dict[int, int], dict[int, int]]:
    """The parent of each process, and the ticks that it and its ended children have used."""
    parents, used = {}, {}
    for entry in PROCESSES.iterdir():
        if not entry.name.isdigit():
            continue
        try:
            line = (entry / "stat").read_text()
        except OSError:  # it has just ended
            continue
        fields = line.rpartition(")")[2].split()  # what follows the program's name, which may have spaces
        parents[int(entry.name)] = int(fields[1])
        used[int(entry.name)] = sum(map(int, fields[11:15]))
    return parents, used


def _is_ours(process: int, parents: dict[int, int]) -> bool:
    ours = os.getpid()
    while process in parents and process != ours:
        process = parents[process]
    return process == ours
