"""The A-Seq benchmark on tiny data: every experiment runs, and contenders that differ are found out."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

import cepheid
from cepheid.bench import pictures
from cepheid.bench.aseq import bench as aseq
from cepheid.bench.aseq import queries as aseq_queries
from cepheid.bench.aseq.events import TYPES, most_active, ticking, trades
from cepheid.bench.aseq.queries import agreed, counted, counting, method_of, runs_of, same_rows
from cepheid.bench.aseq.sizes import TINY
from cepheid.bench.report import page_of, write_report
from cepheid.bench.results import Report
from cepheid.errors import CepheidError, UnsupportedError
from cepheid.events import bind


@pytest.fixture(scope="module")
def report() -> Report:
    return aseq.run(TINY)


def test_every_experiment_reports(report: Report) -> None:
    assert len(report.sections) == len(aseq.EXPERIMENTS)
    assert all(section.rows for section in report.sections)
    assert {figure.verdict for figure in report.figures} <= {"met", "not met", "–"}
    assert {row["method"] for row in report.sections[0].rows} == {
        "default",
        "aseq",
        "construction",
        "two_step",
    }


def test_the_report_is_a_page_and_numbers(report: Report, tmp_path: Path) -> None:
    page = write_report(report, tmp_path).read_text()
    assert all(section.title in page for section in report.sections)
    assert json.loads((tmp_path / "results.json").read_text())["title"] == "A-Seq"


@pytest.mark.skipif(not pictures.can_draw(), reason="needs the plot extra")
def test_pictures_stand_in_the_page(report: Report) -> None:
    assert page_of(report).count("<svg") == sum(len(section.charts) for section in report.sections)


def test_differing_counts_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aseq_queries, "same_rows", lambda left, right: False)
    runs = runs_of(counting(TYPES[:2], "10"), ticking(100), ("default", "aseq"))
    with pytest.raises(CepheidError, match="differ"):
        agreed(runs)


def test_numbers_are_the_same_in_any_width() -> None:
    narrow = pa.table({"count": pa.array([1, 20])})
    wide = narrow.cast(pa.schema([("count", pa.decimal128(38, 0))]))
    assert same_rows(narrow, wide)
    assert not same_rows(narrow, pa.table({"count": pa.array([1, 21])}))
    assert not same_rows(narrow, narrow.slice(1))


def test_events_come_as_asked() -> None:
    events = trades(20_000, density=10, shares={"YHOO": 0.01}, accounts=5)
    kinds = events.column("type").to_pylist()
    assert kinds.count("YHOO") == pytest.approx(200, rel=0.3)
    assert kinds.count("DELL") == pytest.approx(20_000 * 0.99 / 19, rel=0.2)
    assert events.column("time")[-1].value == 1_999_900
    assert set(events.column("account").to_pylist()) == set(range(5))
    assert most_active(events, "DELL", 2_000_000) == kinds.count("DELL")
    assert 0 < most_active(events, "DELL", 1_000) < 12


def test_building_is_only_done_when_asked_for() -> None:
    events = ticking(200)
    text = counting(TYPES[:3], "50")
    assert method_of(counted(text), events) != "construction"
    assert method_of(counted(text, "construction"), events) == "construction"
    found = (
        cepheid.query(text).using("aggregate", method="construction").run(events, time="time", type="type")
    )
    assert found.stats["built"] > 0 and found.stats["peak_objects"] > 0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SEQ(A+ a[], B b) WITHIN 5 AGG COUNT", "more than a sequence"),
        ("SEQ(A a, B? b, C c) WITHIN 5 AGG COUNT", "more than a sequence"),
        ("SEQ(~C c, A a, B b) WITHIN 5 AGG COUNT", "absence at the start"),
        ("SEQ(A a, B b, ~C c) WITHIN 5 AGG COUNT", "absence at the start or at the end"),
        ("SEQ(A a, B b) WITHIN 5 AGG SUM(a.x)", "but to give their number"),
        ("SEQ(A a, B b) WITHIN 5 AGG COUNT GROUP BY x", "no equivalence test"),
    ],
)
def test_what_is_not_built_is_refused_by_name(text: str, reason: str) -> None:
    query = cepheid.query(f"PATTERN {text}").using("aggregate", method="construction")
    schema = pa.schema([("time", pa.int64()), ("type", pa.string()), ("x", pa.int64())])
    with pytest.raises(UnsupportedError, match=reason):
        query.plan(bind(schema, time="time", type="type"))
