"""Which matches are told: select, then consume, then once, in the order of output and in each partition."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from cepheid.events import END
from cepheid.matchers.profile.found import FoundMatch
from cepheid.matchers.profile.moments import Moment, PlacedEvent
from cepheid.matchers.profile.recent import Recent
from cepheid.matchers.snapshot import Snapshot
from cepheid.pattern.profile import FIRST, LAST, REAPPLY, UNIQUE
from cepheid.plan.profile.kinds import Ticks
from cepheid.plan.profile.plan import Chosen, ProfilePlan


@dataclass(slots=True)
class _Told:
    """What has been told in a partition."""

    last: Any = None  # when the last match told was complete
    used_up_to: Moment | None = None


class Telling:
    """Remembers what was told and what is used up."""

    def __init__(self, plan: ProfilePlan, recent: Recent) -> None:
        self.plan, self.recent = plan, recent
        self._partitions: dict[int, _Told] = {}
        self._used: dict[int, Ticks] = {}  # by place: when

    @property
    def partitions(self) -> set[int]:
        """Those in which something was told that still matters."""
        return set(self._partitions)

    def remember(self, other: Telling) -> None:
        """When something was told by another, whose events are not seen here."""
        self._partitions = {number: _Told(each.last) for number, each in other._partitions.items()}

    def is_told(self, found: FoundMatch) -> bool:
        """Whether a match is told; matches come in the order of output."""
        here = self._partitions.get(found.partition) or _Told()
        if any(self._is_used(here, event) for event in found.every_event):
            return False
        if not all(self._is_selected(here, found, n, each) for n, each in enumerate(self.plan.chosen)):
            return False
        self._partitions[found.partition] = here
        self._consume(here, found)
        if self._is_held_back(here, found):
            return False
        here.last = found.completion[0]
        return True

    def _is_used(self, here: _Told, event: PlacedEvent) -> bool:
        up_to = here.used_up_to
        return event.place in self._used or (up_to is not None and event.moment <= up_to)

    def _consume(self, here: _Told, found: FoundMatch) -> None:
        if self.plan.terms.consume == UNIQUE:
            self._used |= {event.place: event.time for event in found.every_event}
        elif self.plan.terms.consume == REAPPLY:
            here.used_up_to = found.completion

    def _is_held_back(self, here: _Told, found: FoundMatch) -> bool:
        """Whether the period that runs from the last match told is not over."""
        if here.last is None or self.plan.terms.once is None:
            return False
        complete, period = found.completion[0], self.plan.period
        return period is None or complete == here.last or complete < here.last + period

    # -- select ------------------------------------------------------------------------------------

    def _is_selected(self, here: _Told, found: FoundMatch, number: int, chosen: Chosen) -> bool:
        """Whether the event of a variable is the one wanted among those that qualify in its place."""
        if not found.events[chosen.position]:
            return True
        (own,) = found.events[chosen.position]
        earlier, later = self._others(here, found, number, chosen, own)
        if chosen.choice == FIRST:
            return earlier == 0
        if chosen.choice == LAST:
            return later == 0
        return earlier == int(chosen.choice) - 1

    def _others(
        self, here: _Told, found: FoundMatch, number: int, chosen: Chosen, own: PlacedEvent
    ) -> tuple[int, int]:
        """How many events before and after a variable's own qualify in its place."""
        recent, last = self.recent, found.last
        before = [event for p in chosen.before for event in found.events[p]]
        after = [event for p in chosen.after for event in found.events[p]]
        selected = [event.place for event in found.every_event]
        rows = recent.candidates(number, found.partition, selected)
        if not before:
            rows = recent.in_window(rows, last.place)
        low = max((event.moment for event in before), default=None)
        high = min((event.moment for event in after), default=None)
        end = last.moment
        kept = []
        for row in rows.tolist():
            event = recent.event(row)
            moment = event.moment
            is_after = low is None or moment > low
            is_before = moment < high if high is not None else moment <= end
            if is_after and is_before and not self._is_used(here, event):
                kept.append(row)
        bound = {
            position.variable: [event.place for event in found.events[p]]
            for p, position in enumerate(self.plan.positions[: chosen.position])
            if found.events[p]
        }
        moments = [recent.event(row).moment for row in recent.joint(chosen, kept, bound)]
        mine = own.moment
        return sum(moment < mine for moment in moments), sum(moment > mine for moment in moments)

    # -- forgetting --------------------------------------------------------------------------------

    def forget(self, watermark: Ticks) -> None:
        """Drop what no later match can have to do with."""
        if abs(watermark) == END:
            return
        reach = self._looks_back
        if reach is not None:
            self._used = {place: time for place, time in self._used.items() if time >= watermark - reach}
        elif self.plan.counts_events:
            recent = set(self.recent.place.tolist())
            self._used = {place: time for place, time in self._used.items() if place in recent}
        gone = [n for n, each in self._partitions.items() if self._is_over(each, watermark, reach)]
        for number in gone:
            del self._partitions[number]

    @property
    def _looks_back(self) -> Ticks | None:
        """How long what is used up matters: a match may begin a window ago, and select looks as far again."""
        positions, reach = self.plan.positions, self.plan.reach
        if len(positions) == 1 and not positions[0].kleene and not self.plan.chosen:
            return 0  # no event is in two matches
        return None if reach is None else 2 * reach

    def _is_over(self, each: _Told, watermark: Ticks, reach: Ticks | None) -> bool:
        once, up_to = self.plan.terms.once, each.used_up_to
        if up_to is not None and (reach is None or up_to[0] >= watermark - reach):
            return False
        if each.last is None or once is None:
            return True
        return self.plan.period is not None and each.last + self.plan.period <= watermark

    def save(self, snapshot: Snapshot) -> None:
        """Into a snapshot."""
        snapshot.values["told"] = [
            [number, _written(each.last), each.used_up_to and [*map(_written, each.used_up_to)]]
            for number, each in self._partitions.items()
        ]
        snapshot.values["used"] = [[place, time] for place, time in self._used.items()]

    def restore(self, snapshot: Snapshot) -> None:
        """From a snapshot."""
        self._partitions = {
            number: _Told(_read(last), None if up_to is None else tuple(map(_read, up_to)))
            for number, last, up_to in snapshot.values["told"]
        }
        self._used = dict(snapshot.values["used"])


def _written(number: Any) -> Any:
    """A moment for JSON, which has no fractions."""
    return [number.numerator, number.denominator] if isinstance(number, Fraction) else number


def _read(written: Any) -> Any:
    return Fraction(*written) if isinstance(written, list) else written
