"""One sequence of events, as a query and as what is written on Spark without one.

All give the same rows: the symbol, then the time and price of every step. They read the same Parquet files,
drop other kinds first and carry only these columns, as someone who knows Spark would write it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

MICROSECONDS = 1_000_000
NANOSECONDS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Steps:
    """Events of these kinds and of one symbol, one after the other within so many seconds; with `rise`,
    the last at a price that is so much above the first's."""

    kinds: str  # a letter each
    seconds: int
    rise: int | None = None

    @property
    def names(self) -> list[str]:
        """A variable for each step."""
        return list(self.kinds.lower())

    @property
    def text(self) -> str:
        """The query: all combinations, which is what a join means."""
        first, last = self.names[0], self.names[-1]
        steps = ", ".join(f"{kind} {name}" for kind, name in zip(self.kinds, self.names, strict=True))
        rise = "" if self.rise is None else f" AND {last}.price > {first}.price + {self.rise}"
        returned = ", ".join(f"{name}.ts AS ts_{name}, {name}.price AS price_{name}" for name in self.names)
        return (
            f"PATTERN SEQ({steps}) WHERE skip_till_any_match {{ [symbol]{rise} }} "
            f"WITHIN {self.seconds} seconds RETURN {first}.symbol AS symbol, {returned}"
        )


def plain_join(events: DataFrame, steps: Steps) -> DataFrame:
    """The events of each step joined by symbol, with the order of time as a condition."""
    first, *others = steps.names
    joined = _step(events, first)
    for before, name in zip(steps.names, others, strict=False):
        joined = joined.join(_step(events, name), "symbol").where(_follows(before, name, steps))
    return _risen(joined, steps)


def bucketed_join(events: DataFrame, steps: Steps) -> DataFrame:
    """The same with windows of time in the key of the join: a match ends in the bucket that it starts in,
    or in the next."""
    first, *others = steps.names
    start = _bucket(F.col(f"ts_{first}"), steps)
    joined = _step(events, first)
    for before, name in zip(steps.names, others, strict=False):
        copied = joined.withColumn("bucket", F.explode(F.array(start, start + 1)))
        later = _step(events, name).withColumn("bucket", _bucket(F.col(f"ts_{name}"), steps))
        joined = copied.join(later, ["symbol", "bucket"]).where(_follows(before, name, steps)).drop("bucket")
    return _risen(joined, steps)


def looped(events: DataFrame, steps: Steps) -> DataFrame:
    """A loop in Python over the rows of each symbol."""
    rows = events.where(F.col("kind").isin(*steps.kinds)).select("symbol", "ts", "kind", "price")
    columns = ", ".join(f"ts_{name} timestamp, price_{name} double" for name in steps.names)

    def loop(frame: pd.DataFrame) -> pd.DataFrame:
        return _matches(steps, frame)

    return rows.groupBy("symbol").applyInPandas(loop, f"symbol string, {columns}")


RIVALS: dict[str, Callable[[DataFrame, Steps], DataFrame]] = {
    "plain self-join": plain_join,
    "self-join bucketed by window": bucketed_join,
    "applyInPandas with a loop": looped,
}


def _step(events: DataFrame, name: str) -> DataFrame:
    chosen = (F.col("ts").alias(f"ts_{name}"), F.col("price").alias(f"price_{name}"))
    return events.where(F.col("kind") == name.upper()).select("symbol", *chosen)


def _follows(before: str, name: str, steps: Steps) -> Column:
    end = F.col(f"ts_{steps.names[0]}") + F.expr(f"INTERVAL {steps.seconds} SECONDS")
    return (F.col(f"ts_{name}") > F.col(f"ts_{before}")) & (F.col(f"ts_{name}") <= end)


def _bucket(time: Column, steps: Steps) -> Column:
    return F.floor(F.unix_micros(time) / F.lit(steps.seconds * MICROSECONDS))


def _risen(joined: DataFrame, steps: Steps) -> DataFrame:
    if steps.rise is None:
        return joined
    first, last = steps.names[0], steps.names[-1]
    return joined.where(F.col(f"price_{last}") > F.col(f"price_{first}") + steps.rise)


def _matches(steps: Steps, rows: pd.DataFrame) -> pd.DataFrame:
    columns = [f"{column}_{name}" for name in steps.names for column in ("ts", "price")]
    found = pd.DataFrame(_combinations(steps, rows.sort_values("ts")), columns=columns)
    for name in steps.names:
        found[f"ts_{name}"] = pd.to_datetime(found[f"ts_{name}"], utc=True)
    found.insert(0, "symbol", rows["symbol"].iloc[0])
    return found


Partial = tuple[Any, ...]
"""The times and prices of the steps so far."""


def _combinations(steps: Steps, rows: pd.DataFrame) -> Iterator[Partial]:
    window = steps.seconds * NANOSECONDS
    waiting: list[list[Partial]] = [[] for _ in steps.kinds]  # for each step, what it may follow
    times = rows["ts"].to_numpy("datetime64[ns]").astype("int64").tolist()
    for kind, time, price in zip(rows["kind"].tolist(), times, rows["price"].tolist(), strict=True):
        step = steps.kinds.index(kind)
        if step == 0:
            waiting[1].append((time, price))
            continue
        live = waiting[step] = [begun for begun in waiting[step] if time - begun[0] <= window]
        if step < len(steps.kinds) - 1:
            waiting[step + 1].extend((*begun, time, price) for begun in live)
        elif steps.rise is None:
            yield from ((*begun, time, price) for begun in live)
        else:
            yield from ((*begun, time, price) for begun in live if price > begun[1] + steps.rise)
