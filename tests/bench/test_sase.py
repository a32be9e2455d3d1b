"""The benchmark on tiny data: every experiment runs, and the report holds what was found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cepheid.bench import pictures, sase, sase_experiments
from cepheid.bench.handwritten import rising_prices
from cepheid.bench.harness import measure
from cepheid.bench.report import page_of, write_report
from cepheid.bench.results import Report
from cepheid.bench.sase_queries import Template, same_matches, whole_run
from cepheid.bench.sase_sizes import TINY
from cepheid.errors import CepheidError
from cepheid.sources.generate import stocks


@pytest.fixture(scope="module")
def report() -> Report:
    return sase.run(TINY)


def test_every_experiment_reports(report: Report) -> None:
    assert len(report.sections) == len(sase.EXPERIMENTS)
    assert all(section.rows for section in report.sections)
    assert {figure.verdict for figure in report.figures} <= {"met", "not met", "–"}


def test_the_page_needs_no_network(report: Report, tmp_path: Path) -> None:
    page = write_report(report, tmp_path / "new" / "folder").read_text()
    for section in report.sections:
        assert section.title in page
    assert "src=" not in page and "@import" not in page and "<link" not in page
    assert json.loads((tmp_path / "new" / "folder" / "results.json").read_text())["mode"] == "tiny"


def test_without_the_plot_extra_there_are_tables(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cepheid.bench.report.can_draw", lambda: False)
    page = page_of(report)
    assert "cepheid[plot]" in page and "<svg" not in page and "<table>" in page


@pytest.mark.skipif(not pictures.can_draw(), reason="needs the plot extra")
def test_pictures_stand_in_the_page(report: Report) -> None:
    assert page_of(report).count("<svg") == sum(len(section.charts) for section in report.sections)


@pytest.mark.parametrize(
    ("symbols", "window", "rise"), [(1, 500, 0.7), (2, 20, 0.55), (5, 2, 0.7), (2, 1, 0.7)]
)
def test_the_loop_by_hand_finds_what_the_engine_finds(symbols: int, window: int, rise: float) -> None:
    events = stocks(5_000, 3, symbols=symbols, rise=rise)
    found = whole_run(Template("p2", "s3", window).parsed(), events)().table
    assert same_matches(found, rising_prices(events, window))


def test_other_matches_are_told_apart() -> None:
    events = stocks(2_000, 3)
    found = rising_prices(events, 100)
    assert found.num_rows > 1
    assert not same_matches(found, rising_prices(events, 50))
    assert not same_matches(found, found.slice(1))


def test_differing_outputs_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sase_experiments, "same_matches", lambda left, right: False)
    with pytest.raises(CepheidError, match="differ"):
        sase_experiments.by_hand(TINY)


def test_contenders_take_turns_after_a_discarded_run() -> None:
    seen: list[str] = []
    timings = measure({"a": lambda: seen.append("a"), "b": lambda: seen.append("b")}, 2)
    assert seen == ["a", "b", "a", "b", "a", "b"]
    assert len(timings["a"].cpu) == len(timings["b"].wall) == 2
