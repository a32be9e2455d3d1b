"""The benchmark on profiles, on tiny data: every experiment runs, and finds what it should."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

from cepheid.bench.compas import bench as compas
from cepheid.bench.compas.filtering import PreparedFilter, planned
from cepheid.bench.compas.rules import log_stream, rule_set
from cepheid.bench.compas.sequences import METHODS, SETTINGS, UNIQUE, grouped
from cepheid.bench.compas.sizes import TINY
from cepheid.bench.compas.subscriptions import KINDS, STREAM, events, subscriptions
from cepheid.bench.report import write_report
from cepheid.bench.results import Report
from cepheid.query import query


@pytest.fixture(scope="module")
def report() -> Report:
    return compas.run(TINY)


def test_every_experiment_reports(report: Report, tmp_path: Path) -> None:
    assert len(report.sections) == len(compas.EXPERIMENTS)
    assert all(section.rows for section in report.sections)
    assert {figure.verdict for figure in report.figures} <= {"met", "not met", "–"}
    page = write_report(report, tmp_path).read_text()
    assert all(section.title in page for section in report.sections)
    assert json.loads((tmp_path / "results.json").read_text())["mode"] == "tiny"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("satisfied", [0, 1, 10])
def test_an_event_satisfies_as_many_as_are_asked(kind: str, satisfied: int) -> None:
    found = subscriptions(kind, satisfied, 50).run(events(kind, satisfied, 50, 30), **STREAM)
    assert len(found) == 30 * satisfied
    assert found.stats["tested"] == len(found)


@pytest.mark.parametrize("setting", SETTINGS)
def test_each_event_is_tested_once_however_many_wait_for_it(setting: str) -> None:
    """The room for what is found grows on the way, and what is done again is not counted again."""
    work = grouped(1_500, 1_500, 3)
    for method in METHODS:
        ready = PreparedFilter(planned(work, setting, method))
        _, told = ready.take(work.table)
        assert told == (1_500 if setting == UNIQUE else 3_000), method
        assert ready.figures["tested"] <= 1_503, method


def test_rules_match_as_their_queries_do_also_when_they_are_placed_anew() -> None:
    log, of = log_stream(400), rule_set(250)
    first, second = of.run(log, **STREAM), of.run(log, **STREAM)
    expected = [
        name for name, each in of.profiles.items() for _ in range(len(query(each.text).run(log, **STREAM)))
    ]
    assert sorted(first.table.column("profile").to_pylist()) == sorted(expected)
    assert expected
    session = of.session(log.schema, **STREAM)
    pushed = [session.push(log.slice(start, 100)) for start in range(0, 400, 100)]
    told = sorted(pa.concat_tables([*pushed, session.close()]).column("match_id").to_pylist())
    assert told == sorted(first.table.column("match_id").to_pylist())
    third = of.run(log, **STREAM)
    assert third.table.equals(first.table) and second.table.equals(first.table)
    assert third.stats["tested"] < first.stats["tested"]
