"""What is submitted to the cluster: the same query over a history, and over a stream.

Arguments: batch or stream, the folder of events, the folder for results, the zip of kernels.
"""

from __future__ import annotations

import sys
import threading
import time

from pyspark.sql import SparkSession

from cepheid.spark import match, match_files

QUERY = """
PATTERN SEQ(stock a, stock b)
WHERE skip_till_next_match { [symbol] AND b.price > a.price + 2 }
WITHIN 2000
"""
BINDING = {"time": "time", "type": "type"}
SHARDS = 16


def main() -> None:
    """Run one of the two."""
    what, events, results, kernels = sys.argv[1:]
    spark = SparkSession.builder.appName(f"cepheid cluster test, {what}").getOrCreate()
    spark.addArtifacts(kernels, pyfile=True)  # the executors compile none
    {"batch": batch, "stream": stream}[what](spark, events, results)
    spark.stop()


def batch(spark: SparkSession, events: str, results: str) -> None:
    """By `match` and by `match_files`; what it is about to do, and how far it is, is printed."""
    watched = threading.Thread(target=tell_tasks, args=[spark], daemon=True)
    watched.start()
    found = match(spark.read.parquet(events), QUERY, **BINDING, shards=SHARDS)
    found.select("match_id").write.parquet(f"{results}/match")
    print("match is done", flush=True)
    files = match_files(spark, events, QUERY, **BINDING, shards=SHARDS)
    files.select("match_id").write.parquet(f"{results}/match_files")
    print("match_files is done", flush=True)


def tell_tasks(spark: SparkSession) -> None:
    """How many tasks of the stage that matches are done."""
    tracker = spark.sparkContext.statusTracker()
    while True:
        for stage in tracker.getActiveStageIds():
            info = tracker.getStageInfo(stage)
            if info is not None and info.numTasks == SHARDS:
                print(f"tasks {info.numCompletedTasks}", flush=True)
        time.sleep(0.1)


def stream(spark: SparkSession, events: str, results: str) -> None:
    """A file of events to a micro-batch; the number of each is printed when it is done."""
    schema = spark.read.parquet(events).schema
    files = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(events)
    found = match(files, QUERY, **BINDING).select("match_id")
    sink = found.writeStream.format("parquet").option("checkpointLocation", f"{results}/checkpoint")
    query = sink.trigger(availableNow=True).start(f"{results}/stream")
    told = -1
    while query.isActive:
        done = query.lastProgress
        if done is not None and done["batchId"] > told:
            told = done["batchId"]
            print(f"micro-batch {told}", flush=True)
        time.sleep(0.1)
    query.awaitTermination()
    print("stream is done", flush=True)


if __name__ == "__main__":
    main()
