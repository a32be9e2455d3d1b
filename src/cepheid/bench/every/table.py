"""All rows of a run in one Parquet file: claims, figures with their bars, and the cells of all tables."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from cepheid.bench.report import cells_of
from cepheid.bench.results import Report, Row

CLAIM, FIGURE, CELL = "claim", "figure", "cell"
CLAIM_COLUMNS = ("claim", "paper", "said", "here", "holds", "why")
FIGURE_COLUMNS = ("figure", "bar", "value", "verdict", "note")
CELL_COLUMNS = ("section", "row", "column", "number", "text")

TEXTS = [(name, pa.string()) for name in ("kind", "bench", *CLAIM_COLUMNS, *FIGURE_COLUMNS, "machine")]
ROWS = pa.schema(
    [
        *TEXTS,
        ("section", pa.string()),
        ("row", pa.int64()),
        ("column", pa.string()),
        ("number", pa.float64()),
        ("text", pa.string()),
    ]
)
"""A row is of one kind, and has the columns of that kind."""


def write_rows(reports: Mapping[str, Report], claims: Sequence[Row], path: Path) -> None:
    """Write them."""
    rows = [{"kind": CLAIM, **row} for row in claims]
    for bench, report in reports.items():
        rows += _of_report(bench, report)
    pq.write_table(pa.Table.from_pylist(rows, ROWS), path, compression="zstd")


def _of_report(bench: str, report: Report) -> Iterator[dict[str, Any]]:
    machine = " · ".join(f"{name} {value}" for name, value in report.machine.items())
    for figure in report.figures:
        yield {
            "kind": FIGURE,
            "bench": bench,
            "machine": machine,
            "figure": figure.name,
            "bar": figure.bar,
            "value": figure.value,
            "verdict": figure.verdict,
            "note": figure.note,
        }
    for cell in cells_of(report).to_pylist():
        yield {"kind": CELL, "bench": bench, **cell}
