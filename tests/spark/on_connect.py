"""Everything once on Spark Connect, in a process of its own: one process holds one kind of session."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import pyarrow.parquet as pq
from pyspark.sql import SparkSession

import cepheid
from cepheid.runners.spark.java import ensure_java
from cepheid.runners.spark.streaming import PROVIDER, ROCKSDB
from cepheid.spark import match, match_files, register
from tests.spark.streams import BINDING, QUERIES, embedded_ids, events, ids


def connected() -> SparkSession:
    """A session whose driver is a server."""
    ensure_java()
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.remote("local[2]")
    settings = {PROVIDER: ROCKSDB, "spark.sql.shuffle.partitions": "2", "spark.ui.enabled": "false"}
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def main() -> None:
    spark = connected()
    assert "connect" in type(spark).__module__, "this is not Spark Connect"
    table = events(900)
    folder = Path(tempfile.mkdtemp())
    for number in range(3):
        pq.write_table(table.slice(number * 300, 300), folder / f"{number}.parquet")
        os.utime(folder / f"{number}.parquet", (number, number))  # a stream reads the oldest first
    df = spark.read.parquet(str(folder))
    for text in (QUERIES[0], QUERIES[2]):
        wanted = embedded_ids(table, text, **BINDING)
        assert wanted
        assert ids(match(df, text, **BINDING)) == wanted, "match"
        assert ids(match_files(spark, folder, text, **BINDING)) == wanted, "match_files"
    register(spark)
    df.createOrReplaceTempView("trades")
    sql = f"SELECT match_id FROM cepheid_match(TABLE(trades), '{QUERIES[0]}', 'time=ts,type=kind,order=seq')"
    assert ids(spark.sql(sql)) == embedded_ids(table, QUERIES[0], **BINDING), "SQL"
    assert "divided by keys" in str(cepheid.query(QUERIES[0]).explain(df, **BINDING)), "explain"
    stream = spark.readStream.schema(df.schema).option("maxFilesPerTrigger", 1).parquet(str(folder))
    out = folder.parent / f"{folder.name}-out"
    started = (
        match(stream, QUERIES[0], **BINDING, shards=2)
        .writeStream.format("parquet")
        .option("checkpointLocation", str(folder.parent / f"{folder.name}-checkpoint"))
        .trigger(availableNow=True)
        .start(str(out))
    )
    started.awaitTermination()
    assert ids(spark.read.parquet(str(out))) == embedded_ids(table, QUERIES[0], **BINDING), "streaming"
    print("match, match_files, SQL, explain and streaming agree on Spark Connect")


if __name__ == "__main__":
    main()
