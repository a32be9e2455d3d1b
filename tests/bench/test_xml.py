"""The benchmark on tree patterns, on tiny data: every experiment runs, and the sides find the same."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from cepheid.bench.report import write_report
from cepheid.bench.results import Report
from cepheid.bench.xml import bench
from cepheid.bench.xml.queries import QUERIES
from cepheid.bench.xml.sizes import TINY

pytest.importorskip("lxml")
pytestmark = pytest.mark.slow  # a process for each measurement of memory


@pytest.fixture(scope="module")
def report() -> Report:
    return bench.run(TINY)


def test_every_experiment_reports(report: Report, tmp_path: Path) -> None:
    assert len(report.sections) == len(bench.EXPERIMENTS)
    assert all(section.rows for section in report.sections)
    assert {figure.verdict for figure in report.figures} <= {"met", "not met", "–"}
    page = write_report(report, tmp_path).read_text()
    assert all(section.title in page for section in report.sections)
    assert json.loads((tmp_path / "results.json").read_text())["mode"] == "tiny"


def test_all_sixteen_queries_are_asked(report: Report) -> None:
    first = report.sections[0]
    assert [row["query"] for row in first.rows] == [query.name for query in QUERIES]
    assert len(QUERIES) == 16
    assert sum(row["rows"] for row in first.rows if row["document"] != "treebank") > 0


def test_the_rows_of_all_tables_are_kept_as_parquet(report: Report, tmp_path: Path) -> None:
    write_report(report, tmp_path)
    kept = pq.read_table(tmp_path / "results.parquet").to_pylist()
    section = report.sections[0]
    own = [each for each in kept if each["section"] == section.title]
    assert len(own) == sum(len(row) for row in section.rows)
    found = {each["column"]: each for each in own if each["row"] == 2}
    assert found["query"]["text"] == section.rows[2]["query"]
    assert found["rows"]["number"] == section.rows[2]["rows"]
