"""Figure 1 of the paper: all sixteen queries on the three documents, beside those who only read them.

The paper compares with the CepEngine, which is not to be had. The loop that people write with lxml
stands in for it.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from statistics import mean
from typing import Any

from cepheid.bench.harness import Timing, measure, median_ratio
from cepheid.bench.results import Chart, Figure, Row, Section, at_least, no_bar
from cepheid.bench.xml.documents import DBLP, TREEBANK, XMARK, Library
from cepheid.bench.xml.queries import PLAIN, REGULAR, TreeQuery, queries_of
from cepheid.bench.xml.sides import CEPHEID, EXPAT, LXML, SCAN, agreed, by_cepheid, by_expat, by_lxml, by_scan

BARS = {(PLAIN, EXPAT): 2.0, (PLAIN, LXML): 6.0, (REGULAR, EXPAT): 1.5}
"""How many times as fast as others Cepheid should be, on XMark."""


@cache
def timings(ground: Library, document: str) -> dict[str, Timing]:
    """All sides that read one document, in turns: those of a query by its name and who asks it."""
    path = ground.document(document)
    queries = queries_of(document)
    sides = {f"{query.name} {CEPHEID}": by_cepheid(query.pattern, path) for query in queries}
    sides |= {f"{query.name} {LXML}": by_lxml(query, path) for query in queries}
    sides |= {EXPAT: by_expat(path), SCAN: by_scan(path)}
    return measure(sides, ground.sizes.repeat, discarded=0, is_tidied=True)


def rows_of(ground: Library, query: TreeQuery) -> int:
    """How many rows a query has, as both sides say; their kernels are loaded by that."""
    path = ground.document(query.document)
    sides = {CEPHEID: by_cepheid(query.pattern, path), LXML: by_lxml(query, path)}
    return agreed(query.name, {name: run() for name, run in sides.items()})


def query_times(ground: Library) -> Section:
    """Figure 1."""
    rows: list[dict[str, Any]] = []
    for document in (DBLP, TREEBANK, XMARK):
        size = ground.document(document).stat().st_size
        found = {query.name: rows_of(ground, query) for query in queries_of(document)}
        rows += [_row(ground, query, found[query.name], size) for query in queries_of(document)]
    return Section(
        "Figure 1: query times",
        "Each query over its document, as a file, from the first byte to the rows; expat has no one to tell "
        "what it finds, and the scan only counts `<`. Seconds of processor time, medians of "
        f"{ground.sizes.repeat} runs in turns. Cepheid and lxml's loop found the same number of rows.",
        tuple(rows),
        (
            Chart("query", "cepheid s", kind="bar", title="Cepheid: seconds a query"),
            Chart("query", "lxml loop s", kind="bar", title="lxml's loop: seconds a query"),
            Chart("query", "× lxml loop", kind="bar", title="How many times as fast as lxml's loop"),
        ),
        (*_averages(rows), *_speed(ground)),
    )


def _row(ground: Library, query: TreeQuery, found: int, size: int) -> dict[str, Any]:
    timing = timings(ground, query.document)
    ours, loop = (timing[f"{query.name} {side}"] for side in (CEPHEID, LXML))
    return {
        "document": query.document,
        "MB": round(size / 1e6, 1),
        "query": query.name,
        "kind": query.kind,
        "rows": found,
        "cepheid s": round(ours.median, 4),
        "lxml loop s": round(loop.median, 4),
        "expat s": round(timing[EXPAT].median, 4),
        "scan s": round(timing[SCAN].median, 4),
        "GB/s": round(size / max(ours.median, 1e-9) / 1e9, 3),
        "× lxml loop": round(median_ratio(loop.cpu, ours.cpu), 2),
        "× expat": round(median_ratio(timing[EXPAT].cpu, ours.cpu), 2),
        "share of the scan": round(median_ratio(timing[SCAN].cpu, ours.cpu), 3),
    }


def _averages(rows: Sequence[Row]) -> Iterable[Figure]:
    """The bars of figure 1: the average time of the queries of a document."""
    for document in (DBLP, TREEBANK, XMARK):
        own = [row for row in rows if row["document"] == document]
        ours, loop = (mean(row[f"{side} s"] for row in own) for side in (CEPHEID, LXML))
        yield no_bar(
            f"{document}: average query time, lxml's loop to Cepheid",
            f"{loop / max(ours, 1e-9):.1f}×",
            f"{ours:.3f} s and {loop:.3f} s for {own[0]['MB']:,} MB",
        )


def _speed(ground: Library) -> Iterable[Figure]:
    """The slowest query of each kind on XMark, beside what is promised."""
    timing = timings(ground, XMARK)
    for (kind, side), bar in BARS.items():
        ratios = {
            query.name: median_ratio(
                timing[side if side == EXPAT else f"{query.name} {side}"].cpu,
                timing[f"{query.name} {CEPHEID}"].cpu,
            )
            for query in queries_of(XMARK)
            if query.kind == kind
        }
        note = ", ".join(f"{name} {ratio:.2f}×" for name, ratio in ratios.items())
        yield at_least(f"XMark, {kind} patterns: as fast as {side}", bar, min(ratios.values()), note)
