"""Types and texts that a match needs, and that no event of a session has had so far."""

from collections.abc import Sequence

import pyarrow as pa

from cepheid.errors import warn
from cepheid.plan.plan import Plan
from cepheid.runners.stream.asked_values import SeenValues, asked_values, unseen_value
from cepheid.runners.stream.passed import required_of_events

SOON = 1_000
"""After so many events without a match, what is near to a value in the data is told; the rest at the end."""

KNOWN = 200  # values of a column that are remembered, to name the nearest


class Watch:
    """Looks for what each query needs, until it is there; then it costs nothing."""

    def __init__(self, plan: Plan) -> None:
        self._missing = {
            (number, values)
            for number, asked in required_of_events(plan)
            for values in asked_values(asked.test, plan.query_plans[number].schema)
        }
        self._known: dict[str, dict[str, None]] = {values.column: {} for _, values in self._missing}
        self._events = 0

    def stop(self) -> None:
        """Look no further: there were events that are not known here."""
        self._missing.clear()

    def look(self, events: pa.Table, matches: Sequence[int]) -> None:
        """Take note of what events have; `matches` is how many each query has had."""
        if not self._missing or events.num_rows == 0:
            return
        seen = SeenValues(events)
        self._missing = {item for item in self._missing if not seen.has_any(item[1])}
        for column in {values.column for _, values in self._missing}:
            known = self._known[column]
            if len(known) < KNOWN:
                known.update(dict.fromkeys(seen.values(column)[:KNOWN]))
        before, self._events = self._events, self._events + events.num_rows
        if before < SOON <= self._events:
            self._tell(matches, only_near=True)

    def close(self, matches: Sequence[int]) -> None:
        """At the end of the stream, tell what never came."""
        if self._events:
            self._tell(matches, only_near=False)

    def _tell(self, matches: Sequence[int], only_near: bool) -> None:
        fruitless = [item for item in self._missing if matches[item[0]] == 0]
        found = [
            unseen_value(values, value, list(self._known[values.column]), is_needed=True)
            for _, values in sorted(fruitless, key=lambda item: (item[0], item[1].column, item[1].values))
            for value in values.values
        ]
        told = dict.fromkeys(each.note for each in found if each.is_near or not only_near)
        if told:
            self.stop()
            warn("\n".join(told))
