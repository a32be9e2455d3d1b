"""When the time events of AT and EVERY are, in the numbers of the stream's clock."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

from cepheid.errors import LimitError
from cepheid.pattern.zones import known_zone, moment_of
from cepheid.plan.profile.kinds import DailyKind, PeriodicKind, Ticks, TimeKind

EPOCH = datetime(1970, 1, 1)
DAY = timedelta(days=1)


class Clock:
    """The moments of kinds of time events; they are whole numbers, unless time is a float."""

    def __init__(self, is_real: bool, most: int) -> None:
        self._is_real = is_real
        self._most = most  # how many there may be at once

    def moments(self, kind: TimeKind, begin: Ticks, end: Ticks) -> list[Ticks]:
        """The moments from `begin` on and before `end`."""
        if begin >= end:
            return []
        if (
            isinstance(kind, PeriodicKind)
            and Fraction(end) - Fraction(begin) > (self._most + 1) * kind.period
        ):
            raise self._too_many(kind)  # known before the first is made
        found: list[Ticks] = []
        for moment in _MOMENTS[type(kind)](kind, begin):
            number: Ticks = float(moment) if self._is_real else int(moment)
            if number >= end:
                break
            if number >= begin:
                found.append(number)
            if len(found) > self._most:
                raise self._too_many(kind)
        return found

    def _too_many(self, kind: TimeKind) -> LimitError:
        return LimitError(
            f"{kind.text} would be more than max_matches = {self._most:,} time events at once: use a "
            "longer period, a shorter WITHIN, or a larger max_matches="
        )

    def next(self, kinds: tuple[TimeKind, ...], begin: Ticks) -> Ticks:
        """The first moment of any of the kinds that is not before `begin`."""
        return min((self._first(kind, begin) for kind in kinds), default=float("inf"))

    def _first(self, kind: TimeKind, begin: Ticks) -> Ticks:
        for moment in _MOMENTS[type(kind)](kind, begin):
            number: Ticks = float(moment) if self._is_real else int(moment)
            if number >= begin:
                return number
        return float("inf")


def _periodic(kind: PeriodicKind, begin: Ticks) -> Iterator[Fraction | int]:
    number = Fraction(begin) // kind.period - 1
    while True:
        yield number * kind.period
        number += 1


def _daily(kind: DailyKind, begin: Ticks) -> Iterator[Fraction]:
    """Each day of the zone, from one before the moment; none beyond the years that a calendar has."""
    zone = known_zone(kind.zone)
    assert zone is not None
    try:
        day = (EPOCH + timedelta(microseconds=float(begin) * kind.tick / 1000)).date() - 2 * DAY
        while True:
            moment = moment_of(datetime.combine(day, kind.clock), zone)
            since = moment.astimezone(UTC).replace(tzinfo=None) - EPOCH
            yield Fraction(since // timedelta(microseconds=1) * 1000, kind.tick)
            day += DAY
    except OverflowError:
        return


_MOMENTS: dict[type[TimeKind], Callable[[Any, Ticks], Iterator[Fraction | int]]] = {
    PeriodicKind: _periodic,
    DailyKind: _daily,
}
