"""Clicks of the visitors of a web shop: they search, view products, put some in the cart, and pay or do not.

Most visits are in the evening. A visitor clicks about every half minute. One visit in four fills the cart,
and of these every second one pays. Each hour is made by itself; a visit may last longer than its hour.
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

FIRST_HOUR = np.datetime64("2024-01-01T00", "ms")
HOUR = 3_600_000  # milliseconds
PAUSE = 30_000
VISITS = 1_200
"""How many begin in an hour, on average."""

FILLED, PAID = 0.25, 0.5
VIEWS = 3  # more than the first, on average
PRODUCTS = 500
BATCH_ROWS = 65_536

TYPES = ("search", "view", "cart", "pay")
SEARCH, VIEW, CART, PAY = range(4)

CLICKS_SCHEMA = pa.schema(
    [
        ("time", pa.timestamp("ms", "UTC")),
        ("type", pa.dictionary(pa.int8(), pa.string())),
        ("user", pa.int64()),
        ("product", pa.int64()),
        ("amount", pa.float64()),
    ]
)

Chance = np.random.Generator


def clicks(size: int, seed: int, *, users: int = 1_000) -> pa.Table:
    """`size` clicks of the visitors of a shop, in the order of time."""
    batches = click_batches(size, seed, users=users)
    return pa.Table.from_batches(batches, schema=CLICKS_SCHEMA).combine_chunks()


def click_batches(
    size: int, seed: int, *, users: int = 1_000, batch_rows: int = BATCH_ROWS
) -> Iterator[pa.RecordBatch]:
    """The same clicks batch by batch, for sizes that do not fit in memory."""
    least_of = {"size": (size, 0), "seed": (seed, 0), "users": (users, 1), "batch_rows": (batch_rows, 1)}
    for name, (value, least) in least_of.items():
        if value < least:
            raise ValueError(f"{name} is {value}, and should be at least {least}")
    return _click_batches(size, seed, users, batch_rows)


def _click_batches(size: int, seed: int, users: int, batch_rows: int) -> Iterator[pa.RecordBatch]:
    made, hour = 0, 0
    waiting = np.empty((0, 4), np.int64)  # what visits do after the hour in which they began
    while made < size:
        chance = np.random.default_rng(np.random.SeedSequence([seed, hour]))
        done = np.concatenate([waiting, _visits(hour, users, chance)])
        done = done[np.argsort(done[:, 0], kind="stable")]
        end = int(np.searchsorted(done[:, 0], (hour + 1) * HOUR))
        rows = _rows(done[: min(end, size - made)])
        for start in range(0, rows.num_rows, batch_rows):
            yield rows.slice(start, batch_rows)
        made, hour, waiting = made + rows.num_rows, hour + 1, done[end:]


def _visits(hour: int, users: int, chance: Chance) -> np.ndarray:
    """The clicks of all visits that begin in an hour: time, type, user and product."""
    visits = int(chance.poisson(VISITS * _busy(hour % 24)))
    fills = chance.random(visits) < FILLED
    pays = fills & (chance.random(visits) < PAID)
    browsed = 2 + chance.poisson(VIEWS, visits)  # a search or a view first, and a view before any cart
    visit, step = _numbered(browsed + fills + pays)
    kind = np.where(chance.random(len(visit)) < 0.25, SEARCH, VIEW)
    place = step - browsed[visit]
    kind = np.where(place >= 0, CART + place, np.where(place == -1, VIEW, kind))
    product = chance.integers(1, PRODUCTS + 1, len(visit))
    product = np.where(place >= -1, chance.integers(1, PRODUCTS + 1, visits)[visit], product)
    begins = hour * HOUR + chance.integers(0, HOUR, visits)
    time = begins[visit] + _since_begin(
        chance.exponential(PAUSE, len(visit)).astype(np.int64) + 1, visit, step
    )
    user = chance.integers(1, users + 1, visits)[visit]
    return np.column_stack([time, kind, user, np.where(kind == SEARCH, 0, product)])


def _busy(hour: int) -> float:
    """How busy an hour of the day is: most at eight in the evening."""
    return float(1 + 0.8 * np.cos(2 * np.pi * (hour - 20) / 24))


def _numbered(lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each click its visit, and its number in it from 0 on."""
    visit = np.repeat(np.arange(len(lengths)), lengths)
    return visit, np.arange(len(visit)) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def _since_begin(pauses: np.ndarray, visit: np.ndarray, step: np.ndarray) -> np.ndarray:
    """The pauses of a visit up to each click, added up; the first click is at its beginning."""
    total = np.cumsum(pauses)
    return np.asarray(total - total[step == 0][visit])


def _rows(done: np.ndarray) -> pa.RecordBatch:
    time, kind, user, product = done.T
    amount = 5 + product * 37 % 200 - 0.05  # the price of a product
    columns = [
        pa.array(FIRST_HOUR + time.astype("timedelta64[ms]"), CLICKS_SCHEMA.field("time").type),
        pa.DictionaryArray.from_arrays(pa.array(kind.astype(np.int8)), pa.array(TYPES)),
        pa.array(user),
        pa.array(product, mask=kind == SEARCH),
        pa.array(amount, mask=kind < CART),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=CLICKS_SCHEMA)
