"""Two parts at the same time: what both cost together, and the larger of them, by one run in one part."""

from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from cepheid.bench.harness import in_fresh_process, measure, median_ratio
from cepheid.bench.results import Figure, Section, at_most
from cepheid.bench.xml.documents import DBLP, TREEBANK, XMARK, Library
from cepheid.bench.xml.queries import QUERIES, TreeQuery, queries_of
from cepheid.bench.xml.sides import agreed
from cepheid.sources.xml_cuts import CutSizes
from cepheid.xml import XmlMatches, xml

PARTS = 2
TOTAL_BAR, LARGER_BAR = 1.15, 0.55
ONE, TWO = "one", "two"
QUERIES_BY_NAME = {query.name: query for query in QUERIES}


def parts(ground: Library) -> Section:
    """All queries in two parts."""
    rows = [_row(ground, query) for document in (DBLP, TREEBANK, XMARK) for query in queries_of(document)]
    cut = [row for row in rows if row["parts"] == PARTS]
    return Section(
        "Two parts",
        "Each query over its document in two parts, by the same in one, in a process of its own, as a user "
        f"would run it. Processor time, in the middle of {ground.sizes.repeat} turns; of a part, what its "
        "thread took, with what it took over from the other one. The quick look that finds the cut is "
        "counted to the second part, which waits for it. The rows were compared.",
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
    path, repeat = ground.document(query.document, ground.sizes.in_parts), ground.sizes.repeat
    is_cut = path.stat().st_size >= PARTS * CutSizes().least
    run = in_fresh_process if is_cut else _here
    told = run(read_in_turns, name=query.name, path=str(path), repeat=repeat)
    ones, twos, larger = told["one"], told["two"], told["larger"]
    return {
        "document": query.document,
        "query": query.name,
        "parts": told["parts"],
        "one run s": round(median(ones), 4),
        "total": round(median_ratio(twos, ones), 3),
        "larger part": round(median_ratio(larger, ones), 3) if larger else 0.0,
        "taken over": told["taken_over"],
        "quick look": round(median(told["looking"]) / median(ones), 3) if larger else 0.0,
        "why not": told["why_not"],
    }


def _here(measurement: Callable[..., dict[str, Any]], **arguments: Any) -> dict[str, Any]:
    """What is read in one part anyway needs no process of its own."""
    return measurement(**arguments)


def read_in_turns(name: str, path: str, repeat: int) -> dict[str, Any]:
    """Read a document in one part and in two, by turns: the seconds of each run, and what they tell."""
    asked, stats = xml(QUERIES_BY_NAME[name].pattern), list[dict[str, Any]]()

    def in_two() -> XmlMatches:
        found = asked.run(path, parts=PARTS)
        stats.append(found.stats)
        return found

    timing = measure({ONE: lambda: asked.run(path), TWO: in_two}, repeat, is_tidied=True)
    del stats[0]  # of the run that is discarded
    one, two = asked.run(path), asked.run(path, parts=PARTS)
    agreed(name, {ONE: len(one), TWO: len(two) if one.table.equals(two.table) else -1})
    is_cut = all(each["parts"] == PARTS for each in stats)
    return {
        "one": timing[ONE].cpu,
        "two": timing[TWO].cpu,
        "larger": [_larger(each) for each in stats] if is_cut else [],
        "looking": [each.get("looking_seconds", 0.0) for each in stats],
        "taken_over": median(each.get("taken_over", 0) for each in stats),
        "parts": two.stats["parts"],
        "why_not": two.stats.get("one_part") or two.stats.get("read_again", ""),
    }


def _larger(stats: dict[str, Any]) -> float:
    first, second = stats["part_seconds"]
    return max(float(first), float(second) + float(stats["looking_seconds"]))
