"""Waiting for input, in a way that Ctrl-C and a closed output end at once and leave nothing half done."""

import errno
import os
import select
import signal
import sys
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Waiting:
    """While this is entered, Ctrl-C is answered only where input is waited for; pressed twice, anywhere.

    So is being told to end, as `timeout` and service managers do.
    """

    def __init__(self) -> None:
        self.asked = 0  # the number of the signal that came
        self._wake, self._woken = os.pipe()
        os.set_blocking(self._woken, False)
        self._output = _pipe_of_output()

    def __enter__(self) -> "Waiting":
        self._before = {each: signal.signal(each, self._interrupt) for each in SIGNALS}
        return self

    def __exit__(self, *_: object) -> None:
        for each, before in self._before.items():
            signal.signal(each, before)
        os.close(self._wake)
        os.close(self._woken)

    def __call__(self, descriptor: int | None, seconds: float | None) -> bool:
        """Wait until there is something to read, or for so many seconds; whether there is."""
        poll = select.poll()
        poll.register(self._wake, select.POLLIN)
        if descriptor is not None:
            poll.register(descriptor, select.POLLIN)
        if self._output is not None:
            poll.register(self._output, 0)  # tells when nobody reads it any more
        ready = {each for each, _ in poll.poll(None if seconds is None else seconds * 1000)}
        if self.asked:
            raise KeyboardInterrupt
        if self._output in ready:
            raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))
        return descriptor in ready

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = number
        os.write(self._woken, b"!")


def _pipe_of_output() -> int | None:
    """Standard output, if it is a pipe that may be closed."""
    try:
        output = sys.stdout.fileno()
        return None if os.isatty(output) else output
    except (OSError, ValueError, AttributeError):
        return None
