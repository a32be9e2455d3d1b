"""The course of every benchmark: experiments one after the other, then the figures, and a report."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from cepheid.bench.harness import one_arrow_thread
from cepheid.bench.processes import family_seconds
from cepheid.bench.report import write_report
from cepheid.bench.results import Report, Section, machine
from cepheid.bench.terminal import say, show

Ground = TypeVar("Ground")
Experiments = Sequence[tuple[str, Callable[[Ground], Section]]]
"""Each experiment by what it is about; all of them run on the same ground."""


def measured(
    title: str, mode: str, experiments: Experiments[Ground], ground: Ground, **versions: str
) -> Report:
    """What all experiments found, saying how far it has come, and each figure as soon as it is there."""
    started, spent = time.perf_counter(), family_seconds()
    sections = []
    for number, (label, experiment) in enumerate(experiments, 1):
        say(f"[{number}/{len(experiments)}] {label} …")
        section = experiment(ground)
        sections.append(section)
        for figure in section.figures:
            say(f"    {figure.name}: {figure.value} ({figure.bar}: {figure.verdict}) {figure.note}".rstrip())
    seconds = round(time.perf_counter() - started, 1)
    processor = round(family_seconds() - spent, 1)
    return Report(title, mode, tuple(sections), seconds, machine() | versions, processor)


def measured_on_one_core(
    title: str, mode: str, experiments: Experiments[Ground], ground: Ground, warm_up: Callable[[], None]
) -> Report:
    """The same by processor time of one core, with the kernels ready before anything is timed."""
    with one_arrow_thread():
        say("warming up: kernels are compiled or loaded before anything is timed …")
        warm_up()
        return measured(title, mode, experiments, ground)


def publish(report: Report, out: Path | None) -> None:
    """Show the figures, and write a report if a folder is given."""
    show(report)
    if out is None:
        say("--out DIR writes an HTML report with all tables and pictures")
    else:
        say(f"report: {write_report(report, out)}")
