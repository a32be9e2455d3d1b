"""The judge of every engine, written from the meaning of a query and from nothing else."""

from .oracle import Match, matches, rows

__all__ = ["Match", "matches", "rows"]
