"""`match_workload`: many queries over one DataFrame, which is read, shuffled and ordered once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame

from cepheid.plan.workload.plan import united
from cepheid.query import Query
from cepheid.runners.spark.match import match_planned
from cepheid.runners.spark.schema import arrow_schema
from cepheid.workload import Workload, workload


def match_workload(
    df: DataFrame,
    queries: Workload | Mapping[str, Query | str],
    *,
    time: str,
    type: str | None = None,
    order: Sequence[str] = (),
    time_unit: str | None = None,
    shards: int | None = None,
    lateness: Any = 0,
    on_late: str = "side",
    on_bad: str = "side",
    side: bool = False,
    push: bool = True,
    max_matches: int | None = None,
    max_state: int | None = None,
) -> DataFrame:
    """The matches of all queries in a DataFrame, batch or streaming: `query` names the query of a row, and
    the other columns are those of any of them, null where a query has none of the name."""
    named = queries if isinstance(queries, Workload) else workload(queries)
    plan = named.plan(arrow_schema(df.schema), time=time, type=type, order=order, time_unit=time_unit)
    return match_planned(
        df,
        united(plan),
        shards=shards,
        divide=None,
        lateness=lateness,
        on_late=on_late,
        on_bad=on_bad,
        side=side,
        push=push,
        max_matches=max_matches,
        max_state=max_state,
    )
