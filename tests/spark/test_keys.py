"""Events of one key go to one shard, whatever the key's type."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from cepheid.runners.spark.keys import shards_of


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([True, False], pa.bool_()),
        ([1, -1], pa.int8()),
        ([2**64 - 1, 0], pa.uint64()),
        ([0.5, 1.5], pa.float32()),
        (np.array([0.5, 1.5], np.float16), pa.float16()),
        (["a", "ü"], pa.string()),
        (["a", "b"], pa.dictionary(pa.int8(), pa.string())),
        ([b"a", b"b"], pa.binary()),
        ([date(2024, 1, 1), date(2024, 1, 2)], pa.date32()),
        ([timedelta(1), timedelta(2)], pa.duration("us")),
        ([Decimal("1.5"), Decimal("2.5")], pa.decimal128(5, 2)),
    ],
    ids=str,
)
def test_equal_keys_meet(values: Any, kind: pa.DataType) -> None:
    one, other = values
    column = pa.array([one, other, None, one, None, other], kind)
    shards = shards_of(pa.table({"k": column}), ("k",), 1000)
    assert shards[0] == shards[3] and shards[1] == shards[5] and shards[2] == shards[4]
    assert shards[0] != shards[1]


def test_zero_has_one_sign() -> None:
    shards = shards_of(pa.table({"k": [0.0, -0.0]}), ("k",), 1000)
    assert shards[0] == shards[1]
