"""One report of benchmarks that were run one by one, each into a folder of its own."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cepheid.bench.every.bench import publish, whole_of
from cepheid.bench.results import Chart, Figure, Report, Section
from cepheid.errors import CepheidError

TITLES = {
    "SASE+": "sase",
    "A-Seq": "aseq",
    "condensed composition": "condensed",
    "profiles in a single step": "compas",
    "regular tree patterns": "xml",
    "The notification service": "service",
    "Spark": "spark",
    "Start": "start",
    "peers": "peers",
}
"""The benchmark that a report is of."""

RESULTS = "results.json"
WITHOUT = "no results of it were given"


def main(folders: Sequence[Path], out: Path | None) -> None:
    """Show what was measured, and write one report if a folder is given. Of two runs the later counts."""
    found = sorted((each for folder in folders for each in read(folder)), key=lambda one: one.machine["date"])
    by_name = {TITLES[report.title]: report for report in found}
    reports = {name: by_name[name] for name in TITLES.values() if name in by_name}
    mode = " and ".join(sorted({report.mode for report in reports.values()}))
    publish(whole_of(mode, reports, dict.fromkeys(TITLES.values() - reports.keys(), WITHOUT)), out)


def read(folder: Path) -> Iterator[Report]:
    """The reports in a folder and in those that it holds."""
    files = sorted(folder.rglob(RESULTS))
    if not files:
        raise CepheidError(f"there is no {RESULTS} in {folder}, as `cepheid bench NAME --out DIR` writes it")
    for file in files:
        try:
            report = report_of(json.loads(file.read_text(encoding="utf-8")))
        except (ValueError, TypeError, KeyError):
            raise CepheidError(f"{file} is no report of a benchmark") from None
        if report.title not in TITLES:
            raise CepheidError(f"{file} is of '{report.title}', which is no benchmark of this version")
        yield report


def report_of(values: Mapping[str, Any]) -> Report:
    """The report of which `to_dict` gave these values."""
    sections = tuple(
        Section(
            **section
            | {
                "rows": tuple(section["rows"]),
                "drawn": tuple(section["drawn"]),
                "charts": tuple(Chart(**chart) for chart in section["charts"]),
                "figures": tuple(Figure(**figure) for figure in section["figures"]),
            }
        )
        for section in values["sections"]
    )
    return Report(**{**values, "sections": sections})
