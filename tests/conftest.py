"""Hypothesis profiles and markers.

`HYPOTHESIS_PROFILE=thorough python -m pytest tests/test_laws.py` looks further, `quick` less far.

Tests in tests/spark have the marker `spark`. With `-m "not spark"` they are not even imported, so pyspark
may be missing. Benchmarks are `slow`, and those that run a whole report are `long`. Tests with the marker
`compiled` are skipped where kernels run as plain Python.

Under xdist, all tests that use the session of Spark run in one process, and so do those of a module that
makes something once for all of its tests.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parent.parent
SPARK = ROOT / "tests" / "spark"
BENCH = ROOT / "tests" / "bench"
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
COMPILED = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too long as plain Python")

if numba.config.DISABLE_JIT:
    np.seterr(over="ignore")  # hashes wrap on purpose; compiled kernels do not warn of it either

for name, examples in (("quick", 20), ("ci", 150)):
    settings.register_profile(
        name,
        max_examples=examples,
        derandomize=True,
        deadline=None,
        print_blob=True,
        suppress_health_check=SLOW,
    )
settings.register_profile(
    "thorough", max_examples=5000, deadline=None, print_blob=True, suppress_health_check=SLOW
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return True if collection_path == SPARK and "not spark" in config.option.markexpr else None


def pytest_itemcollected(item: pytest.Item) -> None:
    if SPARK in item.path.parents:
        item.add_marker(pytest.mark.spark)
    if BENCH in item.path.parents:
        item.add_marker(pytest.mark.slow)
    if "report" in getattr(item, "fixturenames", ()):  # of a whole benchmark
        item.add_marker(pytest.mark.long)
    if item.get_closest_marker("compiled"):
        item.add_marker(COMPILED)


@pytest.hookimpl(optionalhook=True)  # of xdist
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from xdist.scheduler import LoadScopeScheduling

    class Together(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return _scope(nodeid.partition("::")[0]) or nodeid

    return Together(config, log)


@cache
def _scope(module: str) -> str | None:
    """What the tests of a module share with each other, or with those of other modules."""
    source = (ROOT / module).read_text()
    if 'fixture(scope="module")' in source:
        return module
    return "spark" if "spark: SparkSession" in source else None
