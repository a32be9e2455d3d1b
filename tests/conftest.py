"""Hypothesis profiles: `HYPOTHESIS_PROFILE=thorough python -m pytest tests/test_laws.py` looks further."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile(
    "ci", max_examples=150, derandomize=True, deadline=None, print_blob=True, suppress_health_check=SLOW
)
settings.register_profile(
    "thorough", max_examples=5000, deadline=None, print_blob=True, suppress_health_check=SLOW
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
