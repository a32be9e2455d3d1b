"""What a stream tells of itself, in the progress of its streaming query."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cepheid.plan.nodes import NfaPlan
from cepheid.runners.spark.visits import COUNTS, PROGRESS


def metrics_name(plan: NfaPlan) -> str:
    """The key in `lastProgress.observedMetrics`: one streaming query may hold several of ours."""
    return f"cepheid_{plan.identity[:8]}"


def observed(visited: DataFrame, name: str) -> DataFrame:
    """The same rows; what they count is summed up as they pass."""
    is_progress = F.col("what") == PROGRESS
    of_shard = F.struct("shard", "state_bytes")
    return visited.observe(
        name,
        *(F.sum(name).alias(name) for name in COUNTS),
        F.max("state_bytes").alias("state_bytes_max"),
        F.map_from_entries(F.collect_list(F.when(is_progress, of_shard))).alias("state_bytes_by_shard"),
        F.max("watermark").alias("watermark"),
    )
