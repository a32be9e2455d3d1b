"""A plan over a DataFrame: handed to the batch or the streaming runner, behind the filter that it allows."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cepheid.errors import UnsupportedError
from cepheid.pattern.query import EmitMode
from cepheid.plan.events.bounded import refuse_unbounded
from cepheid.plan.events.division import divided
from cepheid.plan.events.pushdown import pushed
from cepheid.plan.plan import Plan
from cepheid.runners.spark.assignment import Assignment
from cepheid.runners.spark.batch import match_batch
from cepheid.runners.spark.filters import opaque_columns, spark_filter
from cepheid.runners.spark.lookout import watched
from cepheid.runners.spark.needed import needed_of, seen_by_spark
from cepheid.runners.spark.streaming import match_stream
from cepheid.runners.spark.ticks import quoted
from cepheid.runners.stream.terms import Terms, checked_limit


def match_planned(
    df: DataFrame,
    plan: Plan,
    terms: Terms,
    *,
    shards: int | None,
    divide: str | None = None,
    side: bool,
    push: bool,
) -> DataFrame:
    """The matches of a plan in a DataFrame, batch or streaming, as a DataFrame."""
    assigned = Assignment(plan, terms, side)
    count = None if shards is None else checked_limit("shards", shards)
    opaque = opaque_columns(df.schema)
    wanted = pushed(plan, opaque).filter if push else None
    matters = None if wanted is None else spark_filter(wanted, plan.schema)
    if not df.isStreaming:
        events = df if matters is None else df.where(matters)
        travelling = events.select(*(F.col(quoted(name)) for name in plan.needed))
        needed = needed_of(plan, opaque)
        told = watched(travelling, needed, seen_by_spark(needed), "df")
        return match_batch(told, assigned, divided(plan, divide), count)
    if divide == "time":
        raise UnsupportedError("a stream has no end to be divided by: leave out divide='time'")
    if any(query.emit.mode is EmitMode.ON_CLOSE for query in plan.queries):
        raise UnsupportedError("EMIT ON CLOSE reports at the end, and a stream has none: use EMIT EVERY")
    refuse_unbounded(plan)
    return match_stream(df, assigned, count, matters)
