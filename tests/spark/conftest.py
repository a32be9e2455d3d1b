"""One Spark for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from cepheid.runners.spark.start import local_session


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    session = local_session("cepheid tests", cores=2, shuffle_partitions=2, is_short=True)
    yield session
    session.stop()
