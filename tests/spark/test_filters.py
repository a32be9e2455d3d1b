"""A pushed filter in Spark and in Arrow lets every event pass that the engine would use."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import cepheid
from cepheid import expressions as ex
from cepheid.events import EventSchema, bind
from cepheid.language.sase.parse import parse
from cepheid.matchers.masks import BatchRows, event_masks
from cepheid.plan.choose import plan_for
from cepheid.plan.events.pushdown import Pushed, pushed
from cepheid.plan.nfa.plan import NfaPlan
from cepheid.runners.spark.filters import arrow_filter, opaque_columns, spark_filter, sql_filter
from tests.cases import Case, cases
from tests.spark.odd_values import CONDITIONS, CONDITIONS_IN_FILES, INF, MANY, NAN, SOME


def planned(condition: str, schema: EventSchema) -> NfaPlan:
    return plan_for(parse(f"PATTERN ANY v WHERE {condition}"), schema)


def used(plan: NfaPlan, table: pa.Table) -> list[int]:
    """The events that pass the engine's own test."""
    batch = table.combine_chunks().to_batches()[0]
    masks = event_masks(plan.automaton.begin, BatchRows(batch, plan.schema, plan.unit))
    return [row for row, mask in enumerate(masks) if mask]


def timeless(table: pa.Table) -> set[int]:
    return {row for row, moment in enumerate(table.column("ts").to_pylist()) if moment is None}


# -- Arrow -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("pruning", [False, True])
@pytest.mark.parametrize(
    ("condition", "table"),
    [*((text, SOME) for text in CONDITIONS), *((text, MANY) for text in CONDITIONS_IN_FILES)],
    ids=[*CONDITIONS, *CONDITIONS_IN_FILES],
)
def test_arrow_keeps_what_is_used(condition: str, table: pa.Table, pruning: bool) -> None:
    schema = bind(table.schema, "ts")
    plan = planned(condition, schema)
    wanted = pushed(plan).filter
    if wanted is None:
        return
    numbered = table.append_column("row", pa.array(range(table.num_rows)))
    kept = numbered.filter(arrow_filter(wanted, schema, pruning=pruning)).column("row").to_pylist()
    assert {*used(plan, table), *timeless(table)} <= {*kept}


def scanned(table: pa.Table, text: str, folder: Path, **binding: Any) -> tuple[list[int], list[int]]:
    """The rows that a scan with the filter of a query gives, and the row groups that it reads."""
    pq.write_table(table, folder / "events.parquet", row_group_size=4)
    schema = bind(table.schema, "ts", **binding)
    wanted = pushed(plan_for(parse(text), schema)).filter
    assert wanted is not None
    condition = arrow_filter(wanted, schema)
    data = ds.dataset(folder / "events.parquet")
    (fragment,) = data.get_fragments()
    groups = [part.row_groups[0].id for part in fragment.split_by_row_group(condition, schema=table.schema)]
    return data.to_table(filter=condition).column("row").to_pylist(), groups


def test_row_groups_are_skipped(tmp_path: Path) -> None:
    times = [None if row == 11 else row for row in range(16)]
    table = pa.table({"ts": times, "kind": list("AAAABBBBCCCCDDDD"), "row": range(16)})
    text = (
        "PATTERN SEQ(A a, ~B b, B c) WHERE b.row % 2 = 1 AND a.row > 2 AND c.row > 5 AND length(a.kind) = 1"
    )
    kept, groups = scanned(table, text, tmp_path, type="kind")
    assert (kept, groups) == ([3, 5, 6, 7, 11], [0, 1, 2])  # one event of C has no time


def test_a_filter_of_codes_is_one_of_texts(tmp_path: Path) -> None:
    """Row groups are skipped only where text is read as text, which may be read as codes later."""
    table = pa.table({"ts": range(8), "kind": list("AAAABBBB")})
    pq.write_table(table, tmp_path / "events.parquet", row_group_size=4)
    coded = table.set_column(1, "kind", table.column("kind").dictionary_encode())
    wanted = ex.Comparison("=", ex.Element("kind"), ex.Literal("B"))
    condition = arrow_filter(wanted, bind(coded.schema, "ts", "kind"))
    (fragment,) = ds.dataset(tmp_path / "events.parquet").get_fragments()
    assert len(fragment.split_by_row_group(condition, schema=table.schema)) == 1
    assert coded.filter(condition).num_rows == table.filter(condition).num_rows == 4


@pytest.mark.parametrize("condition", ["v.y != 5", "NOT (v.y = 5)", "NOT (v.y > 4)", "v.y NOT IN (5, 7)"])
def test_statistics_do_not_hide_nan(condition: str, tmp_path: Path) -> None:
    table = pa.table({"ts": range(4), "y": [5.0, NAN, 5.0, 5.0], "row": range(4)})
    kept, _ = scanned(table, f"PATTERN ANY v WHERE {condition}", tmp_path)
    assert 1 in kept


def test_statistics_do_not_hide_a_time_of_nan(tmp_path: Path) -> None:
    table = pa.table({"ts": [5.0, NAN, 5.0, INF], "x": [0, 0, 0, 0], "row": range(4)})
    kept, _ = scanned(table, "PATTERN ANY v WHERE v.x > 1", tmp_path)
    assert {1, 3} <= {*kept}
    wanted = ex.Comparison(">", ex.Element("x"), ex.Literal(1))
    in_memory = table.filter(arrow_filter(wanted, bind(table.schema, "ts"), pruning=False))
    assert in_memory.column("row").to_pylist() == [1, 3]


def test_an_unsigned_time_beyond_int64_is_no_time() -> None:
    table = pa.table({"ts": pa.array([1, 2**63], pa.uint64()), "x": [0, 0]})
    wanted = ex.Comparison(">", ex.Element("x"), ex.Literal(1))
    assert table.filter(arrow_filter(wanted, bind(table.schema, "ts"))).num_rows == 1


def test_a_scan_keeps_what_is_used(tmp_path: Path) -> None:
    """With row groups so small that statistics decide about many of them."""
    schema = bind(SOME.schema, "ts")
    pq.write_table(
        SOME.append_column("row", pa.array(range(400))), tmp_path / "odd.parquet", row_group_size=3
    )
    data = ds.dataset(tmp_path / "odd.parquet")
    for condition in CONDITIONS:
        plan = planned(condition, schema)
        wanted = pushed(plan).filter
        if wanted is not None:
            kept = (
                data.to_table(columns=["row"], filter=arrow_filter(wanted, schema)).column("row").to_pylist()
            )
            assert {*used(plan, SOME), *timeless(SOME)} <= {*kept}, condition


def filtered(case: Case, pruning: bool) -> tuple[Pushed, pa.Table]:
    schema = cepheid.query(case.query_text).plan(bind(case.table.schema, **case.binding)).schema
    found = pushed(plan_for(parse(case.query_text), schema))
    if found.filter is None:
        return found, case.table
    return found, case.table.filter(arrow_filter(found.filter, schema, pruning=pruning))


@settings(max_examples=120)
@given(case=cases())
def test_what_is_filtered_out_does_not_matter(case: Case) -> None:
    query = cepheid.query(case.query_text)
    expected = query.run(case.table, **case.binding)
    for pruning in (False, True):
        found, kept = filtered(case, pruning)
        result = query.run(kept, **case.binding)
        assert result.table.column("match_id").to_pylist() == expected.table.column("match_id").to_pylist(), (
            found
        )
        assert result.bad.num_rows == expected.bad.num_rows


# -- Spark -----------------------------------------------------------------------------------------


@pytest.fixture
def in_new_york(spark: SparkSession) -> Iterator[None]:
    """Filters mean the same whatever the time zone of the session."""
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    yield
    spark.conf.set("spark.sql.session.timeZone", before)


@pytest.fixture(scope="session")
def odd_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("odd") / "events.parquet")
    pq.write_table(SOME.append_column("row", pa.array(range(SOME.num_rows))), path, row_group_size=20)
    return path


def spark_conditions() -> Iterator[tuple[str, NfaPlan, ex.Expression]]:
    schema = bind(SOME.schema, "ts")
    for condition in CONDITIONS:
        plan = planned(condition, schema)
        wanted = pushed(plan).filter
        if wanted is not None:
            yield condition, plan, wanted


@pytest.mark.spark
def test_spark_keeps_what_is_used(spark: SparkSession, odd_file: str, in_new_york: None) -> None:
    listed = list(spark_conditions())
    columns = [spark_filter(wanted, plan.schema) for _, plan, wanted in listed]
    rows = (
        spark.read.parquet(odd_file).select("row", *(F.coalesce(c, F.lit(False)) for c in columns)).collect()
    )
    for place, (condition, plan, _) in enumerate(listed, start=1):
        kept = {row[0] for row in rows if row[place]}
        assert {*used(plan, SOME), *timeless(SOME)} <= kept, condition


@pytest.mark.spark
def test_a_filter_is_the_same_as_a_text_of_sql(spark: SparkSession, odd_file: str, in_new_york: None) -> None:
    listed = list(spark_conditions())
    differ = [
        F.max(~spark_filter(wanted, plan.schema).eqNullSafe(F.expr(sql_filter(wanted, plan.schema))))
        for _, plan, wanted in listed
    ]
    (found,) = spark.read.parquet(odd_file).select(*differ).collect()
    assert [listed[place][0] for place, differs in enumerate(found) if differs] == []


@pytest.mark.spark
def test_spark_and_parquet_keep_what_is_used(spark: SparkSession, odd_file: str) -> None:
    """Where the filter goes down to the file, whose statistics do not count NaN."""
    events = spark.read.parquet(odd_file)
    listed = [item for item in spark_conditions() if item[0].startswith(("v.y", "NOT (v.y", "v.r"))][::3]
    parts = [
        events.where(spark_filter(wanted, plan.schema)).select(F.lit(place), "row")
        for place, (_, plan, wanted) in enumerate(listed)
    ]
    union = parts[0]
    for part in parts[1:]:
        union = union.union(part)
    found = {(place, row) for place, row in union.collect()}
    for place, (condition, plan, _) in enumerate(listed):
        assert {(place, row) for row in used(plan, SOME)} <= found, condition


def handed_to_parquet(events: DataFrame, condition: ex.Expression, schema: EventSchema) -> str:
    """What the physical plan says of filters that the scan is given."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        events.where(spark_filter(condition, schema)).explain()
    return out.getvalue().split("PushedFilters: ")[1].split(", ReadSchema")[0]


HANDED = [
    ("v.s = 'a'", "[Or(EqualTo(s,a),IsNull(ts))]"),
    ("v.s IN ('a', 'b')", "[Or(In(s, [a,b]),IsNull(ts))]"),
    ("v.s LIKE 'a%'", "[Or(StringStartsWith(s,a),IsNull(ts))]"),
    ("v.i32 > 5", "[Or(GreaterThan(i32,5),IsNull(ts))]"),
    ("v.i8 > 5", "[Or(GreaterThan(i8,5),IsNull(ts))]"),
    ("v.x > 0.5", "[Or(GreaterThan(x,0),IsNull(ts))]"),
    ("v.y > 5", "[Or(GreaterThan(y,5.0),IsNull(ts))]"),
    ("v.b", "[Or(EqualTo(b,true),IsNull(ts))]"),
    ("v.d > '2024-05-01 12:00'", "[Or(GreaterThan(d,2024-05-01),IsNull(ts))]"),
    ("v.local > '2024-05-01 12:00'", "[Or(GreaterThan(local,2024-05-01T12:00),IsNull(ts))]"),
    ("v.m > 5", "[Or(GreaterThanOrEqual(m,5.00),IsNull(ts))]"),
    ("v.x > 5 AND v.x % 2 = 1", "[Or(GreaterThan(x,5),IsNull(ts))]"),
    ("v.y != 5", "[]"),
]


@pytest.mark.spark
@pytest.mark.parametrize(("condition", "expected"), HANDED, ids=[row[0] for row in HANDED])
def test_parquet_is_handed_the_filter(
    spark: SparkSession, odd_file: str, condition: str, expected: str
) -> None:
    schema = bind(SOME.schema, "ts")
    wanted = pushed(planned(condition, schema)).filter
    assert wanted is not None
    assert handed_to_parquet(spark.read.parquet(odd_file), wanted, schema) == expected


@pytest.mark.spark
def test_parquet_is_handed_moments(spark: SparkSession, odd_file: str, in_new_york: None) -> None:
    schema = bind(SOME.schema, "ts")
    wanted = pushed(planned("v.at > '2024-05-01 12:00'", schema)).filter
    assert wanted is not None
    shown = handed_to_parquet(spark.read.parquet(odd_file), wanted, schema)
    assert shown.startswith("[Or(GreaterThan(at,2024-05-0")  # in the zone of the JVM


@pytest.mark.spark
def test_types_are_handed_to_parquet_by_themselves(spark: SparkSession, odd_file: str) -> None:
    schema = bind(SOME.schema, "ts", "s")
    text = "PATTERN SEQ(a v, b w) WHERE [i32] AND v.x + 1 > 5 AND w.y > 1"
    wanted = pushed(plan_for(parse(text), schema)).filter
    assert wanted is not None
    assert handed_to_parquet(spark.read.parquet(odd_file), wanted, schema) == (
        "[Or(And(In(s, [a,b]),IsNotNull(i32)),IsNull(ts))]"
    )


@pytest.mark.spark
def test_columns_that_spark_compares_otherwise(spark: SparkSession) -> None:
    events = spark.sql(
        "SELECT 1L AS ts, collate('a', 'UTF8_LCASE') AS s, 'b' AS u, collate('x', 'UTF8_BINARY') AS `a.b`"
    )
    assert opaque_columns(events.schema) == {"s"}
    schema = bind(pa.schema([("ts", pa.int64()), ("s", pa.string()), ("a.b", pa.string())]), "ts")
    plan = planned("v.s = 'A' AND v.s IS NOT NULL AND v.`a.b` = 'x'", schema)
    found = pushed(plan, opaque_columns(events.schema))
    assert found.text == "s IS NOT NULL AND `a.b` = 'x'"
    assert found.weakened == ("s = 'A'",)
    assert found.filter is not None
    assert len(events.where(spark_filter(found.filter, schema)).collect()) == 1


@pytest.mark.spark
def test_floats_without_a_time_pass(spark: SparkSession) -> None:
    events = spark.createDataFrame([(1.0,), (NAN,), (INF,), (-INF,), (None,)], "ts double")
    schema = bind(pa.schema([("ts", pa.float64())]), "ts")
    assert len(events.where(spark_filter(ex.Literal(False), schema)).collect()) == 4
