"""Hypothesis profiles: `HYPOTHESIS_PROFILE=thorough python -m pytest tests/test_laws.py` looks further.

Tests in tests/spark have the marker `spark`, so that `-m "not spark"` leaves them out. Under xdist they
run in one process, which starts one Spark.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

SPARK = Path(__file__).parent / "spark"
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile(
    "ci", max_examples=150, derandomize=True, deadline=None, print_blob=True, suppress_health_check=SLOW
)
settings.register_profile(
    "thorough", max_examples=5000, deadline=None, print_blob=True, suppress_health_check=SLOW
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_itemcollected(item: pytest.Item) -> None:
    if SPARK in item.path.parents:
        item.add_marker(pytest.mark.spark)


@pytest.hookimpl(optionalhook=True)  # of xdist
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from xdist.scheduler import LoadScopeScheduling

    class SparkTogether(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return "spark" if nodeid.startswith("tests/spark/") else nodeid

    return SparkTogether(config, log)
