"""When events are, and when matches are complete, for comparing."""

from typing import Any, NamedTuple

from cepheid.events import END
from cepheid.plan.profile.kinds import Ticks

Moment = tuple[Any, int, int, int]
"""Time; 0 at an event, 1 as a window closes after the events of that time, -1 before them; rank; order."""

AT_THE_END: Moment = (END, 1, 0, 0)


class PlacedEvent(NamedTuple):
    """Where an event stands. Copies of one time event in several partitions have one order."""

    time: Ticks
    rank: int  # 0, or the number of a kind of time events
    order: int
    place: int

    @property
    def moment(self) -> Moment:
        """When it is."""
        return (self.time, 0, self.rank, self.order)
