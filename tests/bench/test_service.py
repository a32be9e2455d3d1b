"""The benchmark of the service on tiny data: every side runs, nothing is refused, and every webhook comes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="needs cepheid[service]")

from cepheid.bench.report import write_report
from cepheid.bench.results import Report
from cepheid.bench.service import bench
from cepheid.bench.service.events import ALARM, paced_readings, profile_bodies, random_readings
from cepheid.bench.service.sizes import TINY
from cepheid.profiles import profile

pytestmark = [pytest.mark.service, pytest.mark.slow]


@pytest.fixture(scope="module")
def report() -> Report:
    return bench.run(TINY)


def test_every_experiment_reports(report: Report, tmp_path: Path) -> None:
    assert [bool(section.rows) for section in report.sections] == [True, True]
    assert {figure.verdict for figure in report.figures} <= {"met", "not met", "–"}
    assert sum(figure.met is not None for figure in report.figures) == 6
    page = write_report(report, tmp_path).read_text()
    assert all(section.title in page for section in report.sections)
    assert json.loads((tmp_path / "results.json").read_text())["mode"] == "tiny"
    assert (tmp_path / "results.parquet").exists()


def test_an_alarm_is_told_by_the_profile_of_its_sensor() -> None:
    (event, *others) = paced_readings(20, 10, 8, is_told=True)
    assert event["n"] == 20 and event["value"] == ALARM
    assert all(each["value"] < 99 for each in others)
    (body,) = [body for k, body in enumerate(profile_bodies(8, None)) if k == event["sensor"]]
    (row,) = profile(body["query"]).run([event | {"time": 1}, *(each | {"time": 2} for each in others)],
                                        time="time", type="type", time_unit="s")  # fmt: skip
    assert row["n"] == 20
    assert {each["value"] == ALARM for each in random_readings(2_000, 8, 1)} == {True, False}
