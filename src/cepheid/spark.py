"""Cepheid on Spark: the same query over a DataFrame, batch or streaming, Classic or Connect."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from cepheid.errors import CepheidError, MissingExtraError

try:
    from pyspark.sql import DataFrame, SparkSession
except ImportError:
    raise MissingExtraError("cepheid.spark", "spark") from None

from cepheid.events import EventSchema, bind
from cepheid.plan.plan import QueryPlan
from cepheid.plan.workload.plan import united
from cepheid.profiles import planned_rows, planned_stream_rows
from cepheid.query import Query, query
from cepheid.runners.spark import sql
from cepheid.runners.spark.files import coded_columns, match_parquet
from cepheid.runners.spark.given import spark_frame, spark_session
from cepheid.runners.spark.match import match_planned
from cepheid.runners.spark.parquet import open_parquet
from cepheid.runners.spark.profile_streams import match_profile_stream
from cepheid.runners.spark.profiles import ProfileShards, match_profile_frames
from cepheid.runners.spark.schema import zoned_schema
from cepheid.runners.spark.xml import match_document_files, match_documents
from cepheid.runners.stream.terms import checked_limit, terms_for
from cepheid.workload import Workload, workload
from cepheid.xml import XmlPattern, xml

__all__ = [
    "match",
    "match_files",
    "match_profiles",
    "match_workload",
    "match_xml",
    "match_xml_files",
    "register",
]


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
    stream = bind(zoned_schema(spark_frame(df, "match")), time, type, order, time_unit)
    plan = _planned(q, stream)
    terms = terms_for(stream, lateness, on_late, on_bad, max_matches, max_state)
    return match_planned(df, plan, terms, shards=shards, divide=divide, side=side, push=push)


def match_files(
    spark: SparkSession,
    paths: str | Path | Sequence[str | Path],
    q: Query | str,
    *,
    time: str,
    type: str | None = None,
    order: Sequence[str] = (),
    time_unit: str | None = None,
    shards: int | None = None,
    divide: str | None = None,
    on_bad: str = "side",
    side: bool = False,
    max_matches: int | None = None,
    max_state: int | None = None,
) -> DataFrame:
    """The matches of a query in Parquet files and folders that every worker can read."""
    spark_session(spark, "match_files")
    files = open_parquet(paths)
    files = files.coded(coded_columns(_planned(q, bind(files.schema, time, type, order, time_unit))))
    stream = bind(files.schema, time, type, order, time_unit)
    terms = terms_for(stream, 0, "side", on_bad, max_matches, max_state)
    return match_parquet(spark, files, _planned(q, stream), terms, shards=shards, divide=divide, side=side)


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
    stream = bind(zoned_schema(spark_frame(df, "match_workload")), time, type, order, time_unit)
    plan = united(named.plan(stream))
    terms = terms_for(stream, lateness, on_late, on_bad, max_matches, max_state)
    return match_planned(df, plan, terms, shards=shards, side=side, push=push)


def register(spark: SparkSession) -> None:
    """Make the table function `cepheid_match` known to a session's SQL."""
    sql.register(spark_session(spark, "register"), _planned)


def match_profiles(
    df: DataFrame,
    profiles_df: DataFrame,
    *,
    time: str,
    type: str | None = None,
    order: Sequence[str] = (),
    time_unit: str | None = None,
    shards: int | None = None,
    lateness: Any = 0,
    on_late: str = "side",
    on_bad: str = "side",
    max_matches: int | None = None,
    max_state: int | None = None,
) -> DataFrame:
    """What the profiles of a DataFrame tell of the events of another, batch or streaming: `profile`,
    `match_id`, `time`, `match`.

    Its columns are `profile`, `query`, and if wanted `select` (JSON), `consume`, `once` and `timezone`. The
    profiles are divided among the shards, and events are copied to those that may want them. A stream reads
    the profiles in its first micro-batch, and goes on with them from its checkpoint."""
    stream = bind(zoned_schema(spark_frame(df, "match_profiles")), time, type, order, time_unit)
    terms = terms_for(stream, lateness, on_late, on_bad, max_matches, max_state)
    given = spark_frame(profiles_df, "match_profiles")
    count = None if shards is None else checked_limit("shards", shards)
    if df.isStreaming:
        return match_profile_stream(df, given, ProfileShards(stream, terms, planned_stream_rows), count)
    return match_profile_frames(df, given, ProfileShards(stream, terms, planned_rows), count)


def match_xml(df: DataFrame, x: XmlPattern | str, column: str, key: str | Sequence[str] = ()) -> DataFrame:
    """The nodes that a tree pattern returns in the documents of a column, one a row, as texts or binary: the
    columns of `x.run(…).table`, after those of `key`, which tell whose they are."""
    keys = [key] if isinstance(key, str) else list(key)
    return match_documents(spark_frame(df, "match_xml"), _reading(x), column, keys)


def match_xml_files(
    spark: SparkSession, paths: str | Path | Sequence[str | Path], x: XmlPattern | str
) -> DataFrame:
    """The same in files that every worker can read, with the `path` of each; folders and globs mean their
    files."""
    several = [paths] if isinstance(paths, str | Path) else list(paths)
    return match_document_files(spark_session(spark, "match_xml_files"), _reading(x), several)


def _reading(x: XmlPattern | str) -> Callable[[Any], pa.Table]:
    asked = xml(x) if isinstance(x, str) else x
    if not isinstance(asked, XmlPattern):
        raise CepheidError(f"a tree pattern is a text or made by cepheid.xml(…), not {asked!r}")
    return asked.rows


def _planned(q: Query | str, stream: EventSchema) -> QueryPlan:
    """The plan of a query, or of a query's text."""
    asked = query(q) if isinstance(q, str) else q
    if not isinstance(asked, Query):
        raise CepheidError(f"a query is a text or made by cepheid.query(…), not {asked!r}")
    return asked.plan(stream)
