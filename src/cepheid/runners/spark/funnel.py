"""The counts of a funnel in Spark's own words: lazily, over the ways that reach each step."""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F


def step_table(
    ways: DataFrame, names: Sequence[str], labels: Sequence[str], keys: Sequence[str]
) -> DataFrame:
    """A row a step, of the ways that reach one: `query` names it; the keys, `before` and `reached`."""
    step = F.col("reached") - F.col("before")
    least = F.min(F.struct(F.col("reached"), step.alias("step"))).alias("first")
    users = ways.groupBy("query", *keys).agg(least).select("query", F.col("first.step").alias("step"))
    figures = [figure for place, name in enumerate(names) for figure in _figures(place, name)]
    counted = users.agg(*figures)
    return counted.select(F.inline(F.array(*(_row(place, label) for place, label in enumerate(labels)))))


def _figures(place: int, name: str) -> list[Column]:
    is_mine = F.col("query") == F.lit(name)
    return [
        F.count(F.when(is_mine, F.lit(1))).alias(f"count_{place}"),
        F.median(F.when(is_mine, F.col("step"))).alias(f"median_{place}"),
    ]


def _row(place: int, label: str) -> Column:
    count, before = F.col(f"count_{place}"), F.col(f"count_{max(place - 1, 0)}")
    return F.struct(
        F.lit(label).alias("step"),
        count.alias("count"),
        _share(count, F.col("count_0")).alias("conversion"),
        (F.lit(1.0) - _share(count, before) if place else F.lit(0.0)).alias("drop_off"),
        F.col(f"median_{place}").alias("median_time"),
    )


def _share(part: Column, whole: Column) -> Column:
    return F.when(whole > 0, part.cast("double") / whole.cast("double"))
