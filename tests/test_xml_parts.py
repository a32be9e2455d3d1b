"""A document in parts gives what it gives in one: the same rows, and the same errors."""

from __future__ import annotations

import gzip
import random
import re
from dataclasses import replace
from pathlib import Path
from time import sleep
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import CepheidError, XmlError
from cepheid.plan.twig.build import twig_plan
from cepheid.runners.embedded.xml_part_reader import Limit
from cepheid.runners.embedded.xml_parts import read_in_parts
from cepheid.sources.generate import DOCUMENTS
from cepheid.sources.xml import CHUNK
from cepheid.sources.xml_cuts import CutSizes, Cutter, cuts_of, root_of, shares
from cepheid.xml import XmlPattern, _in_order
from tests.cases.twig import twig_case

DECLARATION = re.compile(r"<\?xml .*?\?>")
SMALL = CutSizes(least=60, window=40, lead=40)
ASIDES = ("<!-- <a> -->", "<![CDATA[ </a> ]]>", "<?p <b ?>", "<e t='a>b'/>", "\r\n", "]]", '<e t="x/>"/>')


def in_parts(pattern: XmlPattern, data: bytes, parts: int, sizes: CutSizes = SMALL) -> tuple[Any, Any]:
    """The rows, and how they were read; or the error."""
    try:
        read = read_in_parts(np.frombuffer(data, np.uint8), parts, pattern._part_reader, sizes)
    except CepheidError as error:
        return str(error), None
    if isinstance(read, str):
        return in_one(pattern, data), None
    tables, stats = read
    return _in_order(pa.concat_tables(tables), pattern.plan).to_pylist(), stats


def in_one(pattern: XmlPattern, data: bytes) -> Any:
    try:
        return list(pattern.run(data))
    except CepheidError as error:
        return str(error)


def long_document(seed: int, pieces: int = 12) -> bytes:
    """Random documents as the children of one root, with comments and the like between them."""
    dice = random.Random(seed)
    body = "".join(
        DECLARATION.sub("", twig_case(dice.randrange(500)).data.decode())
        + dice.choice(ASIDES) * dice.randint(0, 1)
        for _ in range(pieces)
    )
    return (
        f"<?xml version='1.0'?>\n<!-- head -->\n<r x='1'><mid>{body}</mid>{body}</r>\n<!-- end -->".encode()
    )


@pytest.mark.parametrize("parts", [2, 3, 5])
def test_random_documents_have_the_same_rows(parts: int) -> None:
    joined = rows = 0
    for seed in range(60):
        pattern, data = XmlPattern(twig_plan(twig_case(seed).pattern)), long_document(seed)
        expected = in_one(pattern, data)
        found, stats = in_parts(pattern, data, parts)
        assert found == expected, (seed, str(pattern))
        joined += stats is not None and stats["parts"] > 1
        rows += len(expected) if joined else 0
    assert joined > 8  # not all had to be read again
    assert rows > 100


def test_random_mistakes_are_the_same() -> None:
    dice = random.Random(4)
    pattern = cepheid.xml("//a[/b]")
    wrong = 0
    for seed in range(80):
        data = bytearray(long_document(seed))
        at = dice.randrange(30, len(data))
        data[at : at + dice.randint(0, 3)] = dice.choice([b"<", b"&", b"</a>", b"<a>", b"\x01", b">", b"/"])
        expected = in_one(pattern, bytes(data))
        found, _ = in_parts(pattern, bytes(data), 3)
        assert found == expected, seed
        wrong += isinstance(expected, str)
    assert wrong > 40


@pytest.mark.parametrize(
    ("kind", "size", "text"),
    [
        ("xmark", 0.01, "//people[//person[/address->A[/zipcode]][/profile[//age]]]"),
        ("xmark", 0.01, "//item[/location]/description//keyword"),
        ("dblp", 0.5, "//dblp[//article(/author->A:/title:(/pages*):/year)]"),
        ("treebank", 0.5, "//VP[/PP(/IN:/NP->N)]"),
    ],
)
def test_generated_documents_are_joined(kind: str, size: float, text: str, tmp_path: Path) -> None:
    data = b"".join(DOCUMENTS[kind].blocks(size, 1))
    pattern = cepheid.xml(text)
    for parts in (2, 4):
        found, stats = in_parts(pattern, data, parts, CutSizes(least=1000, window=4096, lead=1 << 14))
        assert found == list(pattern.run(data)) and found
        assert stats["parts"] == parts and "read_again" not in stats
        assert len(stats["part_seconds"]) == parts


def test_what_an_open_element_needs_of_its_children_is_read_in_one() -> None:
    data = b"<d>" + b"<a/><b/>" * 200 + b"</d>"
    for text in ("//d(/a->A:/b)", "//d->D", "//d/a[last()]", "/d/a[150]"):
        pattern = cepheid.xml(text)
        found, stats = in_parts(pattern, data, 2)
        assert found == list(pattern.run(data)), text
        assert stats["parts"] == 1 and stats["read_again"], text


def test_the_guess_is_wrong_where_the_part_before_met_more() -> None:
    data = b"<d><flag/>" + b"<a>x</a>" * 200 + b"</d>"
    found, stats = in_parts(cepheid.xml("//d[/flag]/a"), data, 2)
    assert len(found) == 200
    assert stats["parts"] == 1 and stats["read_again"]


def test_quoted_ends_of_tags_do_not_mislead() -> None:
    data = b"<d>" + b"<x>" + b"<a t='/>'>x</a>" * 100 + b"</x>" + b"<a>y</a>" * 100 + b"</d>"
    for text in ("//x/a", "/d/a", "//a"):
        pattern = cepheid.xml(text)
        assert in_parts(pattern, data, 2)[0] == list(pattern.run(data))


def test_a_document_type_is_known_to_all_parts() -> None:
    head = b'<!DOCTYPE d [<!ENTITY e "x"><!-- > ] -->]>\n'
    data = head + b"<d>" + b"<a>x</a>" * 200 + b"&e;</d>"
    assert root_of(np.frombuffer(data, np.uint8)) == len(head)
    pattern = cepheid.xml("//a")
    assert in_parts(pattern, data, 2)[0] == in_one(pattern, data)


def test_run_reads_files_and_bytes_in_parts(tmp_path: Path) -> None:
    data = b"<d>" + (b"<a><b>1</b>" + b"." * 100 + b"</a>\n") * 300_000 + b"</d>"
    (tmp_path / "d.xml").write_bytes(data)
    pattern = cepheid.xml("//a[/b = 2]")
    whole = pattern.run(data)
    assert "parts" not in whole.stats
    for source in (data, bytearray(data), tmp_path / "d.xml", str(tmp_path / "d.xml")):
        found = pattern.run(source, parts=2)
        assert found.table.equals(whole.table)
        assert found.stats["bytes"] == len(data) and found.stats["parser"] == "fast"
    counted = cepheid.xml("//a[/b = 1]").run(data, parts=2)
    assert counted.stats["parts"] == 2 and len(counted) == 300_000


def test_what_cannot_be_cut_is_read_in_one_part(tmp_path: Path) -> None:
    data = b"<d>" + b"<a/>" * 2_000_000 + b"</d>"
    (tmp_path / "d.xml.gz").write_bytes(gzip.compress(data, 1))
    pattern = cepheid.xml("/d/a[3]")
    told = {
        "too small": pattern.run(b"<d><a/><a/><a/></d>", parts=2),
        "not packed": pattern.run(tmp_path / "d.xml.gz", parts=2),
        "parser='fast'": pattern.run(b"<d><a/><a/><a/></d>", "expat", parts=2),
        "UTF-8": pattern.run(data.decode().encode("utf-16"), parts=2),
        "can be cut": pattern.run([data], parts=2),
    }
    for why, found in told.items():
        assert len(found) == 1
        assert found.stats["parts"] == 1 and why in found.stats["one_part"]


def test_bad_numbers_of_parts_are_refused() -> None:
    for bad in (0, -1, 1.5, "2"):
        with pytest.raises(CepheidError, match="parts="):
            cepheid.xml("//a").run(b"<a/>", parts=bad)  # type: ignore[arg-type]
    with pytest.raises(XmlError):
        cepheid.xml("//a").run(b"", parts=2)


def test_who_is_done_takes_over_from_who_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    next_stop = Limit.next_stop

    def late(self: Limit, place: int) -> int:
        if place < late_until:
            sleep(0.0005)
        return next_stop(self, place)

    monkeypatch.setattr(Limit, "next_stop", late)
    monkeypatch.setattr("cepheid.runners.embedded.xml_part_reader.CHUNK", 64)
    sizes = replace(SMALL, worth=100)
    for seed in range(25):
        pattern, data = XmlPattern(twig_plan(twig_case(seed).pattern)), long_document(seed)
        late_until = len(data) // 2
        assert in_parts(pattern, data, 2, sizes)[0] == in_one(pattern, data), (seed, str(pattern))
    pattern, data = cepheid.xml("//item[/location]"), b"".join(DOCUMENTS["xmark"].blocks(0.002, 1))
    late_until = len(data) // 3
    found, stats = in_parts(pattern, data, 2, CutSizes(60, window=4096, lead=40, worth=1000))
    assert found == in_one(pattern, data)
    assert stats["parts"] == 2 and stats["taken_over"] > 0


def test_what_was_begun_is_not_given_up() -> None:
    limit = Limit(0, 50)
    assert limit.give_up(40) is None  # it may end before
    limit.be_sure(CHUNK + 100)
    assert limit.next_stop(0) == CHUNK and limit.left() == (CHUNK, CHUNK + 100)
    assert limit.give_up(CHUNK - 1) is None and limit.give_up(CHUNK + 100) is None
    assert limit.give_up(CHUNK + 60) == CHUNK + 100
    assert limit.next_stop(CHUNK) == limit.next_stop(CHUNK + 60) == CHUNK + 60


def test_cuts_are_the_same_in_any_order() -> None:
    for seed in range(20):
        data = np.frombuffer(long_document(seed), np.uint8)
        root = root_of(data) or 0
        back = Cutter(data, root, SMALL)
        for place in range(len(data) - 100, root, -150):
            assert back.cut(place, 4000) == Cutter(data, root, SMALL).cut(place, 4000), (seed, place)


def test_later_parts_are_shorter() -> None:
    ends = shares(4)
    lengths = [end - begin for begin, end in zip([0, *ends], ends, strict=False)]
    assert lengths == sorted(lengths, reverse=True) and ends[-1] == 1


def test_cuts_are_where_few_elements_are_open() -> None:
    data = np.frombuffer(b"<d>" + b"<a><b><c>x</c></b></a>" * 100 + b"</d>", np.uint8)
    cuts = list(cuts_of(data, 0, 3, SMALL))
    assert len(cuts) == 2
    for cut in cuts:
        assert cut.opened == (0,)
        assert data[cut.place : cut.place + 3].tobytes() == b"<a>"
        assert data[cut.lead : cut.lead + 3].tobytes() == b"<a>"
        assert cut.lead < cut.place
