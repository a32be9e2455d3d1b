"""Cepheid on Spark: the same query over a DataFrame, batch or streaming, Classic or Connect."""

from __future__ import annotations

from cepheid.errors import MissingExtraError

try:
    import pyspark  # noqa: F401
except ImportError:
    raise MissingExtraError("cepheid.spark", "spark") from None

from cepheid.runners.spark.files import match_files
from cepheid.runners.spark.later import match_profiles, match_xml
from cepheid.runners.spark.match import match
from cepheid.runners.spark.sql import register
from cepheid.runners.spark.workload import match_workload

__all__ = ["match", "match_files", "match_profiles", "match_workload", "match_xml", "register"]
