"""What is no DataFrame or session of Spark is refused at every door, with what to do instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from cepheid.errors import BindingError
from cepheid.spark import match, match_files, match_workload, register

FRAME = pd.DataFrame({"t": [1, 2]})
QUERY = "PATTERN ANY a"

REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "match": (lambda: match(FRAME, QUERY, time="t"), r"not pandas.DataFrame: spark.createDataFrame.*q.run"),
    "match of Arrow": (lambda: match(pa.table({"t": [1]}), QUERY, time="t"), "not pyarrow.Table"),
    "match of a path": (lambda: match("events.parquet", QUERY, time="t"), "not str: .*spark.read"),
    "match_workload": (lambda: match_workload(FRAME, {"q": QUERY}, time="t"), "spark.createDataFrame"),
    "match_files": (lambda: match_files(FRAME, "a.parquet", QUERY, time="t"), "a session of Spark first"),
    "register": (lambda: register(FRAME), "a session of Spark first, not pandas.DataFrame"),
}


@pytest.mark.parametrize(("call", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_other_things_are_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(BindingError, match=message):
        call()
