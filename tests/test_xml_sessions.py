"""Sessions on XML: bytes cut anywhere, documents that follow each other, snapshots in the middle of a tag."""

from __future__ import annotations

import random
from typing import Any

import pytest

import cepheid
from cepheid.errors import CepheidError, SnapshotError, XmlError
from cepheid.pattern.twig.render import render_twig
from cepheid.plan.twig.build import twig_plan
from cepheid.xml import XmlPattern
from tests.cases.twig import twig_case

Key = tuple[int, str]


def _keyed(rows: list[dict[str, Any]]) -> dict[Key, dict[str, Any]]:
    return {(row["start"], row["var"]): row for row in rows}


def _pushed(pattern: XmlPattern, data: bytes, dice: random.Random) -> list[dict[str, Any]]:
    """The rows of a session on random pieces, that goes on from a snapshot after each third of them."""
    session, rows = pattern.session(), []
    cuts = sorted(dice.choices(range(len(data) + 1), k=dice.randint(0, 8)))
    for begin, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
        told = session.push(data[begin:end]).to_pylist()
        assert told == sorted(told, key=lambda row: int(row["start"]))
        rows += told
        if dice.random() < 1 / 3:
            session = cepheid.resume(pattern, session.snapshot())
    return [*rows, *session.close().to_pylist()]


def test_random_cuts_and_snapshots_change_nothing() -> None:
    for seed in range(300):
        case = twig_case(seed)
        pattern = XmlPattern(twig_plan(case.pattern))
        expected = _keyed(list(pattern.run(case.data)))
        found = _keyed(_pushed(pattern, case.data, random.Random(seed)))
        assert found == expected, f"seed {seed}: {render_twig(case.pattern)} over {case.data.decode()}"


def test_documents_follow_each_other() -> None:
    first, second = b"<?xml version='1.0'?><r><a>1</a></r>", b"<!DOCTYPE r><r><b/><a i='2'/></r>"
    stream = first + b"\n" + second + first + b"<a/> "
    places = [stream.index(b"<a>"), stream.index(b"<a i"), stream.rindex(b"<a>"), stream.rindex(b"<a/>")]
    pattern = cepheid.xml("//a")
    for seed in range(30):
        rows = _pushed(pattern, stream, random.Random(seed))
        assert [row["start"] for row in rows] == places
        assert rows[1]["attributes"] == [("i", "2")]


def _marked(text: str, encoding: str) -> bytes:
    return text.encode({"utf-8-mark": "utf-8-sig"}.get(encoding, encoding))


CODES = ("utf-8", "utf-8-mark", "iso-8859-1", "utf-16", "utf-16-le", "utf-16-be")


def test_documents_of_several_encodings_follow_each_other() -> None:
    pattern = cepheid.xml("//a")
    for seed in range(120):
        dice = random.Random(seed)
        stream, places, texts, code = b"", [], [], ""
        for number in range(dice.randint(2, 4)):
            before, code = code, dice.choice(CODES)
            said = {"utf-8-mark": "utf-8", "utf-16-le": "utf-16", "utf-16-be": "utf-16"}.get(code, code)
            is_marked = before.startswith("utf-16") or not code.startswith("utf-8")
            is_plain = not is_marked and dice.random() < 0.4
            head = "" if is_plain else f"<?xml version='1.0' encoding='{said}'?>"
            kind = dice.choice(("", "<!DOCTYPE r>", "<!-- é -->", "\n"))
            tail = dice.choice(("", "", " ", "\n<!-- ü -->"))
            start = _marked(f"{head}{kind}<r>é", code)
            data = _marked(f"{head}{kind}<r>é<a>é{number}</a></r>{tail}", code)
            places.append(len(stream) + len(start))
            texts.append(f"é{number}")
            stream += data
        rows = _pushed(pattern, stream, dice)
        assert [row["start"] for row in rows] == places, (seed, stream)
        assert [row["text"] for row in rows] == texts


@pytest.mark.parametrize(
    ("stream", "message"),
    [
        (
            "<a/>".encode("utf-16") + "<b/>".encode("utf-16-le"),
            "byte 10, line 1: in a stream, a document in UTF-16",
        ),
        (
            "<a/>".encode("utf-16") + b"<?xml version='1.0'?><b>\xff</b>",
            "byte 34, line 1: these bytes are not UTF-8",
        ),
        (b"<a/>\xef\xbbx", "byte 4, line 1: text may not stand outside"),
        (b"<a/><?xml version='1.0'?>text", "byte 25, line 1: text may not stand outside"),
        ("<a/>".encode("utf-16") + b"\x00\xd8<\x00", "byte 10, line 1: these bytes are not UTF-16"),
    ],
)
def test_what_is_wrong_in_a_stream_is_said(stream: bytes, message: str) -> None:
    for size in (1, 3, 1000):
        session = cepheid.xml("//a").session()
        with pytest.raises(XmlError, match=message):
            for begin in range(0, len(stream), size):
                session.push(stream[begin : begin + size])
            session.close()


def test_a_snapshot_is_small_and_of_its_pattern() -> None:
    pattern = cepheid.xml("//r(/a->A:/b)")
    session = pattern.session()
    session.push(b"<r>")
    for _ in range(50):
        session.push(b"<a>text</a><b/>" * 1000)
    snapshot = session.snapshot()
    assert len(snapshot) < 100_000
    with pytest.raises(SnapshotError, match="another pattern"):
        cepheid.resume(cepheid.xml("//r(/a->B:/b)"), snapshot)
    assert cepheid.resume(pattern, snapshot).push(b"<a/><b/>").num_rows == 1


def test_what_is_wrong_ends_a_session() -> None:
    session = cepheid.xml("//a").session()
    with pytest.raises(XmlError, match="byte 3"):
        session.push(b"<a></b>")
    with pytest.raises(CepheidError, match="open another one"):
        session.push(b"<a/>")
    unfinished = cepheid.xml("//a").session()
    unfinished.push(b"<a>")
    with pytest.raises(XmlError, match="ends too early"):
        unfinished.close()
    with pytest.raises(CepheidError, match="takes bytes, not str"):
        cepheid.xml("//a").session().push("<a/>")  # type: ignore[arg-type]
    assert cepheid.xml("//a").session().close().num_rows == 0
