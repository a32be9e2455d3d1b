"""The benchmark on condensed composition, on tiny data: every experiment runs, all sides count the same."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from cepheid.bench.condensed import bench as condensed
from cepheid.bench.condensed.billion import PATTERNS, QUESTIONS, asked_about
from cepheid.bench.condensed.cells import ALWAYS, NEVER, counted, measured_cell, ways_of
from cepheid.bench.condensed.queries import (
    WATCHED,
    exchange,
    overtaking,
    random_walk,
    sequence_below,
    whole_run,
)
from cepheid.bench.condensed.sizes import TINY
from cepheid.bench.report import write_report
from cepheid.bench.results import Report
from cepheid.errors import CepheidError
from cepheid.query import query


@pytest.fixture(scope="module")
def report() -> Report:
    return condensed.run(TINY)


def test_every_experiment_reports(report: Report, tmp_path: Path) -> None:
    assert len(report.sections) == len(condensed.EXPERIMENTS)
    assert all(section.rows for section in report.sections)
    assert {figure.verdict for figure in report.figures} <= {"met", "not met", "–"}
    page = write_report(report, tmp_path).read_text()
    assert all(section.title in page for section in report.sections)
    assert json.loads((tmp_path / "results.json").read_text())["mode"] == "tiny"


def test_what_no_clock_decides_is_met_on_tiny_data(report: Report) -> None:
    verdicts = {figure.name: figure.verdict for figure in report.figures}
    assert verdicts["Query 3, indexed: condensed never tests more pairs"] == "met"


def test_query_2_counts_what_loops_count() -> None:
    classes, window = 3, 6
    events = random_walk(classes, 30, 0)
    rows = [(row["time"], row["name"], row["price"]) for row in events.to_pylist()]
    expected = sum(
        tuple(name for _, name, _ in chosen) == ("name1", "name2", "name3")
        and chosen[-1][0] - chosen[0][0] <= window
        and all(chosen[0][2] > later[2] for later in chosen[1:])
        for chosen in combinations(rows, classes)
    )
    assert expected > 0
    for asked in ways_of(sequence_below(classes, window)).values():
        assert counted(whole_run(asked, events)()) == expected


@pytest.mark.parametrize("index", [True, False])
def test_query_3_counts_what_the_nfa_engine_counts(index: bool) -> None:
    events = exchange(20, 0, codes=20)
    expected = counted(whole_run(query(overtaking(60)).using("nfa"), events)())
    assert expected > 0
    for asked in ways_of(overtaking(60), index).values():
        assert counted(whole_run(asked, events)()) == expected


def test_condensed_makes_and_tests_less() -> None:
    cell = measured_cell("a walk", ways_of(sequence_below(4, 20)), random_walk(4, 200, 0), 1, 0.0)
    assert cell.sides[ALWAYS].matches == cell.sides[NEVER].matches > 0
    assert cell.sides[NEVER].composites > cell.sides[NEVER].matches
    assert cell.saved() > 2


def test_sides_that_differ_fail() -> None:
    asked = {str(window): query(sequence_below(3, window)) for window in (5, 10)}
    with pytest.raises(CepheidError, match="differ in what they count"):
        measured_cell("a walk", asked, random_walk(3, 60, 0), 1, 0.0)


def test_prices_walk_as_the_paper_has_it() -> None:
    prices = random_walk(2, 500, 1)["price"].to_numpy().reshape(-1, 2)
    assert prices.min() >= 0 and prices.max() <= 100
    assert np.abs(np.diff(prices, axis=0)).max() <= 5


def test_codes_have_a_price_each_round() -> None:
    events = exchange(4, 1)
    assert events.num_rows == 4 * 800
    assert len(set(events["code"].to_pylist())) == 800 and WATCHED in events["code"].to_pylist()
    prices = events["price"].to_numpy()
    assert prices.min() >= 9.5 and prices.max() <= 10.5
    assert np.abs(np.diff(prices.reshape(4, 800), axis=0)).max() < 0.0201
    assert sorted(set(events["time"].to_pylist())) == [0, 5, 10, 15]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_question_is_answered(pattern: str) -> None:
    answers = [asked_about(pattern, question, 12)["answer"] for question in QUESTIONS]
    assert answers[0] == "1,728"
    assert answers[2].startswith("1,728; 1,000 listed, 1,000 drawn")
    listed = 1_000 if pattern.endswith("D d)") else 12 * 12 * 12
    assert answers[1] == f"{listed:,} matches"
