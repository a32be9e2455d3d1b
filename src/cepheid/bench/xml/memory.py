"""Memory: it depends on what is open and undecided, not on how long a document is.

Each measurement is in a process of its own: a session is given chunks, and its rows are counted and dropped.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from cepheid.bench.harness import in_fresh_process, peak_resident_bytes
from cepheid.bench.results import Figure, Section, at_most
from cepheid.bench.xml.documents import SEED, XMARK, Library
from cepheid.bench.xml.queries import QUERIES
from cepheid.bench.xml.sides import CHUNK
from cepheid.sources.generate import xmark_blocks
from cepheid.xml import XmlPattern, xml

PEAK_BAR, SNAPSHOT_BAR = 1.2, 1e6
CHILDREN = "//dblp(/article->A:/inproceedings)"
NESTED = "//a//a//a"
TENTH = 10
PIECE = 1 << 15
"""Small pieces, so that the shorter document too has many: the rows of a piece are held together."""


def memory(ground: Library) -> Section:
    """Ten times as much to read, and the peak of both."""
    sizes = ground.sizes
    small, large = sizes.factors[len(sizes.factors) // 2], sizes.factors[-1]
    rows: list[dict[str, Any]] = []
    figures: list[Figure] = []
    for query in ("Q3.2", "Q3.3"):
        files = [str(ground.sized(XMARK, factor)) for factor in (small, large)]
        told = [in_fresh_process(read_file, path=path, query=query) for path in files]
        _note(rows, figures, f"{query}, XMark at factor {large:g} to {small:g}", told)
    told = [in_fresh_process(read_children, count=sizes.children // part) for part in (TENTH, 1)]
    _note(rows, figures, f"{CHILDREN}, {sizes.children:,} children of the root to a tenth", told)
    nests = (max(sizes.nests // TENTH, 1), sizes.nests)
    told = [in_fresh_process(read_nests, count=count, depth=sizes.depth) for count in nests]
    _note(rows, figures, f"{NESTED}, {sizes.depth:,} deep, {nests[1]:,} times to {nests[0]:,}", told)
    return Section(
        "Memory",
        "A session is given chunks (of XMark a megabyte, else 32 kB), and its rows are dropped. Each "
        "run is in a process of its own; the peak is that of the whole process, with Python, Arrow and "
        "the kernels.",
        tuple(rows),
        figures=tuple(figures),
    )


def _note(rows: list[dict[str, Any]], figures: list[Figure], name: str, told: list[dict[str, Any]]) -> None:
    for each in told:
        rows.append(
            {
                "what": name,
                "MB read": round(each["bytes"] / 1e6, 1),
                "rows": each["rows"],
                "peak MB": round(each["peak_resident"] / 1e6, 1),
                "MB above a small run": round((each["peak_resident"] - each["before"]) / 1e6, 1),
            }
        )
    few, many = told
    note = f"{many['peak_resident'] / 1e6:.0f} and {few['peak_resident'] / 1e6:.0f} MB"
    figures.append(at_most(f"peak: {name}", PEAK_BAR, many["peak_resident"] / few["peak_resident"], note))


def snapshots(ground: Library) -> Section:
    """How large a snapshot is after much was read."""
    rows = []
    for query in ("Q3.2", "Q3.3", "Q3.5"):
        told = in_fresh_process(snapshot_after, query=query, megabytes=ground.sizes.snapshot)
        rows.append(
            {"query": query, "MB read": round(told["bytes"] / 1e6, 1), "snapshot bytes": told["snapshot"]}
        )
    largest = max(int(row["snapshot bytes"]) for row in rows)
    return Section(
        "Snapshots",
        f"A session is given the first {ground.sizes.snapshot:g} MB of XMark, and then saved.",
        tuple(rows),
        figures=(
            Figure(f"a snapshot after {ground.sizes.snapshot:g} MB", "less than 1 MB",
                   f"{largest / 1e6:.3f} MB", largest < SNAPSHOT_BAR, "the largest of three queries"),
        ),
    )  # fmt: skip


# ---------------------------------------------------------------- in a process of its own


def read_file(path: str, query: str) -> dict[str, Any]:
    """A file, a chunk at a time."""
    with Path(path).open("rb") as file:
        return _pushed(_pattern(query), iter(partial(file.read, CHUNK), b""))


def read_children(count: int) -> dict[str, Any]:
    """A root with so many children."""
    return _pushed(xml(CHILDREN), _children(count))


def read_nests(count: int, depth: int) -> dict[str, Any]:
    """Elements in each other, so deep and so many times."""
    nest = b"<a>" * depth + b"</a>" * depth
    return _pushed(xml(NESTED, max_depth=depth + 1), _grouped(b"<r>", nest, count, b"</r>"))


def snapshot_after(query: str, megabytes: float) -> dict[str, Any]:
    """The bytes of a snapshot."""
    session, read = _pattern(query).session(), 0
    for block in xmark_blocks(megabytes / 100, SEED):
        session.push(block)
        read += len(block)
        if read >= megabytes * 1e6:
            break
    return {"bytes": read, "snapshot": len(session.snapshot())}


def _pattern(query: str) -> XmlPattern:
    return xml(next(each.pattern for each in QUERIES if each.name == query))


def _pushed(pattern: XmlPattern, chunks: Iterable[bytes]) -> dict[str, Any]:
    """Read chunks in a session, after a small document."""
    pattern.session().push(b"<r/>")
    before, session, read, rows = peak_resident_bytes(), pattern.session(), 0, 0
    for chunk in chunks:
        rows += session.push(chunk).num_rows
        read += len(chunk)
    rows += session.close().num_rows
    return {"bytes": read, "rows": rows, "before": before}


def _children(count: int) -> Iterator[bytes]:
    pair = b"<article><author>A</author></article><inproceedings><author>B</author></inproceedings>\n"
    return _grouped(b"<dblp>", pair, count // 2, b"</dblp>")


def _grouped(first: bytes, piece: bytes, count: int, last: bytes) -> Iterator[bytes]:
    """A document of one piece again and again, in chunks."""
    chunk = bytearray(first)
    for _ in range(count):
        chunk += piece
        if len(chunk) >= PIECE:
            yield bytes(chunk)
            chunk.clear()
    yield bytes(chunk) + last
