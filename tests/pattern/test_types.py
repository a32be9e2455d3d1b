"""The type of every expression."""

from __future__ import annotations

import pyarrow as pa
import pytest

from cepheid.events import bind
from cepheid.language.sase.parse import parse_conditions
from cepheid.pattern.types import ValueType, type_of, value_type

SCHEMA = bind(
    pa.schema(
        [
            ("t", pa.timestamp("ns", "UTC")),
            ("i", pa.int16()),
            ("u", pa.uint64()),
            ("f", pa.float32()),
            ("s", pa.large_string()),
            ("b", pa.bool_()),
            ("gap", pa.duration("ms")),
            ("clock", pa.time32("s")),
        ]
    ),
    time="t",
)

KINDS = [
    (pa.bool_(), ValueType.BOOL),
    (pa.uint8(), ValueType.INT),
    (pa.float16(), ValueType.FLOAT),
    (pa.decimal128(5, 2), ValueType.FLOAT),
    (pa.dictionary(pa.int8(), pa.string()), ValueType.STRING),
    (pa.string_view(), ValueType.STRING),
    (pa.date64(), ValueType.TIMESTAMP),
    (pa.timestamp("s"), ValueType.TIMESTAMP),
    (pa.duration("s"), ValueType.DURATION),
    (pa.time64("us"), ValueType.TIME),
    (pa.null(), ValueType.NULL),
    (pa.binary(), None),
    (pa.list_(pa.int64()), None),
    (pa.struct([("x", pa.int64())]), None),
]


@pytest.mark.parametrize(("kind", "expected"), KINDS, ids=[str(kind) for kind, _ in KINDS])
def test_value_type(kind: pa.DataType, expected: ValueType | None) -> None:
    assert value_type(kind) is expected


TYPES: dict[ValueType, list[str]] = {
    ValueType.INT: [
        "v.i",
        "v.u",
        "v.i + v.i",
        "v.i % 2",
        "v.i + NULL",
        "-v.i",
        "k.len",
        "count(k)",
        "sum(k.i)",
        "abs(v.i)",
        "floor(v.i)",
        "length(v.s)",
        "hour(v.time)",
    ],
    ValueType.FLOAT: [
        "v.f",
        "80%",
        "v.i + v.f",
        "v.i / v.i",
        "v.f % 2",
        "NULL / NULL",
        "-v.f",
        "sum(k.f)",
        "avg(k.i)",
        "collect(k.f)",
        "abs(v.f)",
        "round(v.f)",
        "sqrt(v.i)",
    ],
    ValueType.STRING: ["v.s", "min(k.s)", "upper(v.s)"],
    ValueType.BOOL: [
        "v.b",
        "v.time - v.time < v.gap",
        "v.clock < '17:00'",
        "first(k.b)",
        "v.s LIKE 'a'",
        "v.i IS NULL",
        "NOT v.b",
        "v.i IN (1, 2.5, NULL)",
        "v.b AND NULL OR v.b",
    ],
    ValueType.DURATION: ["v.gap", "5 min", "v.time - v.time", "v.gap - 5 min"],
    ValueType.TIMESTAMP: [
        "v.time",
        "v.time - 5 min",
        "5 min + v.time",
        "last(k[..i-1].time)",
        "first_time()",
    ],
    ValueType.TIME: ["v.clock", "time_of_day(v.time)"],
    ValueType.NULL: ["NULL", "NULL + NULL"],
}


@pytest.mark.parametrize(
    ("text", "expected"), [(text, kind) for kind, texts in TYPES.items() for text in texts]
)
def test_type_of(text: str, expected: ValueType) -> None:
    _, (expression,) = parse_conditions(text)
    assert type_of(expression, SCHEMA) is expected
