"""What is asked: a query with parameters, one that ends in a semicolon, several in one file."""

from __future__ import annotations

import datetime as dt
import inspect
from pathlib import Path

import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

import cepheid as library
from cepheid.cli.params import Value, parameters, value_of
from cepheid.cli.query_text import query_texts
from tests.cli.told import PAIRS, Told, rows

WORKLOAD = f"""\
-- what the desk looks for
-- name: pairs
{PAIRS};

-- Name: cheap
PATTERN sell c WHERE c.price < 10  -- less; never more
RETURN c.price AS low, c.symbol AS symbol;  -- the end
"""
RUN = ["trades.csv", "--type", "kind"]


def test_files_stand_behind_the_query(folder: Path, cepheid: Told) -> None:
    for arguments in (["trades.csv"], ["--events", "trades.csv"], ["-e", "trades.csv"]):
        status, out, _ = cepheid("run", PAIRS, *arguments, "--type", "kind")
        assert (status, [row["high"] for row in rows(out)]) == (0, [12])
    assert cepheid("explain", PAIRS, "trades.csv", "--type", "kind")[0] == 0


def test_a_folder_divided_by_day(folder: Path, cepheid: Told) -> None:
    for day in (1, 2):
        (folder / f"all/day={day}").mkdir(parents=True)
        cepheid("generate", "stocks", "--size", "50", "--out", f"all/day={day}/s.parquet")
    text = "PATTERN stock a WHERE a.day = 2 AND a.volume > 500 RETURN a.day AS day"
    status, out, _ = cepheid("run", text, "all")
    assert (status, {row["day"] for row in rows(out)}) == (0, {2})


def test_a_query_may_end_in_a_semicolon(folder: Path, cepheid: Told) -> None:
    steps = "PATTERN buy a; sell b WHERE a.symbol != ';' WITHIN 5 min"
    for ended in (f"{PAIRS};", f"{PAIRS} ;\n", f"{PAIRS}; -- all of them\n", f"{steps};", steps):
        (folder / "q.sase").write_text(ended)
        assert cepheid("run", "q.sase", *RUN)[0] == 0
        assert cepheid("run", ended, *RUN)[0] == 0


def test_queries_under_their_names(folder: Path, cepheid: Told) -> None:
    (folder / "desk.sase").write_text(WORKLOAD)
    status, out, err = cepheid("run", "desk.sase", *RUN, "--stats")
    assert status == 0
    found = [{name: value for name, value in row.items() if name != "match_id"} for row in rows(out)]
    assert found == [
        {"query": "pairs", "low": 10, "high": 12},
        {"query": "cheap", "low": 9, "symbol": "B"},
    ]
    assert "pairs:\nevents" in err
    assert cepheid("explain", "desk.sase")[0] == 0


def test_matches_of_several_queries_in_one_table(folder: Path, cepheid: Told) -> None:
    (folder / "desk.sase").write_text(WORKLOAD)
    assert "2 matches written to m.parquet" in cepheid("run", "desk.sase", *RUN, "--out", "m.parquet")[2]
    found = pq.read_table(folder / "m.parquet").drop(["match_id"]).to_pylist()
    assert found == [
        {"query": "pairs", "low": 10, "high": 12, "symbol": None},
        {"query": "cheap", "low": 9, "high": None, "symbol": "B"},
    ]
    cepheid("run", "desk.sase", *RUN, "--out", "{query}.csv")
    assert pacsv.read_csv(folder / "cheap.csv")["symbol"].to_pylist() == ["B"]


def test_a_table_for_each_query(folder: Path, cepheid: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "desk.sase").write_text(WORKLOAD)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    _, out, _ = cepheid("run", "desk.sase", *RUN)
    assert out.startswith("pairs:\n")
    assert "\n\ncheap:\n" in out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("PATTERN buy a; PATTERN sell b", "give each a name on a line above it"),
        (f"{PAIRS};\n-- name: b\n{PAIRS}", "a query stands before the first name"),
        (f"-- name: a\n{PAIRS}\n-- name: a\n{PAIRS}", "two queries are named 'a'"),
        (f"-- name:\n{PAIRS}", "names no query"),
        (f"-- name: a\n-- name: b\n{PAIRS}", "there is no query under the name 'a'"),
        ("-- name: a\nPATTERN buy a RETURN a.price AS query", "returns a column 'query'"),
        ("-- name: a\nPATTERN buy a\n-- name: b\nPATERN buy b", "line 4, column 1: query 'b'"),
        ("-- nothing", "there is no query"),
        (";", "line 1, column 1"),
    ],
)
def test_what_is_wrong_with_a_file_of_queries(folder: Path, cepheid: Told, text: str, message: str) -> None:
    (folder / "desk.sase").write_text(text)
    status, _, err = cepheid("run", "desk.sase", *RUN)
    assert message in err
    assert status == 2


def test_columns_of_two_types_do_not_go_into_one_table(folder: Path, cepheid: Told) -> None:
    texts = [f"PATTERN buy a RETURN a.{name} AS x" for name in ("symbol", "price")]
    (folder / "two.sase").write_text(f"-- name: a\n{texts[0]}\n-- name: b\n{texts[1]}")
    status, _, err = cepheid("run", "two.sase", *RUN, "--out", "m.csv")
    assert (status, "--out 'found-{query}.csv'" in err) == (1, True)
    assert cepheid("run", "two.sase", *RUN, "--out", "m.jsonl")[0] == 0


def test_a_match_may_be_a_failure(folder: Path, cepheid: Told) -> None:
    status, out, _ = cepheid("run", PAIRS, *RUN, "--fail-on-match")
    assert (status, len(rows(out))) == (3, 1)
    assert cepheid("run", f"{PAIRS.replace('[symbol]', 'a.price > 99')}", *RUN, "--fail-on-match")[0] == 0


@pytest.mark.parametrize(
    ("form", "expected"), [("csv", '"low","high"'), ("tsv", '"low"\t"high"'), ("jsonl", '{"low"')]
)
def test_standard_output_in_another_format(folder: Path, cepheid: Told, form: str, expected: str) -> None:
    status, out, _ = cepheid("run", PAIRS, *RUN, "--format", form)
    assert (status, out.splitlines()[0].startswith(expected)) == (0, True), out
    assert "--format is one of jsonl, csv, tsv" in cepheid("run", PAIRS, *RUN, "--format", "doc")[2]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5),
        ("-7", -7),
        ("2.5", 2.5),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("true", True),
        ("False", False),
        ("2024-01-31", dt.date(2024, 1, 31)),
        ("2024-01-31T09:00", dt.datetime(2024, 1, 31, 9)),
        ("2024-01-31 09:00:00Z", dt.datetime(2024, 1, 31, 9, tzinfo=dt.UTC)),
        ("2024-13-31", "2024-13-31"),
        ("A", "A"),
        ("", ""),
        ("nan", "nan"),
        ("1_000", "1_000"),
        ("3 apples", "3 apples"),
        ("'5'", "5"),
        ('"true"', "true"),
        ("a=b", "a=b"),
    ],
)
def test_the_value_of_a_parameter(text: str, value: Value) -> None:
    found = value_of(text)
    assert (found, type(found)) == (value, type(value))
    assert parameters([f"x={text}"]) == {"x": value}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["least"], "write it as NAME=VALUE"),
        (["=5"], "write it as NAME=VALUE"),
        (["a b=5"], "write it as NAME=VALUE"),
        (["least=5", "least=6"], "--param least is given twice"),
        (["most=5"], "--param most: no query has a $most"),
    ],
)
def test_what_is_wrong_with_parameters(folder: Path, cepheid: Told, given: list[str], message: str) -> None:
    options = [option for item in given for option in ("--param", item)]
    status, _, err = cepheid("run", f"{PAIRS}", *RUN, *options)
    assert message in err
    assert status == 2


def test_parameters_that_are_missing(folder: Path, cepheid: Told) -> None:
    text = "PATTERN sell a WHERE a.price > $least AND a.symbol != '$x' -- $y"
    assert "needs a value for $least: --param least=VALUE" in cepheid("run", text, *RUN)[2]
    assert "--param most: no query has a $most, but $least" in cepheid("run", text, *RUN, "-p", "most=5")[2]


@pytest.mark.skipif(
    all(one.kind is not one.VAR_KEYWORD for one in inspect.signature(library.query).parameters.values()),
    reason="queries take no parameters yet",
)
def test_parameters_reach_the_query(folder: Path, cepheid: Told) -> None:
    text = "PATTERN sell a WHERE a.price > $least AND a.symbol = $symbol"
    status, out, _ = cepheid("run", text, *RUN, "--param", "least=10.5", "--param", "symbol=A")
    assert (status, len(rows(out))) == (0, 1)
    (folder / "two.sase").write_text(f"-- name: a\n{text}\n-- name: b\nPATTERN sell a WHERE a.price < $least")
    status, out, _ = cepheid("run", "two.sase", *RUN, "--param", "least=10.5", "--param", "symbol=A")
    assert [row["query"] for row in rows(out)] == ["a", "b"]


def test_lines_of_a_file_are_told(folder: Path) -> None:
    assert query_texts("-- name: a\nX\n\n-- name: b\nY;\n") == {"a": "\nX\n\n", "b": "\n\n\n\nY\n"}
