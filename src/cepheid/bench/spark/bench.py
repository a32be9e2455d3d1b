"""`cepheid bench spark`: what matching costs on Spark, beside Spark's own plumbing and what is written today.

A benchmark reports and never fails for being slow; it fails if contenders that should find the same
matches differ in their number. What is compared takes turns in one run, after discarded runs that start
the JVM's compiler and the workers and load the kernels: on a shared machine only ratios mean much. A ratio
is the median over the rounds, by the clock on the wall; the same by processor time (of the driver, the JVM
and all workers) stands beside it, for a machine that has other things to do.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from cepheid.bench.course import Experiments, measured, publish
from cepheid.bench.results import Report
from cepheid.bench.spark.sizes import FULL, QUICK, SparkSizes
from cepheid.bench.terminal import say
from cepheid.errors import MissingExtraError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from cepheid.bench.spark.ground import Ground


def experiments() -> Experiments[Ground]:
    """They need pyspark, which is imported no sooner."""
    from cepheid.bench.spark.against import selective_sequence, sequence_of_all
    from cepheid.bench.spark.batch import many_keys, plumbing, pushed_filters
    from cepheid.bench.spark.cores import cores
    from cepheid.bench.spark.streaming import costs, state, streams

    return (
        ("plumbing and files", plumbing),
        ("pushed filters", pushed_filters),
        ("many keys", many_keys),
        ("joins and loops: a selective sequence", selective_sequence),
        ("joins and loops: all rows", sequence_of_all),
        ("two cores", cores),
        ("streams", streams),
        ("state", state),
        ("what a shard costs", costs),
    )


def main(quick: bool, out: Path | None) -> None:
    """Measure, show the figures, and write a report if a folder is given."""
    try:
        import pyspark  # noqa: F401
    except ImportError:
        raise MissingExtraError("cepheid bench spark", "spark") from None
    publish(run(QUICK if quick else FULL), out)


def run(sizes: SparkSizes, spark: SparkSession | None = None) -> Report:
    """All experiments, one after the other, on a Spark of two cores unless one is given."""
    from cepheid.bench.spark.ground import CORES, SHARDS, Ground
    from cepheid.runners.spark.start import local_session

    say("starting Spark …")
    session = spark or local_session("cepheid bench", cores=CORES, shuffle_partitions=SHARDS)
    try:
        with tempfile.TemporaryDirectory() as folder:
            ground = Ground(session, Path(folder), sizes)
            return measured("Spark", sizes.mode, experiments(), ground, spark=session.version)
    finally:
        if spark is None:
            session.stop()
