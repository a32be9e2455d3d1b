"""Spark Connect gives what Classic gives."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.spark


@pytest.mark.long
def test_everything_once() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.spark.on_connect"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    assert "agree on Spark Connect" in done.stdout
