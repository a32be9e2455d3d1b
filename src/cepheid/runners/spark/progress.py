"""What a stream tells of itself, in the progress of its streaming query."""

from collections import Counter
from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cepheid.plan.plan import Plan
from cepheid.runners.spark.frames import COUNTS, PROGRESS
from cepheid.runners.spark.lookout import SEEN
from cepheid.runners.spark.needed import Needed
from cepheid.runners.spark.stream_lookout import watch_stream

_times_named: Counter[str] = Counter()


def metrics_name(plan: Plan) -> str:
    """The key in `lastProgress.observedMetrics`: Spark refuses one that is there twice, and a streaming
    query may hold several of ours, even of one query."""
    name = f"cepheid_{plan.identity[:8]}"
    _times_named[name] += 1
    return name if _times_named[name] == 1 else f"{name}_{_times_named[name]}"


def observed(visited: DataFrame, plan: Plan, needed: Sequence[Needed]) -> DataFrame:
    """The same rows; their counts are summed up as they pass. What no event of a whole run had is told."""
    name = metrics_name(plan)
    watch_stream(visited.sparkSession, name, needed)
    is_progress = F.col("what") == PROGRESS
    of_shard = F.struct("shard", "state_bytes")
    return visited.observe(
        name,
        *(F.sum(name).alias(name) for name in COUNTS),
        F.max("state_bytes").alias("state_bytes_max"),
        F.map_from_entries(F.collect_list(F.when(is_progress, of_shard))).alias("state_bytes_by_shard"),
        F.max("watermark").alias("watermark"),
        F.bit_or("seen").alias(SEEN),
    )
