"""`cepheid test`: what it says of scenarios, its exit status, and the XML that it writes."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.told import Told

GOOD = """
=== A pair
PATTERN SEQ(A a, B b)
WITHIN 10
---
time type
1    A
CRASH
2    B
EMITS 1; 2
---
1; 2

=== A silence
PATTERN SEQ(A a, ~B b)
WITHIN 5
---
id time type
x  1    A
WATERMARK 7
EMITS x
---
x
"""
DIFFERS = """
=== Two pairs
PATTERN SEQ(A a, B b)
WITHIN 10
---
time type
1    A
2    B
3    B
---
1; 2
1; 4
"""
ROWS = """
=== Rows & <columns>\x07
PATTERN SEQ(A a, B b)
RETURN a.time AS t, b.time AS u
---
time type
1    A
2    B
---
RETURNS t u
        1 9
"""
BROKEN = """
# a comment

=== No end
PATTERN SEQ(A a, B b
---
time type
1    A
---
NONE
"""


@pytest.fixture
def rules(folder: Path) -> Path:
    for name, text in (("good", GOOD), ("differs", DIFFERS), ("rows", ROWS), ("broken", BROKEN)):
        (folder / f"{name}.scn").write_text(text)
    return folder


def test_all_hold(rules: Path, cepheid: Told) -> None:
    status, out, _ = cepheid("test", "good.scn")
    assert status == 0
    lines = out.splitlines()
    assert lines[0] == "good.scn"
    assert lines[1].split()[:3] == ["ok", "A", "pair"]
    assert lines[-1].startswith("2 scenarios: 2 ok in ")


def test_the_example(folder: Path, cepheid: Told) -> None:
    rules = Path(__file__).parents[2] / "examples" / "rules"
    status, out, _ = cepheid("test", str(rules))
    assert status == 0 and "4 scenarios: 4 ok" in out


def test_a_difference(rules: Path, cepheid: Told) -> None:
    status, out, _ = cepheid("test", "good.scn", "differs.scn")
    assert status == 1
    rows = [" ".join(line.split()) for line in out.splitlines()]
    assert "failed Two pairs" in rows
    assert "differs.scn:2, as a table" in rows
    assert "1 missing and 1 not expected, where 2 matches were expected" in rows
    assert rows[-4:-1] == ["as expected 1; 2", "missing 1; 4", "not expected 1; 3"]
    assert "3 scenarios: 2 ok, 1 failed in" in rows[-1]


def test_rows_are_shown_by_their_columns(rules: Path, cepheid: Told) -> None:
    status, out, _ = cepheid("test", "rows.scn")
    assert status == 1
    assert [line.split() for line in out.splitlines()[4:7]] == [
        ["t", "u"],
        ["missing", "1", "9"],
        ["not", "expected", "1", "2"],
    ]


def test_a_bad_query_is_a_status_of_its_own(rules: Path, cepheid: Told) -> None:
    status, out, _ = cepheid("test", "broken.scn", "differs.scn")
    assert status == 2
    assert "broken.scn:4" in out and "a ) is missing" in out and "^" in out
    assert "1 failed, 1 error in" in out


def test_folders_and_patterns(rules: Path, cepheid: Told) -> None:
    (rules / "below").mkdir()
    (rules / "below" / "one.scn").write_text(GOOD)
    assert "below/one.scn" in cepheid("test", "below")[1]
    out = cepheid("test", "below", "g*.scn", "**/one.scn", "good.scn")[1]
    assert "4 scenarios: 4 ok" in out  # each file once
    status, _, err = cepheid("test", "nothing*.scn")
    assert status == 2 and "there is no file nothing*.scn" in err


@pytest.mark.parametrize(
    "text, said",
    [
        (b"PATTERN A a", "there is no scenario in it"),
        (b"", "there is no scenario in it"),
        (b"\xff\xfe=", "it is no text in UTF-8"),
        (b"=== One\nPATTERN A a\n", "with '---' between them"),
        (
            b"=== One\ntim=ts\nPATTERN A a\n---\nts type\n1 A\n---\n1",
            "there is no 'tim='; did you mean 'time'?",
        ),
        (b"=== One\nPATTERN A a\n---\ntime type\n1\n---\n1", "2 columns, but 1 cells"),
        (b"=== One\nquery=x.sase\n---\ntime type\n1 A\n---\n1", "query=x.sase cannot be read"),
        (b"=== One\nquery=x.sase\nPATTERN A a\n---\ntime type\n1 A\n---\n1", "a query of its own beside"),
    ],
)
def test_files_that_are_no_scenarios(folder: Path, cepheid: Told, text: bytes, said: str) -> None:
    (folder / "odd.scn").write_bytes(text)
    status, out, _ = cepheid("test", "odd.scn")
    assert status == 2 and said in out and "odd.scn:1" in out


def test_what_may_be_wrong_is_told(folder: Path, cepheid: Told) -> None:
    (folder / "typo.scn").write_text(GOOD.replace("PATTERN SEQ(A a, B b)", "PATTERN SEQ(A a, b B)"))
    status, out, err = cepheid("test", "typo.scn")
    assert status == 1 and err == ""
    assert "note: no event has type 'b'; did you mean 'B'?" in out


def test_the_order_of_matches(folder: Path, cepheid: Told) -> None:
    (folder / "order.scn").write_text(DIFFERS.replace("1; 2\n1; 4", "1; 3\n1; 2"))
    status, out, _ = cepheid("test", "order.scn")
    assert status == 1 and "but in another order" in out
    rows = [" ".join(line.split()) for line in out.splitlines()]
    assert rows[-5:-1] == ["expected 1; 3", "expected 1; 2", "found 1; 2", "found 1; 3"]


def test_a_query_in_a_file_and_a_profile(folder: Path, cepheid: Told) -> None:
    (folder / "rule.sase").write_text("PATTERN SEQ(A a, B b)\nWITHIN 10")
    (folder / "rule.scn").write_text(
        "=== Once\nquery=rule.sase once=ever\n---\ntime type\n1 A\n2 B\n3 B\n---\n1; 2\n"
    )
    assert cepheid("test", "rule.scn")[0] == 0


def test_junit(rules: Path, cepheid: Told) -> None:
    status, _, err = cepheid(
        "test", "good.scn", "differs.scn", "rows.scn", "broken.scn", "--junit", "out.xml"
    )
    assert status == 2 and "written to out.xml" in err
    root = ElementTree.parse(rules / "out.xml").getroot()
    assert root.tag == "testsuites"
    assert {name: root.get(name) for name in ("tests", "failures", "errors")} == {
        "tests": "5",
        "failures": "2",
        "errors": "1",
    }
    assert [suite.get("name") for suite in root] == ["good.scn", "differs.scn", "rows.scn", "broken.scn"]
    for suite in root:
        cases = suite.findall("testcase")
        assert suite.tag == "testsuite" and int(suite.get("tests", "")) == len(cases)
        assert int(suite.get("failures", "")) == len(suite.findall("testcase/failure"))
        assert int(suite.get("errors", "")) == len(suite.findall("testcase/error"))
        for case in cases:
            assert case.get("name") and case.get("classname") and float(case.get("time", "")) >= 0
    failed = root[1][0]
    assert (failed.get("file"), failed.get("line"), failed.get("classname")) == (
        "differs.scn",
        "2",
        "differs",
    )
    assert "- 1; 4" in (failed[0].text or "") and failed[0].get("message")
    assert root[2][0].get("name") == "Rows & <columns>�"
