"""The judge of every engine, written from the meaning of a query and from nothing else."""

from .aggregate import aggregates
from .compose import composed_rows
from .counting import counts
from .groups import Completed, completed, counted
from .oracle import Match, matches, rows

__all__ = [
    "Completed",
    "Match",
    "aggregates",
    "completed",
    "composed_rows",
    "counted",
    "counts",
    "matches",
    "rows",
]
