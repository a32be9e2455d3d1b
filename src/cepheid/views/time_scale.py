"""How times are written below a picture: a few round moments or numbers, and the stretch as a whole."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

import pyarrow as pa

from cepheid.events import EventSchema
from cepheid.plan.windows import tick_nanoseconds
from cepheid.time import UNIT_NANOSECONDS

MOST_TICKS = 4
SECOND, MINUTE, HOUR, DAY = (UNIT_NANOSECONDS[unit] for unit in ("s", "min", "h", "d"))
_STEPS = (
    *(amount * 10**power for power in range(9) for amount in (1, 2, 5)),
    *(amount * unit for unit in (SECOND, MINUTE) for amount in (1, 2, 5, 10, 15, 30)),
    *(amount * HOUR for amount in (1, 2, 3, 6, 12)),
    *(amount * DAY for amount in (1, 2, 7, 14, 28, 91, 182, 365, 730, 1825, 3650, 36500)),
)
_UNITS = ((DAY, "d"), (HOUR, "h"), (MINUTE, "min"), (SECOND, "s"), (10**6, "ms"), (1000, "µs"), (1, "ns"))

Moment = int | float


@dataclass(frozen=True, slots=True)
class TimeScale:
    """What the numbers of a time column mean."""

    tick: int | None = None  # nanoseconds of one; None: plain numbers
    is_clock: bool = False  # they are moments since 1970
    zone: str | None = None

    def shown(self, time: Moment) -> str:
        """A time in full."""
        moment = self._moment(time)
        if moment is None:
            return _number(time)
        text = f"{moment:%Y-%m-%d %H:%M:%S}"
        rest = (int(time) * (self.tick or 1)) % SECOND
        if rest:
            return f"{text}.{rest:09d}".rstrip("0")
        return text.removesuffix(" 00:00:00") if self.tick == DAY else text

    def between(self, first: Moment, last: Moment) -> str:
        """From one time to another, the day once if it is the same, parts of a second if they count."""
        texts = [self.shown(time) for time in (first, last)]
        if self._moment(first) is not None and (last - first) * (self.tick or 1) >= MINUTE:
            texts = [text.split(".")[0] for text in texts]
        start, end = texts
        return f"{start} – {end if start[:10] != end[:10] else end.split(' ')[-1]}"

    def length(self, stretch: Moment) -> str:
        """A stretch of time in its two largest units: `1 h 20 min`; of plain numbers, the number."""
        if self.tick is None:
            return _number(stretch)
        left = round(stretch * self.tick)
        found: list[str] = []
        for size, unit in _UNITS:
            if left >= size and len(found) < 2:
                found.append(f"{left // size} {unit}")
                left %= size
        return " ".join(found) or "0 s"

    def ticks(self, first: Moment, last: Moment) -> list[tuple[Moment, str]]:
        """A few round times between two, each with what is written at it."""
        if not first < last:
            return [(first, self.shown(first))]
        begun = self._moment(first) if self.is_clock else None
        return self._numbers(first, last) if begun is None else self._moments(first, last, begun)

    def _numbers(self, first: Moment, last: Moment) -> list[tuple[Moment, str]]:
        least = (last - first) / MOST_TICKS
        power = 10.0 ** math.floor(math.log10(least))
        step = next(power * amount for amount in (1, 2, 5, 10) if power * amount >= least * 0.999)
        if isinstance(first, int) and isinstance(last, int):
            whole = max(int(step), 1)
            return [(time, f"{time:,}") for time in range(-(-first // whole) * whole, last + 1, whole)]
        digits = max(0, -math.floor(math.log10(step)))
        numbers = range(math.ceil(first / step), math.floor(last / step) + 1)
        return [(number * step, f"{number * step:,.{digits}f}") for number in numbers]

    def _moments(self, first: Moment, last: Moment, begun: datetime) -> list[tuple[Moment, str]]:
        assert self.tick is not None
        start, end = int(first) * self.tick, int(last) * self.tick
        step = next((each for each in _STEPS if (end - start) / each <= MOST_TICKS), _STEPS[-1])
        away = begun.utcoffset()
        shift = 0 if away is None else int(away.total_seconds()) * SECOND
        found: list[tuple[Moment, str]] = []
        for whole in range(-(-(start + shift) // step) * step, end + shift + 1, step):
            time = (whole - shift) / self.tick
            moment = self._moment(time)
            if moment is not None:
                found.append((time, _tick_text(moment, whole - shift, step, end - start)))
        return found

    def _moment(self, time: Moment) -> datetime | None:
        """None where it is a plain number, or one that no calendar has."""
        if not self.is_clock or self.tick is None:
            return None
        try:
            micros = int(time * self.tick) // 1000
            found: datetime = pa.scalar(micros, pa.timestamp("us", self.zone)).as_py()
        except Exception:  # which one is up to the zone and the year
            return None
        return found


def scale_of(schema: EventSchema) -> TimeScale:
    """The scale of a stream's time column."""
    kind = schema.type_of(schema.time)
    zone = kind.tz if pa.types.is_timestamp(kind) else None
    return TimeScale(tick_nanoseconds(schema), not schema.has_numeric_time, zone)


def _tick_text(moment: datetime, nanoseconds: int, step: int, span: int) -> str:
    if step >= DAY:
        return f"{moment:%Y-%m-%d}"
    day = f"{moment:%m-%d} " if span > DAY else ""
    if step >= MINUTE:
        return f"{day}{moment:%H:%M}"
    if step >= SECOND:
        return f"{moment:%H:%M:%S}"
    digits = next(d for d in range(1, 10) if step % 10 ** (9 - d) == 0)
    return f"{moment:%H:%M:%S}.{nanoseconds % SECOND:09d}"[: 9 + digits]


def _number(value: Moment) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.6g}" if math.isfinite(value) else str(value)


def crowded(places: list[float], least: float) -> bool:
    """Whether two of these places are nearer than there is room for."""
    return any(after - before < least for before, after in pairwise(places))
