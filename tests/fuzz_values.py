"""Extreme values of every Arrow type through the language's functions and messages: `make fuzz-values`, or
`python -m tests.fuzz_values 10000 7`.

A case is a column of extreme values, a query over it, and a way to run it. It ends in a result or in a
CepheidError, soon; any other exception is a finding.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

import cepheid
from cepheid.cli.show import one_line

MOST_SECONDS = 1.0
MOST_FAILURES = 25
EVENTS = 6
TRIES = 3
"""How many other queries are tried where one means nothing over the types of its columns."""
INT64 = [0, 1, -1, 2**63 - 1, -(2**63), 2**62, -(2**62), 253402300800, -62135596801, 10**18, 86_399, 2**31]
ZONES = (None, "UTC", "Europe/Berlin", "+05:30", "America/New_York", "Australia/Lord_Howe")
REALS = [0.0, -0.0, 1.5, float("nan"), float("inf"), -float("inf"), 5e-324, 1.7e308, -1e300, 2.0**63, -1e-9]
TEXTS = ["", "a", "ab" * 3000, "é", "\x00", "\u202e", "𝄞x", "%_\\", "2024-01-01", "ſß", "'\"`"]
RAW = [b"", b"a", b"\xff\xfe", b"\xc3\x28", b"\x00", b"ab\xf0\x9f", b"\xed\xa0\x80"]


def whole(kind: pa.DataType) -> Callable[[random.Random], pa.Array]:
    """Extreme numbers of a width, by their bits where Arrow would refuse them."""
    store = kind if pa.types.is_integer(kind) else pa.int32() if kind.bit_width == 32 else pa.int64()
    bounds = np.iinfo(store.to_pandas_dtype())
    fitting = [number for number in INT64 if bounds.min <= number <= bounds.max]
    ends = [int(bounds.max), int(bounds.min), *fitting]

    def drawn(rng: random.Random) -> pa.Array:
        return pa.array([rng.choice([*ends, None]) for _ in range(EVENTS)], store).view(kind)

    return drawn


def listed(values: list[Any], kind: pa.DataType) -> Callable[[random.Random], pa.Array]:
    return lambda rng: pa.array([rng.choice([*values, None]) for _ in range(EVENTS)], kind)


def decimals(kind: pa.DataType) -> Callable[[random.Random], pa.Array]:
    digits = (9,) * kind.precision
    values = [Decimal((sign, which, -kind.scale)) for sign in (0, 1) for which in (digits, (1,), (0,))]
    return listed(values, kind)


def raw_text(kind: pa.DataType) -> Callable[[random.Random], pa.Array]:
    """Bytes that are called text, and mostly are none."""
    large = kind == pa.large_string()

    def drawn(rng: random.Random) -> pa.Array:
        values = [rng.choice([*RAW, b"abc", b"A", None]) for _ in range(EVENTS)]
        column = pa.array(values, pa.large_binary() if large else pa.binary())
        as_text = pa.Array.from_buffers(kind if large else pa.string(), EVENTS, column.buffers())
        return as_text.dictionary_encode() if pa.types.is_dictionary(kind) else as_text

    return drawn


Drawn = Callable[[random.Random], pa.Array]
UNITS = ("s", "ms", "us", "ns")
FLAT: list[Drawn] = [
    *(whole(kind) for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64())),
    *(whole(kind) for kind in (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())),
    *(whole(pa.timestamp(unit, zone)) for unit in UNITS for zone in ZONES),
    *(whole(pa.duration(unit)) for unit in UNITS),
    whole(pa.date32()),
    whole(pa.date64()),
    listed([0, 86_399], pa.time32("s")),
    listed([0, 86_399_999], pa.time32("ms")),
    listed([0, 86_399_999_999], pa.time64("us")),
    listed([0, 86_399_999_999_999], pa.time64("ns")),
    *(whole(kind) for kind in (pa.time32("s"), pa.time64("us"), pa.time64("ns"))),
    listed([np.float16(x) for x in (0, 65504, -65504, "nan", "inf")], pa.float16()),
    listed([np.float32(x) for x in (0, 3.4e38, -1e-45, "nan", "inf")], pa.float32()),
    listed(REALS, pa.float64()),
    *(decimals(kind) for kind in (pa.decimal128(38, 0), pa.decimal128(38, 38), pa.decimal128(5, -3))),
    *(decimals(kind) for kind in (pa.decimal256(76, 0), pa.decimal256(76, 40), pa.decimal128(9, 2))),
    listed([True, False], pa.bool_()),
    listed([], pa.null()),
    *(listed(TEXTS, kind) for kind in (pa.string(), pa.large_string(), pa.string_view())),
    listed(TEXTS, pa.dictionary(pa.int8(), pa.string())),
    listed(INT64, pa.dictionary(pa.int32(), pa.int64())),
    *(raw_text(kind) for kind in (pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string()))),
    *(listed(RAW, kind) for kind in (pa.binary(), pa.large_binary(), pa.binary_view())),
    listed([b"ab", b"\xff\x00"], pa.binary(2)),
]


def nested(rng: random.Random) -> pa.Array:
    """Lists, structs and maps of extreme values."""
    inner = rng.choice(FLAT)(rng)
    if rng.random() < 0.2:
        inner = nested(rng)
    offsets = pa.array([0, 1, 1, 3, 4, 5, EVENTS], pa.int32())
    kinds: list[Callable[[], pa.Array]] = [
        lambda: pa.StructArray.from_arrays([inner, pa.array(range(EVENTS))], ["p", "q"]),
        lambda: pa.ListArray.from_arrays(offsets, inner),
        lambda: pa.LargeListArray.from_arrays(offsets.cast(pa.int64()), inner),
        lambda: pa.FixedSizeListArray.from_arrays(inner, 1),
        lambda: pa.MapArray.from_arrays(offsets, pa.array(TEXTS[:EVENTS]), inner),
    ]
    return rng.choice(kinds)()


LITERALS = (
    "0",
    "1",
    "-1",
    "9223372036854775807",
    "1e308",
    "0.5",
    "'a'",
    "''",
    "'2024-01-01'",
    "TRUE",
    "NULL",
    "1 s",
    "400 days",
    "TIMESTAMP '9999-12-31T23:59:59'",
    "TIMESTAMP '0001-01-01'",
    "'12:30'",
    "52 weeks",
)
ONE = (
    "{u}",
    "abs({u})",
    "-{u}",
    "{u} + {l}",
    "{u} - {l}",
    "{u} * {l}",
    "{u} / {l}",
    "{u} % {l}",
    "{u} - {v}",
    "{u} + {v}",
    "round({u})",
    "floor({u})",
    "ceil({u})",
    "sqrt({u})",
    "lower({u})",
    "upper({u})",
    "length({u})",
    "substr({u}, 2, 3)",
    "substr({u}, -2)",
    "concat({u}, 'x', {u})",
    "{u} || '-'",
    "regexp_extract({u}, '(.)b', 1)",
    "coalesce({u}, {l})",
    "year({u})",
    "month({u})",
    "day({u})",
    "hour({u})",
    "minute({u})",
    "second({u})",
    "time_of_day({u})",
    "day_of_week({u})",
    "CASE WHEN {u} > {l} THEN {u} ELSE {v} END",
    "{u}.p",
    "abs({u}.p)",
    "hour({u}.p)",
    "{u}.p + {l}",
    "{u} + 1 s",
    "{u} - 1000 weeks",
)
TESTS = (
    "{e} > {l}",
    "{e} = {l}",
    "{e} != {l}",
    "{e} <= {e}",
    "{e} BETWEEN {l} AND {l}",
    "{e} IN ({l}, {l})",
    "{e} IS NULL",
    "{e} IS NOT NULL",
    "{e} LIKE 'a%'",
    "regexp_like({e}, '^a.*')",
    "NOT {e} < {l}",
    "{e} < {f}",
)
PATTERNS = (
    "PATTERN A a WHERE {a} {tail}",
    "PATTERN SEQ(A a, B b) WHERE {{ {ab} }} WITHIN 100 {tail}",
    "PATTERN SEQ(A a, B b) WHERE {{ [u] AND {a} }} WITHIN 100 {tail}",
    "PATTERN SEQ(A+ a[], B b) WHERE skip_till_next_match {{ {i} }} WITHIN 100",
    "PATTERN SEQ(A a, ~B b) WHERE {{ {ab} }} WITHIN 3",
    "PATTERN SEQ(A a, B b) WHERE {{ {a} }} WITHIN 100 AGG COUNT, {agg}({w}.u) AS n GROUP BY u",
    "PATTERN SEQ(A a, B b) WITHIN 100 AGG {agg}({w}.u) AS n EMIT EVERY 2",
    "PATTERN SEQ(A+ a[], B b) WITHIN 100 RETURN {agg}(a.u) AS n, collect(a.u), a[last].u, a[2].u",
    "PATTERN SEQ(A a, B b) WITHIN 100 EMIT {emit}",
)
TIMED = (
    "PATTERN SEQ(A a, B b) WITHIN {d}",
    "PATTERN SEQ(A a, ~B b) WITHIN {d}",
    "PATTERN SEQ(A a, B b) WITHIN {d} AGG COUNT EMIT EVERY {d}",
    "PATTERN SEQ(A a, B b) WITHIN {d} AGG COUNT",
    "PATTERN SEQ(A a, B b) WITHIN 2 EVENTS RETURN first_time(), last_time(), hour(a.u), b.u - a.u",
)


def expression(rng: random.Random, u: str, v: str) -> str:
    return rng.choice(ONE).format(u=u, v=v, l=rng.choice(LITERALS))


def condition(rng: random.Random, u: str, v: str) -> str:
    e, f = expression(rng, u, v), expression(rng, v, u)
    return rng.choice(TESTS).format(e=e, f=f, l=rng.choice(LITERALS))


def query_text(rng: random.Random, is_time: bool) -> str:
    if is_time:
        return rng.choice(TIMED).format(d=rng.choice(("5", "5 s", "1 day", "1e6", "9000 weeks", "0.5")))
    returned = f"RETURN {expression(rng, 'a.u', 'a.u')} AS r, a.u, a"
    return rng.choice(PATTERNS).format(
        a=condition(rng, "a.u", "a.u"),
        ab=condition(rng, "a.u", "b.u"),
        i=condition(rng, "a[i].u", "a[i-1].u"),
        tail=rng.choice(("", returned, "EMIT COUNT", "EMIT COMPRESSED")),
        agg=rng.choice(("SUM", "AVG", "MIN", "MAX", "COUNT")).lower(),
        w=rng.choice("ab"),
        emit=rng.choice(("COMPRESSED", "COUNT", "FIRST 1", "LONGEST", "NON OVERLAPPING")),
    )


# -- ways to run it, each through the messages and the views that follow -----------------------------


def as_table(query: cepheid.Query, table: pa.Table, binding: dict[str, Any]) -> None:
    found = query.run(table, **binding)
    said(found)


def as_session(query: cepheid.Query, table: pa.Table, binding: dict[str, Any]) -> None:
    session = query.session(table.schema, **binding, lateness=0)
    for row in range(table.num_rows):
        session.push(table.slice(row, 1))
        session = cepheid.resume(query, session.snapshot())
    session.close()
    assert session.bad is not None and session.stats


def as_other_types(query: cepheid.Query, table: pa.Table, binding: dict[str, Any]) -> None:
    """Values that do not fit the types of the session's columns."""
    kinds = {"u": pa.int32(), "v": pa.timestamp("ns")}
    fields = [pa.field(f.name, kinds.get(f.name, f.type)) for f in table.schema]
    session = query.session(pa.schema(fields), **binding)
    session.push(table)
    session.close()


def as_dicts(query: cepheid.Query, table: pa.Table, binding: dict[str, Any]) -> None:
    try:
        rows = table.to_pylist()
    except Exception:
        return  # Python cannot hold them
    said(query.run(rows, **binding))


def as_explained(query: cepheid.Query, table: pa.Table, binding: dict[str, Any]) -> None:
    str(query.explain(table.schema, **binding))


def said(found: Any) -> None:
    """What a notebook, a terminal and a user's first look show of a result."""
    assert found._repr_html_() and repr(found)
    for batch in found.table.slice(0, 20).to_batches():
        list(one_line(batch))
    _ = found.stats, found.notes, found.steps, found.bad.column("reason").to_pylist(), found.schema


WAYS = (as_table, as_table, as_session, as_other_types, as_dicts, as_explained)


def case(number: int, seed: int) -> tuple[str, pa.Table, dict[str, Any], Callable[..., None]]:
    rng = random.Random(f"values-{seed}-{number}")
    draw: Drawn = nested if rng.random() < 0.15 else rng.choice(FLAT)
    column, other = draw(rng), rng.choice(FLAT)(rng)
    kinds = pa.array([rng.choice("AABB") for _ in range(EVENTS)])
    table = pa.table({"t": pa.array(range(EVENTS)), "kind": kinds, "u": column, "v": other})
    is_time = rng.random() < 0.2
    binding: dict[str, Any] = {"time": "u" if is_time else "t", "type": "kind"}
    if is_time and rng.random() < 0.3:
        binding["order"] = ["v"]
    if is_time and pa.types.is_integer(column.type):
        binding["time_unit"] = "s"
    text = query_text(rng, is_time)
    for _ in range(TRIES):
        if _is_planned(text, table, binding):
            break
        text = query_text(rng, is_time)
    return text, table, binding, rng.choice(WAYS)


def _is_planned(text: str, table: pa.Table, binding: dict[str, Any]) -> bool:
    try:
        cepheid.query(text).explain(table.schema, **binding)
    except Exception:
        return False  # if that is no refusal, some case will tell
    return True


def run_case(number: int, seed: int) -> tuple[str, str | None]:
    """How a case ended, and what was found if it was not well."""
    text, table, binding, way = case(number, seed)
    started, outcome, finding = time.process_time(), "answered", None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            way(cepheid.query(text), table, binding)
        except cepheid.CepheidError as error:
            outcome = "refused"
            str(error)
        except Exception:
            outcome, finding = "failed", traceback.format_exc()
    seconds = time.process_time() - started  # others may be busy on the machine
    if seconds > MOST_SECONDS and finding is None:
        finding = f"{seconds:.1f} s"
    if finding is not None:
        types = f"u: {table.schema.field('u').type}, v: {table.schema.field('v').type}"
        finding = f"case {number} of seed {seed} by {way.__name__}\n{text}\n{binding} {types}\n{finding}"
    return outcome, finding


def main(cases: int, seed: int) -> int:
    """Run the cases; the exit status."""
    outcomes: Counter[str] = Counter()
    findings: list[str] = []
    for number in range(min(cases, 300)):
        run_case(number, seed + 1)  # kernels are compiled before anything is timed
    for number in range(cases):
        outcome, finding = run_case(number, seed)
        outcomes[outcome] += 1
        if finding is not None:
            if finding.endswith(" s") and run_case(number, seed)[1] is None:
                continue  # something else was slow
            findings.append(finding)
            print(f"\n{finding}", flush=True)
            if len(findings) >= MOST_FAILURES:
                break
        if number % 1000 == 999:
            print(f"{number + 1:,} cases, {len(findings)} findings", file=sys.stderr, flush=True)
    told = ", ".join(f"{count:,} {outcome}" for outcome, count in sorted(outcomes.items()))
    print(f"{outcomes.total():,} cases: {told}; {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=int, nargs="?", default=10_000)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    chosen = parser.parse_args()
    sys.exit(main(chosen.cases, chosen.seed))
