"""One run of all benchmarks."""

from collections.abc import Mapping
from dataclasses import dataclass

from cepheid.bench.results import Report, Row


@dataclass(frozen=True, slots=True)
class Whole:
    """What all benchmarks found."""

    mode: str
    reports: Mapping[str, Report]
    skipped: Mapping[str, str]
    claims: tuple[Row, ...]
    failed: tuple[str, ...] = ()  # of those that were skipped
