"""What is certain at the end of a chunk, before the tag that says so."""

from __future__ import annotations

import pytest

import cepheid

OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
STARTS = ("", " ", "6", "-6", "60", "5.5", "-5", "6 ", "6x", "-.", "- ", "-0", "x6")
ENDS = ("", "0", ".5", "x", "-", " 6", "000000000000000001")


@pytest.mark.parametrize("constant", ["6", "-6", "0", "'6'", "'x6y'", "''"])
@pytest.mark.parametrize("operator", OPERATORS)
def test_what_is_foreseen_of_a_comparison_holds_whatever_follows(operator: str, constant: str) -> None:
    x = cepheid.xml(f"//p[/z {operator} {constant}]/q")
    pieces = [b"<r>"]
    for start in STARTS:
        for end in ENDS:
            pieces += [f"<p><q/><z>{start}".encode(), f"{end}</z></p>".encode()]
    pieces.append(b"</r>")
    session = x.session()
    rows = [row for piece in pieces for row in session.push(piece).to_pylist()]
    assert rows == x.run(b"".join(pieces)).table.to_pylist()


def arrivals(pattern: str, pieces: list[bytes]) -> list[int]:
    """How many rows leave with each piece."""
    session = cepheid.xml(pattern).session()
    told = [session.push(piece).num_rows for piece in pieces]
    assert session.close().num_rows == 0
    return told


def test_a_text_that_can_no_more_be_the_constant_is_unequal_at_once() -> None:
    assert arrivals("//p[/z != 'xy']/q->Q", [b"<p><q/><z>x", b"z", b"</z></p>"]) == [0, 1, 0]
    assert arrivals("//p[/z != 'xy']/q->Q", [b"<p><q/><z>xy", b"z", b"</z></p>"]) == [0, 1, 0]
    assert arrivals("//p[/z != 6]/q->Q", [b"<p><q/><z>5", b"7", b"</z></p>"]) == [0, 1, 0]


def test_some_child_will_be_the_last_though_its_node_is_returned_later() -> None:
    pieces = [b"<r><p><q/>", b"<b>", b"</b><b/>", b"</p></r>"]
    assert arrivals("//p[/b->B[last()]]/q->Q", pieces) == [0, 1, 0, 1]
    assert arrivals("//p[/b->B[last()][@i]]/q->Q", [*pieces[:3], b"<b i=''/></p></r>"]) == [0, 0, 0, 2]
    assert arrivals("//r(//b->B[last()])//q->Q", pieces) == [0, 1, 0, 1]


def test_a_run_is_there_once_known_items_make_one() -> None:
    pieces = [b"<r><d/>", b"<c>", b"</c></r>"]
    assert arrivals("//r(/c->Y|//b->Z:/c)/d->D", pieces) == [0, 1, 1]
    assert arrivals("//r(//b->Z:/c)/d->D", [b"<r><d/>", b"<b>", b"</b><c>", b"</c></r>"]) == [0, 0, 2, 0]


def test_what_is_foreseen_survives_a_snapshot() -> None:
    x = cepheid.xml("//p[/z != 'xy']/q->Q")
    session = x.session()
    assert session.push(b"<p><q/><z>xz").num_rows == 1
    session = cepheid.resume(x, session.snapshot())
    assert session.push(b"</z><q/></p>").num_rows == 1
    assert session.close().num_rows == 0
