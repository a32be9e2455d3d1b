"""What a paper claims, and how the rows of a benchmark's report tell whether it holds here.

A claim's figure is a function of the report: nothing that was measured is written down by hand.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from cepheid.bench.results import Figure, Report, Row

NOTHING = "not measured"


class Judged(NamedTuple):
    """Whether a claim holds, and the figure that says so."""

    holds: bool
    here: str


Judge = Callable[["ReportTables"], Judged]


class ReportTables:
    """The tables of a report, by the beginnings of their titles."""

    def __init__(self, report: Report) -> None:
        self._report = report

    def rows(self, title: str, **where: Any) -> list[Row]:
        """The rows of the section that have these values."""
        for section in self._report.sections:
            if section.title.startswith(title):
                return [row for row in section.rows if all(row[name] == where[name] for name in where)]
        raise LookupError(title)

    def values(self, title: str, column: str, **where: Any) -> list[Any]:
        """A column of them."""
        return [row[column] for row in self.rows(title, **where)]

    def value(self, title: str, column: str, **where: Any) -> Any:
        """What stands in it where there is one row."""
        (value,) = self.values(title, column, **where)
        return value

    def figure(self, name: str) -> Figure:
        """The figure whose name begins so."""
        return next(figure for figure in self._report.figures if figure.name.startswith(name))


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of a paper, in our words."""

    where: str  # in the paper
    sentence: str
    said: str  # the paper's figure, if it has one
    judge: Judge
    why: str  # it holds, or does not


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper, the benchmark that repeats it, and what it claims."""

    name: str
    bench: str
    claims: tuple[Claim, ...]


def judged(paper: Paper, report: Report | None) -> Iterator[dict[str, str]]:
    """A row for each claim."""
    for claim in paper.claims:
        holds, here = _judge(claim, report)
        yield {
            "claim": claim.sentence,
            "paper": f"{paper.name}, {claim.where}",
            "said": claim.said,
            "here": here,
            "holds": holds,
            "why": claim.why + (_of_size(report) if holds == "no" else ""),
        }


def _of_size(report: Report | None) -> str:
    """What may be the reason where little is measured."""
    return (
        "" if report is None or report.mode == "full" else f" The streams of a {report.mode} run are small."
    )


def _judge(claim: Claim, report: Report | None) -> tuple[str, str]:
    if report is None:
        return "–", NOTHING
    holds, here = claim.judge(ReportTables(report))
    return ("yes" if holds else "no"), here


def over(one: float, other: float) -> float:
    """How many times another value one is; what is nothing counts as next to nothing."""
    return one / max(other, 1e-9)


def times(value: float) -> str:
    """A ratio, as people read it."""
    return f"{value:,.0f}×" if value >= 100 else f"{value:.2f}×"


def spread(values: Sequence[float]) -> str:
    """The least and the most of some ratios."""
    return f"{times(min(values))} to {times(max(values))}" if len(values) > 1 else times(values[0])
