"""Figure 2 of the paper: throughput over XMark documents of different sizes."""

from collections.abc import Iterable, Sequence
from statistics import mean
from typing import Any

from cepheid.bench.harness import measure
from cepheid.bench.results import Chart, Figure, Row, Section, no_bar
from cepheid.bench.xml.documents import XMARK, Library
from cepheid.bench.xml.queries import PLAIN, REGULAR, queries_of
from cepheid.bench.xml.sides import EXPAT, SCAN, by_cepheid, by_expat, by_scan

CLAIMED = {PLAIN: 3.3, REGULAR: 1.2}
"""GB/s, as the paper says of its largest documents."""


def throughput(ground: Library) -> Section:
    """Figure 2."""
    rows = [row for factor in ground.sizes.factors for row in _rows(ground, factor)]
    title = "Figure 2: throughput on XMark"
    return Section(
        title,
        "GB of document a second of processor time on one core, from the file to the rows: medians of "
        f"{ground.sizes.repeat} runs in turns. expat and the scan for `<` find nothing.",
        tuple(rows),
        (Chart("MB", "GB/s", "query", title=title),),
        tuple(_figures(rows, max(ground.sizes.factors))),
    )


def _rows(ground: Library, factor: float) -> list[dict[str, Any]]:
    path = ground.sized(XMARK, factor)
    size = path.stat().st_size
    queries = queries_of(XMARK)
    sides = {query.name: by_cepheid(query.pattern, path) for query in queries}
    sides |= {EXPAT: by_expat(path), SCAN: by_scan(path)}
    kinds = {query.name: query.kind for query in queries}
    timing = measure(sides, ground.sizes.repeat, is_tidied=True)
    return [
        {
            "factor": factor,
            "MB": round(size / 1e6, 1),
            "query": name,
            "kind": kinds.get(name, "–"),
            "seconds": round(each.median, 4),
            "GB/s": round(size / max(each.median, 1e-9) / 1e9, 3),
            "share of the scan": round(timing[SCAN].median / max(each.median, 1e-9), 3),
        }
        for name, each in timing.items()
    ]


def _figures(rows: Sequence[Row], largest: float) -> Iterable[Figure]:
    for kind, claimed in CLAIMED.items():
        own = [row for row in rows if row["kind"] == kind and row["factor"] == largest]
        scan = mean(row["share of the scan"] for row in own)
        yield no_bar(
            f"XMark at factor {largest:g}, {kind} patterns",
            f"{mean(row['GB/s'] for row in own):.3f} GB/s",
            f"{scan:.1%} of a bare scan for `<`; {min(row['GB/s'] for row in own)} to "
            f"{max(row['GB/s'] for row in own)} GB/s",
            bar=f"the paper: {claimed:g} GB/s",
        )
