"""Kafka for real: `python -m tests.spark.kafka`, or `make test-kafka`.

A broker starts on loopback, payments are produced in two halves, and examples/kafka_stream.py is run after
each, the second time from its checkpoint. The alarms on the output topic are those of an embedded run.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import SparkSession

import cepheid
from cepheid.runners.spark.start import QUIET, local_session
from tests.spark.kafka_broker import broker
from tests.spark.kafka_jars import ROOT, SPARK_HOME, NoJars, broker_jars, connector_jars

EXAMPLE = ROOT / "examples" / "kafka_stream.py"
PAYMENTS, CARDS = 6_000, 40
START = 1_760_000_000_000_000  # microseconds
LATER = 3600 * 1_000_000

Message = tuple[str | None, str]


def main() -> None:
    """Fetch, start, produce, match, compare."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the broker ends, too
    try:
        runs, (version, jars) = broker_jars(), connector_jars()
    except NoJars as missing:
        print(f"skipped: jars cannot be had from Maven Central: {missing}")
        return
    print(f"Kafka 4.1.1, and Spark's connector {version}", flush=True)
    with tempfile.TemporaryDirectory(prefix="cepheid-kafka-") as name, broker(runs, Path(name)) as address:
        print(f"a broker at {address}", flush=True)
        spark = local_session("kafka test", settings={"spark.jars": ",".join(map(str, jars))})
        sent = payments()
        half = sent.num_rows // 2
        produce(spark, address, [*messages(sent.slice(0, half)), (None, "this is no payment")])
        run_example(address, jars, Path(name))
        some = len(alarms(spark, address))
        print(f"  {some} alarms after the first half", flush=True)
        produce(spark, address, messages(sent.slice(half)))
        run_example(address, jars, Path(name))
        compare(alarms(spark, address), embedded(sent))
        assert some > 0, "the first half has alarms too"
        spark.stop()


def payments() -> pa.Table:
    """Payments in the order of time; the last one is an hour later, which ends the wait for late ones."""
    rng = np.random.default_rng(5)
    times = START + np.arange(PAYMENTS) * 500_000
    times[-1] += LATER
    return pa.table(
        {
            "time": pa.array(times, pa.timestamp("us", "UTC")),
            "kind": ["payment"] * PAYMENTS,
            "card": np.char.add("card-", rng.integers(0, CARDS, PAYMENTS).astype(str)),
            "amount": np.round(np.where(rng.random(PAYMENTS) < 0.1, 1, 1000) * rng.random(PAYMENTS), 2),
            "country": rng.choice(["AT", "DE", "FR"], PAYMENTS),
        }
    )


def messages(table: pa.Table) -> list[Message]:
    """Each payment as JSON; its key is the card, which keeps those of a card in their order."""
    return [(row["card"], json.dumps(row | {"time": row["time"].isoformat()})) for row in table.to_pylist()]


def produce(spark: SparkSession, address: str, values: list[Message]) -> None:
    """To the topic, which has two partitions."""
    rows = spark.createDataFrame(values, "key string, value string").coalesce(1)
    rows.write.format("kafka").option("kafka.bootstrap.servers", address).option("topic", "payments").save()
    print(f"produced {len(values):,} messages", flush=True)


def run_example(address: str, jars: list[Path], folder: Path) -> None:
    """As a user submits it, but for the jars, which are here already."""
    command = [
        *(SPARK_HOME / "bin" / "spark-submit", "--master", "local[2]"),
        *("--jars", ",".join(map(str, jars))),
        *("--conf", "spark.ui.enabled=false"),
        *("--driver-java-options", f"-Dlog4j2.configurationFile={QUIET.as_uri()}"),
        *(EXAMPLE, address, "payments", "alarms", folder / "checkpoint", "--once"),
    ]
    environment = os.environ | {"SPARK_HOME": str(SPARK_HOME), "PYSPARK_PYTHON": sys.executable}
    print("running examples/kafka_stream.py …", flush=True)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode != 0:
        raise RuntimeError(f"the example failed:\n{done.stderr[-6000:]}")
    for line in done.stderr.splitlines():
        if "took no part" in line:
            print(f"  {line}", flush=True)


def alarms(spark: SparkSession, address: str) -> list[tuple[str, dict[str, Any]]]:
    """What is on the output topic, by key."""
    reading = spark.read.format("kafka").option("kafka.bootstrap.servers", address)
    rows = reading.option("subscribe", "alarms").load().selectExpr("string(key)", "string(value)").collect()
    return sorted((row[0], json.loads(row[1])) for row in rows)


def embedded(sent: pa.Table) -> dict[str, tuple[str, float]]:
    """Each match in one process: its id, card and amount."""
    query = runpy.run_path(str(EXAMPLE))["QUERY"]
    found = cepheid.query(query).run(sent, time="time", type="kind")
    return {row["match_id"]: (row["card"], row["amount"]) for row in found}


def compare(found: list[tuple[str, dict[str, Any]]], wanted: dict[str, tuple[str, float]]) -> None:
    """Fail where the topic has other alarms."""
    assert len(found) == len(wanted), f"{len(found)} alarms on the topic, {len(wanted)} in one process"
    for key, value in found:
        assert key == value["match_id"]
        assert wanted[key] == (value["card"], value["amount"]), f"{value} is not {wanted[key]}"
    print(f"the topic has the {len(found)} alarms of one process, each once", flush=True)


if __name__ == "__main__":
    main()
