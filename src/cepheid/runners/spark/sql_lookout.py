"""What a worker of `cepheid_match` tells in its log: which events a match needs and never came to it.

Nothing of ours runs on the driver while SQL is run, and a table function returns matches alone. So each
worker tells what it knows: of all events where it has them all, else of those that came to it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark import TaskContext

from cepheid.runners.spark.needed import IN_SQL, Needed, seen_in, unseen_text
from cepheid.runners.spark.worker_log import log

SOON = 1_000
"""After so many events of some keys it is told what none of them was."""


@dataclass(slots=True)
class CameHere:
    """The events of one run of a query that came to this process, in whichever groups of keys."""

    run: object
    events: int = 0
    seen: int = 0
    is_told: bool = False


_came = CameHere(run=None)


def look_at(events: pa.Table, needed: Sequence[Needed], query: str, *, has_all: bool) -> None:
    """Take note of a group of events, and tell what never came; `has_all` if there are no other groups."""
    global _came
    task = TaskContext.get()
    run = query, None if task is None else task.stageId()
    if _came.run != run or has_all:
        _came = CameHere(run)
    _came.events += events.num_rows
    _came.seen |= seen_in(needed, events)
    if _came.is_told or not (has_all or _came.events >= SOON):
        return
    text = unseen_text(needed, _came.seen, IN_SQL)
    if text is not None:
        _came.is_told = True
        of = "" if has_all else f"of {_came.events:,} events that came to this worker: "
        log.warning("cepheid: %s%s", of, text)
