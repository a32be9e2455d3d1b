"""One day in the rooms of a building: what their sensors tell, and what goes wrong."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

DAY, HOUR, MINUTE = 86_400.0, 3_600.0, 60.0
MEASURED_EVERY, TOLD_EVERY = 5 * MINUTE, 10 * MINUTE
TEMPERATURE, HUMIDITY, READING, PRESENCE, OPENED, CLOSED, BROKEN, DOOR = range(8)

STUCK_HEATINGS, DAMP_LABORATORIES, BROKEN_WINDOWS, SILENT_SENSORS = 0.02, 0.1, 0.02, 0.02
"""How likely it is in a room on a day."""

Chance = np.random.Generator


@dataclass(frozen=True, slots=True)
class Rooms:
    """What the rooms of a building are like."""

    warmth: np.ndarray  # degrees above or below the others
    dampness: np.ndarray
    people: np.ndarray  # how many there are, beside the average

    def __len__(self) -> int:
        return len(self.warmth)

    @property
    def laboratories(self) -> np.ndarray:
        """Every fifth room."""
        return np.flatnonzero(np.arange(len(self)) % 5 == 4)


@dataclass(frozen=True, slots=True)
class Day:
    """A day of the calendar."""

    date: np.datetime64

    @property
    def is_workday(self) -> bool:
        """Monday to Friday."""
        return bool(np.is_busday(self.date))

    @property
    def season(self) -> float:
        """From -1 in the middle of January to 1 in the middle of July."""
        days = (self.date - self.date.astype("datetime64[Y]").astype("datetime64[D]")).astype(int)
        return float(-np.cos(2 * np.pi * (days - 15) / 365))


@dataclass(frozen=True, slots=True)
class RoomEvents:
    """Events by columns: seconds since midnight, room, kind, and a value or NaN."""

    moment: np.ndarray
    room: np.ndarray
    kind: np.ndarray
    value: np.ndarray

    @classmethod
    def of(
        cls, kind: int, moment: np.ndarray, room: np.ndarray, value: np.ndarray | None = None
    ) -> RoomEvents:
        """Events of one kind."""
        values = np.full(len(moment), np.nan) if value is None else np.round(value, 1)
        return cls(moment, room, np.full(len(moment), kind), values)

    @classmethod
    def together(cls, parts: list[RoomEvents]) -> RoomEvents:
        """All events of several."""
        columns = zip(*((part.moment, part.room, part.kind, part.value) for part in parts), strict=True)
        return cls(*(np.concatenate(column) for column in columns))

    def where(self, keep: np.ndarray) -> RoomEvents:
        """Those of some rows."""
        return RoomEvents(self.moment[keep], self.room[keep], self.kind[keep], self.value[keep])


def rooms_of(count: int, chance: Chance) -> Rooms:
    """A building of so many rooms."""
    return Rooms(chance.normal(0, 0.8, count), chance.normal(0, 4, count), chance.gamma(4, 0.25, count))


def events_of_day(rooms: Rooms, day: Day, chance: Chance) -> RoomEvents:
    """All that the sensors tell on a day."""
    told = [
        *_climate(rooms, day, chance),
        _status(rooms, chance),
        *_people(rooms, day, chance),
        *_broken_windows(rooms, chance),
    ]
    events = RoomEvents.together([_heard(each, rooms, chance) for each in told])
    return events.where((events.moment >= 0) & (events.moment < DAY))


# ---------------------------------------------------------------- climate


def _climate(rooms: Rooms, day: Day, chance: Chance) -> list[RoomEvents]:
    """Temperature everywhere and humidity in laboratories, every five minutes."""
    moment, room = _regular(np.arange(len(rooms)), MEASURED_EVERY, chance)
    degrees = 20.5 + 1.5 * day.season + rooms.warmth[room] + 2.5 * _sun(moment)
    degrees += chance.normal(0, 0.2, len(moment)) + 0.8 * day.is_workday
    degrees = _stuck_heatings(degrees, moment, room, rooms, chance)
    damp = _spells(rooms.laboratories, DAMP_LABORATORIES, 1.5, chance)
    degrees = degrees - 9 * _depth(damp, moment, room)
    here, there = _regular(rooms.laboratories, MEASURED_EVERY, chance)
    percent = 48 + 6 * day.season + rooms.dampness[there] - 3 * _sun(here) + chance.normal(0, 1, len(here))
    percent = np.clip(percent + 32 * _depth(damp, here, there), 5, 99)
    return [RoomEvents.of(TEMPERATURE, moment, room, degrees), RoomEvents.of(HUMIDITY, here, there, percent)]


def _sun(moment: np.ndarray) -> np.ndarray:
    """From -1 at three in the morning to 1 at three in the afternoon."""
    return np.asarray(-np.cos(2 * np.pi * (moment - 3 * HOUR) / DAY))


def _stuck_heatings(
    degrees: np.ndarray, moment: np.ndarray, room: np.ndarray, rooms: Rooms, chance: Chance
) -> np.ndarray:
    """A heating that sticks is noticed the next morning."""
    stuck = np.flatnonzero(chance.random(len(rooms)) < STUCK_HEATINGS)
    since = np.full(len(rooms), np.inf)
    since[stuck] = chance.uniform(15, 21, len(stuck)) * HOUR
    return np.asarray(degrees + 9 * np.clip((moment - since[room]) / (2 * HOUR), 0, 1))


def _spells(rooms: np.ndarray, likely: float, hours: float, chance: Chance) -> dict[int, tuple[float, float]]:
    """Rooms to which something happens, with its beginning and its end."""
    hit = rooms[chance.random(len(rooms)) < likely]
    begin = chance.uniform(0, DAY - hours * HOUR, len(hit))
    return {int(room): (at, at + hours * HOUR) for room, at in zip(hit, begin, strict=True)}


def _depth(spells: dict[int, tuple[float, float]], moment: np.ndarray, room: np.ndarray) -> np.ndarray:
    """How far a spell has come, from 0 to 1 within a quarter of an hour; 0 outside of it."""
    depth = np.zeros(len(moment))
    for hit, (begin, end) in spells.items():
        rising = np.clip((moment - begin) / (15 * MINUTE), 0, 1)
        depth = np.where((room == hit) & (moment < end), rising, depth)
    return depth


# ---------------------------------------------------------------- people


def _people(rooms: Rooms, day: Day, chance: Chance) -> list[RoomEvents]:
    """Who comes in, mostly in working hours, and what they open and close."""
    busy = 40.0 if day.is_workday else 1.0
    coming = _happenings(rooms.people * busy, chance)
    doors = _happenings(rooms.people * busy / 4, chance)
    windows = _happenings(rooms.people * busy / 20, chance)
    left_open = chance.uniform(5, 45, len(windows[0])) * MINUTE
    return [
        RoomEvents.of(PRESENCE, *coming),
        RoomEvents.of(DOOR, *doors),
        RoomEvents.of(OPENED, *windows),
        RoomEvents.of(CLOSED, windows[0] + left_open, windows[1]),
    ]


def _happenings(often: np.ndarray, chance: Chance) -> tuple[np.ndarray, np.ndarray]:
    """Moments and rooms of what happens so often a day, around noon."""
    room = np.repeat(np.arange(len(often)), chance.poisson(often))
    return np.clip(chance.normal(12.5 * HOUR, 2.5 * HOUR, len(room)), 0, DAY - 1), room


def _broken_windows(rooms: Rooms, chance: Chance) -> list[RoomEvents]:
    """Mostly at night; two times in three somebody comes in."""
    room = np.flatnonzero(chance.random(len(rooms)) < BROKEN_WINDOWS)
    moment = chance.uniform(0, 5 * HOUR, len(room))
    enters = chance.random(len(room)) < 2 / 3
    after = moment[enters] + chance.uniform(0.2, 8, int(enters.sum())) * MINUTE
    return [RoomEvents.of(BROKEN, moment, room), RoomEvents.of(PRESENCE, after, room[enters])]


# ---------------------------------------------------------------- sensors


def _regular(rooms: np.ndarray, period: float, chance: Chance) -> tuple[np.ndarray, np.ndarray]:
    """A moment in each period for each room, a little early or late."""
    begins = np.arange(0, DAY, period)
    room = np.tile(rooms, len(begins))
    moment = np.repeat(begins, len(rooms)) + chance.uniform(0, 0.2 * period, len(room))
    return moment, room


def _status(rooms: Rooms, chance: Chance) -> RoomEvents:
    """Every ten minutes a sensor tells that it is there, and the charge of its battery."""
    moment, room = _regular(np.arange(len(rooms)), TOLD_EVERY, chance)
    return RoomEvents.of(READING, moment, room, 100 - 40 * moment / DAY)


def _heard(events: RoomEvents, rooms: Rooms, chance: Chance) -> RoomEvents:
    """What comes through: some sensors are silent for one to four hours."""
    silent = _spells(np.arange(len(rooms)), SILENT_SENSORS, float(chance.uniform(1, 4)), chance)
    lost = np.zeros(len(events.moment), bool)
    for room, (begin, end) in silent.items():
        lost |= (events.room == room) & (events.moment >= begin) & (events.moment < end)
    return events.where(~lost)
