"""What a funnel gives back over a DataFrame: another one, which counts when an action asks for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cepheid.errors import BindingError
from cepheid.funnel_counts import FunnelCounts
from cepheid.runners.spark.funnel import step_table
from cepheid.runners.spark.given import spark_frame
from cepheid.spark import match_workload
from cepheid.workload import Workload


@dataclass(frozen=True, slots=True)
class FunnelFrame:
    """`.table` is a DataFrame of Spark with a row a step; `collect()` runs it, and has the picture."""

    table: Any
    keys: tuple[str, ...]
    asked: str = ""  # the funnel in words

    def collect(self) -> FunnelCounts:
        """Run the job, and hold the rows here."""
        return FunnelCounts(self.table.toArrow(), self.keys, self.asked)


def counted_frame(
    df: Any,
    queries: Workload,
    labels: tuple[str, ...],
    keys: tuple[str, ...],
    asked: str,
    terms: dict[str, Any],
) -> FunnelFrame:
    """The funnel of a finite DataFrame. No action is run."""
    if spark_frame(df, "run").isStreaming:
        raise BindingError(
            "a funnel counts users once, so its events have an end: over a stream, run it in foreachBatch "
            "over the table that the stream writes"
        )
    ways = match_workload(df, queries, **terms)
    names = [f"key_{place}" for place, _ in enumerate(keys, 1)]
    return FunnelFrame(step_table(ways, list(queries.queries), labels, names), keys, asked)
