"""`cepheid why`: the text, the files that it writes, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.told import PAIRS, Told

COSTLY = "PATTERN SEQ(buy a, sell b) WHERE [symbol] AND b.price > $least WITHIN 5 min"
EVENTS = ("--events", "trades.csv", "--type", "kind")


def test_the_text(folder: Path, cepheid: Told) -> None:
    status, out, err = cepheid("why", COSTLY, *EVENTS, "--param", "least=20")
    assert status == 0
    assert out.startswith("no match in 3 events")
    assert "b.price > 20 is false: b.price is 12" in out
    assert "using time column ts" in err


def test_around_a_time(folder: Path, cepheid: Told) -> None:
    _, out, _ = cepheid("why", PAIRS, *EVENTS, "--around", "2024-01-01T12:00")
    assert "looked at 0 of 3 events: around that time" in out
    status, _, err = cepheid("why", PAIRS, *EVENTS, "--around", "noon")
    assert status == 2 and "'noon' is not a timestamp" in err


@pytest.mark.parametrize(
    "name, begins", [("why.html", "<!doctype html>"), ("why.svg", "<svg "), ("why.txt", "1 match")]
)
def test_a_file(folder: Path, cepheid: Told, name: str, begins: str) -> None:
    status, out, err = cepheid("why", PAIRS, *EVENTS, "--out", name)
    assert (status, out) == (0, "")
    assert f"written to {name}" in err
    assert (folder / name).read_text().startswith(begins)


def test_json(folder: Path, cepheid: Told) -> None:
    cepheid("why", PAIRS, *EVENTS, "--out", "why.json")
    assert json.loads((folder / "why.json").read_text())["matches"] == 1


@pytest.mark.parametrize(
    "arguments, said",
    [
        ([PAIRS], "which events?"),
        ([PAIRS, *EVENTS, "--out", "why.pdf"], "its ending is one of .html, .svg, .json, .txt"),
        (["two.sase", *EVENTS], "why is about one query"),
        (["PATTERN SEQ(buy a", *EVENTS], "error"),
    ],
)
def test_misuse(folder: Path, cepheid: Told, arguments: list[str], said: str) -> None:
    (folder / "two.sase").write_text(f"-- name: one\n{PAIRS}\n-- name: two\n{PAIRS}\n")
    status, _, err = cepheid("why", *arguments)
    assert status == 2 and said in err
