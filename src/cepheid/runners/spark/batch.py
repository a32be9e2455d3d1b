"""A finite DataFrame: fewer columns, fewer rows, one shuffle, and many keys to a matcher."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import reduce

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cepheid.plan.cut import By, Cut
from cepheid.runners.spark.ranges import HOME, LEAST_WIDTH, RANGE, range_columns
from cepheid.runners.spark.schema import spark_schema
from cepheid.runners.spark.share import ShareTask
from cepheid.runners.spark.spread import spread
from cepheid.runners.spark.ticks import quoted, ticks
from cepheid.runners.spark.work import Work

MOST_RANGES = 256


def match_batch(events: DataFrame, work: Work, cut: Cut, shards: int | None) -> DataFrame:
    """The matches in a finite DataFrame of the columns that travel."""
    by = By.NOTHING if cut.by is By.TIME and shards == 1 else cut.by
    divided, columns = _DIVISIONS[by](events, work, cut, shards)
    task = ShareTask(work, columns, by_range=by is By.TIME)
    return divided.mapInArrow(task, spark_schema(work.results))


Divided = tuple[DataFrame, pa.Schema]


def _by_keys(events: DataFrame, work: Work, cut: Cut, shards: int | None) -> Divided:
    keys = [F.col(quoted(name)) for name in cut.keys]
    return _shuffled(events, shards, keys), work.events


def _as_one(events: DataFrame, work: Work, cut: Cut, shards: int | None) -> Divided:
    return events.repartition(1), work.events


def _by_time(events: DataFrame, work: Work, cut: Cut, shards: int | None) -> Divided:
    """Each event to its range and to those whose overlap it is in."""
    partitions = shards or int(events.sparkSession.conf.get("spark.sql.shuffle.partitions") or 200)
    count = shards or min(max(partitions, 8), MOST_RANGES)
    time = ticks(work.plan.schema)
    edges = F.broadcast(events.agg(_edges(time, count, cut).alias(EDGES)))
    home = _rank(time, count)
    first = F.coalesce(_rank(F.try_subtract(time, _margin(time, cut.after)), count), F.lit(0))
    last = F.coalesce(_rank(F.try_add(time, _margin(time, cut.before)), count), home)
    copied = _with_ranges(events.crossJoin(edges), home, first, last)
    keys = F.array(*(F.lit(key) for key in spread(count, partitions)))
    return _shuffled(copied, shards, [keys[F.col(quoted(RANGE))]]), range_columns(work)


EDGES = "cepheid edges"

_DIVISIONS: dict[By, Callable[[DataFrame, Work, Cut, int | None], Divided]] = {
    By.KEYS: _by_keys,
    By.TIME: _by_time,
    By.NOTHING: _as_one,
}


def _shuffled(events: DataFrame, shards: int | None, keys: list[Column]) -> DataFrame:
    """Without a number, Spark joins small partitions by their real size."""
    return events.repartition(*keys) if shards is None else events.repartition(shards, *keys)


def _with_ranges(events: DataFrame, home: Column, first: Column, last: Column) -> DataFrame:
    """A copy of each event for every range that needs it; an event without a time is in the first."""
    names = [name for name in events.columns if name != EDGES]
    numbers = F.sequence(F.coalesce(first, F.lit(0)), F.coalesce(last, F.lit(0)))
    return events.select(
        *(F.col(quoted(name)) for name in names),
        F.explode(numbers).alias(RANGE),
        F.coalesce(home, F.lit(0)).alias(HOME),
    )


def _edges(time: Column, count: int, cut: Cut) -> Column:
    """The times between ranges of about as many events each, after the least time; one too near
    the edge before it repeats that, so that their number is known."""
    shares = [place / count for place in range(1, count)]
    quantiles = F.percentile_approx(time, shares, 100 * count)
    least = F.lit(min(LEAST_WIDTH * max(cut.before, cut.after), 2**62))
    return F.aggregate(
        quantiles,
        F.array(F.min(time)),
        lambda edges, edge: F.concat(
            edges, F.array(_next_edge(F.try_element_at(edges, F.lit(-1)), edge, least))
        ),
    )


def _next_edge(last: Column, edge: Column, least: Column) -> Column:
    return F.when(F.try_subtract(edge, last) >= least, edge).otherwise(last)


def _rank(time: Column, count: int) -> Column:
    """How many edges lie at or before a time, the least time not counted."""
    edges = F.col(quoted(EDGES))
    passed = [(time >= edges[place]).cast("int") for place in range(1, count)]
    return reduce(operator.add, passed)


def _margin(time: Column, length: int | float) -> Column:
    """A length of time; of floats a little more, since differences are rounded."""
    if isinstance(length, int):
        return F.lit(length)
    return F.lit(length * 1.001) + F.abs(time) * F.lit(1e-9)
