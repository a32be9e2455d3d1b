"""What is said while kernels are compiled."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Iterator
from typing import Any

import numba
import pytest

from cepheid.matchers import jit
from cepheid.runners.stream import compiling

pytestmark = pytest.mark.compiled


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No patience, and a listener of our own."""
    monkeypatch.setattr(compiling, "PATIENCE", 0.0)
    monkeypatch.setattr(compiling, "PAUSE", 0.2)
    compiling.announce_compiling()
    monkeypatch.setattr(compiling._announcer, "log", None)
    yield
    _wait()


def _wait() -> None:
    while compiling._announcer is not None and compiling._announcer._teller is not None:
        time.sleep(0.02)


FUNCTIONS = """
def inner(x):
    total = 0
    for i in range(x):
        total += i * i % 7
    return total

def outer(x):
    return inner(x) + inner(x + 1)
"""


def compiled(module: str) -> None:
    """A function of a module that calls another one, compiled now."""
    names: dict[str, Any] = {"__name__": module}
    exec(FUNCTIONS, names)
    names["inner"] = numba.njit(names["inner"])
    numba.njit(names["outer"])(5)


def told(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, module: str = "cepheid.matchers.some") -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    compiled(module)
    _wait()
    return stream.getvalue()


def test_a_log_has_a_first_and_a_last_line(monkeypatch: pytest.MonkeyPatch) -> None:
    first, last = told(monkeypatch, io.StringIO()).splitlines()
    assert first.startswith("cepheid: compiling kernels")
    assert last.startswith("cepheid: compiled 2 functions in ")


def test_it_is_said_again_when_it_happens_again(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(told(monkeypatch, io.StringIO()).splitlines()) == 2
    assert len(told(monkeypatch, io.StringIO()).splitlines()) == 2


def test_a_terminal_has_one_line_that_is_rewritten(monkeypatch: pytest.MonkeyPatch) -> None:
    text = told(monkeypatch, Terminal())
    assert text.count("\n") == 1 and text.endswith("\n") and text.count("\r") >= 2


def test_progress_counts_the_functions_within(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "EVERY", 0.0)
    lines = told(monkeypatch, io.StringIO()).splitlines()
    assert any(" of 2 functions, " in line for line in lines[1:-1])


def test_what_takes_no_time_needs_no_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "PATIENCE", 60.0)
    assert told(monkeypatch, io.StringIO()) == ""


def test_functions_of_others_are_not_our_business(monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(monkeypatch, io.StringIO(), "somebody.else") == ""


@jit.kernel
def called(number: int) -> int:
    return number + 1


@jit.kernel
def calling(number: int) -> int:
    return called(number) + called(0)


def test_what_a_kernel_takes_in_is_counted() -> None:
    names = [each.py_func.__name__ for each in compiling._uncompiled(calling, set())]
    assert names == ["calling", "called"]


@pytest.mark.parametrize("value", ["1", "yes"])
def test_quiet_where_that_is_asked_for(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("CEPHEID_QUIET", value)
    assert told(monkeypatch, io.StringIO()) == ""


def test_without_standard_error_nothing_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    compiled("cepheid.matchers.some")
    _wait()
