"""`cepheid bench all`: every benchmark, one report, and a row for each claim of the five papers.

A benchmark whose extra is not installed is skipped, and the report says so. One that fails is named by the
report and by the error at the end; all others are kept.
"""

import importlib
from collections.abc import Mapping
from pathlib import Path

from cepheid.bench.claims import judged
from cepheid.bench.every.page import write_page
from cepheid.bench.every.papers import PAPERS
from cepheid.bench.every.table import write_rows
from cepheid.bench.every.whole import Whole
from cepheid.bench.results import Report
from cepheid.bench.terminal import say, show, show_claims
from cepheid.errors import CepheidError, MissingExtraError


def main(modules: Mapping[str, str], quick: bool, out: Path | None) -> None:
    """Measure everything, show the figures, and write one report if a folder is given."""
    publish(run(modules, "quick" if quick else "full"), out)


def publish(whole: Whole, out: Path | None) -> None:
    """Show the figures, and write one report if a folder is given."""
    for report in whole.reports.values():
        show(report)
    show_claims(whole.claims)
    for name, why in whole.skipped.items():
        say(f"{name} was skipped: {why}")
    if out is None:
        say("--out DIR writes an HTML report with all tables and pictures")
    else:
        say(f"report: {write(whole, out)}")
    if whole.failed:
        raise CepheidError(f"failed: {', '.join(whole.failed)}; the report has all others")


def run(modules: Mapping[str, str], mode: str) -> Whole:
    """One benchmark after the other; each is told its sizes by the mode."""
    reports, skipped, failed = {}, {}, []
    for name, module in modules.items():
        say(f"== {name}")
        try:
            reports[name] = _report(module, mode)
        except (CepheidError, ModuleNotFoundError) as error:
            skipped[name] = str(error)
            if not isinstance(error, MissingExtraError | ModuleNotFoundError):
                failed.append(name)
        else:
            say(f"== {name}: {reports[name].processor:,.0f} s of processor time")
    return whole_of(mode, reports, skipped, tuple(failed))


def whole_of(
    mode: str,
    reports: Mapping[str, Report],
    skipped: Mapping[str, str],
    failed: tuple[str, ...] = (),
) -> Whole:
    """All reports, with the claims that they judge."""
    claims = tuple(row for paper in PAPERS for row in judged(paper, reports.get(paper.bench)))
    return Whole(mode, reports, skipped, claims, failed)


def write(whole: Whole, folder: Path) -> Path:
    """Write index.html and results.parquet into a folder; the page's path."""
    folder.mkdir(parents=True, exist_ok=True)
    write_rows(whole.reports, whole.claims, folder / "results.parquet")
    return write_page(whole, folder / "index.html")


def _report(module: str, mode: str) -> Report:
    sizes = importlib.import_module(module.removesuffix("bench") + "sizes")
    report: Report = importlib.import_module(module).run(getattr(sizes, mode.upper()))
    return report
