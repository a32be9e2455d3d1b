"""A finite DataFrame: fewer columns, fewer rows, one shuffle, and many keys to a matcher."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cepheid.plan.events.division import By, Division
from cepheid.runners.spark.assignment import Assignment
from cepheid.runners.spark.ranges import FARTHEST, SHARD, Ranges, range_columns, ranges_for
from cepheid.runners.spark.schema import spark_schema
from cepheid.runners.spark.share import ShareTask
from cepheid.runners.spark.spread import spread
from cepheid.runners.spark.ticks import quoted, ticks


def match_batch(events: DataFrame, assigned: Assignment, cut: Division, shards: int | None) -> DataFrame:
    """The matches in a finite DataFrame of the columns that travel."""
    if cut.by is By.KEYS:
        keys = [F.col(quoted(name)) for name in cut.keys]
        return _matched(_shuffled(events, shards, keys), assigned, None)
    partitions = shards or int(events.sparkSession.conf.get("spark.sql.shuffle.partitions") or 200)
    ranges = ranges_for(cut, partitions) if cut.by is By.TIME else None
    if ranges is None:
        return _matched(events.repartition(1), assigned, None)
    places = F.array(*(F.lit(key) for key in spread(ranges.shards, partitions)))
    copied = _with_copies(events, assigned, ranges)
    return _matched(_shuffled(copied, shards, [places[F.col(quoted(SHARD))]]), assigned, ranges)


def _matched(divided: DataFrame, assigned: Assignment, ranges: Ranges | None) -> DataFrame:
    columns = assigned.events if ranges is None else range_columns(assigned)
    return divided.mapInArrow(ShareTask(assigned, columns, ranges), spark_schema(assigned.results))


def _shuffled(events: DataFrame, shards: int | None, keys: list[Column]) -> DataFrame:
    """Without a number, Spark joins small partitions by their real size."""
    return events.repartition(*keys) if shards is None else events.repartition(shards, *keys)


def _with_copies(events: DataFrame, assigned: Assignment, ranges: Ranges) -> DataFrame:
    """A copy of each event for its own shard and for each shard that it overlaps; an event without a time
    goes to the first shard. `Ranges.copied` does the same in numpy."""
    time = ticks(assigned.plan.schema)
    width, shards = F.lit(ranges.width), F.lit(ranges.shards)
    place = F.pmod(time, width)
    home = F.pmod(_number(time, place, ranges.width), shards).cast("int")
    found = [F.coalesce(home, F.lit(0))]
    found.append(F.when(place <= F.lit(ranges.after), F.pmod(home - 1, shards)))
    if ranges.before:
        found.append(F.when(width - place <= F.lit(ranges.before), F.pmod(home + 1, shards)))
    chosen = F.array_compact(F.array(*found))
    return events.select("*", F.explode(chosen).alias(SHARD))


def _number(time: Column, place: Column, width: int | float) -> Column:
    """Which range a time is in: rounded downwards before zero too, and without leaving int64."""
    if isinstance(width, float):
        quotient = time / F.lit(width)
        return F.floor(F.least(F.greatest(quotient, F.lit(-FARTHEST)), F.lit(FARTHEST)))
    before_zero = F.when((time < 0) & (place != 0), F.lit(1)).otherwise(F.lit(0))
    return F.call_function("div", time, F.lit(width)) - before_zero
