"""`cepheid run --spark` and `cepheid demo --spark` as a person meets them; the rest is as without Spark."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from cepheid.cli.failure import status_of
from cepheid.cli.spark_failure import told
from cepheid.cli.time_order import in_time_order
from cepheid.errors import CepheidError, EventError, LimitError

ROOT = Path(__file__).parents[2]
RISING = "PATTERN SEQ(stock a, stock b) WHERE [symbol] AND b.price > a.price + 3 WITHIN 10"
KLEENE = "PATTERN SEQ(stock+ a[], stock b) WHERE skip_till_next_match { a[i].volume > 900 } WITHIN 4"
TRADES = (
    "ts,kind,symbol,price\n2024-01-01T09:00,buy,A,10\n2024-01-01T09:01,sell,A,12\n2024-01-01T09:02,sell,B,9\n"
)
PAIRS = "PATTERN SEQ(buy a, sell b) WHERE [symbol] WITHIN 5 min"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spark: SparkSession) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trades.csv").write_text(TRADES)
    status_of(["generate", "stocks", "--size", "3000", "--out", "stocks.parquet"])
    return tmp_path


class Told:
    """What one command said."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        self.capsys.readouterr()
        status = status_of(arguments)
        out, err = self.capsys.readouterr()
        assert "Traceback" not in err
        return status, out, err


@pytest.fixture
def cepheid(capsys: pytest.CaptureFixture[str]) -> Told:
    return Told(capsys)


@pytest.mark.parametrize("query", [RISING, KLEENE])
def test_parquet_gives_what_one_process_gives(folder: Path, cepheid: Told, query: str) -> None:
    _, without, _ = cepheid("run", query, "--events", "stocks.parquet")
    status, out, err = cepheid("run", query, "--events", "stocks.parquet", "--spark")
    assert (status, out) == (0, without)
    assert out.count("\n") > 10
    assert "time column time" in err


def test_text_gives_what_one_process_gives(folder: Path, cepheid: Told) -> None:
    arguments = ("run", PAIRS, "--events", "trades.csv", "--type", "kind")
    _, without, _ = cepheid(*arguments)
    status, out, _ = cepheid(*arguments, "--spark", "--shards", "3")
    assert (status, out) == (0, without)
    assert out.count("\n") == 1


def test_times_in_a_zone_give_what_one_process_gives(
    folder: Path, cepheid: Told, spark: SparkSession
) -> None:
    hours = pa.array(range(1_711_843_200, 1_711_843_200 + 24 * 3600, 3600), pa.int64())
    zones = {"ts": "Europe/Berlin", "there": "America/New_York"}
    columns = {name: hours.cast(pa.timestamp("s", zone)) for name, zone in zones.items()}
    feather.write_feather(pa.table({"ts": columns["ts"]}), "one.arrow", compression="uncompressed")
    feather.write_feather(pa.table(columns), "two.arrow", compression="uncompressed")
    query = "PATTERN ANY a WHERE hour(a.ts) = 4 OR a.ts > '2024-03-31 22:30' RETURN hour(a.ts) AS h"
    _, without, _ = cepheid("run", query, "--events", "one.arrow")
    status, out, _ = cepheid("run", query, "--events", "one.arrow", "--spark")
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    assert (status, out) == (0, without)
    assert out.count("\n") > 1
    status, _, err = cepheid("run", query, "--events", "two.arrow", "--time", "ts", "--spark")
    assert status == 1
    assert "America/New_York, Europe/Berlin" in err


@pytest.mark.parametrize("name", ["m.parquet", "m.csv"])
def test_matches_go_to_a_file(folder: Path, cepheid: Told, name: str) -> None:
    status, out, err = cepheid("run", RISING, "--events", "stocks.parquet", "--spark", "--out", name)
    assert (status, out) == (0, "")
    assert f"matches written to {name}" in err
    assert (folder / name).stat().st_size > 0


def test_folders_named_by_a_column_are_read(folder: Path, cepheid: Told) -> None:
    for day in (1, 2):
        (folder / f"all/day={day}").mkdir(parents=True)
        status_of(["generate", "stocks", "--size", "50", "--out", f"all/day={day}/s.parquet"])
    status, out, _ = cepheid("run", "PATTERN ANY a WHERE a.day = 2", "--events", "all", "--spark")
    assert (status, out.count("\n")) == (0, 50)


def test_bad_events_are_told(folder: Path, cepheid: Told) -> None:
    with (folder / "trades.csv").open("a") as file:
        file.write("2024-01-01T09:03,sell\n,sell,A,20\n")
    arguments = ("run", PAIRS, "--events", "trades.csv", "--type", "kind", "--spark")
    status, _, err = cepheid(*arguments)
    assert status == 0
    assert "trades.csv, line 5: 2 fields where the header has 4" in err
    assert "'ts' is no time" in err
    assert "2 bad events took no part" in err
    status, _, err = cepheid(*arguments, "--on-bad", "fail")
    assert (status, err.count("error")) == (1, 1)
    assert "on_bad='fail'" in err


def test_stats_go_to_standard_error(folder: Path, cepheid: Told) -> None:
    _, out, err = cepheid("run", RISING, "--events", "stocks.parquet", "--spark", "--stats")
    assert "events " not in out
    for name in ("events             3,000", "matches", "seconds", "master"):
        assert name in err


def test_a_worker_that_fails_is_one_message(folder: Path, cepheid: Told) -> None:
    arguments = ("run", RISING, "--events", "stocks.parquet", "--spark", "--max-matches", "3")
    status, out, err = cepheid(*arguments)
    assert (status, out) == (1, "")
    lines = [line for line in err.splitlines() if not line.startswith(("using", "starting"))]
    assert lines[0].startswith("error: ")
    assert "max_matches" in err
    assert "org.apache" not in err


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        (
            "Traceback\n  x\ncepheid.errors.LimitError: too many\nmore of it\n\n\tat org.x",
            LimitError,
            "too many",
        ),
        ("cepheid.errors.EventError: it is bad\n\tat org.apache.spark.api", EventError, "it is bad"),
        ("[TABLE_NOT_FOUND] no such table\nSQLSTATE: 42", CepheidError, "Spark failed: [TABLE_NOT_FOUND] no"),
        ("Job aborted\nValueError: no such thing\n\tat x", CepheidError, "Spark failed: ValueError: no such"),
        ("cepheid.errors.LimitError: too many\n SQLSTATE: 38000", LimitError, "too many"),
        ('<_Rpc terminated:\n\tdetails = "no such user"\n>', CepheidError, "Spark failed: no such user"),
        ("", CepheidError, "no reason"),
    ],
)
def test_what_spark_says_of_an_error(text: str, kind: type[CepheidError], message: str) -> None:
    error = told(text)
    assert type(error) is kind
    assert message in str(error)
    assert "\tat" not in str(error)
    assert "SQLSTATE" not in str(error)


def test_a_server_that_is_not_there(folder: Path, cepheid: Told) -> None:
    for master in ("sc://127.0.0.1:1", "spark://127.0.0.1:1"):
        status, _, err = cepheid("run", RISING, "-e", "stocks.parquet", "--spark", "--master", master)
        assert status == 1
        assert f"no Spark answers at {master}" in err


def test_matches_of_several_workers_are_put_in_order() -> None:
    event = pa.struct([("ts", pa.int64())])
    columns = pa.schema([("a", pa.list_(event)), ("b", event), ("n", pa.int64())])
    rows = [
        {"a": [{"ts": 4}], "b": {"ts": 9}, "n": 3},
        {"a": [], "b": {"ts": 5}, "n": 0},
        {"a": [{"ts": 1}, {"ts": 7}], "b": {"ts": 9}, "n": 2},
        {"a": [{"ts": 6}, {"ts": 8}], "b": None, "n": 1},
    ]
    table = in_time_order(pa.Table.from_pylist(rows, schema=columns), "ts")
    assert table.column("n").to_pylist() == [0, 1, 2, 3]
    returned = pa.table({"n": [2, 1]})
    assert in_time_order(returned, "ts") is returned


def test_a_process_of_its_own(folder: Path) -> None:
    """What the command says when it starts Spark itself: nothing of Spark's own."""
    command = [sys.executable, "-m", "cepheid", "run", RISING, "--events", "stocks.parquet", "--spark"]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [*command, "--out", "m.parquet", "--master", "local[1]"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=environment,
    )
    lines = [line for line in done.stderr.splitlines() if "compiling kernels" not in line]
    assert lines[:2] == ["using time column time, type column type", "starting Spark …"], done.stderr
    assert lines[2:] == [f"{pq.read_metadata('m.parquet').num_rows:,} matches written to m.parquet"]


@pytest.mark.long
def test_demo(folder: Path) -> None:
    command = [sys.executable, "-c", DEMO]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    for part in ("PATTERN SEQ", "micro-batch", "symbol=", "bytes of state", "Try next"):
        assert part in done.stdout
    assert [line for line in done.stderr.splitlines() if "compiling" not in line] == ["starting Spark …"]
    assert not list(folder.glob("spark-warehouse"))


DEMO = """
from cepheid.cli import demo_spark
demo_spark.SECONDS = 3
demo_spark.show_spark_demo()
"""


def test_json_lines_from_standard_input(folder: Path, cepheid: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "".join(json.dumps({"ts": time, "type": "A"}) + "\n" for time in (3, 1, 2))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
    _, out, _ = cepheid("run", "PATTERN ANY a", "--events", "-", "--spark")
    assert [json.loads(line)["a"]["ts"] for line in out.splitlines()] == [1, 2, 3]
