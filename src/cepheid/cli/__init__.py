"""The command line: `cepheid run`, `explain`, `generate`, `bench` and `demo`."""

from cepheid.cli.failure import main

__all__ = ["main"]
