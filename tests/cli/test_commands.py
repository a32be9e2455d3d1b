"""The command line as a person meets it: what it prints, where, and with which exit status."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.cli.told import PAIRS, TRADES, Told, rows

ROOT = Path(__file__).parent.parent.parent
RISING = "PATTERN SEQ(stock a, stock b) WHERE [symbol] AND b.price > a.price + 3 WITHIN 10"


def test_a_pipe_gets_json_lines(folder: Path, cepheid: Told) -> None:
    status, out, err = cepheid("run", PAIRS, "--events", "trades.csv", "--type", "kind")
    assert status == 0
    assert [(row["low"], row["high"]) for row in rows(out)] == [(10, 12)]
    assert "time column ts" in err


def test_a_terminal_gets_a_table(folder: Path, cepheid: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    cepheid("generate", "stocks", "--size", "500", "--out", "s.parquet")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    _, out, _ = cepheid("run", RISING, "--events", "s.parquet", "--limit", "2")
    lines = re.sub(r"\x1b\[\d*m", "", out).splitlines()
    assert lines[0].split() == ["a", "b"]
    assert "more (use --out)" in lines[-2]
    assert lines[-1].endswith("matches")


@pytest.mark.parametrize("name", ["m.parquet", "m.csv", "m.jsonl", "m.arrow"])
def test_matches_go_to_a_file(folder: Path, cepheid: Told, name: str) -> None:
    status, out, err = cepheid("run", PAIRS, "--events", "trades.csv", "--type", "kind", "--out", name)
    assert (status, out) == (0, "")
    assert f"1 match written to {name}" in err
    assert (folder / name).stat().st_size > 0


def test_several_files_are_one_stream(folder: Path, cepheid: Told) -> None:
    lines = TRADES.splitlines(keepends=True)
    (folder / "1.csv").write_text("".join(lines[:2]))
    (folder / "2.csv").write_text("".join([lines[0], *lines[2:]]))
    for events in (["1.csv", "2.csv"], ["1.csv", "--events", "2.csv"], ["?.csv"]):
        status, out, _ = cepheid("run", PAIRS, "--events", *events, "--type", "kind")
        assert (status, len(rows(out))) == (0, 1)


def test_a_query_may_stand_in_a_file(folder: Path, cepheid: Told) -> None:
    (folder / "pairs.sase").write_text(f"-- pairs\n{PAIRS}\n")
    status, out, _ = cepheid("run", "pairs.sase", "--events", "trades.csv", "--type", "kind")
    assert (status, len(rows(out))) == (0, 1)


def test_stats_go_to_standard_error(folder: Path, cepheid: Told) -> None:
    _, out, err = cepheid("run", PAIRS, "--events", "trades.csv", "--type", "kind", "--stats")
    assert len(rows(out)) == 1
    for name in ("events", "matches", "seconds", "engine", "peak_state_bytes"):
        assert name in err


def test_rows_that_cannot_be_read_are_told(folder: Path, cepheid: Told) -> None:
    with (folder / "trades.csv").open("a") as file:
        file.write("2024-01-01T09:03,sell\n,sell,A,20\n")
    status, _, err = cepheid("run", PAIRS, "--events", "trades.csv", "--type", "kind")
    assert status == 0
    assert "trades.csv, line 5: 2 fields where the header has 4" in err
    assert "'ts' is no time" in err
    assert "2 bad events took no part" in err


def test_explain(folder: Path, cepheid: Told) -> None:
    status, out, _ = cepheid("explain", PAIRS)
    assert status == 0
    assert "nfa" in out
    assert cepheid("explain", PAIRS, "--events", "trades.csv", "--type", "kind")[0] == 0
    assert cepheid("explain", PAIRS, "--format", "dot")[1].startswith("digraph")


def test_generate_is_repeatable(folder: Path, cepheid: Told) -> None:
    for name in ("1.parquet", "2.parquet"):
        assert cepheid("generate", "stocks", "--size", "70000", "--seed", "5", "--out", name)[0] == 0
    assert pq.read_table("1.parquet") == pq.read_table("2.parquet")
    _, out, _ = cepheid("generate", "stocks", "--size", "2")
    assert [row["time"] for row in rows(out)] == [0, 1]


def test_generated_documents_go_to_files_and_pipes(folder: Path, cepheid: Told) -> None:
    document = ("generate", "xmark", "--size", "0.001", "--seed", "5")
    status, out, err = cepheid(*document)
    assert status == 0 and out.startswith("<?xml") and out.endswith("</site>\n")
    assert err == f"{len(out.encode()):,} bytes of XML written to standard output\n"
    for name in ("a.xml", "a.xml.gz"):
        assert cepheid(*document, "--out", name)[0] == 0
    assert (folder / "a.xml").read_text() == out
    assert gzip.decompress((folder / "a.xml.gz").read_bytes()).decode() == out


@pytest.mark.parametrize("size", ["0.02", "20kB", "0.02 MB", "2e-5GB"])
def test_documents_have_a_size_with_a_unit(size: str, cepheid: Told) -> None:
    status, out, _ = cepheid("generate", "dblp", "--size", size)
    assert status == 0 and 18_000 < len(out.encode()) < 22_000


def test_demo(cepheid: Told) -> None:
    status, out, _ = cepheid("demo")
    assert status == 0
    for part in ("PATTERN SEQ", "matches", "events a second", "Try next"):
        assert part in out
    page = Path(next(line.strip() for line in out.splitlines() if line.endswith("demo.html"))).read_text()
    assert "<svg" in page and "http" not in page.replace("http://www.w3.org", "")


def test_what_the_demo_on_spark_needs_is_compiled_without_spark() -> None:
    code = (
        "import sys; from cepheid.cli.demo_spark import rehearse; rehearse(); print('pyspark' in sys.modules)"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert (done.stdout, done.returncode) == ("False\n", 0), done.stderr


def on_spark(*row: Any) -> Any:
    return pytest.param(*row, marks=pytest.mark.spark)


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["run", "PATERN SEQ(A a)", "-e", "trades.csv"], 2, "line 1, column 1"),
        (["run", "PATTERN SEQ(buy a, sell b", "-e", "trades.csv"], 2, "^"),
        (["run", "", "-e", "trades.csv"], 2, "the query is empty"),
        (["run", "PATTERN ~buy a", "-e", "trades.csv", "--type", "kind"], 2, "positive"),
        (["run", "PATTERN ANY a WHERE a.prise > 1", "-e", "trades.csv"], 2, "price"),
        (["run", "PATTERN ANY a WHERE a.price > 'x'", "-e", "trades.csv"], 2, "^"),
        (["run", "PATTERN SEQ(buy a)", "-e", "trades.csv"], 2, "no type column"),
        (["run", "query.sase", "-e", "trades.csv"], 2, "no query file query.sase"),
        (["run", PAIRS], 2, "--events"),
        (["run", "trades.csv", PAIRS], 2, "the query comes first"),
        (["run", PAIRS, "-e", "trade.csv"], 1, "did you mean trades.csv"),
        (["run", PAIRS, "-e", "empty.csv"], 1, "is empty"),
        (["run", PAIRS, "-e", "text.parquet"], 1, "cannot be read as Parquet"),
        (["run", PAIRS, "-e", "trades.doc"], 1, "does not exist"),
        (["run", PAIRS, "-e", "trades.csv", "--time", "kind"], 2, "not a time"),
        (["run", PAIRS, "-e", "trades.csv", "--time", "tss"], 2, "did you mean 'ts'"),
        (["run", PAIRS, "-e", "trades.csv", "--type", "price"], 2, "should be text"),
        (["run", PAIRS, "-e", "numbers.csv"], 2, "--time x or --time y"),
        (["run", PAIRS, "-e", "words.csv"], 2, "no column is a time"),
        (["run", PAIRS, "-e", "header.csv"], 2, "are there any events?"),
        (["run", PAIRS, "-e", "trades.csv", "--engine", "turbo"], 2, "turbo"),
        (["run", PAIRS, "-e", "trades.csv", "--on-bad", "cry"], 2, "--on-bad"),
        (["run", PAIRS, "-e", "trades.csv", "--time-unit", "eons"], 2, "--time-unit"),
        (["run", PAIRS, "-e", "trades.csv", "--out", "m.doc"], 1, "the ending"),
        (["run", PAIRS, "-e", "trades.csv", "--limit", "many"], 2, "--limit"),
        (["run", PAIRS, "-e", "trades.csv", "--shards", "2"], 2, "--master and --shards go with --spark"),
        on_spark(["run", "PATTERN SEQ(buy a", "-e", "trades.csv", "--spark"], 2, "^"),
        on_spark(["run", PAIRS, "-e", "trade.csv", "--spark"], 1, "did you mean trades.csv"),
        on_spark(["run", PAIRS, "-e", "trades.csv", "--spark", "--time", "tss"], 2, "did you mean 'ts'"),
        on_spark(["run", "PATTERN ANY a WHERE a.prise > 1", "-e", "trades.csv", "--spark"], 2, "price"),
        (["explain", PAIRS, "--format", "oil"], 2, "--format"),
        (["generate", "click"], 2, "did you mean clicks"),
        (["generate", "stonks"], 2, "did you mean stocks"),
        (["generate", "sensors", "--rise", "0.5"], 2, "--rise says nothing about sensors"),
        (["generate", "stocks", "--size", "-1"], 2, "--size"),
        (["generate", "stocks", "--size", "1.5"], 2, "--size of stocks is how many events"),
        (["generate", "xmark", "--size", "10TB"], 2, "--size of xmark is a factor, such as 0.1"),
        (["generate", "xmark", "--size", "0"], 2, "--size is 0, and should be a factor above 0"),
        (["generate", "xmark", "--size", "nan"], 2, "not 'nan'"),
        (["generate", "xmark", "--size", "1e9"], 2, "at most 10,000"),
        (["generate", "dblp", "--size", "-1"], 2, "--size of dblp is in megabytes, such as 10"),
        (["generate", "treebank", "--size", "5 apples"], 2, "not '5 apples'"),
        (["generate", "treebank", "--size", "2000000GB"], 2, "at most 1,000,000"),
        (["generate", "xmark", "--rooms", "5"], 2, "--rooms says nothing about xmark"),
        (["generate", "xmarks"], 2, "did you mean xmark?"),
        (["generate", "xmark", "--out", "x.parquet"], 1, "x.parquet: the ending of a document is .xml"),
        (["generate", "xmark", "--out", "nowhere/x.xml"], 1, "there is no folder nowhere"),
        (["generate", "stocks", "--size", "1", "--out", "nowhere/s.csv"], 1, "there is no folder nowhere"),
        (["xml", "//a", "trades.xml", "--count"], 1, "trades.xml does not exist; did you mean trades.csv?"),
        (["xml", "//a", "."], 1, ". is a folder: name the files"),
        (["xml", "//a(", "trades.csv"], 2, "^"),
        (["xml", "//a", "trades.csv"], 1, "trades.csv: byte 0, line 1"),
        (["xml", "//a", "trades.csv", "--parser", "sax"], 2, "--parser is one of fast, lxml, expat"),
        (["xml", "//a", "trades.csv", "--namespaces", "all"], 2, "--namespaces is ignore or PREFIX=URI"),
        (["xml", "//a", "trades.csv", "--namespaces", "p="], 2, "no namespace for the prefix 'p'"),
        (["xml", "//a", "trades.csv", "--namespaces", "p=u", "--namespaces", "p=v"], 2, "p=… is given twice"),
        (["xml", "//a", "trades.csv", "--namespaces", "p=u", "--namespaces", "ignore"], 2, "not 'ignore'"),
        (["xml", "//q:a", "trades.csv", "--namespaces", "p=u"], 2, "no namespace for the prefix 'q'"),
        (["xml", "//a", "trades.csv", "--count", "--out", "a.csv"], 2, "--count prints a number"),
        (["xml", "//a", "trades.csv", "--out", "a.doc"], 1, "the ending"),
        (["xml", "//a", "-", "-"], 2, "can be read once"),
        (["xml", "//a"], 2, "FILE"),
        (["bench", "nosuch"], 2, "no benchmark 'nosuch'"),
        (["kernels"], 2, "--out"),
        (["kernels", "--out", "kernels.tar"], 1, "its name ends in .zip"),
        (["kernels", "--out", "nosuch/k.zip"], 1, "there is no folder nosuch"),
        (["warm-up", "--jobs", "0"], 2, "--jobs"),
        (["nosuch"], 2, "nosuch"),
        (["run", PAIRS, "-e", "trades.csv", "--nosuch"], 2, "--nosuch"),
    ],
)
def test_what_is_wrong_is_said(
    folder: Path, cepheid: Told, arguments: list[str], status: int, message: str
) -> None:
    (folder / "empty.csv").touch()
    (folder / "text.parquet").write_text("text")
    (folder / "numbers.csv").write_text("x,y\n1,2\n")
    (folder / "words.csv").write_text("x\na\n")
    (folder / "header.csv").write_text("ts,kind,symbol\n")
    told, out, err = cepheid(*arguments)
    assert message in err
    assert (told, out) == (status, "")


def test_nanoseconds_survive(folder: Path) -> None:
    (folder / "n.csv").write_text("ts\n2024-01-01T00:00:00.123456789\n")
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "cepheid", "run", "PATTERN ANY a", "--events", "n.csv"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=environment)
    assert rows(done.stdout)[0]["a"] == {"ts": "2024-01-01T00:00:00.123456789"}, done.stderr


def test_a_closed_pipe_is_no_failure_to_speak_of(folder: Path) -> None:
    command = f"'{sys.executable}' -m cepheid generate stocks --size 100000 | head -1"
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False, env=environment
    )
    assert done.stdout.count("\n") == 1
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


def test_a_run_leaves_linear_algebra_to_others(folder: Path) -> None:
    (folder / "few.csv").write_text("ts\n1\n")
    program = (
        "import sys; sys.argv[1:] = ['run', 'PATTERN ANY a', '--events', 'few.csv', '--out', 'found.csv']\n"
        "from cepheid.cli.app import app\n"
        "try:\n    app()\n"
        "except SystemExit as exit:\n"
        "    print(exit.code, 'scipy.linalg' in sys.modules)\n"
        "    import scipy.optimize"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=environment)
    assert (done.returncode, done.stdout) == (0, "0 False\n"), done.stderr


@pytest.mark.slow
@pytest.mark.service
def test_the_demo_of_the_service_tells_all_four_situations_and_ends(cepheid: Told) -> None:
    pytest.importorskip("fastapi", reason="needs cepheid[service]")
    status, out, err = cepheid("demo", "--service")
    assert status == 0, err
    assert "listens at http://127.0.0.1:" in out and "cph_" in out
    told = out.partition("told: ")[2].partition("\n")[0]
    counts = dict(each.rsplit(" ", 1) for each in told.split(", "))
    assert set(counts) == {"hot at night", "silent sensor", "cold and damp", "break-in"}
    assert all(int(count) >= 1 for count in counts.values()), told
    assert "events accepted" in out
    assert cepheid("demo", "--stay")[0] == 2
