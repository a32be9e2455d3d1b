"""The time column as a number, in Spark's own expressions."""

import math

import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql import functions as F

from cepheid.events import EventSchema


def ticks(schema: EventSchema) -> Column:
    """The time of an event in ticks of its column: microseconds, days, or the number itself."""
    column = F.col(quoted(schema.time))
    kind = schema.type_of(schema.time)
    if pa.types.is_timestamp(kind):
        if kind.tz is not None:
            return F.unix_micros(column)
        epoch = F.lit("1970-01-01 00:00:00").cast("timestamp_ntz")
        return F.timestamp_diff("MICROSECOND", epoch, column)
    if pa.types.is_date(kind):
        return F.unix_date(column).cast("long")
    if pa.types.is_floating(kind):
        number = column.cast("double")
        return F.when(F.abs(number) < F.lit(math.inf), number)  # Spark's NaN is greater than infinity
    return column.cast("long")


def quoted(name: str) -> str:
    """A column's name as Spark reads it whole, dots and all."""
    return "`" + name.replace("`", "``") + "`"
