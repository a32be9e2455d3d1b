"""Late and bad events of a live stream, told when they come and counted at the end."""

import re
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from cepheid.cli.say import say
from cepheid.cli.show import counted
from cepheid.views.unused import SHOWN_REASONS

MISFIT = re.compile(r": (?P<column>[^:]+): '?(?P<value>.*?)'? does not fit \S+, which the first events had")
NUMBER = re.compile(r"-?[\d.]+(e[+-]?\d+)?", re.IGNORECASE)
FEW = 10  # from here on, the number of unused events is told when it has grown tenfold


class Unused:
    """Tells the first reasons at once, then numbers: nothing vanishes, nothing is repeated for ever."""

    def __init__(self) -> None:
        self.events = 0
        self.counts = {"late": 0, "bad": 0}
        self._next = dict.fromkeys(self.counts, FEW)
        self._shown = dict.fromkeys(self.counts, 0)
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
        for kind, count in counts.items():
            if count >= self._next[kind]:
                self._next[kind] = 10 ** len(str(count))
                say(f"{counted(count, f'{kind} event')} so far")

    def say_counts(self) -> None:
        """How many took no part."""
        for kind, count in self.counts.items():
            if count:
                say(f"{counted(count, f'{kind} event')} took no part")

    def _tell_late(self, late: pa.Table, time: str) -> None:
        if late.num_rows and not self._shown["late"]:
            self._shown["late"] = 1
            say(
                f"late: an event of {time} {late.column(time)[0]} came after a later one; "
                "--lateness DURATION waits for such events"
            )

    def _tell_bad(self, bad: pa.Table) -> None:
        for reason in bad.column("reason").to_pylist()[: SHOWN_REASONS - self._shown["bad"]]:
            self._shown["bad"] += 1
            say(f"bad: {reason}")
            self._hint(MISFIT.search(reason))

    def _hint(self, misfit: re.Match[str] | None) -> None:
        if misfit is not None and not self._hinted:
            self._hinted = True
            kind = "float" if NUMBER.fullmatch(misfit["value"]) else "text"
            told = f"--column {misfit['column']}={kind}"
            say(f"a column has the type of its first values, unless {told} says another")
