"""The two-step method of AGG: another matcher builds the matches, and this one adds them up."""

import math
from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa

from cepheid.errors import LimitError, SnapshotError
from cepheid.events import END, EventBatch
from cepheid.matchers.aggregate.groups import FEW
from cepheid.matchers.aggregate.period_rows import foresee_rows
from cepheid.matchers.aggregate.two_step.absences import Absences
from cepheid.matchers.aggregate.two_step.build import MatchBuilder
from cepheid.matchers.aggregate.two_step.events import HeldEvents
from cepheid.matchers.aggregate.two_step.forget import forget_texts, only_used
from cepheid.matchers.aggregate.two_step.matches import BuiltMatches
from cepheid.matchers.aggregate.two_step.reports import Reports
from cepheid.matchers.aggregate.two_step.settled import Settled
from cepheid.matchers.aggregate.two_step.totals import Tally
from cepheid.matchers.aggregate.two_step.way_counter import WayCounter
from cepheid.matchers.allowance import Allowance
from cepheid.matchers.engines import matcher_for
from cepheid.matchers.protocol import Ahead, Matcher, Outputs, joined_tables
from cepheid.matchers.snapshot import Snapshot
from cepheid.matchers.windows import FAR, all_within
from cepheid.pattern.query import EmitMode
from cepheid.plan.aggregate.plan import TwoStepPlan

TOO_MANY_BUILT = (
    "AGG in two steps builds every match, and there are more than max_matches = {limit}. Bound it: a shorter "
    "WITHIN, more selective conditions, or a larger max_matches=; without conditions between events AGG "
    "counts matches and builds none"
)

_PART, _COUNTED_PART = 1 << 14, 1 << 8
"""How many events are looked at together: their matches are built before they are added up. Where these are
counted, each event may have as many rows as there are events in the window."""


class TwoStepMatcher:
    """All partitions of a stream, one matcher around another."""

    engine = "aggregate"

    def __init__(self, plan: TwoStepPlan, inner: Matcher, allowance: Allowance) -> None:
        self.plan, self.inner = plan, inner
        self._max_state = allowance.max_state
        self._part = _COUNTED_PART if plan.is_counted else _PART
        self._peak = 0
        self.events = HeldEvents(plan)
        self.tally = Tally(plan, self.events.texts)
        self.absences = Absences(plan, self.events)
        builder = WayCounter if plan.is_counted else MatchBuilder
        self.builder = builder(plan, inner, self.events, self.tally, self.absences)
        self.settled = Settled(self.tally)
        self.reports = Reports(plan, self.events, self.tally, self.settled, allowance)
        self.alive: BuiltMatches | None = None
        self._crowd = FEW  # so many partitions or groups are looked through for idle ones
        self._many_texts = FEW  # and so many texts for those that nothing holds
        longer = any(plan.automaton.follow) or any(position.is_open_ended for position in plan.positions)
        self._reaches_back = longer or bool(plan.compared)  # what should be absent is compared with a match's

    # -- what runners ask --------------------------------------------------------------------------

    @property
    def state_bytes(self) -> int:
        """How much the matches, the events and the inner matcher take."""
        alive = self.alive.bytes if self.alive is not None else 0
        return self.inner.state_bytes + self.events.bytes + alive + self.settled.bytes

    @property
    def peak_state_bytes(self) -> int:
        """The most that they have taken."""
        return max(self._peak, self.inner.peak_state_bytes, self.state_bytes)

    @property
    def figures(self) -> Mapping[str, int | str]:
        """What the inner matcher says of its work, how many matches it built, how many groups there are."""
        built = {"matches_built": self.builder.built, "groups": self.events.groups.count}
        return {**self.inner.figures, **built}

    def process(self, batch: EventBatch) -> Outputs:
        """The rows that became certain with this batch."""
        with np.errstate(over="ignore", invalid="ignore"):
            tables = [
                table for part in _parts(batch, self._part) for table in self._of_part(part) if table.num_rows
            ]
        return (joined_tables(tables, self.plan.output_schema),)

    @property
    def has_periods(self) -> bool:
        """Whether there are rows for time alone: EMIT EVERY."""
        return self.plan.period is not None

    def foresee(self, ahead: Ahead, events: int, *, exactly: bool = True) -> bool:
        """Refuse more periods than there may be rows; whether their groups may be too many."""
        periods, groups = self.reports.clock.ahead(ahead), self.events.groups.count + events
        return foresee_rows(self.plan, periods, groups, self.reports.allowance, exactly=exactly)

    def _of_part(self, batch: EventBatch) -> Iterator[pa.Table]:
        since = self.events.seen
        rows = self.events.look_at(batch)
        self.settled.grow(self.events.groups.count)
        self.absences.look_at_events()
        if self.alive is not None and rows.length:
            self.absences.spoil(self.alive, since)
        new = self.builder.matches(batch, since)
        self.alive = new if self.alive is None else self.alive.with_more(new)
        self._check_state()
        yield from self.reports.of_batch(batch, rows, since, self.alive)
        if batch.watermark != END:
            self._forget(batch)

    def _check_state(self) -> None:
        assert self.alive is not None
        self._peak = max(self._peak, self.state_bytes)
        if self._peak > self._max_state:
            raise LimitError(
                f"AGG in two steps would pass max_state = {self._max_state:,} bytes: {self.alive.count:,} "
                "matches are in the window at once. Bound it: a shorter WITHIN, an equivalence test [key], "
                "more selective conditions, or a larger max_state="
            )

    # -- what is kept ------------------------------------------------------------------------------

    def _forget(self, batch: EventBatch) -> None:
        """Drop matches that count no more and events that no match can reach; settle what is for ever."""
        assert self.alive is not None
        alive, window = self.alive, self.plan.window
        counts = alive["end"] == FAR
        now = self._no_earlier_than(batch)
        if window is None:
            recent = np.ones(alive.count, np.bool_)
        elif now is None:
            return
        elif window.counts_events:
            recent = all_within(window, alive["begun"], self.events.counts[alive["partition"]])
        else:
            recent = all_within(window, alive["begun"], now)
        is_last = self.plan.query.emit.mode is EmitMode.ON_CLOSE
        if window is None or is_last:
            certain = ~self.absences.may_be_spoilt(alive) | ~recent
            self.settled.add(alive.take(counts & certain))
            recent = ~certain
        self.alive = alive.take(counts & recent)
        if self.plan.is_counted:
            self.alive = one_for_each_first(self.alive, self.tally)
        self.events.keep(self._in_reach(now))
        if max(self.events.keys.count, self.events.groups.count) > self._crowd:
            self.alive = only_used(self.events, self.settled, self.alive)
            self._crowd = max(FEW, 2 * self.events.keys.count, 2 * self.events.groups.count)
        if len(self.tally.texts.texts) > self._many_texts:
            forget_texts(self.events, self.tally, self.settled, self.alive)
            self._many_texts = max(FEW, 2 * len(self.tally.texts.texts))

    def _no_earlier_than(self, batch: EventBatch) -> np.ndarray | None:
        """The earliest moment of a row, or of an event, that may come."""
        if self.reports.newest is None:
            return None
        moment = self.reports.newest
        if self.plan.period is None and math.isfinite(batch.watermark):
            moment = max(moment, batch.watermark)
        return np.array(moment, batch.time.dtype)

    def _in_reach(self, now: np.ndarray | None) -> np.ndarray:
        events, window = self.events, self.plan.window
        usable: np.ndarray = events.partition >= 0
        if not self._reaches_back:
            return np.zeros_like(usable)
        if window is None or now is None:
            return usable
        if window.counts_events:
            usable[usable] = all_within(
                window, events.ordinal[usable], events.counts[events.partition[usable]]
            )
            return usable
        usable &= all_within(window, events.time, now)
        return usable

    def snapshot(self) -> Snapshot:
        """Events, matches and totals, and all of the inner matcher."""
        snapshot = Snapshot(self.plan.fingerprint)
        self.events.save(snapshot)
        self.settled.save(snapshot)
        if self.alive is not None:
            self.alive.save(snapshot)
        snapshot.values |= {
            "built": self.builder.built,
            "clock": [self.reports.newest, *self.reports.clock.saved()],
            "begun": self.alive is not None,
        }
        snapshot.merge("inner", self.inner.snapshot())
        return snapshot

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot of the same plan."""
        if snapshot.fingerprint != self.plan.fingerprint:
            raise SnapshotError("the snapshot is of another query, or of a stream with other columns")
        self.events.restore(snapshot)
        self.tally.texts = self.events.texts
        self.settled.restore(snapshot)
        self.alive = BuiltMatches.restored(snapshot) if snapshot.values["begun"] else None
        self.builder.built = snapshot.values["built"]
        self.reports.newest, *clock = snapshot.values["clock"]
        self.reports.clock.restore(clock)
        self.inner.restore(snapshot.part("inner"))


def one_for_each_first(matches: BuiltMatches, tally: Tally) -> BuiltMatches:
    """Matches that are all complete: those of a group that leave the window together as one."""
    keys = np.column_stack([matches["first"], matches["group"]])
    _, some, place = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    if some.size == matches.count:
        return matches
    totals = tally.nothing(some.size)
    tally.add(totals, place.ravel(), matches.columns)
    return BuiltMatches({name: column[some] for name, column in matches.columns.items()} | totals, {})


def _parts(batch: EventBatch, size: int) -> Iterator[EventBatch]:
    """A batch in pieces; time has come as far as the last event of each, and in the end as far as it had."""
    last = max(0, (batch.data.num_rows - 1) // size * size)
    for start in range(0, last, size):
        time = batch.time[start : start + size]
        yield EventBatch(batch.data.slice(start, size), time, time[-1].item())
    yield EventBatch(batch.data.slice(last), batch.time[last:], batch.watermark)


def two_step_matcher(plan: TwoStepPlan, allowance: Allowance) -> TwoStepMatcher:
    """Of two matchers, one of which builds what the other adds up."""
    return TwoStepMatcher(plan, matcher_for(plan.inner, allowance.part(TOO_MANY_BUILT)), allowance)
