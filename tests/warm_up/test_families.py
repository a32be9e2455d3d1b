"""The warm-up list reaches every kernel, with all types that queries call it with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cepheid.warm_up.families import FAMILIES, all_kernels
from tests.warm_up.named import kernels_named_by_python

ROOT = Path(__file__).parents[2]
CASES = 4

pytestmark = [pytest.mark.slow, pytest.mark.compiled]


@pytest.fixture(scope="module")
def calls() -> Any:
    """What the list calls and what the laws call, in a process where kernels run as plain Python."""
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.warm_up.calls", str(CASES)],
        env={**os.environ, "PYTHONPATH": paths, "NUMBA_DISABLE_JIT": "1"},
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(done.stdout)


def test_every_kernel_that_python_names_is_called(calls: Any) -> None:
    missing = {name: by for name, by in kernels_named_by_python().items() if name not in calls["list"]}
    assert not missing, "add what reaches them to the families in cepheid/warm_up"


def test_the_laws_call_kernels_with_no_other_types(calls: Any) -> None:
    others = {
        (way, name): types
        for way, called in calls["laws"].items()
        for name, signatures in called.items()
        for types in signatures
        if types not in calls["list"].get(name, ())
    }
    assert not others, "add queries with such types to the families in cepheid/warm_up"


def test_kernels_are_told_apart_by_their_names() -> None:
    names = [f"{kernel.py_func.__module__}.{kernel.py_func.__qualname__}" for kernel in all_kernels()]
    assert len(names) == len(set(names))
    assert len(names) > len(kernels_named_by_python()) > len(FAMILIES)
