"""`cepheid xml`: nodes as a table, in a pipe, in files, and counted."""

from __future__ import annotations

import gzip
import io
import re
from pathlib import Path
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest

from tests.cli.told import Told, rows

PEOPLE = b"""<people>
<person id="p1"><name>Ann</name><mail>a@x</mail><mail>b@x</mail></person>
<person id="p2"><name>Bob</name></person>
</people>"""
NAMES = "//person->P(/name->N:/mail->M+)"


@pytest.fixture
def people(folder: Path) -> Path:
    (folder / "people.xml").write_bytes(PEOPLE)
    return folder


def test_a_pipe_gets_json_lines(people: Path, cepheid: Told) -> None:
    status, out, err = cepheid("xml", NAMES, "people.xml")
    assert status == 0 and "nothing matched" not in err
    assert [(row["var"], row["text"]) for row in rows(out)] == [
        ("P", "Anna@xb@x"),
        ("N", "Ann"),
        ("M", "a@x"),
        ("M", "b@x"),
    ]
    assert rows(out)[0]["attributes"] == {"id": "p1"}
    assert " ".join(rows(out)[0]) == "match var parent run tag text attributes start end"


def test_a_terminal_gets_a_table(people: Path, cepheid: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    _, out, _ = cepheid("xml", "//person", "people.xml", "--limit", "1")
    lines = re.sub(r"\x1b\[\d*m", "", out).splitlines()
    assert lines[0].split()[:2] == ["match", "var"]
    assert "id=p1" in out and "… and 1 more (use --out)" in out
    assert lines[-1] == "2 nodes"


def test_wide_has_a_row_a_match(people: Path, cepheid: Told) -> None:
    status, out, err = cepheid("xml", NAMES, "people.xml", "--wide", "--out", "wide.parquet")
    assert (status, out) == (0, "")
    assert "1 match written to wide.parquet" in err
    (row,) = pq.read_table(people / "wide.parquet").to_pylist()
    assert (row["N"], row["M"]) == (["Ann"], ["a@x", "b@x"])


@pytest.mark.parametrize("name", ["n.parquet", "n.jsonl", "n.csv", "n.arrow", "n.csv.gz"])
def test_nodes_go_to_a_file(people: Path, cepheid: Told, name: str) -> None:
    status, out, err = cepheid("xml", "//name", "people.xml", "--out", name)
    assert (status, out) == (0, "")
    assert f"2 nodes written to {name}" in err
    assert (people / name).stat().st_size > 0


def test_attributes_are_objects_in_csv(people: Path, cepheid: Told) -> None:
    cepheid("xml", "//person", "people.xml", "--out", "n.csv")
    assert '"{""id"": ""p1""}"' in (people / "n.csv").read_text()


def test_counted(people: Path, cepheid: Told) -> None:
    assert cepheid("xml", "//mail", "people.xml", "--count")[:2] == (0, "2\n")
    assert cepheid("xml", NAMES, "people.xml", "--count", "--wide")[1] == "1\n"
    assert cepheid("xml", "//mail", "people.xml", "--count", "--parser", "expat")[1] == "2\n"


def test_of_several_files_each_row_says_which(people: Path, cepheid: Told) -> None:
    (people / "more.xml.gz").write_bytes(gzip.compress(b"<a><name>Cy</name></a>"))
    _, out, _ = cepheid("xml", "//name", "people.xml", "more.xml.gz")
    assert [(row["file"], row["text"]) for row in rows(out)] == [
        ("people.xml", "Ann"),
        ("people.xml", "Bob"),
        ("more.xml.gz", "Cy"),
    ]


def test_standard_input(people: Path, cepheid: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(PEOPLE), closed=False))
    assert cepheid("xml", "//mail", "-", "--count")[1] == "2\n"
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"<a>"), closed=False))
    status, _, err = cepheid("xml", "//mail", "-")
    assert status == 1 and "standard input: byte 3, line 1: the document ends too early" in err


def test_why_nothing_matched(folder: Path, cepheid: Told) -> None:
    (folder / "atom.xml").write_text("<feed xmlns='http://www.w3.org/2005/Atom'><entry/></feed>")
    status, out, err = cepheid("xml", "//atom:entry", "atom.xml")
    assert (status, out) == (0, "")
    assert "'feed' has the default namespace 'http://www.w3.org/2005/Atom'" in err
    assert cepheid("xml", "//atom:entry", "atom.xml", "--namespaces", "ignore", "--count")[:2] == (0, "1\n")
    (folder / "prefix.xml").write_text("<a:feed xmlns:a='u'><a:entry/></a:feed>")
    assert "prefix included" in cepheid("xml", "//entry", "prefix.xml")[2]
    (folder / "plain.xml").write_text("<feed/>")
    assert "nothing matched" not in cepheid("xml", "//entry", "plain.xml")[2]


def test_namespaces_by_their_prefixes(folder: Path, cepheid: Told) -> None:
    text = "<feed xmlns='urn:a' xmlns:x='urn:b'><entry/><x:entry/><x:other/></feed>"
    (folder / "atom.xml").write_text(text)
    ask = ("xml", "atom.xml", "--count", "--namespaces")
    assert cepheid(ask[0], "//a:entry", *ask[1:], "a=urn:a")[:2] == (0, "1\n")
    assert cepheid(ask[0], "//b:entry", *ask[1:], "a=urn:a", "--namespaces", "b=urn:b")[:2] == (0, "1\n")
    assert cepheid(ask[0], "//entry", *ask[1:], "=urn:a")[:2] == (0, "1\n")


def test_entities_and_limits_have_options(folder: Path, cepheid: Told) -> None:
    (folder / "n.xml").write_text("<r><a>&uuml;&x;</a><b>0123456789</b></r>")
    status, _, err = cepheid("xml", "//a", "n.xml")
    assert status == 1 and "n.xml: byte 6, line 1: " in err and err.endswith("--entities html has its text\n")
    assert (
        "'&x;' is not known: give its text in --entities NAME=TEXT"
        in cepheid("xml", "//a", "n.xml", "--entities", "uuml=u")[2]
    )
    _, out, _ = cepheid("xml", "//a", "n.xml", "--entities", "uuml=u", "--entities", "x==")
    assert rows(out)[0]["text"] == "u="
    assert "not 'x'" in cepheid("xml", "//a", "n.xml", "--entities", "x")[2]
    assert cepheid("xml", "//a", "n.xml", "--entities", "x")[0] == 2
    assert "more than --max-depth 1 elements" in cepheid("xml", "//a", "n.xml", "--max-depth", "1")[2]
    given = ("--entities", "uuml=u", "--entities", "x=x", "--max-text", "9")
    status, _, err = cepheid("xml", "//b", "n.xml", *given)
    assert status == 1 and "n.xml: byte " in err and "longer than --max-text 9 bytes" in err


def test_progress_tells_the_bytes_of_all_files(
    people: Path, cepheid: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[int] = []
    bar = (told.append, lambda: None)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("cepheid.cli.say.PATIENCE", -1)
    monkeypatch.setattr("cepheid.cli.say._drawn", lambda label, total, in_bytes: told.append(total) or bar)
    cepheid("xml", "//name", "people.xml", "people.xml", "--count")
    assert told == [2 * len(PEOPLE), len(PEOPLE), 2 * len(PEOPLE)]
