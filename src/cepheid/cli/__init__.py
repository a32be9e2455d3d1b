"""The command line: `cepheid run`, `explain`, `generate`, `bench` and `demo`."""

from __future__ import annotations

from cepheid.cli.failure import main

__all__ = ["main"]
