"""The benchmark on tiny data: every experiment runs, and the report holds what was found."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cepheid.bench import pictures
from cepheid.bench.harness import in_turn, measure, measure_pieces
from cepheid.bench.report import page_of, write_report
from cepheid.bench.results import Report
from cepheid.bench.sase import bench as sase
from cepheid.bench.sase import experiments as sase_experiments
from cepheid.bench.sase.many_matches import every_question
from cepheid.bench.sase.queries import STRATEGIES, QueryTemplate, same_matches, whole_run
from cepheid.bench.sase.sharing import BACKTRACKING, BASIC, MERGING, agreed, compared, fed, whole
from cepheid.bench.sase.sizes import TINY
from cepheid.bench.stages import MatchingClock
from cepheid.errors import CepheidError
from cepheid.matchers.baselines.handwritten import rising_prices
from cepheid.matchers.nfa import matcher
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
    found = whole_run(QueryTemplate("p2", "s3", window).parsed(), events)().table
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
    assert seen == ["a", "b", "a", "b", "b", "a"]
    assert len(timings["a"].cpu) == len(timings["b"].wall) == 2


def test_no_contender_is_always_first_or_after_the_same_one() -> None:
    orders = ["".join(in_turn("abc", turn)) for turn in range(6)]
    assert orders == ["abc", "cba", "bca", "acb", "cab", "bac"]


def test_contenders_in_pieces_take_turns_at_each_piece() -> None:
    seen: list[str] = []

    def begin(name: str, count: int) -> Iterator[None]:
        for _ in range(count):
            seen.append(name)
            yield

    runs = {"a": lambda: begin("a", 2), "b": lambda: begin("b", 3)}
    timings = measure_pieces(runs, 1)
    assert seen == ["a", "b", "b", "a", "b"]
    assert len(timings["b"].cpu) == 1


def test_what_no_clock_decides_is_met_on_tiny_data(report: Report) -> None:
    verdicts = {figure.name: figure.verdict for figure in report.figures}
    for name in (
        "run steps saved by merging, W = 500",
        "run steps saved by merging, all windows",
        "buffer against version numbers, p1s3",
        "2^60 - 1 matches: peak of memory",
    ):
        assert verdicts[name] == "met"


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_starred_query_asks_for_one_more_event(strategy: str) -> None:
    events = stocks(5_000, 7)
    template = QueryTemplate("p3min", strategy, 100, "NON OVERLAPPING", starred=True)
    found = whole_run(template.parsed(BASIC), events)().table
    assert template.name == f"p3min*{strategy}"
    for row in found.to_pylist():
        assert row["a"][0]["price"] < row["c"]["price"] < row["a"][-1]["price"]


@pytest.mark.parametrize("emit", ["ALL", "NON OVERLAPPING"])
def test_ways_of_sharing_find_the_same(emit: str) -> None:
    events, template = stocks(5_000, 7), QueryTemplate("p2", "s3", 200, emit)
    runs = {sharing: whole(template, sharing, events) for sharing in (BASIC, MERGING, BACKTRACKING)}
    runs["session"] = fed(template, MERGING, events, 512)
    found = agreed("p2s3", runs)
    assert len(found[BASIC].rows) > 0
    assert found[BASIC].listed == found["session"].listed > 0


def test_ways_of_sharing_that_differ_fail() -> None:
    events = stocks(5_000, 7)
    runs = {str(window): whole(QueryTemplate("p2", "s3", window), BASIC, events) for window in (100, 200)}
    with pytest.raises(CepheidError, match="differ in their matches of p2s3"):
        agreed("p2s3", runs)


def test_a_comparison_tells_matching_from_the_rest() -> None:
    events, template = stocks(5_000, 7), QueryTemplate("p1", "s3", 200)
    runs = {sharing: whole(template, sharing, events) for sharing in (BASIC, MERGING)}
    found = compared("p1s3", runs, events.num_rows, TINY)
    assert found.steps_saved(MERGING) > 1
    for sharing in runs:
        assert 0 < min(found.matching[sharing]) < max(found.timings[sharing].cpu)


def test_the_clock_of_matching_leaves_the_kernel_as_it_was() -> None:
    before = vars(matcher)["advance"]
    with pytest.raises(ZeroDivisionError), MatchingClock() as clock:
        list(clock.watching({"fails": lambda: iter([1 // 0])})["fails"]())
    assert vars(matcher)["advance"] is before


def test_explosive_windows_answer_every_question() -> None:
    asked = {answer["asked"]: answer["answer"] for answer in every_question(10)}
    assert asked["EMIT COUNT"] == asked["expand(…).count()"] == "1,023"
    assert asked["EMIT LONGEST"] == "11 events"
