"""Events as they come: through a pipe and in a growing file, matched while they come."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.cli.told import Told, rows

SOURCE = Path(__file__).parent.parent.parent / "src"
QUERY = "PATTERN SEQ(buy a, sell b) WHERE [symbol] WITHIN 5 RETURN a.price AS low, b.price AS high"
QUIET = "PATTERN SEQ(buy a, ~sell b) WITHIN 5 RETURN a.ts AS ts"
PATIENCE = 120  # seconds: a busy machine starts slowly


def event(ts: Any, kind: str, price: Any = 1, symbol: Any = "A", **more: Any) -> str:
    return json.dumps({"ts": ts, "type": kind, "symbol": symbol, "price": price} | more) + "\n"


BUY, SELL = event(1, "buy", 10), event(2, "sell", 12)


# -- what is read ----------------------------------------------------------------------------------


@pytest.fixture
def piped(cepheid: Told, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str, str]]:
    """`printf TEXT | cepheid run …` in this process: a real pipe that has an end."""

    def run(text: str, *arguments: str) -> tuple[int, str, str]:
        reading, writing = os.pipe()
        os.write(writing, text.encode())
        os.close(writing)
        with os.fdopen(reading) as pipe:
            monkeypatch.setattr(sys, "stdin", pipe)
            return cepheid("run", *arguments)

    return run


Piped = Callable[..., tuple[int, str, str]]


def prices(out: str) -> list[tuple[object, object]]:
    return [(row["low"], row["high"]) for row in rows(out)]


def test_a_pipe_that_ends(piped: Piped) -> None:
    status, out, err = piped(BUY + SELL, QUERY, "--events", "-", "--stats")
    assert (status, prices(out)) == (0, [(10, 12)])
    assert "using time column ts, type column type" in err
    assert "events             2" in err


def test_the_end_makes_absences_certain(piped: Piped) -> None:
    assert len(rows(piped(BUY, QUIET, "-")[1])) == 1
    assert len(rows(piped(BUY + SELL, QUIET, "-")[1])) == 0


def test_csv_in_and_out(piped: Piped) -> None:
    status, out, _ = piped("ts,type,symbol,price\n1,buy,A,10\n2,sell,A,12\n", QUERY, "-", "--format", "csv")
    assert (status, out.splitlines()[0], out.splitlines()[1][:6]) == (0, '"low","high","match_id"', "10,12,")
    text = "ts\ttype\tsymbol\tprice\n1\tbuy\tA\t10\n"
    assert piped(text, QUERY, "-", "--format", "tsv")[1] == '"low"\t"high"\t"match_id"\n'


def test_late_events_are_told(piped: Piped) -> None:
    text = event(9, "buy") + event(8, "sell") + event(8, "sell")
    status, out, err = piped(text, QUERY, "-")
    assert (status, out) == (0, "")
    assert "late: an event of ts 8 came after a later one; --lateness" in err
    assert "2 late events took no part" in err
    status, out, err = piped(event(9, "sell") + event(8, "buy"), QUERY, "-", "--lateness", "2")
    assert (status, prices(out), "late" in err) == (0, [(1, 1)], False)


def test_lines_that_cannot_be_read_are_told(piped: Piped) -> None:
    status, out, err = piped(f"hello\n\n{BUY}[1]\n{SELL}", QUERY, "-")
    assert (status, prices(out)) == (0, [(10, 12)])
    assert "bad: standard input, line 1: not JSON" in err
    assert "bad: standard input, line 4: a JSON list, not an object: [1]" in err
    assert "2 bad events took no part" in err
    assert piped(f"hello\n{BUY}", QUERY, "-", "--on-bad", "fail")[0] == 1


def test_several_queries(piped: Piped, folder: Path) -> None:
    (folder / "two.sase").write_text(f"-- name: pairs\n{QUERY};\n-- name: quiet\n{QUIET};\n")
    status, out, err = piped(BUY + SELL + event(3, "buy"), "two.sase", "-", "--stats")
    assert (status, [row["query"] for row in rows(out)]) == (0, ["pairs", "quiet"])
    assert "quiet:\nevents" in err
    _, out, _ = piped(BUY + SELL + event(3, "buy"), "two.sase", "-", "--out", "m.csv")
    lines = (folder / "m.csv").read_text().splitlines()
    assert lines[0] == '"query","low","high","match_id","ts"'
    assert (lines[1][:14], lines[2][:10], lines[2][-2:]) == ('"pairs",10,12,', '"quiet",,,', ",3")
    piped(BUY + SELL, "two.sase", "-", "--out", "{query}.jsonl")
    assert len(rows((folder / "pairs.jsonl").read_text())) == 1
    assert (folder / "quiet.jsonl").read_text() == ""


@pytest.mark.parametrize("name", ["m.parquet", "m.jsonl", "m.csv", "m.csv.gz", "m.arrow"])
def test_matches_go_to_a_file(piped: Piped, folder: Path, name: str) -> None:
    status, out, err = piped(BUY + SELL, QUERY, "-", "--out", name)
    assert (status, out, f"1 match written to {name}" in err) == (0, "", True)
    assert (folder / name).stat().st_size > 0


def test_people_get_lines(piped: Piped, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert piped(BUY + SELL, QUERY, "-", "--format", "jsonl")[1] == "low: 10  high: 12\n"


@pytest.mark.parametrize(
    ("text", "arguments", "status", "message"),
    [
        ("", [QUERY], 0, "no events: standard input is empty"),
        ("\n\n", [QUERY], 0, "no events"),
        (BUY, ["PATTERN SEQ(buy a, sell b)"], 2, "over an unbounded stream"),
        (BUY, [QUERY, "x.csv"], 2, "a live stream stands alone"),
        (BUY, [QUERY, "--format", "xml"], 2, "--format is one of jsonl, csv, tsv"),
        (BUY, [QUERY, "--time", "tss"], 2, "did you mean 'ts'"),
        (BUY, [QUERY, "--time", "symbol"], 2, "not a time"),
        (BUY, [QUERY, "--lateness", "soon"], 2, "is no duration"),
        (BUY, [QUERY, "--column", "price"], 2, "write it as NAME=TYPE"),
        (BUY, [QUERY, "--column", "price=money"], 2, "the type is one of int, float"),
        (BUY, [QUERY, "--fail-on-match"], 0, "using"),
        (BUY + SELL, [QUERY, "--fail-on-match"], 3, "using"),
        ("ts,type\n1,buy\n", [QUERY, "--format", "csv", "--column", "x=int"], 1, "has no column 'x'"),
        ("[\n", [QUERY], 1, "holds a JSON array"),
        ("hello\n", [QUERY], 1, "is not JSON lines"),
    ],
)
def test_what_is_wrong_is_said(
    piped: Piped, text: str, arguments: list[str], status: int, message: str
) -> None:
    told, _, err = piped(text, *arguments, "-")
    assert message in err
    assert told == status


def test_options_of_live_streams_need_one(folder: Path, cepheid: Told) -> None:
    for option in (["--lateness", "5"], ["--column", "price=int"]):
        assert "go with live events" in cepheid("run", QUERY, "trades.csv", *option)[2]
    assert "say which log.txt is with --format" in cepheid("run", QUERY, "log.txt", "--follow")[2]
    assert "say which trades.parquet" in cepheid("run", QUERY, "trades.parquet", "--follow")[2]
    assert "is packed" in cepheid("run", QUERY, "trades.csv.gz", "--follow")[2]
    assert "is a folder" in cepheid("run", QUERY, ".", "--follow")[2]
    assert "did you mean trades.csv" in cepheid("run", QUERY, "trade.csv", "--follow")[2]


# -- while it comes --------------------------------------------------------------------------------


class Live:
    """`cepheid run` as a process, with a pipe to write events to."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "cepheid", "run", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": str(SOURCE)},
        )

    def write(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def match(self) -> dict[str, Any]:
        """The next match; the input is still open."""
        assert self.process.stdout is not None
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def told(self, part: str) -> str:
        """The next message that has this part."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if part in line:
                return line
        raise AssertionError(f"nothing was said of {part}")

    def end(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=PATIENCE)
        assert "Traceback" not in err
        return self.process.returncode, out, err


@pytest.fixture
def live(folder: Path) -> Iterator[Callable[..., Live]]:
    started: list[Live] = []

    def start(*arguments: str) -> Live:
        started.append(Live(*arguments))
        return started[-1]

    yield start
    for each in started:
        with suppress(ProcessLookupError):
            each.process.kill()
        each.process.wait()


Start = Callable[..., Live]


def test_a_match_is_told_while_the_input_is_open(live: Start) -> None:
    run = live(QUERY, "--events", "-")
    run.write("starting\n")
    run.told("standard input: no JSON object so far")
    run.write(BUY)
    run.write(SELL)
    assert run.match()["high"] == 12
    run.write(event(3, "sell", 15)[:20])  # half a line
    run.write(event(3, "sell", 15)[20:])
    assert run.match()["high"] == 15
    run.write(event(4, "sell", 2.5))
    run.told("bad: standard input, line 1: not JSON")
    assert "price: 2.5 does not fit int64, which the first events had" in run.told("bad: ")
    assert "--column price=float" in run.told("a column has the type")
    run.write(event(4, "sell", 16, other=[1, 2]))
    assert run.match()["high"] == 16
    status, out, err = run.end()
    assert (status, out) == (0, "")
    assert "2 bad events took no part" in err


@pytest.mark.slow
def test_csv_is_live_too(live: Start) -> None:
    run = live(QUERY, "-", "--format", "csv")
    run.write("ts,type,symbol,price\n1,buy,A,10\n")
    run.write("2,sell,A,12\n")
    assert run.process.stdout is not None
    assert run.process.stdout.readline() == '"low","high","match_id"\n'
    assert run.process.stdout.readline().startswith("10,12,")
    assert run.end()[0] == 0


@pytest.mark.slow
def test_a_column_that_comes_later(live: Start) -> None:
    run = live("PATTERN SEQ(buy a, pay b) WHERE b.amount > 5 WITHIN 5 RETURN b.amount AS x", "-")
    run.write(event(1, "buy", amount=None))
    assert "the stream has no attribute 'amount'" in run.told("amount")
    run.told("waiting for an event that has it")
    run.write(event(2, "pay", amount=7))
    assert run.match()["x"] == 7
    assert run.end()[0] == 0
    told = live("PATTERN SEQ(buy a, pay b) WHERE b.amount > 5 WITHIN 5", "-", "--column", "amount=float")
    told.write(BUY)
    told.told("using time column")
    told.write(event(2, "pay", amount=7))
    assert told.match()["b"]["amount"] == 7.0
    assert told.end()[0] == 0


@pytest.mark.slow
@pytest.mark.parametrize(("told", "expected"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_ctrl_c_ends_it_with_what_was_found(live: Start, told: int, expected: int) -> None:
    run = live(QUIET, "-")
    run.write(event(1, "buy") + event(9, "buy"))
    assert run.match()["ts"] == 1
    run.process.send_signal(told)
    status, out, err = run.end()
    assert (status, out) == (expected, "")
    assert "2 events, 1 match\n" in err


@pytest.mark.slow
def test_ctrl_c_keeps_the_file(live: Start, folder: Path) -> None:
    run = live(QUERY, "-", "--out", "m.parquet")
    run.write(BUY + SELL)
    run.told("using time column")
    run.process.send_signal(signal.SIGINT)
    status, _, err = run.end()
    assert (status, "1 match written to m.parquet" in err) == (130, True)
    assert (folder / "m.parquet").exists()


@pytest.mark.slow
def test_nobody_reads_the_output_any_more(live: Start) -> None:
    run = live(QUERY, "-")
    run.write(BUY + SELL)
    run.match()
    assert run.process.stdout is not None
    run.process.stdout.close()
    run.process.wait(timeout=PATIENCE)  # though no event comes
    assert run.process.stderr is not None
    assert "rror" not in run.process.stderr.read()


@pytest.mark.slow
def test_a_growing_file(live: Start, folder: Path) -> None:
    log = folder / "log.jsonl"
    log.write_text(BUY + SELL[:9])
    run = live(QUERY, "--follow", "log.jsonl")
    run.told("using time column")
    with log.open("a") as file:
        file.write(SELL[9:])
    assert run.match()["high"] == 12
    log.write_text(event(3, "sell", 13))  # shorter than before
    run.told("log.jsonl was cut off: reading it from its start")
    assert run.match()["high"] == 13
    log.rename(folder / "log.1")
    log.write_text(event(4, "sell", 14))
    run.told("log.jsonl was replaced: going on with the new file")
    assert run.match()["high"] == 14
    run.process.send_signal(signal.SIGINT)
    assert run.end()[0] == 130


@pytest.mark.slow
def test_a_growing_csv_that_is_replaced_has_its_header_again(live: Start, folder: Path) -> None:
    log, header = folder / "log.txt", "ts,type,symbol,price\n"
    log.write_text(f"{header}1,buy,A,10\n")
    run = live(QUERY, "log.txt", "--follow", "--format", "csv", "--out", "m.jsonl")
    run.told("using time column")
    log.rename(folder / "log.1")
    log.write_text(f"{header}2,sell,A,12\n")
    run.told("was replaced")
    while not (folder / "m.jsonl").read_text():  # flushed while it runs
        assert run.process.poll() is None
        time.sleep(0.05)
    run.process.send_signal(signal.SIGINT)
    status, _, err = run.end()
    assert (status, "bad" in err) == (130, False)
    assert prices((folder / "m.jsonl").read_text()) == [(10, 12)]
