"""What operators and predicates cost, and where the time of a run goes."""

from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any

from cepheid.bench.harness import Timing, measure, median_ratio
from cepheid.bench.results import Chart, Section, at_most, no_bar
from cepheid.bench.xml.documents import DBLP, TREEBANK, XMARK, Library
from cepheid.bench.xml.queries import PLAIN, REGULAR, queries_of
from cepheid.bench.xml.query_times import timings
from cepheid.bench.xml.sides import CEPHEID, CHUNK, SCAN, by_cepheid, by_scan
from cepheid.matchers.twig.scan.document import Document
from cepheid.matchers.twig.scan.scanner import Scanner
from cepheid.xml import xml

REGULAR_BAR, PREDICATE_BAR = 2.0, 0.3
STEP = "//person"
PREDICATES = ("[/name]", "[@id]", "[/emailaddress]", "[/name != '6']", "[//name]", "[/emailaddress != '6']")
"""All persons satisfy all of them, so that each pattern has the same rows."""

READ, TOKENS, WHOLE = "the file is read", "tokens are made", "rows are made"


def operators(ground: Library) -> Section:
    """The regular queries beside the plain query of the same elements."""
    rows: list[dict[str, Any]] = []
    for document in (DBLP, TREEBANK, XMARK):
        timing = timings(ground, document)
        plain = [query for query in queries_of(document) if query.kind == PLAIN][1]
        for query in queries_of(document):
            if query.kind == REGULAR:
                ratio = _ratio(timing[f"{query.name} {CEPHEID}"], timing[f"{plain.name} {CEPHEID}"])
                rows.append(
                    {"query": query.name, "beside": plain.name, "times": ratio, "pattern": query.pattern}
                )
    worst = max(rows, key=lambda row: float(row["times"]))
    return Section(
        "Regular operators",
        "The processor time of each regular query, by that of the plain query with the same elements.",
        tuple(rows),
        (Chart("query", "times", kind="bar", title="Regular queries to plain ones"),),
        (
            at_most("regular operators to the plain pattern", REGULAR_BAR, worst["times"],
                    f"the most, of {worst['query']}; {mean(row['times'] for row in rows):.2f}× on average"),
        ),
    )  # fmt: skip


def predicates(ground: Library) -> Section:
    """The same rows with more and more predicates."""
    path = ground.document(XMARK)
    patterns = {
        k: f"{STEP}{''.join(PREDICATES[:k])}/emailaddress" for k in range(ground.sizes.predicates + 1)
    }
    timing = measure({str(k): by_cepheid(text, path) for k, text in patterns.items()}, ground.sizes.repeat)
    rows: list[dict[str, Any]] = [
        {
            "predicates": k,
            "times": _ratio(timing[str(k)], timing["0"]),
            "at most": round(1 + PREDICATE_BAR * k, 2),
            "pattern": text,
        }
        for k, text in patterns.items()
    ]
    worst = max(rows[1:], key=lambda row: float(row["times"]) / float(row["at most"]))
    return Section(
        "Predicates",
        "Predicates that all persons of XMark satisfy, by the time of the pattern without any. The paper "
        "says that comparisons do not cost anything that shows.",
        tuple(rows),
        (Chart("predicates", "times", title="k predicates to none"),),
        (
            at_most(f"{worst['predicates']} predicates to none", worst["at most"], worst["times"],
                    "where it is nearest to 1 + 0.3 k"),
        ),
    )  # fmt: skip


def stages(ground: Library) -> Section:
    """A run in its parts: reading the file, making tokens, and the transducer with its rows."""
    path = ground.document(XMARK)
    queries = queries_of(XMARK)
    sides = {READ: lambda: _read(path), SCAN: by_scan(path), TOKENS: lambda: _tokens(path)}
    sides |= {query.name: by_cepheid(query.pattern, path) for query in queries}
    timing = measure(sides, ground.sizes.repeat, is_tidied=True)
    read, tokens = timing[READ].median, timing[TOKENS].median
    rows = [
        {
            "query": query.name,
            "seconds": round(timing[query.name].median, 4),
            "reading": round(read / timing[query.name].median, 2),
            "tokens": round((tokens - read) / timing[query.name].median, 2),
            "transducer and rows": round(1 - tokens / timing[query.name].median, 2),
        }
        for query in queries
    ]
    share = median_ratio(timing[SCAN].cpu, timing[TOKENS].cpu)
    size = path.stat().st_size
    return Section(
        "Where the time goes",
        "Shares of a run over XMark. Tokens are made by the tokenizer alone, which checks that the document "
        "is well-formed; a run makes and takes them in by turns. What is below zero is noise.",
        tuple(rows),
        figures=(
            no_bar("the tokenizer alone", f"{size / tokens / 1e9:.3f} GB/s",
                   f"{share:.1%} of a bare scan for `<`"),
        ),
    )  # fmt: skip


def _ratio(one: Timing, other: Timing) -> float:
    return round(median_ratio(one.cpu, other.cpu), 2)


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk


def _read(path: Path) -> int:
    return sum(len(chunk) for chunk in _chunks(path))


def _tokens(path: Path) -> int:
    """Make all tokens, and look at none."""
    limits = xml("//a")._limits
    document = Document(Scanner(limits.max_depth, limits.max_text))
    found = 0
    for chunk in _chunks(path):
        found += sum(len(some.tokens.kind) for some in document.push(chunk))
    found += sum(len(some.tokens.kind) for some in document.close())
    return found
