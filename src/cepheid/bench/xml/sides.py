"""Who reads a document: Cepheid, parsers that find nothing, and the loop that people write with lxml.

A side is given a file and reads it from its first byte to its last; it gives the number of rows.
"""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.parsers import expat

from cepheid.bench.xml.queries import TreeQuery
from cepheid.errors import CepheidError
from cepheid.xml import xml

CEPHEID, EXPAT, SCAN, LXML = "cepheid", "expat", "scan for <", "lxml loop"
CHUNK = 1 << 20

Side = Callable[[], int]


def by_cepheid(pattern: str, path: Path) -> Side:
    """Bytes to rows by the fast front, in one piece."""
    asked = xml(pattern)
    return lambda: len(asked.run(path))


def by_expat(path: Path) -> Side:
    """Python's own parser, which tells nobody what it finds."""

    def run() -> int:
        parser = expat.ParserCreate()
        with path.open("rb") as file:
            while chunk := file.read(CHUNK):
                parser.Parse(chunk, False)
        parser.Parse(b"", True)
        return 0

    return run


def by_scan(path: Path) -> Side:
    """Only count `<`: what no reader of tags can be faster than."""

    def run() -> int:
        with path.open("rb") as file:
            while chunk := file.read(CHUNK):
                chunk.count(b"<")
        return 0

    return run


def by_lxml(query: TreeQuery, path: Path) -> Side:
    """One record after the other by `iterparse(tag=…)`, XPath for each, and forgetting it afterwards."""
    etree = _lxml()
    find = etree.XPath(query.path)

    def run() -> int:
        rows: list[tuple[str, str, dict[str, str]]] = []
        for _, record in etree.iterparse(str(path), events=("end",), tag=query.record):
            rows += [(node.tag, "".join(node.itertext()), dict(node.attrib)) for node in find(record)]
            record.clear()
            while record.getprevious() is not None:
                del record.getparent()[0]
        return len(rows)

    return run


def _lxml() -> Any:
    try:
        return import_module("lxml.etree")
    except ImportError:
        raise CepheidError("cepheid bench xml compares with lxml: pip install 'cepheid[xml]'") from None


def agreed(name: str, counts: dict[str, int]) -> int:
    """The number of rows that all sides found; it is an error if they differ."""
    if len(set(counts.values())) != 1:
        raise CepheidError(f"{name}: the sides found different numbers of rows: {counts}")
    return next(iter(counts.values()))
