"""The benchmark of starts on tiny data: every experiment runs, with wheels and without."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from cepheid.bench.results import Report
from cepheid.bench.start import bench, first_match
from cepheid.bench.start.installed import Wheels, install
from cepheid.bench.start.processes import Start, started, under
from cepheid.bench.start.readme import EXAMPLE, PROGRAM
from cepheid.bench.start.single_events import events
from cepheid.bench.start.sizes import FULL, QUICK, TINY
from cepheid.errors import CepheidError

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def report() -> Report:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(first_match, "wheels", lambda: None)
        return bench.run(TINY)


@pytest.mark.compiled
def test_every_experiment_reports(report: Report) -> None:
    assert len(report.sections) == len(bench.EXPERIMENTS)
    assert all(section.rows for section in report.sections)
    assert {figure.verdict for figure in report.figures} <= {"met", "not met", "–"}
    assert "make package" in report.sections[0].text
    assert "push" in report.sections[-1].text


def test_the_example_is_that_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    assert EXAMPLE.strip() in readme


def test_the_sizes_of_a_quick_run_are_smaller() -> None:
    assert FULL.starts > QUICK.starts > TINY.starts
    assert FULL.cold_starts > QUICK.cold_starts > TINY.cold_starts == 0


def wheel_of_a_package(folder: Path) -> Wheels:
    """Two wheels that hold next to nothing."""
    made = Wheels(folder / "cepheid-0.whl", folder / "cepheid_kernels-0.whl")
    for path, name in ((made.package, "cepheid_toy"), (made.kernels, "cepheid_toy_kernels")):
        with zipfile.ZipFile(path, "w") as files:
            files.writestr(f"{name}/__init__.py", "import pyarrow")
    return made


def test_an_install_sees_what_is_written(tmp_path: Path) -> None:
    made = wheel_of_a_package(tmp_path)
    place = install(tmp_path / "new", made.package, made.kernels)
    before = place.files()
    answer = json.dumps({"compiled": 0, "loaded": 3})
    program = f"import cepheid_toy, cepheid_toy_kernels; print('{answer}')"
    starts, compiled, written = first_match._watched(place, program, 1)
    assert (len(starts), compiled, written) == (1, [], [])
    assert place.files() == before
    program = f"import pathlib; pathlib.Path.home().joinpath('kept').touch(); print('{answer}')"
    *_, written = first_match._watched(place, program, 1)
    assert written == [str(place.home / "kept")]


def test_another_answer_is_refused() -> None:
    with pytest.raises(CepheidError, match="another one"):
        first_match.counted(Start(1.0, 1.0, '8 1 9\n{"compiled": 0}', ""))


def test_a_failing_process_is_told() -> None:
    with pytest.raises(CepheidError, match="status 3"):
        started(["python3", "-c", "raise SystemExit(3)"], {})


def test_the_least_of_several_starts_counts() -> None:
    figure = under("some", 1.0, [Start(wall, 0.1, "", "") for wall in (2.0, 0.5, 3.0)])
    assert figure.met and figure.value == "0.50 s" and "0.50 to 3.00 s over 3" in figure.note


def test_events_take_turns() -> None:
    rows = events(0, 6, 2).to_pylist()
    assert [(row["kind"], row["k"]) for row in rows] == [
        *(("A", 0), ("A", 1)),
        *(("B", 0), ("B", 1)),
        *(("C", 0), ("C", 1)),
    ]


def test_the_program_tells_what_it_compiled() -> None:
    assert PROGRAM.startswith(EXAMPLE) and "cache_misses" in PROGRAM
