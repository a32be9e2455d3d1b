"""Tells users of a stream which events its matches need and never came: at its end, or once many came."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.listener import StreamingQueryListener

from cepheid.errors import UsersLine, users_line, warn
from cepheid.runners.spark.lookout import SEEN
from cepheid.runners.spark.needed import Needed, in_python, unseen_text

MANY = 100_000
"""After so many events, what never came is told although the stream goes on."""


@dataclass(slots=True)
class Lookout:
    """What the matches of one result need, and what has come in one run of a streaming query."""

    needed: Sequence[Needed]
    line: UsersLine
    seen: int = 0
    events: int = 0
    is_told: bool = False

    def look(self, seen: int, events: int) -> None:
        """Take note of a micro-batch."""
        self.seen |= seen
        self.events += events
        if self.events >= MANY:
            self.tell()

    def tell(self) -> None:
        """What has not come since the start of the query, once."""
        text = unseen_text(self.needed, self.seen, in_python("spark.read.load(…)"))
        if self.events and text is not None and not self.is_told:
            warn(f"in {self.events:,} events of the stream since its start:\n{text}", line=self.line)
            self.is_told = True


class Lookouts(StreamingQueryListener):
    """Hears of all streaming queries of a session, and listens to those that match."""

    def __init__(self) -> None:
        self.known: dict[str, tuple[Sequence[Needed], UsersLine]] = {}  # by the name of the metrics
        self._running: dict[tuple[str, str], Lookout] = {}  # by the run of the query, and that name

    def onQueryStarted(self, event: Any) -> None:
        """What it observes is not known yet."""

    def onQueryProgress(self, event: Any) -> None:
        """A micro-batch is done."""
        told = event.progress
        for name, metrics in told.observedMetrics.items():
            if name in self.known:
                lookout = self._running.setdefault((str(told.runId), name), Lookout(*self.known[name]))
                lookout.look(metrics[SEEN] or 0, told.numInputRows)

    def onQueryIdle(self, event: Any) -> None:
        """Nothing has come."""

    def onQueryTerminated(self, event: Any) -> None:
        """It has ended, been stopped, or failed."""
        for run, name in list(self._running):
            if run == str(event.runId):
                self._running.pop((run, name)).tell()


_lookouts: WeakKeyDictionary[SparkSession, Lookouts] = WeakKeyDictionary()


def watch_stream(session: SparkSession, name: str, needed: Sequence[Needed]) -> None:
    """Tell what is needed and does not come to a streaming query with metrics of this name."""
    if not needed:
        return
    if session not in _lookouts:
        lookouts = Lookouts()
        try:
            session.streams.addListener(lookouts)
        except PySparkException:  # a server that has no listeners: it does without
            return
        _lookouts[session] = lookouts
    _lookouts[session].known[name] = (needed, users_line())
