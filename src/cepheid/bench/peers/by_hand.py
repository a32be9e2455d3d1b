"""What people write on Spark without a pattern language: joins over buckets of time, and the least of what is
joined where only the next counts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from cepheid.bench.peers.peer import Peer, PeerGround, ReadyPeer
from cepheid.bench.peers.skipped import PeerSkippedError
from cepheid.errors import CepheidError

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

WINDOW = 10_000  # milliseconds


@contextmanager
def _pyspark(ground: PeerGround) -> Iterator[ReadyPeer]:
    try:
        import pyspark

        from cepheid.runners.spark.start import local_session
    except ImportError:
        raise PeerSkippedError("import pyspark", "it is not installed") from None
    path = str(ground.folder / "events.parquet")
    pq.write_table(ground.events, path)
    try:
        spark = local_session("cepheid bench peers", cores=1, shuffle_partitions=2)
    except CepheidError as error:
        raise PeerSkippedError("start of Spark", str(error)) from None
    try:
        held = _in_milliseconds(spark.read.parquet(path))
        asked = {"QA any": _any, "QA next": _next, "QB": _third}
        runs = {name: partial(_count, rows(held)) for name, rows in asked.items()}
        yield ReadyPeer(pyspark.__version__, runs, partial(_read, held))
    finally:
        spark.stop()


def _in_milliseconds(events: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F

    time = F.unix_micros(F.col("ts").cast("timestamp")) / 1000
    return events.select("symbol", "kind", "price", time.cast("long").alias("ts"))


def _count(rows: DataFrame) -> int:
    from pyspark.sql import functions as F

    told = rows.agg(F.count("*").alias("n"), F.sum("first"), F.sum("last")).collect()
    return int(told[0]["n"])


def _read(events: DataFrame) -> int:
    from pyspark.sql import functions as F

    told = events.agg(F.count("kind").alias("n"), F.sum("ts"), F.sum("price"), F.max("symbol")).collect()
    return int(told[0]["n"])


def _step(events: DataFrame, name: str, over: float = 0.0) -> DataFrame:
    from pyspark.sql import functions as F

    of_kind = events.where((F.col("kind") == name.upper()) & (F.col("price") > over))
    return of_kind.select("symbol", F.col("ts").alias(name), F.col("price").alias(f"price_{name}"))


def _joined(begun: DataFrame, step: DataFrame, after: str, name: str, fits: Column) -> DataFrame:
    """An event of the next step within the window of the first lies in its bucket, or in the next one."""
    from pyspark.sql import functions as F

    first = F.floor(F.col("a") / WINDOW)
    copied = begun.withColumn("bucket", F.explode(F.array(first, first + 1)))
    there = step.withColumn("bucket", F.floor(F.col(name) / WINDOW))
    in_time = (F.col(name) > F.col(after)) & (F.col(name) - F.col("a") <= WINDOW)
    return copied.join(there, ["symbol", "bucket"]).where(in_time & fits).drop("bucket")


def _pairs(events: DataFrame, over: float = 0.0) -> DataFrame:
    from pyspark.sql import functions as F

    above = F.col("price_b") > F.col("price_a")
    return _joined(_step(events, "a", over), _step(events, "b"), "a", "b", above)


def _any(events: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F

    return _pairs(events).select("symbol", F.col("a").alias("first"), F.col("b").alias("last"))


def _next(events: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F

    return _pairs(events).groupBy("symbol", F.col("a").alias("first")).agg(F.min("b").alias("last"))


def _third(events: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F

    second = _pairs(events, 800).groupBy("symbol", "a", "price_a").agg(F.min("b").alias("b"))
    below = F.col("price_c") < F.col("price_a")
    joined = _joined(second, _step(events, "c"), "b", "c", below)
    return joined.groupBy("symbol", F.col("a").alias("first")).agg(F.min("c").alias("last"))


PYSPARK = Peer(
    "PySpark by hand",
    "self-joins over buckets of the window, and the earliest where only the next counts; from Parquet, whose "
    "reading is taken off; one core",
    _pyspark,
)
