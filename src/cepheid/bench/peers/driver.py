"""A peer in a process of its own: a line to it is a pattern's name, a line back the count of matches.

It stands still while it is not asked: what its compiler or its collection of garbage still has to do then
would run on the account of others, and beside them.
"""

import ctypes
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from cepheid.bench.peers.skipped import PeerSkippedError

ANSWER = "count="  # what stands before a number, since engines print what they like
SOURCE = "source"
PARENT_DEATH_SIGNAL = 1  # to prctl


class Driver:
    """The process, which has read the events."""

    def __init__(self, process: "subprocess.Popen[str]", log: Path) -> None:
        self._process, self._log = process, log

    def count(self, pattern: str) -> int:
        """How many matches a run over all events finds."""
        self._process.send_signal(signal.SIGCONT)
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(pattern + "\n")
            self._process.stdin.flush()
        except OSError:
            raise PeerSkippedError(f"run {pattern}", self._complaint()) from None
        found = self.answer(f"run {pattern}")
        self.rest()
        return found

    def rest(self) -> None:
        """Stand still until it is asked."""
        self._process.send_signal(signal.SIGSTOP)

    def answer(self, step: str) -> int:
        """The next number that it tells."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith(ANSWER):
                return int(line.removeprefix(ANSWER))
        raise PeerSkippedError(step, self._complaint())

    def _complaint(self) -> str:
        lines = self._log.read_text(errors="replace").splitlines()
        blamed = [line for line in lines if "Exception" in line or "Error" in line]
        return blamed[0] if blamed else "\n".join(lines[-3:])


def _end_with_us() -> None:
    """Be killed when the benchmark is: who stands still does not see that nobody asks any more."""
    ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL)


@contextmanager
def driven(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Iterator[Driver]:
    """Start a process and wait until it has read the events; it ends with the block."""
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "log").open("w") as log:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env=environment,
            preexec_fn=_end_with_us if sys.platform == "linux" else None,
        )
        try:
            driver = Driver(process, Path(log.name))
            driver.answer("start")
            driver.rest()
            yield driver
        finally:
            process.kill()
            process.communicate()
