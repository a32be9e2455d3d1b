"""Generated XML documents: well-formed, of the asked size, with the tags and counts that they should have."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random

import pytest

from cepheid.language.twig.parse import parse_twig
from cepheid.sources.generate import DOCUMENTS, dblp_blocks, treebank_blocks, xmark_blocks
from cepheid.sources.generate.dblp import FIELDS
from cepheid.sources.generate.treebank import DEEPEST, GRAMMAR, SHORT, Sentences
from tests.language.twig.queries import QUERIES
from tests.oracle.documents import document
from tests.oracle.twig import twig_rows

SMALL = {"xmark": 0.002, "treebank": 0.1, "dblp": 0.1}
"""Sizes that take a moment."""

XMARK_BYTES = 11_669_748
XMARK_COUNTS = """
address 1256 africa 1 age 630 annotation 2175 asia 1 australia 1 author 2175 bidder 6182 bold 7202
business 1265 buyer 975 categories 1 category 100 catgraph 1 city 1256 closed_auction 975
closed_auctions 1 country 1256 creditcard 1297 current 1200 date 9296 description 4450 edge 100
education 603 emailaddress 2550 emph 6940 end 1200 europe 1 from 2139 gender 650 happiness 2175
homepage 1246 incategory 8219 increase 6182 initial 1200 interest 3832 interval 1200 item 2175
itemref 2175 keyword 7014 listitem 6143 location 2175 mail 2139 mailbox 2175 name 4825 namerica 1
open_auction 1200 open_auctions 1 parlist 2125 payment 2175 people 1 person 2550 personref 6182 phone 1263
price 975 privacy 563 profile 1265 province 611 quantity 4350 regions 1 reserve 607 samerica 1 seller 2175
shipping 2175 site 1 start 1200 street 1256 text 10607 time 6182 to 2139 type 2175 watch 4815 watches 1259
zipcode 1256
"""
"""What a document of the benchmark's own generator has at factor 0.1: its bytes, its elements by tag."""


@pytest.fixture(scope="module")
def auctions() -> bytes:
    return b"".join(xmark_blocks(0.1, seed=1))


@pytest.fixture(scope="module")
def site(auctions: bytes) -> ET.Element:
    return ET.fromstring(auctions)


def test_xmark_has_the_counts_of_the_original(auctions: bytes, site: ET.Element) -> None:
    words = XMARK_COUNTS.split()
    expected = dict(zip(words[::2], map(int, words[1::2]), strict=True))
    counts = Counter(element.tag for element in site.iter())
    assert counts.keys() == expected.keys() and len(counts) == 74
    allowed = {tag: 0.1 * n if n >= 1000 else 3 * math.sqrt(n) for tag, n in expected.items()}
    assert [tag for tag, n in expected.items() if abs(counts[tag] - n) > allowed[tag]] == []
    assert len(auctions) == pytest.approx(XMARK_BYTES, rel=0.1)


def test_references_name_elements_that_exist(site: ET.Element) -> None:
    known = {element.get("id") for element in site.iter()} - {None}
    names = ("person", "category", "open_auction", "item", "from", "to")
    named = {element.get(name) for element in site.iter() for name in names} - {None}
    assert named <= known
    sold = [element.get("item") for element in site.iter("itemref")]
    assert len(set(sold)) == len(sold) == 2175


def test_prose_nests_as_in_the_original(site: ET.Element) -> None:
    assert site.find(".//parlist/listitem/parlist/listitem/text") is not None
    assert site.find(".//parlist//parlist//parlist") is None
    for outer, inner in (("bold", "keyword"), ("keyword", "emph"), ("emph", "bold")):
        assert site.find(f".//text/{outer}/{inner}") is not None


def test_an_element_has_its_children_in_the_order_of_the_dtd(site: ET.Element) -> None:
    orders = {
        "site": "regions categories catgraph people open_auctions closed_auctions",
        "item": "location quantity name payment description shipping incategory mailbox",
        "person": "name emailaddress phone address homepage creditcard profile watches",
        "address": "street city country province zipcode",
        "profile": "interest education gender business age",
        "open_auction": "initial reserve bidder current privacy itemref seller annotation quantity type "
        "interval",
        "closed_auction": "seller buyer itemref price date quantity type annotation",
        "annotation": "author description happiness",
        "mail": "from to date text",
        "bidder": "date time personref increase",
    }
    for tag, order in orders.items():
        names = order.split()
        for element in site.iter(tag):
            places = [names.index(child.tag) for child in element]
            assert places == sorted(places)


@pytest.mark.parametrize("query", [name for name in QUERIES if name.startswith("Q3")])
def test_the_queries_of_the_paper_find_auctions(auctions: bytes, query: str) -> None:
    begin, end = auctions.index(b"<people>"), auctions.index(b"</people>") + len(b"</people>")
    part = auctions[auctions.index(b"<asia>") : auctions.index(b"</asia>") + 7]
    few = b"<site>" + part + auctions[begin:end] + b"</site>"
    assert twig_rows(parse_twig(QUERIES[query]), document(few))


def test_a_treebank_is_deep() -> None:
    depths, depth = Counter[int](), 0
    document = ET.XMLPullParser(["start", "end"])
    document.feed(b"".join(treebank_blocks(2.0, 1)))
    for event, _ in document.read_events():
        depth += 1 if event == "start" else -1
        depths[depth] += event == "start"
    assert 30 <= max(depths) <= DEEPEST == 36
    assert 7 < sum(depth * n for depth, n in depths.items()) / depths.total() < 9


def test_a_treebank_has_its_phrases_in_their_shares() -> None:
    counts = Counter(element.tag for element in ET.fromstring(b"".join(treebank_blocks(1.0, 1))).iter())
    assert set(GRAMMAR) < counts.keys()
    assert [tag for tag, _ in counts.most_common(3)] == ["NP", "VP", "S"]
    words = sum(n for tag, n in counts.items() if tag not in GRAMMAR)
    assert 10 < words / counts["EMPTY"] < 25


@pytest.mark.parametrize("seed", range(5))
def test_no_sentence_is_deeper_than_the_deepest(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules that always nest end all the same."""
    nesting = {"S": "NP VP", "NP": "NP PP", "VP": "VBD SBAR", "PP": "IN NP", "SBAR": "WHNP S"}
    for tag, children in nesting.items():
        monkeypatch.setitem(GRAMMAR, tag, {children: 0.4, SHORT[tag]: 0.6})
    sentences = iter(Sentences(Random(seed)))
    for _ in range(30):
        assert _height(ET.fromstring(next(sentences))) + 1 <= DEEPEST


def _height(element: ET.Element) -> int:
    return 1 + max(map(_height, element), default=0)


def test_publications_are_records_under_one_root() -> None:
    root = ET.fromstring(b"".join(dblp_blocks(1.0, 1)))
    assert root.tag == "dblp" and {record.tag for record in root} == set(FIELDS)
    keys = [record.attrib["key"] for record in root]
    assert len(set(keys)) == len(keys) and all("mdate" in record.attrib for record in root)
    for record in root:
        places = [FIELDS[record.tag].index(field.tag) for field in record]
        assert places == sorted(places)
    authors = {len(record.findall("author")) for record in root.iter("article")}
    assert authors == {1, 2, 3, 4, 5}
    assert 0.3 < len(root.findall("article")) / len(root) < 0.37


@pytest.mark.parametrize("query", [name for name in QUERIES if not name.startswith("Q3")])
def test_the_queries_of_the_paper_find_something(query: str) -> None:
    blocks = dblp_blocks if query.startswith("Q1") else treebank_blocks
    assert twig_rows(parse_twig(QUERIES[query]), document(b"".join(blocks(0.2, 1))))


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_the_seed_decides_the_document(kind: str) -> None:
    def made(seed: int) -> bytes:
        return b"".join(DOCUMENTS[kind].blocks(SMALL[kind], seed))

    assert made(1) == made(1) != made(2)
    made(3).decode("utf-8")
    ET.fromstring(made(3))


@pytest.mark.parametrize("kind", DOCUMENTS)
@pytest.mark.parametrize("megabytes", [0.25, 2.5])
def test_the_size_is_about_what_was_asked_for(kind: str, megabytes: float) -> None:
    blocks = [len(block) for block in DOCUMENTS[kind].blocks(megabytes / DOCUMENTS[kind].megabytes, 1)]
    assert sum(blocks) == pytest.approx(megabytes * 1e6, rel=0.1)
    assert all(1 << 20 <= size < 1.2 * (1 << 20) for size in blocks[:-1])


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_a_document_is_made_as_it_is_read(kind: str) -> None:
    """The first block of a terabyte takes no longer than that of a megabyte."""
    make: Callable[[float, int], Iterator[bytes]] = DOCUMENTS[kind].blocks
    assert len(next(make(1e6 / DOCUMENTS[kind].megabytes, 1))) >= 1 << 20


@pytest.mark.parametrize("kind", DOCUMENTS)
@pytest.mark.parametrize("size", [0, -1, math.nan, math.inf, 1e9])
def test_a_size_that_means_nothing_is_refused(kind: str, size: float) -> None:
    with pytest.raises(ValueError, match=r"size is .*, and should be .* above 0, and at most"):
        DOCUMENTS[kind].blocks(size, 1)
    with pytest.raises(ValueError, match="seed is -1"):
        DOCUMENTS[kind].blocks(1, -1)
