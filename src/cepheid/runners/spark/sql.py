"""`cepheid_match(TABLE(trades), 'PATTERN …', 'time=ts,type=kind')`: matching as a table function of SQL.

Spark hands the table over in Arrow batches, group by group. A table function cannot filter its table, but
the expression that it is grouped by may be a generator: `explode` of an array that is null where an event
cannot matter. Spark evaluates it ahead of the shuffle, and there such an event has no row. It is evaluated
once more behind the shuffle, so it must give each event one group, and no copies as ranges of time need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql import types as st
from pyspark.sql.functions import udtf
from pyspark.sql.udtf import AnalyzeArgument, AnalyzeResult, PartitioningColumn, SelectedColumn
from pyspark.util import PythonEvalType

from cepheid.errors import BindingError, CepheidError, UnsupportedError
from cepheid.events import EventSchema, bind
from cepheid.plan.events.division import By, divided
from cepheid.plan.events.pushdown import pushed
from cepheid.plan.plan import Plan
from cepheid.runners.spark.assignment import Assignment
from cepheid.runners.spark.filters import opaque_columns, sql_filter
from cepheid.runners.spark.needed import Needed, needed_of
from cepheid.runners.spark.schema import arrow_schema, as_events, spark_schema
from cepheid.runners.spark.share import share_rows
from cepheid.runners.spark.sql_lookout import look_at
from cepheid.runners.spark.ticks import quoted
from cepheid.runners.spark.zone import refuse_other_zone, session_zone
from cepheid.runners.stream.terms import Terms

NAME = "cepheid_match"
OPTIONS = ("time", "type", "order", "time_unit", "shards", "on_bad")
USAGE = f"{NAME}(TABLE(events), 'PATTERN …', 'time=ts,type=kind')"
SHARDS = 16
"""Into how many groups the keys of a table are put, unless `shards=` says otherwise."""


Planned = Callable[[str, EventSchema], Plan]
"""The plan of a query's text over a stream."""


def register(spark: SparkSession, planned: Planned) -> None:
    """Make the table function `cepheid_match` known to a session's SQL."""
    batches = getattr(PythonEvalType, "SQL_ARROW_UDTF", None)
    if batches is None:
        raise UnsupportedError(
            f"{NAME} needs Spark 4.1, whose SQL hands over whole batches",
            hint="match(…).createOrReplaceTempView('matches') makes matches known to SQL",
        )

    zone = session_zone(spark)

    class CepheidMatch(TableFunction):
        @staticmethod
        def analyze(events: AnalyzeArgument, query: AnalyzeArgument, binding: AnalyzeArgument) -> Analysis:
            return analysis(events, query, binding, planned, zone)

    function: Any = udtf(CepheidMatch)
    function.evalType = batches  # `arrow_udtf` refuses `analyze`, though Spark runs it with batches as well
    spark.udtf.register(NAME, function)


@dataclass
class Analysis(AnalyzeResult):
    """What Spark asks for before it runs the function, and what the workers then need."""

    assigned: Assignment | None = None
    needed: tuple[Needed, ...] = ()
    zone: str = "UTC"


def analysis(
    events: AnalyzeArgument, query: AnalyzeArgument, binding: AnalyzeArgument, planned: Planned, zone: str
) -> Analysis:
    """The columns of the result, and how the table is divided."""
    if not events.isTable or not isinstance(events.dataType, st.StructType):
        raise CepheidError(f"the first argument is a table: {USAGE}")
    if not isinstance(query.value, str) or not isinstance(binding.value, str):
        raise CepheidError(f"the query and the binding are texts that are known beforehand: {USAGE}")
    options = parse_binding(binding.value)
    on_bad, shards = options.pop("on_bad", "drop"), int(options.pop("shards", SHARDS))
    plan = planned(query.value, bind(arrow_schema(events.dataType, zone), **options))
    assigned = Assignment(plan, Terms(on_bad=on_bad), side=False)
    opaque = opaque_columns(events.dataType)
    groups = _groups(plan, shards, opaque)
    return Analysis(
        spark_schema(assigned.results),
        withSinglePartition=groups is None,
        partitionBy=[] if groups is None else [PartitioningColumn(groups)],
        select=[SelectedColumn(quoted(name)) for name in plan.needed],
        assigned=assigned,
        needed=needed_of(plan, opaque),
        zone=zone,
    )


def _groups(plan: Plan, shards: int, opaque: frozenset[str]) -> str | None:
    """The group of an event, and no row for one that cannot matter; None if all events are of one group."""
    way, wanted = divided(plan), pushed(plan, opaque).filter
    group = None
    if way.by is By.KEYS:
        group = f"pmod(hash({', '.join(map(quoted, way.keys))}), {shards})"
    if wanted is None:
        return group
    return f"explode(CASE WHEN {sql_filter(wanted, plan.schema)} THEN array({group or 0}) END)"


class TableFunction:
    """Batches of events in, batches of matches out, one instance to a group of keys."""

    def __init__(self, analysis: Analysis) -> None:
        assert analysis.assigned is not None
        refuse_other_zone(analysis.zone)
        self._assigned = analysis.assigned
        self._needed = analysis.needed
        self._batches: list[pa.RecordBatch] = []

    def eval(self, events: pa.RecordBatch, query: pa.Array, binding: pa.Array) -> None:
        """Take in some events of the group."""
        self._batches.append(as_events(events, self._assigned.events))

    def terminate(self) -> Iterator[pa.RecordBatch]:
        """All matches, once all events of the group are there."""
        if self._batches:
            table = pa.Table.from_batches(self._batches)
            self._batches = []
            self._look_at(table)
            yield from share_rows(self._assigned, table, ranges=None)

    def _look_at(self, events: pa.Table) -> None:
        plan = self._assigned.plan
        if self._needed:
            has_all = divided(plan).by is not By.KEYS
            look_at(events, self._needed, plan.fingerprint, has_all=has_all)


def parse_binding(text: str) -> dict[str, Any]:
    """`time=ts,type=kind,order=seq` as keywords; `order` may come more than once."""
    options: dict[str, Any] = {"time": None, "type": None, "order": [], "time_unit": None}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (word.strip() for word in part.partition("="))
        if not equals or name not in OPTIONS:
            raise BindingError(f"'{part}' is none of {', '.join(f'{name}=…' for name in OPTIONS)}: {USAGE}")
        if name == "order":
            options["order"].append(value)
        elif name == "shards" and not (value.isdecimal() and int(value) > 0):
            raise BindingError(f"shards= is a positive number, not '{value}'")
        else:
            options[name] = value
    if options["time"] is None:
        raise BindingError(f"the binding names no time column: {USAGE}")
    return options
