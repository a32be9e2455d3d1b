"""The course of every benchmark: experiments one after the other, then the figures, and a report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from cepheid.bench.report import write_report
from cepheid.bench.results import Report, Section
from cepheid.bench.terminal import say, show

Ground = TypeVar("Ground")


def sections_of(
    experiments: Sequence[tuple[str, Callable[[Ground], Section]]], ground: Ground
) -> tuple[Section, ...]:
    """What all experiments found on the same ground, saying how far it has come."""
    sections = []
    for number, (label, experiment) in enumerate(experiments, 1):
        say(f"[{number}/{len(experiments)}] {label} …")
        sections.append(experiment(ground))
    return tuple(sections)


def publish(report: Report, out: Path | None) -> None:
    """Show the figures, and write a report if a folder is given."""
    show(report)
    if out is None:
        say("--out DIR writes an HTML report with all tables and pictures")
    else:
        say(f"report: {write_report(report, out)}")
