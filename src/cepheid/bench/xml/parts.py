"""Two parts at the same time: what both cost together, and the larger of them, by one run in one part."""

from collections.abc import Sequence
from statistics import median
from typing import Any

from cepheid.bench.harness import measure
from cepheid.bench.results import Figure, Section, at_most
from cepheid.bench.xml.documents import DBLP, TREEBANK, XMARK, Library
from cepheid.bench.xml.queries import TreeQuery, queries_of
from cepheid.bench.xml.sides import agreed
from cepheid.xml import XmlMatches, xml

PARTS = 2
TOTAL_BAR, LARGER_BAR = 1.15, 0.55
ONE, TWO = "one", "two"


def parts(ground: Library) -> Section:
    """All queries in two parts."""
    rows = [_row(ground, query) for document in (DBLP, TREEBANK, XMARK) for query in queries_of(document)]
    cut = [row for row in rows if row["parts"] == PARTS]
    return Section(
        "Two parts",
        "Each query over its document in two parts, by the same in one. Processor time, medians of "
        f"{ground.sizes.repeat} runs in turns; of a part, what its thread took, with what it took over from "
        "the other one. The quick look that finds the cut is counted to the second part, which waits for it. "
        "The rows were compared.",
        tuple(rows),
        figures=_figures(cut, len(rows)),
    )


def _figures(cut: Sequence[dict[str, Any]], all_rows: int) -> tuple[Figure, ...]:
    if not cut:
        return (Figure("two parts", "at most 1.15×", "no document was large enough", None),)
    total, larger = (max(cut, key=lambda row: float(row[name])) for name in ("total", "larger part"))
    means = [median(row[name] for row in cut) for name in ("total", "larger part")]
    note = f"{len(cut)} of {all_rows} queries ran in two parts"
    return (
        at_most("two parts together to one run", TOTAL_BAR, total["total"],
                f"the most, of {total['query']}; {means[0]:.2f}× in the middle; {note}"),
        at_most("the larger of two parts to one run", LARGER_BAR, larger["larger part"],
                f"the most, of {larger['query']}; {means[1]:.2f}× in the middle"),
    )  # fmt: skip


def _row(ground: Library, query: TreeQuery) -> dict[str, Any]:
    path, asked = ground.document(query.document, ground.sizes.in_parts), xml(query.pattern)
    found: list[XmlMatches] = []
    sides = {ONE: lambda: asked.run(path), TWO: lambda: found.append(asked.run(path, parts=PARTS))}
    timing = measure(sides, ground.sizes.repeat, is_tidied=True)
    one = asked.run(path)
    agreed(query.name, {ONE: len(one), TWO: len(found[-1]) if one.table.equals(found[-1].table) else -1})
    stats = [each.stats for each in found[1:]]
    larger = [
        max(first, second + each["looking_seconds"])
        for each in stats
        if each["parts"] == PARTS
        for first, second in [each["part_seconds"]]
    ]
    whole = max(timing[ONE].median, 1e-9)
    return {
        "document": query.document,
        "query": query.name,
        "parts": found[-1].stats["parts"],
        "one run s": round(whole, 4),
        "total": round(timing[TWO].median / whole, 3),
        "larger part": round(median(larger) / whole, 3) if larger else 0.0,
        "taken over": median(each.get("taken_over", 0) for each in stats),
        "quick look": round(median(each.get("looking_seconds", 0.0) for each in stats) / whole, 3),
        "why not": found[-1].stats.get("one_part") or found[-1].stats.get("read_again", ""),
    }
