"""Kernels that are being compiled: said where and when it happens, with how far it is.

The first run on a machine compiles for a minute or more, and so may the first query of another kind. Numba
tells of each function, and we pass it on to standard error: a line that is rewritten on a terminal and in a
notebook, a line now and then in a file or in the log of one of Spark's workers. Where another process
compiles what is needed here, we say that we wait for it; where kernels came ready and are not used, why.
`CEPHEID_QUIET=1` keeps it quiet.
"""

import atexit
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import CodeType
from typing import Any

PATIENCE = 1.0  # seconds: what is compiled sooner needs no words
PAUSE = 0.5  # seconds without compiling end it
EVERY = 15.0  # seconds between the lines of a log
WAITING_WORDS = "another process is compiling kernels that are needed here: waiting for it"

Log = Callable[[str], object]


class Announcer:
    """Says that kernels are being compiled, from the first function to the last."""

    def __init__(self) -> None:
        self.log: Log | None = None
        self._lock = threading.Lock()
        self._teller: threading.Thread | None = None
        self._depth = 0  # functions that are being compiled: one within the other
        self._waits = False  # for another process that compiles
        self._doubt: str | None = None  # about ready kernels: told once
        self._begin()

    def _begin(self) -> None:
        self._started = self._touched = self._told = time.monotonic()
        self._total = 0
        self._done: set[int] = set()  # a function that is compiled for other types too counts once
        self._said = False
        self._first = "kernels"

    def started(self, function: Any) -> None:
        """A function, and with it those that it calls, is about to be compiled."""
        with self._lock:
            self._listen()
            if self._depth == 0:
                self._total += sum(1 for _ in _uncompiled(function, set()))
            self._depth += 1

    def ended(self, function: Any) -> None:
        """A function is compiled, or could not be."""
        with self._lock:
            self._depth -= 1
            self._done.add(id(function))
            self._touched = time.monotonic()

    def waits(self, begins: bool) -> None:
        """Waiting for another process begins, or is over."""
        with self._lock:
            self._listen()
            self._waits = begins
            self._touched = time.monotonic()

    def _listen(self) -> None:
        """Begin to tell, if nothing is being told."""
        if self._teller is None:
            self._begin()
            self._first = _kind_of_kernels()
            doubt = _doubt()
            if doubt is not None and doubt != self._doubt:
                self._doubt = doubt
                self._say(f"{doubt}; what is needed is compiled", last=True)
            self._teller = threading.Thread(target=self._tell, name="cepheid-compiling", daemon=True)
            self._teller.start()

    def finish(self) -> None:
        """Say the last word now, if there was a first one."""
        with self._lock:
            self._end()

    def _tell(self) -> None:
        """What the telling thread does, from the first function on."""
        while True:
            time.sleep(PAUSE / 4)
            with self._lock:
                if self._teller is not threading.current_thread():
                    return
                if not self._is_busy() and time.monotonic() - self._touched > PAUSE:
                    self._end()
                    return
                self._show()

    def _end(self) -> None:
        if self._teller is not None and self._said:
            compiled = f"compiled {len(self._done)} functions in {self._seconds():.0f} s{_kept()}"
            waited = f"loaded what another process compiled, after {self._seconds():.0f} s"
            self._say(compiled if self._done else waited, last=True)
        self._teller = None

    def _show(self) -> None:
        now = time.monotonic()
        if not self._said and self._is_busy() and now - self._started > PATIENCE:
            self._said, self._told = True, now
            self._say(WAITING_WORDS if self._waits else f"compiling {self._first} …")
        elif self._said and now - self._told > (1.0 if self.log is None and _rewrites() else EVERY):
            self._told = now
            total = max(self._total, len(self._done) + self._depth)
            far = f"compiling {self._first}: {len(self._done)} of {total} functions"
            self._say(f"{WAITING_WORDS if self._waits else far}, {self._seconds():.0f} s")

    def _is_busy(self) -> bool:
        return self._depth > 0 or self._waits

    def _seconds(self) -> float:
        return (time.monotonic() if self._is_busy() else self._touched) - self._started

    def _say(self, text: str, last: bool = False) -> None:
        if os.environ.get("CEPHEID_QUIET", "0") not in ("", "0"):
            return
        line = f"cepheid: {text}"
        if self.log is not None:
            self.log(line)
            return
        with suppress(OSError, ValueError, AttributeError):  # standard error may be closed, or none at all
            if _rewrites():
                sys.stderr.write(f"\r{line:<78}" + ("\n" if last else ""))
            else:
                sys.stderr.write(f"{line}\n")
            sys.stderr.flush()


def announce_compiling(log: Log | None = None) -> None:
    """From now on, say when kernels are being compiled; in the lines of a log, if one is given."""
    global _announcer
    if _announcer is None:
        _announcer = Announcer()
        atexit.register(_announcer.finish)
        _listen(_announcer)
    if log is not None:
        _announcer.log = log


_announcer: Announcer | None = None


def _listen(announcer: Announcer) -> None:
    from numba.core import event

    from cepheid.matchers.ready.lock import WAITING

    class Listening(event.Listener):
        def on_start(self, event: Any) -> None:
            if _is_ours(event):
                announcer.started(event.data["dispatcher"])

        def on_end(self, event: Any) -> None:
            if _is_ours(event):
                announcer.ended(event.data["dispatcher"])

    class Waiting(event.Listener):
        def on_start(self, event: Any) -> None:
            announcer.waits(True)

        def on_end(self, event: Any) -> None:
            announcer.waits(False)

    event.register("numba:compile", Listening())  # type: ignore[no-untyped-call]
    event.register(WAITING, Waiting())  # type: ignore[no-untyped-call]


def _is_ours(event: Any) -> bool:
    """Whether it is about a kernel of ours: users may have compiled functions too."""
    function = getattr((event.data or {}).get("dispatcher"), "py_func", None)
    return str(getattr(function, "__module__", "")).startswith("cepheid.")


def _uncompiled(dispatcher: Any, seen: set[int]) -> Iterator[Any]:
    """The compiled functions that this one reaches by its names, itself included, and that are not ready."""
    if id(dispatcher) in seen or dispatcher.overloads:
        return
    seen.add(id(dispatcher))
    yield dispatcher
    names = dispatcher.py_func.__globals__
    for name in _names(dispatcher.py_func.__code__):
        called = getattr(names.get(name), "part", names.get(name))  # what kernels call of a kernel
        if hasattr(called, "overloads"):
            yield from _uncompiled(called, seen)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _kind_of_kernels() -> str:
    from cepheid.matchers.jit import is_cold

    return "kernels, once on this machine" if is_cold() else "kernels for a new kind of query"


def _doubt() -> str | None:
    from cepheid.matchers.jit import STAMP
    from cepheid.matchers.ready.lookup import why_not

    return why_not(STAMP)


def _kept() -> str:
    from cepheid.matchers.jit import CACHE

    return f", kept in {CACHE}" if CACHE is not None else "; no folder can keep them: set CEPHEID_CACHE_DIR"


def _rewrites() -> bool:
    """Whether a line can be written over: on a terminal, and in a notebook."""
    return sys.stderr is not None and (
        sys.stderr.isatty() or type(sys.stderr).__module__.split(".")[0] == "ipykernel"
    )
