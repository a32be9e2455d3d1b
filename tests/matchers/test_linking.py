"""Kernels and their parts: what is compiled for whom."""

# mypy: allow-untyped-defs, allow-untyped-calls
from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

from cepheid.matchers import jit

pytestmark = pytest.mark.compiled


class Columns(NamedTuple):
    left: np.ndarray
    right: np.ndarray


@jit.inlined
def at_both(columns, k):
    return columns.left[k] * columns.right[k]


@jit.kernel
def total(columns, first, last):
    found = 0
    for k in range(first, last):
        found += at_both(columns, k)
    return found


@jit.kernel
def total_twice(columns, last):
    return total(columns, 0, last) + total(columns, last - 1, last) + at_both(columns, 0)


COLUMNS = Columns(np.arange(5), np.arange(5) + 10)
inner: Any = at_both
kernel: Any = total
outer: Any = total_twice


def test_this_numba_is_known() -> None:
    assert jit.LINKS, f"kernels compile for minutes with Numba {numba.__version__}: try `linking` with it"


def test_a_kernel_takes_in_what_it_calls() -> None:
    assert total_twice(COLUMNS, 5) == sum(k * (k + 10) for k in range(5)) + 4 * 14
    assert len(outer.overloads) == 1


def test_what_only_kernels_call_is_compiled_once_and_not_for_python() -> None:
    total_twice(COLUMNS, 5)
    assert not inner.overloads
    (part,) = kernel.part.overloads.values()  # one for a number that is known and one that is not
    assert part.library.get_pointer_to_function("anything") == 0
    assert inner.part.overloads and part.library._linking_libraries[0].name == "at_both"


def test_a_kernel_that_others_call_can_be_called_too() -> None:
    total_twice(COLUMNS, 5)
    assert total(COLUMNS, 1, 3) == 11 + 24


def test_another_numba_compiles_as_usual(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "LINKS", False)
    usual: Any = jit.kernel(outer.py_func)
    assert not hasattr(usual, "part")
