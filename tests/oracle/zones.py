"""Times in zones: instants that are shown on the clocks of their zone, by Python's own database of zones."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any


@dataclass(frozen=True)
class Written:
    """A literal without a zone, and how long before or after it is meant: it is in the zone of the column
    beside it, and only then an instant that can be moved."""

    local: datetime
    moved: timedelta = timedelta(0)

    def __add__(self, length: timedelta) -> Written:
        return Written(self.local, self.moved + length)

    __radd__ = __add__

    def __sub__(self, length: timedelta) -> Written:
        return self + -length

    @property
    def on_clocks(self) -> datetime:
        """What it says where no column has a zone."""
        return self.local + self.moved


@dataclass(frozen=True, order=True)
class Moment:
    """An instant of UTC, and the zone that it is taken apart in; instants alone compare."""

    instant: datetime
    zone: tzinfo = field(compare=False)

    def __add__(self, length: timedelta) -> Moment:
        return Moment(self.instant + length, self.zone)

    __radd__ = __add__

    def __sub__(self, length: timedelta) -> Moment:
        return self + -length

    @property
    def on_clocks(self) -> datetime:
        """What clocks in the zone show."""
        return self.shown.replace(tzinfo=None, fold=0)

    @property
    def shown(self) -> datetime:
        """The same, as Python writes it."""
        return self.instant.replace(tzinfo=UTC).astimezone(self.zone)


def inward(cell: Any) -> Any:
    """A time with a zone as a moment; anything else is itself."""
    if not isinstance(cell, datetime) or cell.tzinfo is None:
        return cell
    return Moment(cell.astimezone(UTC).replace(tzinfo=None), cell.tzinfo)


def outward(cell: Any) -> Any:
    """A moment as Python writes it."""
    if isinstance(cell, list):
        return [outward(item) for item in cell]
    if isinstance(cell, Written):
        return cell.on_clocks
    return cell.shown if isinstance(cell, Moment) else cell


def instant(time: Any, beside: Any) -> datetime:
    """The number line of times: a literal without a zone is in the zone of what it stands beside, and what
    has no zone at all is not shifted."""
    if isinstance(time, Moment):
        return time.instant
    if isinstance(time, Written):
        return (
            first_at(time.local, beside.zone) + time.moved if isinstance(beside, Moment) else time.on_clocks
        )
    assert isinstance(time, datetime)
    return time


def first_at(plain: datetime, zone: tzinfo) -> datetime:
    """The first instant at which clocks show this time; if they never do, the first of a later time."""
    while True:
        offsets = [plain.replace(tzinfo=zone, fold=fold).utcoffset() or timedelta(0) for fold in (0, 1)]
        found = [plain - offset for offset in offsets if Moment(plain - offset, zone).on_clocks == plain]
        if found:
            return min(found)
        plain = plain.replace(second=0, microsecond=0) + timedelta(minutes=1)
