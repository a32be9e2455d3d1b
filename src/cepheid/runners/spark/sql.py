"""`cepheid_match(TABLE(trades), 'PATTERN …', 'time=ts,type=kind')`: matching as a table function of SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql import types as st
from pyspark.sql.functions import udtf
from pyspark.sql.udtf import AnalyzeArgument, AnalyzeResult, PartitioningColumn, SelectedColumn

from cepheid.errors import BindingError, CepheidError
from cepheid.events import EventSchema, bind
from cepheid.plan.events.division import By, divided
from cepheid.plan.plan import Plan
from cepheid.runners.spark.assignment import Assignment
from cepheid.runners.spark.schema import arrow_schema, spark_schema
from cepheid.runners.spark.share import share_rows
from cepheid.runners.spark.ticks import quoted
from cepheid.runners.spark.zone import refuse_other_zone, session_zone
from cepheid.runners.stream.terms import Terms

NAME = "cepheid_match"
OPTIONS = ("time", "type", "order", "time_unit", "shards", "on_bad")
USAGE = f"{NAME}(TABLE(events), 'PATTERN …', 'time=ts,type=kind')"
SHARDS = 16
"""Into how many groups the keys of a table are put, unless `shards=` says otherwise."""

CHUNK = 1 << 16
"""How many rows are held as Python objects before they become columns."""


Planned = Callable[[str, EventSchema], Plan]
"""The plan of a query's text over a stream."""


def register(spark: SparkSession, planned: Planned) -> None:
    """Make the table function `cepheid_match` known to a session's SQL."""

    zone = session_zone(spark)

    class CepheidMatch(TableFunction):
        @staticmethod
        def analyze(events: AnalyzeArgument, query: AnalyzeArgument, binding: AnalyzeArgument) -> Analysis:
            return analysis(events, query, binding, planned, zone)

    spark.udtf.register(NAME, udtf(CepheidMatch))  # type: ignore[arg-type]


@dataclass
class Analysis(AnalyzeResult):
    """What Spark asks for before it runs the function, and what the workers then need."""

    assigned: Assignment | None = None
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
    way = divided(plan)
    keys = ", ".join(quoted(name) for name in way.keys)
    by_keys = [PartitioningColumn(f"pmod(hash({keys}), {shards})")] if way.by is By.KEYS else []
    return Analysis(
        spark_schema(assigned.results),
        withSinglePartition=not by_keys,
        partitionBy=by_keys,
        select=[_selected(events.dataType[name]) for name in plan.needed],
        assigned=assigned,
        zone=zone,
    )


class TableFunction:
    """Rows of events in, rows of matches out, one instance to a group of keys."""

    def __init__(self, analysis: Analysis) -> None:
        assert analysis.assigned is not None
        refuse_other_zone(analysis.zone)
        self._assigned = analysis.assigned
        self._rows: list[Any] = []
        self._tables: list[pa.Table] = []

    def eval(self, events: st.Row, query: str, binding: str) -> None:
        """Take in one event."""
        self._rows.append(events)
        if len(self._rows) == CHUNK:
            self._gather()

    def terminate(self) -> Iterator[tuple[Any, ...]]:
        """All matches, once all events of the group are there."""
        self._gather()
        for batch in share_rows(self._assigned, pa.concat_tables(self._tables), ranges=None):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)

    def _gather(self) -> None:
        columns = []
        for place, field in enumerate(self._assigned.events):
            values = [_plain(row[place]) for row in self._rows]
            sent = pa.int64() if pa.types.is_timestamp(field.type) else field.type
            columns.append(pa.array(values, sent).cast(field.type))
        self._tables.append(pa.Table.from_arrays(columns, schema=self._assigned.events))
        self._rows = []


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


def _selected(field: st.StructField) -> SelectedColumn:
    """Instants travel as microseconds, since Python would read them in a worker's own time zone."""
    name = quoted(field.name)
    if isinstance(field.dataType, st.TimestampType):
        return SelectedColumn(f"unix_micros({name})", field.name)
    if isinstance(field.dataType, st.TimestampNTZType):
        epoch = "TIMESTAMP_NTZ '1970-01-01 00:00:00'"
        return SelectedColumn(f"timestampdiff(MICROSECOND, {epoch}, {name})", field.name)
    return SelectedColumn(name)


def _plain(value: Any) -> Any:
    """A nested row as a dict, which Arrow reads by the names of its parts."""
    if isinstance(value, st.Row):
        return {name: _plain(part) for name, part in value.asDict().items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    return value
