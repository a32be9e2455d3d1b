"""Processes that start together compile a kernel once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cepheid.matchers.ready.lock import KernelLocks
from cepheid.runners.stream import compiling

pytestmark = pytest.mark.compiled

COMPILE = """
import sys, time
from pathlib import Path
from tests.matchers.ready.toy_kernels import compiled, double, numba
from cepheid.runners.stream.compiling import announce_compiling
from numba.core import event

class Slow(event.Listener):
    def on_start(self, event): time.sleep(2)
    def on_end(self, event): pass

announce_compiling()
event.register("numba:compile", Slow())
kernel = compiled(double, Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
kernel(4)
print(sum(kernel.stats.cache_misses.values()))
"""


@pytest.mark.slow
def test_processes_that_start_together_compile_once(tmp_path: Path) -> None:
    root = Path(__file__).parents[3]
    paths = os.pathsep.join([str(root / "src"), str(root)])
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", COMPILE, str(tmp_path / "cache")],
            env={**os.environ, "PYTHONPATH": paths, "CEPHEID_READY_KERNELS": "0"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for process in processes:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    told = [process.communicate(timeout=120) for process in processes]
    assert sorted(out for out, _ in told) == ["0\n", "0\n", "1\n"]
    waited = [err for out, err in told if out == "0\n"]
    assert all(compiling.WAITING_WORDS in err for err in waited), told


HOLD = """
import sys
from pathlib import Path
from cepheid.matchers.ready.lock import KernelLocks
KernelLocks(Path(sys.argv[1])).acquire("ab" * 32)
print("held", flush=True)
sys.stdin.readline()
"""


def test_a_lock_goes_with_its_process(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3] / "src")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
    locks = KernelLocks(tmp_path)
    assert not locks._try("ab" * 32)
    assert locks._try("cd" * 32)
    holder.kill()
    holder.wait()
    locks.acquire("ab" * 32)
    assert locks._try("ab" * 32)
    locks.release("ab" * 32)


def test_no_lock_without_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    locks = KernelLocks(tmp_path / "file" / "folder")
    locks.acquire("ab" * 32)
    locks.release("ab" * 32)
