"""A report on the terminal: progress on standard error, figures and tables on standard output."""

import sys
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from cepheid.bench.results import Report, Row, Section

PIPE_WIDTH = 150
COLOURS = {True: "green", False: "red", None: ""}


def say(text: str) -> None:
    """One line of progress."""
    print(text, file=sys.stderr, flush=True)


def show(report: Report) -> None:
    """Every section's table, then the figures beside their bars."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else PIPE_WIDTH)
    for section in report.sections:
        _show_section(section, console)
    console.print(
        f"{report.title}, {report.mode}: measured in {report.seconds:.0f} s", style="bold", markup=False
    )
    console.print(_figures(report))


def show_claims(claims: Sequence[Row]) -> None:
    """A row for each claim of the papers."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else PIPE_WIDTH)
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("claim", "paper", "said", "here", "holds"):
        table.add_column(name, overflow="fold")
    for row in claims:
        table.add_row(*(row[name] for name in ("claim", "paper", "said", "here", "holds")))
    console.print(table, markup=False)
    measured = [row["holds"] == "yes" for row in claims if row["holds"] in ("yes", "no")]
    told = f"{sum(measured)} of {len(measured)} claims hold here"
    left = len(claims) - len(measured)
    console.print(told + (f", {left} were not measured" if left else ""), style="bold", markup=False)


def cell(value: Any) -> str:
    """A value as people read it."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return f"{value:,}"


def _show_section(section: Section, console: Console) -> None:
    console.print(section.title, style="bold", markup=False)
    if section.rows:
        table = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0))
        for name, value in section.rows[0].items():
            table.add_column(name, justify="right" if isinstance(value, int | float) else "left")
        for row in section.rows:
            table.add_row(*map(cell, row.values()))
        console.print(table, markup=False)
    console.print()


def _figures(report: Report) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("figure", "bar", "measured", "", "note"):
        table.add_column(name, overflow="fold")
    for figure in report.figures:
        verdict = f"[{COLOURS[figure.met]}]{figure.verdict}[/]" if COLOURS[figure.met] else figure.verdict
        table.add_row(figure.name, figure.bar, figure.value, verdict, figure.note)
    return table
