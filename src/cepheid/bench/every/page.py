"""The report of all benchmarks: one page that needs no network, and is read on a phone as on a desk."""

import html
from collections.abc import Iterable, Sequence
from pathlib import Path

from cepheid.bench.every.whole import Whole
from cepheid.bench.pictures import MISSING, can_draw
from cepheid.bench.report import PAGE, cards, figure_cards, section_html
from cepheid.bench.results import Report, Row


def write_page(whole: Whole, path: Path) -> Path:
    """Write it; its path."""
    path.write_text(page_of(whole), encoding="utf-8")
    return path


def page_of(whole: Whole) -> str:
    """The page's text."""
    title = f"Cepheid, measured ({whole.mode})"
    parts = [
        f"<h1>{_text(title)}</h1>",
        _about(whole),
        _summary(whole),
        "" if can_draw() else f'<p class="quiet">{_text(MISSING)}</p>',
        '<h2 id="claims">Every claim of the five papers</h2>',
        *_by_paper(whole.claims),
        *(_bench(name, report, whole) for name, report in whole.reports.items()),
        *(f"<h2>{_text(name)}</h2><p>Skipped: {_text(why)}</p>" for name, why in whole.skipped.items()),
    ]
    return PAGE.format(title=_text(title), body="\n".join(filter(None, parts)))


def _about(whole: Whole) -> str:
    told = " · ".join(f"{name} {value}" for name, value in _shared_machine(whole).items())
    spent = sum(report.processor for report in whole.reports.values())
    return (
        f'<p class="quiet">{_text(told)} · {spent:,.0f} s of processor time</p>'
        "<p>What is compared takes turns in one run, so that a busy machine treats all alike: ratios mean "
        "more than seconds. Times are processor time unless a table says otherwise.</p>"
    )


def _shared_machine(whole: Whole) -> dict[str, str]:
    """What is known of the machine, and the same for all benchmarks that tell it."""
    told: dict[str, set[str]] = {}
    for report in whole.reports.values():
        for name, value in report.machine.items():
            told.setdefault(name, set()).add(value)
    return {name: value for name, (value, *others) in told.items() if not others}


def _own_machine(report: Report, whole: Whole) -> str:
    """What a benchmark has else: when it ran, and versions that only it knows."""
    shared = _shared_machine(whole)
    return " · ".join(f"{name} {value}" for name, value in report.machine.items() if name not in shared)


def _summary(whole: Whole) -> str:
    links = "".join(
        f'<li><a href="#{name}">{_text(name)}</a> <span class="quiet">{_bars(report)}, '
        f"{report.processor or report.seconds:,.0f} s</span></li>"
        for name, report in whole.reports.items()
    )
    return (
        f'<ul><li><a href="#claims">{len(whole.claims)} claims of the papers</a> '
        f'<span class="quiet">{_held(whole.claims)} here</span></li>{links}</ul>'
    )


def _held(claims: Sequence[Row]) -> str:
    """How many claims hold of those that were measured."""
    measured = [row["holds"] == "yes" for row in claims if row["holds"] in ("yes", "no")]
    return f"{sum(measured)} of {len(measured)} hold" if measured else "not measured"


def _bars(report: Report) -> str:
    judged = [figure.met for figure in report.figures if figure.met is not None]
    return f"{sum(judged)} of {len(judged)} bars met" if judged else "no bars"


def _by_paper(claims: Sequence[Row]) -> Iterable[str]:
    papers = dict.fromkeys(row["paper"].partition(", ")[0] for row in claims)
    for paper in papers:
        own = [row for row in claims if row["paper"].partition(", ")[0] == paper]
        yield f"<h3>{_text(paper)}: {_held(own)}</h3>" + cards(map(_claim, own))


def _claim(row: Row) -> dict[str, str]:
    where = row["paper"].partition(", ")[2]
    return {"claim": row["claim"], "paper": f"{row['said']} ({where})"} | {
        name: row[name] for name in ("here", "holds", "why")
    }


def _bench(name: str, report: Report, whole: Whole) -> str:
    sections = "".join(section_html(section, can_draw()) for section in report.sections)
    return (
        f'<h2 id="{name}">{_text(report.title)}</h2><p class="quiet">{_text(_own_machine(report, whole))}</p>'
        f"{figure_cards(report.figures)}"
        f"<details><summary>All tables and pictures of {_text(name)}, measured in {report.seconds:,.0f} s"
        f"</summary>{sections}</details>"
    )


def _text(value: str) -> str:
    return html.escape(value, quote=True)
