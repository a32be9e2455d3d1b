"""What clocks in a zone show at many moments.

The changes of a zone's clocks come from Python's own database, by which literals are read as well. Arrow's
`local_timestamp` knows only the changes that the machine's files list, often none after 2037.
"""

from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache

import numpy as np
import pyarrow as pa

from cepheid.errors import CepheidError
from cepheid.pattern.zones import known_zone
from cepheid.time import UNIT_NANOSECONDS

_DAY = 86_400
_CYCLE = 146_097 * _DAY  # 400 years of whole weeks, after which rules for changes repeat
_FIRST, _RULED, _LAST = 1800, 2100, 2500
"""The years before any change, of rules alone, and one cycle after those."""


def on_clocks(moments: pa.Array, unit: str, zone: str) -> pa.Array:
    """Moments, in ticks since 1970 UTC, as the ticks that clocks in the zone show."""
    ticks = np.asarray(moments.fill_null(0)) if moments.null_count else np.asarray(moments)
    second = UNIT_NANOSECONDS["s"] // UNIT_NANOSECONDS[unit]
    known = known_zone(zone)
    if known is None:  # where the plan was made it is known: this is another machine
        raise CepheidError(f"this machine does not know the time zone '{zone}': `pip install tzdata`")
    shown = ticks + offsets(ticks // second, known) * second
    return pa.array(shown, pa.int64(), mask=np.asarray(moments.is_null()) if moments.null_count else None)


def offsets(seconds: np.ndarray, zone: tzinfo) -> np.ndarray:
    """How many seconds clocks in the zone are ahead of UTC at each moment."""
    fixed = zone.utcoffset(None)
    if fixed is not None or seconds.size == 0:
        return np.full(seconds.size, _whole(fixed or timedelta(0)), np.int64)
    ruled = _start(_RULED)
    near = np.where(seconds >= _start(_LAST), ruled + (seconds - ruled) % _CYCLE, seconds)
    near = np.maximum(near, _start(_FIRST))
    years = range(_year(int(near.min())), _year(int(near.max())) + 1)
    changes = [change for year in years for change in _changes(zone, year)]
    moments = np.array([moment for moment, _ in changes], np.int64)
    ahead = np.array([_offset(_start(years[0]), zone), *(offset for _, offset in changes)], np.int64)
    return ahead[np.searchsorted(moments, near, "right")]


@cache
def _changes(zone: tzinfo, year: int) -> tuple[tuple[int, int], ...]:
    """The moments of a year, after its first, from which clocks are ahead by another offset; clocks do not
    change twice in a day."""
    found = []
    start, end = _start(year), _start(year + 1)
    before = _offset(start, zone)
    for day in range(start + _DAY, end + 1, _DAY):
        after = _offset(day, zone)
        if after != before:
            found.append((_change(day - _DAY, day, before, zone), after))
        before = after
    return tuple(found)


def _change(early: int, late: int, before: int, zone: tzinfo) -> int:
    while late - early > 1:
        middle = (early + late) // 2
        early, late = (middle, late) if _offset(middle, zone) == before else (early, middle)
    return late


def _offset(second: int, zone: tzinfo) -> int:
    return _whole((_EPOCH + timedelta(seconds=second)).astimezone(zone).utcoffset() or timedelta(0))


def _whole(length: timedelta) -> int:
    return length.days * _DAY + length.seconds


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _start(year: int) -> int:
    return _whole(datetime(year, 1, 1, tzinfo=UTC) - _EPOCH)


def _year(second: int) -> int:
    return (_EPOCH + timedelta(seconds=second)).year
