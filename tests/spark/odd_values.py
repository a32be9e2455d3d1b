"""Events of odd values, and conditions on them: nulls, NaN, infinities, the ends of ranges, odd texts."""

from __future__ import annotations

import math
import random
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa

NAN, INF = math.nan, math.inf
MOST, LEAST = 2**63 - 1, -(2**63)
NOON = datetime(2024, 5, 1, 12)

ODD: dict[str, tuple[pa.DataType, list[Any]]] = {
    "b": (pa.bool_(), [True, False, None]),
    "i8": (pa.int8(), [0, 1, -1, 127, -128, None]),
    "i32": (pa.int32(), [0, 1, 5, -5, 2**31 - 1, -(2**31), None]),
    "x": (pa.int64(), [0, 1, 5, -5, 7, 2**53 + 1, 2**62, MOST, LEAST, LEAST + 1, None]),
    "z": (pa.int64(), [0, 1, 2, 3, -1, MOST, LEAST, None]),
    "r": (pa.float32(), [0.0, -0.0, 0.1, 0.5, -2.5, 16777216.0, INF, -INF, NAN, None]),
    "y": (pa.float64(), [0.0, -0.0, 0.1, 0.5, 1.0, 5.0, -2.5, 1e300, INF, -INF, NAN, None]),
    "w": (pa.float64(), [0.0, -0.0, 0.1, 5.0, 1e-300, INF, NAN, None]),
    "s": (pa.string(), ["", "a", "A", "ab", "b", "a\nb", "é", "🦀", "a%b", "a_b", "a\\b", "'", "ab ", None]),
    "u": (pa.string(), ["a", "ab", "é", "", None]),
    "d": (pa.date32(), [date(2024, 5, 1), date(2024, 4, 30), date(2024, 5, 2), date(1969, 12, 31), None]),
    "at": (
        pa.timestamp("us", "UTC"),
        [NOON, NOON + timedelta(microseconds=1), NOON - timedelta(hours=5), datetime(1970, 1, 1), None],
    ),
    "local": (
        pa.timestamp("us"),
        [NOON, NOON - timedelta(microseconds=1), NOON + timedelta(hours=5), datetime(1970, 1, 1), None],
    ),
    "m": (
        pa.decimal128(10, 2),
        [Decimal(n) for n in ("0", "0.10", "5.00", "5.01", "4.99", "-7.25")] + [None],
    ),
    "day": (pa.timestamp("us", "UTC"), [NOON, NOON + timedelta(days=1), None]),
}
ODD_IN_FILES: dict[str, tuple[pa.DataType, list[Any]]] = {
    "u8": (pa.uint8(), [0, 5, 255, None]),
    "u64": (pa.uint64(), [0, 5, MOST, None]),
    "coded": (pa.dictionary(pa.int32(), pa.string()), ["a", "ab", "é", None]),
    "long": (pa.large_string(), ["a", "ab", "é", None]),
    "seconds": (pa.timestamp("s"), [NOON, NOON + timedelta(seconds=1), None]),
    "fine": (pa.timestamp("ns"), [NOON, NOON + timedelta(microseconds=1), None]),
    "berlin": (pa.timestamp("ms", "Europe/Berlin"), [NOON, NOON + timedelta(milliseconds=1), None]),
    "d64": (pa.date64(), [date(2024, 5, 1), date(2024, 4, 30), None]),
    "tod": (pa.time64("us"), [time(12), time(13), None]),
}

CONDITIONS = [
    *(
        "v.b",
        "NOT v.b",
        "v.b = true",
        "v.b != true",
        "NOT (v.b = false)",
        "v.b IS NULL",
        "v.b IN (true, false)",
    ),
    *("v.i8 > 5", "v.i8 != 300", "v.i8 IN (1, 300)", "v.i32 >= 5", "v.i32 < 5000000000", "NOT v.i32 <= 1"),
    *(
        "v.x > 0.5",
        "v.x = 5.0",
        "v.x != 5.5",
        "v.x = 5.5",
        "v.x > 9007199254740993.0",
        "v.x <= 1e19",
        "v.x > -0.0",
    ),
    *(
        "v.x = 9007199254740993",
        "v.x NOT IN (1, 5)",
        "v.x NOT IN (1, null)",
        "v.x IN (1, null, 7)",
        "v.x IS NULL",
    ),
    *(
        "v.x BETWEEN 0 AND 5",
        "v.x NOT BETWEEN 0 AND 5",
        "v.x NOT BETWEEN null AND 5",
        "v.x > v.z",
        "v.x != v.i32",
    ),
    *(
        "v.x + 1 > 5",
        "NOT (v.x + 1 > 5)",
        "v.x * v.z > 3",
        "v.x - v.z != 0",
        "v.x / v.z > 1",
        "v.x % v.z = 1",
    ),
    *("v.x % 3 = -2", "-v.x < 5", "abs(v.x) >= 5", "abs(v.y) > 1", "v.x * 1.5 > 1", "NOT (v.x / 0 > 1)"),
    *("v.i32 * v.i32 > 10", "v.i8 + v.i8 > 200", "v.y + v.w > 1", "NOT (v.y - v.w > 0)", "v.y % v.w >= 0"),
    *("v.y > 0.5", "v.y >= 1", "v.y < 5", "v.y <= 0", "v.y = 0", "v.y != 5", "v.y = -0.0", "v.y IN (0, 5)"),
    *(
        "NOT (v.y > 1)",
        "NOT (v.y < 1)",
        "NOT (v.y >= 1)",
        "NOT (v.y <= 1)",
        "NOT (v.y = 1)",
        "NOT (v.y != 1)",
    ),
    *(
        "v.y NOT IN (1, 5)",
        "v.y NOT BETWEEN 0 AND 1",
        "v.y != v.y",
        "NOT (v.y = v.y)",
        "v.y = v.w",
        "v.y != v.w",
    ),
    *(
        "NOT (v.y < v.w)",
        "NOT (v.y > v.w)",
        "v.y <= v.w",
        "v.y IS NOT NULL",
        "v.r > 0.1",
        "v.r = 0.1",
        "v.r != 0.5",
    ),
    *(
        "v.r >= 16777217",
        "NOT (v.r > 0.1)",
        "v.r > v.y",
        "v.r = v.i32",
        "v.x < v.y",
        "v.x = v.y",
        "NOT (v.x > v.y)",
    ),
    *(
        "v.y IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)",
        "NOT (v.y > 1 AND v.x < 5)",
        "NOT (v.y > 1 OR v.x < 5)",
    ),
    *(
        "v.s = 'a'",
        "v.s != 'a'",
        "v.s < 'b'",
        "v.s >= 'é'",
        "v.s = ''",
        "v.s = 'ab '",
        "v.s IN ('a', 'é', '''')",
    ),
    *(
        "v.s NOT IN ('a', 'b')",
        "v.s LIKE 'a%'",
        "v.s NOT LIKE 'a%'",
        "v.s LIKE 'a_b'",
        "v.s LIKE '%b'",
        "v.s LIKE '_'",
    ),
    *(
        "v.s LIKE '%'",
        "v.s LIKE ''",
        "v.s LIKE 'a%b'",
        "v.s LIKE 'a\\%b'",
        "v.s NOT LIKE '%\\\\%'",
        "v.s = v.u",
    ),
    *("v.s > v.u", "lower(v.s) = 'a'", "length(v.s) > 1", "v.s LIKE 'a%' OR lower(v.s) = 'b'", "v.u IS NULL"),
    *(
        "length(v.s || v.u) % 2 = 1",
        "substr(v.s, 1, 1) = 'a'",
        "substr(v.s, -1, 1) >= 'é'",
        "NOT (substr(v.s, -3, 2) = 'a')",
        "substr(v.s, 0, 2) LIKE 'a%'",
        "substr(v.s, 2) = ''",
        "substr(v.s, 2, -1) = ''",
        "v.s || '-' || v.u != 'a-b'",
        "concat(v.s, substr(v.u, 2)) < 'b'",
    ),
    *(
        "coalesce(v.s, v.u) = 'a'",
        "coalesce(v.x, v.i32) > 5",
        "NOT (coalesce(v.x, 3) > 5)",
        "coalesce(v.y, 1) > 0.5",
        "NOT (coalesce(v.y, v.r) > 0.5)",
        "coalesce(v.x, v.y) >= 9007199254740992",
        "coalesce(v.y, v.x, 0) != 0",
        "3 < coalesce(v.x, 5)",
        "coalesce(v.s, 'a') IN ('a', 'b')",
        "coalesce(v.x, 0) BETWEEN 0 AND 5",
        "coalesce(v.s, NULL) = 'a'",
    ),
    *(
        "CASE WHEN v.y > 1 THEN 'a' WHEN v.x > 1 THEN v.s ELSE v.u END = 'a'",
        "CASE WHEN NOT (v.y > 1) THEN v.x END > 3",
        "NOT (CASE WHEN v.x > 1 THEN 1 ELSE 2.5 END = 1)",
        "CASE WHEN v.x IS NULL THEN 1 WHEN v.s LIKE 'a%' THEN 2 ELSE 3 END >= 2",
        "CASE WHEN lower(v.s) = 'a' THEN 1 END = 1",
        "CASE WHEN v.x > 1 THEN v.y > 0.5 ELSE v.s = 'a' END",
        "regexp_like(v.s, 'a') OR v.x > 3",
    ),
    *(
        "v.d > '2024-05-01'",
        "v.d >= '2024-05-01 00:00:00.000001'",
        "v.d < '2024-05-01 12:00'",
        "v.d = '2024-05-01'",
    ),
    *(
        "v.d != '2024-05-01 12:00'",
        "v.d = '2024-05-01 12:00'",
        "v.d <= '2024-05-01T23:59:59+05:00'",
        "v.d IS NULL",
    ),
    *(
        "v.d IN ('2024-05-01', '2024-05-02')",
        "NOT (v.d > '2024-04-30')",
        "v.d < '9999-12-31'",
        "v.d > '0001-01-01'",
    ),
    *(
        "v.at > '2024-05-01 12:00'",
        "v.at = '2024-05-01T14:00:00+02:00'",
        "v.at != '2024-05-01 12:00:00.000001'",
    ),
    *("v.at <= '1970-01-01'", "v.at IN ('2024-05-01 12:00', '1970-01-01')", "v.at = v.day", "v.at < v.day"),
    *(
        "NOT (v.at > '2024-05-01 07:00')",
        "v.at > v.local",
        "v.at = v.d",
        "v.at + 1 hour > '2024-05-01 13:00'",
    ),
    *(
        "v.local > '2024-05-01 12:00'",
        "v.local = '2024-05-01T14:00:00+02:00'",
        "v.local < '2024-05-01 12:00'",
    ),
    *("v.local NOT IN ('2024-05-01 12:00')", "v.local BETWEEN '1970-01-01' AND '2024-05-01 12:00:00'"),
    *(
        "hour(v.at) = 12",
        "hour(v.at) = 12 OR v.x = 5",
        "hour(v.at) = 12 AND v.x = 5",
        "v.time > 5",
        "v.time = 3.0",
    ),
    *(
        "v.m > 5",
        "v.m >= 5.01",
        "v.m < 5",
        "v.m <= 4.995",
        "v.m = 5.01",
        "v.m = 0.1",
        "v.m != 5",
        "NOT (v.m > 5)",
    ),
    *("v.m IN (0.1, 5)", "v.m > v.y", "v.m + 1 > 6", "v.m < 1e30", "v.m > -7.25", "v.m NOT BETWEEN 0 AND 5"),
    *(
        "1 = 1",
        "1 = 2",
        "null",
        "v.x = null",
        "null IS NULL",
        "v.x + null > 1",
        "TIMESTAMP '2024-01-01' < v.at",
    ),
]
CONDITIONS_IN_FILES = [
    *("v.u8 > 5", "v.u8 != -1", "v.u64 > 5", "v.coded = 'a'", "v.coded IN ('a', 'é')", "v.coded LIKE 'a%'"),
    *(
        "v.coded NOT LIKE 'a%'",
        "v.long >= 'ab'",
        "v.long IN ('a', 'q')",
        "v.long LIKE '_b'",
        "v.coded = v.long",
    ),
    *(
        "v.seconds > '2024-05-01 12:00:00.5'",
        "v.seconds = '2024-05-01 12:00:00.5'",
        "v.seconds >= '2024-05-01 12:00'",
    ),
    *(
        "v.fine > '2024-05-01 12:00'",
        "v.berlin > '2024-05-01 12:00'",
        "v.berlin != v.seconds",
    ),
    *("v.berlin <= '2024-05-01 14:00:00.0001+02:00'", "v.d64 = '2024-05-01'", "v.d64 < '2024-05-01 06:00'"),
    *("v.tod > '12:30'", "hour(v.berlin) = 14"),
]


def odd_events(columns: dict[str, tuple[pa.DataType, list[Any]]], count: int = 400) -> pa.Table:
    """Events of odd values in every combination that chance brings; every 50th has no time."""
    rng = random.Random(7)
    table = {"ts": pa.array([None if n % 50 == 0 else n for n in range(count)], pa.int64())}
    table |= {name: pa.array(rng.choices(values, k=count), kind) for name, (kind, values) in columns.items()}
    return pa.table(table)


SOME, MANY = odd_events(ODD), odd_events(ODD | ODD_IN_FILES)
