"""The recipes answer what they say: each right query against a plain loop over the same events.

The loops judge the events of the document, and random streams made of the same values. The query that looks
right must answer otherwise, or it would warn of nothing.
"""

from __future__ import annotations

import contextlib
import io
import random
import re
from collections.abc import Callable, Iterable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from tests.recipe_loops import LOOPS, Row

DOCUMENT = Path(__file__).parent.parent / "docs" / "how-to" / "recipes.md"
RECIPE = re.compile(r"^### (?P<title>.+?)\n(?P<body>.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
STREAMS, LENGTH = 25, 40


@cache
def recipes() -> dict[str, dict[str, Any]]:
    """What each recipe defines: `data`, `right`, `wrong`, and maybe `then`; and what its snippets print."""
    text = DOCUMENT.read_text()
    start = RECIPE.search(text)
    assert start
    found = {}
    for recipe in RECIPE.finditer(text):
        names: dict[str, Any] = {}
        exec("".join(PYTHON.findall(text[: start.start()])), names)
        output = [printed(snippet, names) for snippet in PYTHON.findall(recipe["body"])]
        found[recipe["title"]] = names | {"printed": output}
    return found


def printed(snippet: str, names: dict[str, Any]) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as output:
        exec(snippet, names)
    return output.getvalue()


def found_by(query: str | dict[str, str], table: pa.Table, then: Callable[[Any], list[Row]]) -> list[Row]:
    kind = "type" if "type" in table.column_names else None
    if isinstance(query, dict):
        rows = then(cepheid.workload(query).run(table, time="time", type=kind)["answer"])
    else:
        rows = then(cepheid.query(query).run(table, time="time", type=kind))
    return [{name: value for name, value in row.items() if name != "match_id"} for row in rows]


def in_some_order(rows: Iterable[Row]) -> list[str]:
    return sorted(map(repr, rows))


def like(table: pa.Table, chance: random.Random) -> pa.Table:
    """A longer stream of the same values, each column by itself; what has one key gets another."""
    columns: dict[str, list[Any]] = {}
    times = sorted(table["time"].to_pylist())
    steps = [b - a for a, b in pairwise(times)]
    for name in table.column_names:
        if name == "time":
            moments = [times[0]]
            while len(moments) < LENGTH:
                moments.append(moments[-1] + chance.choice(steps))
            columns[name] = moments
            continue
        values = list(dict.fromkeys(table[name].to_pylist()))
        if len(values) == 1 and name != "type":
            values.append(f"{values[0]}, another")
        columns[name] = chance.choices(values, k=LENGTH)
    return pa.table(columns, schema=table.schema)


def test_every_recipe_has_its_loop() -> None:
    assert list(recipes()) == list(LOOPS)
    assert len(LOOPS) >= 20


@pytest.mark.parametrize("title", LOOPS)
def test_the_right_query_finds_what_a_loop_finds(title: str) -> None:
    recipe = recipes()[title]
    rows = sorted(recipe["data"].to_pylist(), key=lambda row: row["time"])
    expected = in_some_order(LOOPS[title](rows))
    assert expected
    assert in_some_order(found_by(recipe["right"], recipe["data"], recipe.get("then", list))) == expected


@pytest.mark.parametrize("title", LOOPS)
def test_the_right_query_finds_it_in_random_streams_too(title: str) -> None:
    recipe = recipes()[title]
    total = 0
    for seed in range(STREAMS):
        table = like(recipe["data"], random.Random(seed))
        expected = in_some_order(LOOPS[title](table.to_pylist()))
        assert in_some_order(found_by(recipe["right"], table, recipe.get("then", list))) == expected, seed
        total += len(expected)
    assert total


@pytest.mark.parametrize("title", LOOPS)
def test_the_wrong_query_finds_more_or_fewer(title: str) -> None:
    right, wrong = recipes()[title]["printed"]
    assert len(right.splitlines()) != len(wrong.splitlines())
