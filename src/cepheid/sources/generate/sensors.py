"""Events of a building whose rooms are watched by sensors, as in the scenario of the CompAS paper.

Offices and laboratories have sensors of temperature, humidity, presence, windows and doors. Values follow
the hours of the day and the days of the week. Now and then a heating sticks, a laboratory cools down and
gets damp, a window is broken and somebody comes in, and a sensor falls silent. Each day is made by itself.
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from cepheid.sources.generate.rooms import Day, RoomEvents, events_of_day, rooms_of

FIRST_DAY = np.datetime64("2024-01-01", "D")  # a Monday
BATCH_ROWS = 65_536

SENSORS_SCHEMA = pa.schema(
    [
        ("time", pa.timestamp("ms", "UTC")),
        ("type", pa.dictionary(pa.int8(), pa.string())),
        ("sensor", pa.string()),
        ("office", pa.int64()),
        ("laboratory", pa.int64()),
        ("value", pa.float64()),
    ]
)

TYPES = (
    "Temperature",
    "Humidity",
    "Reading",
    "Presence",
    "WindowOpened",
    "WindowClosed",
    "WindowBroken",
    "DoorOpened",
)


def sensors(size: int, seed: int, *, rooms: int = 50) -> pa.Table:
    """`size` events of a building, in the order of time; every fifth room is a laboratory."""
    batches = sensor_batches(size, seed, rooms=rooms)
    return pa.Table.from_batches(batches, schema=SENSORS_SCHEMA).combine_chunks()


def sensor_batches(
    size: int, seed: int, *, rooms: int = 50, batch_rows: int = BATCH_ROWS
) -> Iterator[pa.RecordBatch]:
    """The same events batch by batch, for sizes that do not fit in memory."""
    least_of = {"size": (size, 0), "seed": (seed, 0), "rooms": (rooms, 1), "batch_rows": (batch_rows, 1)}
    for name, (value, least) in least_of.items():
        if value < least:
            raise ValueError(f"{name} is {value}, and should be at least {least}")
    return _sensor_batches(size, seed, rooms, batch_rows)


def _sensor_batches(size: int, seed: int, rooms: int, batch_rows: int) -> Iterator[pa.RecordBatch]:
    made, number = 0, 0
    building = rooms_of(rooms, np.random.default_rng(np.random.SeedSequence([seed, 0])))
    while made < size:
        chance = np.random.default_rng(np.random.SeedSequence([seed, 1 + number]))
        events = events_of_day(building, Day(FIRST_DAY + number), chance)
        day = _rows(events, FIRST_DAY + number).slice(0, size - made)
        for start in range(0, day.num_rows, batch_rows):
            yield day.slice(start, batch_rows)
        made, number = made + day.num_rows, number + 1


def _rows(events: RoomEvents, day: np.datetime64) -> pa.RecordBatch:
    order = np.argsort(events.moment, kind="stable")
    room, kind = events.room[order], events.kind[order]
    times = day.astype("datetime64[ms]") + (events.moment[order] * 1000).astype("timedelta64[ms]")
    is_laboratory = room % 5 == 4
    value = events.value[order]
    letters = np.array([name[0] for name in TYPES])
    names = np.char.add(np.char.add(letters[kind], "-"), (room + 1).astype(str))
    columns = [
        pa.array(times, SENSORS_SCHEMA.field("time").type),
        pa.DictionaryArray.from_arrays(pa.array(kind.astype(np.int8)), pa.array(TYPES)),
        pa.array(names, pa.string()),
        pa.array(room + 1, mask=is_laboratory),
        pa.array(room + 1, mask=~is_laboratory),
        pa.array(value, mask=np.isnan(value)),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=SENSORS_SCHEMA)
