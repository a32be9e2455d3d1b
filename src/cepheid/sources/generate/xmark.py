"""Auction documents with the structure and the counts of the XMark benchmark.

`xmark_blocks(0.1, seed=1)` is about 11.7 MB, and every size is in proportion. All 74 tags of the benchmark's
DTD occur (in very small documents, most of them), in its order, and references name elements that exist. The
words are our own.
"""

from collections.abc import Iterator
from random import Random

from cepheid.sources.generate.blocks import PROLOGUE, blocks_of, check_document
from cepheid.sources.generate.xmark_counts import counts_at
from cepheid.sources.generate.xmark_people import People
from cepheid.sources.generate.xmark_sales import Sales
from cepheid.sources.generate.xmark_text import Prose

MOST = 10_000  # about 1.2 TB


def xmark_blocks(factor: float, seed: int) -> Iterator[bytes]:
    """An auction document in blocks of about a megabyte; factor 1 is about 117 MB."""
    check_document(factor, seed, MOST, "a factor")
    return blocks_of(_site(factor, Random(seed)))


def _site(factor: float, chance: Random) -> Iterator[str]:
    counts = counts_at(factor)
    people = People(chance, counts)
    sales = Sales(chance, counts, people, Prose(chance))
    yield f"{PROLOGUE}<site>\n<regions>\n"
    first = 0
    for region, items in counts.regions.items():
        yield from _section(region, map(sales.item, range(first, first + items)))
        first += items
    yield "</regions>\n"
    yield from _section("categories", map(sales.category, range(counts.categories)))
    yield from _section("catgraph", (sales.edge() for _ in range(counts.categories)))
    yield from _section("people", map(people.person, range(counts.people)))
    yield from _section("open_auctions", map(sales.open_auction, range(counts.open_auctions)))
    yield from _section("closed_auctions", map(sales.closed_auction, range(counts.closed_auctions)))
    yield "</site>\n"


def _section(tag: str, pieces: Iterator[str]) -> Iterator[str]:
    yield f"<{tag}>\n"
    yield from pieces
    yield f"</{tag}>\n"
