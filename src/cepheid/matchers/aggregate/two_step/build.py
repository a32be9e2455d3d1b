"""The first step: matches from the inner matcher, as columns of what the second step needs of them."""

import numpy as np
import pyarrow as pa

from cepheid.events import EventBatch
from cepheid.matchers.aggregate.two_step.absences import Absences
from cepheid.matchers.aggregate.two_step.events import HeldEvents
from cepheid.matchers.aggregate.two_step.lists import Lists, lists_of
from cepheid.matchers.aggregate.two_step.matches import BuiltMatches
from cepheid.matchers.aggregate.two_step.totals import Tally
from cepheid.matchers.protocol import Matcher
from cepheid.matchers.windows import FAR
from cepheid.plan.aggregate.plan import TwoStepPlan


class FirstStep:
    """Hands events to the inner matcher, each with its position in the stream."""

    def __init__(
        self, plan: TwoStepPlan, inner: Matcher, events: HeldEvents, tally: Tally, absences: Absences
    ) -> None:
        self.plan, self.inner, self.events = plan, inner, events
        self.tally, self.absences = tally, absences
        self.built = 0
        columns = plan.inner.schema.columns
        self._columns = pa.schema([columns.field(name) for name in plan.inner.needed])

    def _found(self, batch: EventBatch, since: int) -> pa.Table:
        numbers = pa.array(np.arange(since, since + batch.data.num_rows))
        own = self.plan.position
        columns = [numbers if name == own else batch.data.column(name) for name in self._columns.names]
        data = pa.RecordBatch.from_arrays(columns, schema=self._columns)
        (found,) = self.inner.process(EventBatch(data, batch.time, batch.watermark))
        return found

    def _begun(self, first: np.ndarray) -> np.ndarray:
        """When matches with these first events began, as the query's window measures it."""
        window = self.plan.window
        by_number = window is not None and window.counts_events
        begun: np.ndarray = (self.events.ordinal if by_number else self.events.time)[
            self.events.places(first)
        ]
        return begun

    def _ended(self, last: np.ndarray) -> dict[str, np.ndarray]:
        """What is known of matches by their last events."""
        end = self.events.places(last)
        return {
            "last": last,
            "partition": self.events.partition[end],
            "group": self.events.group[end],
            "ended": self.events.time[end],
        }


class MatchBuilder(FirstStep):
    """Reads the matches that the inner matcher lists."""

    def matches(self, batch: EventBatch, since: int) -> BuiltMatches:
        """The matches that the events of a batch complete, but for those that an absence undoes."""
        table = self._found(batch, since)
        self.built += table.num_rows
        positions = [lists_of(table.column(k)) for k in range(len(self.plan.automaton.positions))]
        places = [Lists(lists.offsets, self.events.places(lists.items)) for lists in positions]
        first = np.min([_or_far(lists.at(0)) for lists in positions], axis=0)
        last = np.max([lists.at(-1) for lists in positions], axis=0)
        found = BuiltMatches(
            {
                "first": first,
                "begun": self._begun(first),
                **self._ended(last),
                **self.absences.columns(positions),
                **self.tally.of_matches(self.events, places),
            },
            self.absences.lists(positions),
        )
        return found.take(self.absences.judge(found))


def _or_far(positions: np.ndarray) -> np.ndarray:
    return np.where(positions < 0, FAR, positions)
