"""Payments from a Kafka topic, matched as they arrive; alarms go to another topic.

    spark-submit --packages org.apache.spark:spark-sql-kafka-0-10_2.13:4.3.0 \\
        examples/kafka_stream.py localhost:9092 payments alarms checkpoint

A payment is a JSON message: {"time": "2026-01-31T09:00:00Z", "kind": "payment", "card": "…", "amount": 1.5,
"country": "AT"}. With --once, what is in the topic is matched and the job ends; the next run goes on from
the checkpoint.
"""

from __future__ import annotations

import argparse
import sys

QUERY = """
PATTERN SEQ(payment probe, payment theft)
WHERE   skip_till_next_match {
            [card]
            AND probe.amount < 2
            AND theft.amount > 500
            AND theft.country != probe.country
        }
WITHIN  10 min
RETURN  probe.card AS card, probe.time AS probed, theft.time AS at, theft.amount AS amount
"""
COLUMNS = "time timestamp, kind string, card string, amount double, country string"
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("brokers", "payments", "alarms", "checkpoint"):
        parser.add_argument(name)
    parser.add_argument("--once", action="store_true")
    if len(sys.argv) == 1:  # nothing to connect to
        parser.print_help()
        return
    watch(parser.parse_args())


def watch(asked: argparse.Namespace) -> None:
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as F

    from cepheid.spark import match

    spark = SparkSession.builder.appName("card alarms").getOrCreate()
    spark.conf.set("spark.sql.streaming.stateStore.providerClass", ROCKSDB)
    spark.conf.set("spark.sql.shuffle.partitions", "2")  # so many shards; about as many as there are cores

    messages = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", asked.brokers)
        .option("subscribe", asked.payments)
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", 1000)
        .load()
    )
    payments = messages.select(F.from_json(F.col("value").cast("string"), COLUMNS).alias("payment"))

    # The partitions of a topic run ahead of each other: payments may come up to a minute out of order.
    alarms = match(payments.select("payment.*"), QUERY, time="time", type="kind", lateness="1 min")

    # Kafka may get a message twice after a restart. Its key is the match's id, by which readers know it.
    answers = alarms.select(F.col("match_id").alias("key"), F.to_json(F.struct("*")).alias("value"))
    writing = (
        answers.writeStream.format("kafka")
        .option("kafka.bootstrap.servers", asked.brokers)
        .option("topic", asked.alarms)
        .option("checkpointLocation", asked.checkpoint)
    )
    query = (writing.trigger(availableNow=True) if asked.once else writing).start()
    query.awaitTermination()


if __name__ == "__main__":
    main()
