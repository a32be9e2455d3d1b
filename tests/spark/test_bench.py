"""The Spark benchmark on tiny data: every experiment runs, and rivals find what queries find."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.compute as pc
import pytest
from pyspark.sql import SparkSession

from cepheid.bench.course import measured
from cepheid.bench.harness import Timing
from cepheid.bench.processes import family_seconds
from cepheid.bench.report import write_report
from cepheid.bench.results import Report, at_least, at_most
from cepheid.bench.spark import bench as bench
from cepheid.bench.spark import cores
from cepheid.bench.spark.events import Trades, events_of, write_events
from cepheid.bench.spark.ground import Ground, Ratio, equal_counts
from cepheid.bench.spark.rivals import RIVALS, Steps
from cepheid.bench.spark.sizes import TINY
from cepheid.errors import CepheidError
from cepheid.spark import match

HERE = tuple(experiment for experiment in bench.experiments() if experiment[1] is not cores.cores)
"""The experiments that need no other Spark than that of the tests: two more take a minute to start."""


@pytest.fixture(scope="module")
def report(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Report:
    ground = Ground(spark, tmp_path_factory.mktemp("ground"), TINY)
    return measured("Spark", TINY.mode, HERE, ground, spark=spark.version)


def test_every_experiment_reports(report: Report) -> None:
    assert len(report.sections) == len(HERE)
    assert all(section.rows for section in report.sections)
    assert {figure.verdict for figure in report.figures} <= {"met", "not met", "–"}


def test_the_report_is_written_where_it_was_asked_for(report: Report, tmp_path: Path) -> None:
    page = write_report(report, tmp_path / "out").read_text()
    assert all(section.title in page for section in report.sections)
    assert "spark" in json.loads((tmp_path / "out" / "results.json").read_text())["machine"]


@pytest.mark.parametrize("steps", [Steps("AB", 1), Steps("AB", 2, rise=500), Steps("ABC", 1, rise=-100)])
def test_rivals_find_the_rows_that_the_query_finds(spark: SparkSession, tmp_path: Path, steps: Steps) -> None:
    path = write_events(Trades(3_000, symbols=20, kinds=len(steps.kinds) + 1), tmp_path / "events", files=2)
    events = spark.read.parquet(path)
    found = match(events, steps.text, time="ts", type="kind").drop("match_id")
    expected = sorted(map(tuple, found.collect()))
    assert expected
    for name, rival in RIVALS.items():
        assert sorted(map(tuple, rival(events, steps).select(*found.columns).collect())) == expected, name


def test_a_spark_of_so_many_cores_counts_by_each_door(spark: SparkSession, tmp_path: Path) -> None:
    path = write_events(Trades(3_000, kinds=3), tmp_path / "events", files=2)
    one, other = cores.counts(spark, path, ["match\n", "match_files\n"])
    assert one == other > 0


def test_differing_numbers_of_matches_fail(spark: SparkSession) -> None:
    with pytest.raises(CepheidError, match=r"one: 1, two: 2"):
        equal_counts({"one": lambda: spark.range(1), "two": lambda: spark.range(2)})


def test_events_are_the_same_for_the_same_seed_and_have_distinct_times() -> None:
    events = events_of(Trades(1_000, symbols=5, kinds=3))
    assert events.equals(events_of(Trades(1_000, symbols=5, kinds=3)))
    assert not events.equals(events_of(Trades(1_000, symbols=5, kinds=3, seed=8)))
    assert len(pc.unique(events.column("ts"))) == 1_000
    assert sorted(pc.unique(events.column("kind")).to_pylist()) == ["A", "B", "C"]


def test_a_ratio_is_the_median_over_the_rounds() -> None:
    ratio = Ratio.of(Timing((2.0, 8.0, 3.0), (1.0, 1.0, 9.0)), Timing((1.0, 2.0, 3.0), (1.0, 2.0, 3.0)))
    assert (ratio.cpu, ratio.wall) == (2.0, 1.0)
    assert at_most("few", 1.25, 1.2, "").met and not at_most("few", 1.25, 1.3, "").met
    assert at_least("many", 5, 5.1, "").met and not at_least("many", 5, 4.9, "").met


def test_the_processor_time_of_the_family_grows_with_work() -> None:
    before = family_seconds()
    assert sum(number * number for number in range(2_000_000)) > 0
    assert family_seconds() > before
