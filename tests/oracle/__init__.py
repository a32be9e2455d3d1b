"""The judge of every engine, written from the meaning of a query and from nothing else."""

from .aggregate import aggregates
from .counting import counts
from .oracle import Match, matches, rows

__all__ = ["Match", "aggregates", "counts", "matches", "rows"]
