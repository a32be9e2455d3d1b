"""Late and bad events of a live stream, told when they come and counted at the end."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from cepheid.cli.say import say
from cepheid.cli.show import SHOWN_REASONS, counted

MISFIT = "which the first events had"


class Unused:
    """Tells the first reasons at once; nothing vanishes, and nothing is repeated without end."""

    def __init__(self) -> None:
        self.events = 0
        self.counts = {"late": 0, "bad": 0}
        self._told: set[str] = set()
        self._hinted = False

    def look_at(self, session: Any, stats: Mapping[str, Any]) -> None:
        """What a push has left aside; the numbers of any query, since all have the same events."""
        self.events = stats["events"] + stats["waiting"]
        counts = {kind: stats[kind] for kind in self.counts}
        if counts == self.counts:
            return
        self.counts = counts
        self._tell_late(session.take_late(), session.schema.time)
        self._tell_bad(session.take_bad())

    def say_counts(self) -> None:
        """How many took no part."""
        for kind, count in self.counts.items():
            if count:
                say(f"{counted(count, f'{kind} event')} took no part")

    def _tell_late(self, late: pa.Table, time: str) -> None:
        if late.num_rows and "late" not in self._told:
            self._told.add("late")
            say(
                f"late: an event of {time} {late.column(time)[0]} came after a later one; "
                "--lateness DURATION waits for such events"
            )

    def _tell_bad(self, bad: pa.Table) -> None:
        for reason in bad.column("reason").to_pylist():
            if len(self._told) >= SHOWN_REASONS:
                return
            self._told.add(reason)
            say(f"bad: {reason}")
            if MISFIT in reason and not self._hinted:
                self._hinted = True
                say("a column has the type of its first values; --column NAME=TYPE says another")
