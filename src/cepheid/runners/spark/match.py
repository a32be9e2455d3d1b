"""`match`: plan on the driver, then hand the plan to the batch or the streaming runner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cepheid.errors import BindingError, CepheidError, UnsupportedError
from cepheid.pattern.query import EmitMode
from cepheid.plan.events.bounded import refuse_unbounded
from cepheid.plan.events.division import divided
from cepheid.plan.events.pushdown import pushed
from cepheid.plan.plan import Plan, QueryPlan
from cepheid.query import Query, query
from cepheid.runners.spark.batch import match_batch
from cepheid.runners.spark.filters import opaque_columns, spark_filter
from cepheid.runners.spark.schema import arrow_schema
from cepheid.runners.spark.streaming import match_stream
from cepheid.runners.spark.ticks import quoted
from cepheid.runners.spark.work import Work
from cepheid.runners.stream.limits import MAX_MATCHES, checked_limit, default_max_state
from cepheid.runners.stream.side import CHOICES


def match(
    df: DataFrame,
    q: Query | str,
    *,
    time: str,
    type: str | None = None,
    order: Sequence[str] = (),
    time_unit: str | None = None,
    shards: int | None = None,
    divide: str | None = None,
    lateness: Any = 0,
    on_late: str = "side",
    on_bad: str = "side",
    side: bool = False,
    push: bool = True,
    max_matches: int | None = None,
    max_state: int | None = None,
) -> DataFrame:
    """The matches of a query in a DataFrame, batch or streaming, as a DataFrame; nothing runs before
    an action or a started stream asks for it."""
    plan = planned(q, arrow_schema(df.schema), time, type, order, time_unit)
    return match_planned(
        df,
        plan,
        shards=shards,
        divide=divide,
        lateness=lateness,
        on_late=on_late,
        on_bad=on_bad,
        side=side,
        push=push,
        max_matches=max_matches,
        max_state=max_state,
    )


def match_planned(
    df: DataFrame,
    plan: Plan,
    *,
    shards: int | None,
    divide: str | None,
    lateness: Any,
    on_late: str,
    on_bad: str,
    side: bool,
    push: bool,
    max_matches: int | None,
    max_state: int | None,
) -> DataFrame:
    """The matches of a plan in a DataFrame."""
    work = asked_work(plan, on_bad, side, max_matches, max_state)
    checked_choice("on_late", on_late)
    count = None if shards is None else checked_limit("shards", shards, 1)
    wanted = pushed(plan, opaque_columns(df.schema)).filter if push else None
    matters = None if wanted is None else spark_filter(wanted, plan.schema)
    if not df.isStreaming:
        events = df if matters is None else df.where(matters)
        needed = events.select(*(F.col(quoted(name)) for name in plan.needed))
        return match_batch(needed, work, divided(plan, divide), count)
    if divide == "time":
        raise UnsupportedError("a stream has no end to be divided by: leave out divide='time'")
    if any(query.emit.mode is EmitMode.ON_CLOSE for query in plan.queries):
        raise UnsupportedError("EMIT ON CLOSE reports at the end, and a stream has none: use EMIT EVERY")
    refuse_unbounded(plan)
    return match_stream(
        df,
        plan,
        shards=count,
        lateness=lateness,
        on_late=on_late,
        on_bad=on_bad,
        side=side,
        max_matches=work.max_matches,
        max_state=work.max_state,
        matters=matters,
    )


def planned(
    q: Query | str,
    columns: pa.Schema,
    time: str,
    type: str | None,
    order: Sequence[str],
    time_unit: str | None,
) -> QueryPlan:
    """The plan of a query, or of a query's text, over these columns."""
    asked = query(q) if isinstance(q, str) else q
    if not isinstance(asked, Query):
        raise CepheidError(f"a query is a text or made by cepheid.query(…), not {asked!r}")
    return asked.plan(columns, time=time, type=type, order=order, time_unit=time_unit)


def asked_work(plan: Plan, on_bad: str, side: bool, max_matches: int | None, max_state: int | None) -> Work:
    """What a worker is to do, with every choice checked before data moves."""
    checked_choice("on_bad", on_bad)
    return Work(
        plan,
        on_bad,
        side,
        checked_limit("max_matches", max_matches, MAX_MATCHES),
        checked_limit("max_state", max_state, default_max_state()),
    )


def checked_choice(name: str, choice: str) -> None:
    """Refuse a choice that is none."""
    if choice not in CHOICES:
        raise BindingError(f"{name}= is one of {', '.join(CHOICES)}, not {choice!r}")
