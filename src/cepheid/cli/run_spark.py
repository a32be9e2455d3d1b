"""`cepheid run --spark`: the same files, query and output, found by the workers of Spark."""

from __future__ import annotations

import os
import re
import socket
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from cepheid.cli.columns import Binding
from cepheid.cli.deliver import Showing, deliver
from cepheid.cli.query_text import UNNAMED
from cepheid.cli.refuse import misuse
from cepheid.cli.run import Limits
from cepheid.cli.say import say
from cepheid.cli.show import say_stats, say_unused
from cepheid.cli.spark_failure import telling_spark_failures
from cepheid.cli.time_order import in_time_order
from cepheid.errors import CepheidError
from cepheid.events import bind
from cepheid.query import Query
from cepheid.runners.stream.intake import take_in
from cepheid.runners.stream.side import SideOutput
from cepheid.sources.paths import ending_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SIDE = "side"
CLUSTER = re.compile(r"(spark|sc)://")
REACHED_WITHIN = 10  # seconds


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where Spark runs, and in how many parts the work is divided."""

    master: str = "local[*]"
    shards: int | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """The matches as a DataFrame that nothing has run yet, and what is known of the events."""

    found: DataFrame
    events: int
    time: str
    unread: SideOutput


def run_query_on_spark(
    q: Any, paths: list[str], binding: Binding, limits: Limits, showing: Showing, cluster: Cluster
) -> int:
    """Run one query over files on Spark and show or write its matches; how many there are."""
    if not isinstance(q, Query):
        misuse("--spark runs one query; several are run on Spark with cepheid.spark.match_workload")
    arguments = limits.given() | {"shards": cluster.shards, "side": True}
    ask = _ask_parquet if all(_is_parquet(path) for path in paths) else _ask_others
    with telling_spark_failures():
        asked = ask(cluster.master, q, paths, binding, arguments, showing.format)
        started = time.perf_counter()
        rows = asked.found.toArrow()
    seconds = time.perf_counter() - started
    table, bad = _parted(rows, asked.unread)
    deliver({UNNAMED: in_time_order(table, asked.time)}, showing)
    say_unused("bad", bad.count, bad.table)
    if showing.stats:
        say_stats(_stats(asked.events, table.num_rows, bad.count, seconds, cluster))
    return int(table.num_rows)


def _is_parquet(path: str) -> bool:
    """Folders and addresses such as s3://bucket/folder hold Parquet."""
    if "://" in path or os.path.isdir(path):
        return True
    return path != "-" and ending_of(path)[0] == ".parquet"


def _ask_parquet(
    master: str, q: Any, paths: list[str], binding: Binding, arguments: dict[str, Any], standard: str | None
) -> Asked:
    from cepheid.runners.spark.parquet import open_parquet
    from cepheid.spark import match_files

    files = open_parquet([path if "://" in path else os.path.abspath(path) for path in paths])
    columns = binding.filled(files.schema)
    unread = SideOutput("bad", arguments["on_bad"], files.schema)
    found = match_files(_session(master), files.paths, q, **columns, **arguments)
    return Asked(found, files.dataset.count_rows(), columns["time"], unread)


def _ask_others(
    master: str, q: Any, paths: list[str], binding: Binding, arguments: dict[str, Any], standard: str | None
) -> Asked:
    """Text and Arrow are read here, and only what the query needs goes on to the workers."""
    from cepheid.runners.spark.schema import row_schema, spark_schema
    from cepheid.runners.spark.zone import SETTING
    from cepheid.sources.files import open_events
    from cepheid.spark import match

    files = open_events(paths, standard=standard)
    columns = binding.filled(files.schema)
    q.plan(bind(files.schema, **columns))  # a mistake in the query is told before anything is read
    intake = take_in(files)
    table = pa.Table.from_batches(list(intake.batches), schema=intake.schema)
    unread = SideOutput("bad", arguments["on_bad"], intake.schema)
    unread.add_unread(intake.unreadable())
    rows = table.cast(row_schema(table.schema))
    session = _session(master, {SETTING: _zone(table.schema)})
    events = session.createDataFrame(rows, spark_schema(table.schema))
    return Asked(match(events, q, **columns, **arguments), table.num_rows, columns["time"], unread)


def _zone(columns: pa.Schema) -> str:
    """The zone of the columns that have one: Spark knows one for all, that of its session."""
    zones = sorted(
        {field.type.tz for field in columns if pa.types.is_timestamp(field.type) and field.type.tz}
    )
    if len(zones) > 1:
        raise CepheidError(
            f"the columns are in the time zones {', '.join(zones)}, and Spark shows all in one: "
            "write the events as Parquet, or run without --spark"
        )
    return zones[0] if zones else "UTC"


def _session(master: str, settings: dict[str, str] | None = None) -> SparkSession:
    from cepheid.runners.spark.start import session_on

    _reach(master)
    say("starting Spark …")
    bar = {"spark.ui.showConsoleProgress": "true"} if sys.stderr.isatty() else {}
    return session_on(master, "cepheid run", settings=bar | (settings or {}))


def _reach(master: str) -> None:
    """Spark would try for minutes to reach a server that is not there."""
    servers = re.findall(r"([\w.-]+):(\d+)", master.partition("://")[2]) if CLUSTER.match(master) else []
    for host, port in servers:
        try:
            socket.create_connection((host, int(port)), timeout=REACHED_WITHIN).close()
            return
        except OSError:
            continue
    if servers:
        raise CepheidError(f"no Spark answers at {master}: is the server running, and is the port right?")


def _parted(rows: pa.Table, bad: SideOutput) -> tuple[pa.Table, SideOutput]:
    """The matches, and the events that took no part."""
    side = rows.column(SIDE)
    unused = side.filter(side.is_valid())
    if len(unused):
        reasons = pc.struct_field(unused, "reason").to_pylist()
        bad.add(pa.Table.from_pylist([{}] * len(unused), schema=pa.schema(list(bad.schema)[:-1])), reasons)
    return rows.filter(side.is_null()).drop([SIDE]), bad


def _stats(events: int, matches: int, bad: int, seconds: float, cluster: Cluster) -> dict[str, Any]:
    return {
        "events": events,
        "matches": matches,
        "bad": bad,
        "seconds": seconds,
        "events_per_second": round(events / seconds),
        "master": cluster.master,
        "shards": cluster.shards or "by size",
    }
