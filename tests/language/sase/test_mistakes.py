"""What people write by habit, and what they are told: the table is in mistakes.txt, four lines a mistake.

The query; what the caret marks; how the message begins; the hint, or a part of it. A line of `-` is nothing:
no caret is looked at, or there is no hint. `\\n`, `\\r` and `\\t` are a new line, a return and a tab.
"""

from __future__ import annotations

import contextlib
import re
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import QueryError

TABLE = Path(__file__).parent / "mistakes.txt"
EVENTS = pa.table(
    {"time": [datetime(2024, 1, 1)], "type": ["A"], "x": [1.0], "price": [2.0], "k": ["p"], "name": ["q"]}
)


def mistakes() -> list[tuple[str, str, str, str]]:
    found = []
    for mistake in TABLE.read_text().strip().split("\n\n"):
        query, marked, message, hint = mistake.splitlines()
        for escape, character in (("\\n", "\n"), ("\\r", "\r"), ("\\t", "\t")):
            query = query.replace(escape, character)
        found.append((query, marked, message, hint))
    return found


@pytest.mark.parametrize(("query", "marked", "message", "hint"), mistakes())
def test_a_mistake_is_told_what_to_write(query: str, marked: str, message: str, hint: str) -> None:
    with pytest.raises(QueryError) as caught:
        cepheid.query(query).run(EVENTS, time="time", type="type")
    error = caught.value
    assert error.message.startswith(message)
    assert (error.hint is None) if hint == "-" else (hint in (error.hint or ""))
    assert error.span is not None
    if marked != "-":
        assert query[error.span.start : error.span.end] == ("" if marked == "(the end)" else marked)


def test_there_are_many() -> None:
    assert len(mistakes()) > 150


def test_other_texts_are_parsed_or_refused_too() -> None:
    """No rule trips over what it did not expect: each mistake again, without one of its words."""
    for query, *_ in mistakes():
        words = re.findall(r"\w+|\s+|.", query)
        for left_out in range(len(words)):
            with contextlib.suppress(QueryError):
                cepheid.query("".join(words[:left_out] + words[left_out + 1 :]))
