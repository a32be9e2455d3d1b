"""`$name` is a literal that is given with the query."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

import cepheid
from cepheid import pattern as p
from cepheid.errors import QueryError

MORE = "PATTERN A a WHERE a.x > $least"
EVENTS = [{"time": 1, "type": "A", "x": 3, "s": "it's"}, {"time": 2, "type": "A", "x": 7, "s": "$x"}]


def found(text: Any, **parameters: Any) -> list[int]:
    matches = cepheid.query(text, **parameters).run(EVENTS, time="time", type="type")
    return [match["a"]["time"] for match in matches]


def test_a_value_is_given_with_the_query() -> None:
    assert found(MORE, least=5) == [2]
    assert found("PATTERN A a WHERE a.x IN ($source, $b) AND a.time < $b", source=3, b=4) == [1]
    assert found(p.event("A", "a").where("a.x > $least"), least=5) == [2]


def test_text_is_never_parsed() -> None:
    assert found("PATTERN A a WHERE a.s = $s", s="it's") == [1]
    assert found("PATTERN A a WHERE a.s = $s", s="' OR 1 = 1 --") == []
    assert found("PATTERN A a WHERE a.s = $s", s="$x") == [2]
    assert found("PATTERN A a WHERE a.s LIKE $s", s="it'%") == [1]
    assert found("PATTERN A a WHERE regexp_like(a.s, $s)", s="^[$]") == [2]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "NULL"),
        (True, "TRUE"),
        (1.5, "1.5"),
        (datetime(2024, 5, 1), "TIMESTAMP '2024-05-01 00:00:00'"),
        (timedelta(minutes=2), "120000000 microseconds"),
    ],
)
def test_values_of_python(value: Any, text: str) -> None:
    assert f"a.x = {text}" in str(cepheid.query("PATTERN A a WHERE a.x = $v", v=value))


@pytest.mark.parametrize(
    ("text", "parameters", "message", "hint"),
    [
        (MORE, {}, "no value is given for $least", "least=5"),
        (MORE, {"leest": 5}, "no value is given for $least", "did you mean 'leest'?"),
        (MORE, {"least": 5, "most": 6}, "the query has no parameter $most", "it has $least"),
        ("PATTERN A a", {"most": 6}, "the query has no parameter $most", "it has none"),
        (MORE, {"least": [5]}, "$least cannot be a list", "a number, a text"),
        ("PATTERN A a WHERE a.s LIKE $s", {"s": 5}, "LIKE needs a text", "$s is 5"),
        ("PATTERN A a WHERE regexp_like(a.s, $s)", {"s": "("}, "is no regular expression", None),
    ],
)
def test_errors(text: str, parameters: dict[str, Any], message: str, hint: str | None) -> None:
    with pytest.raises(QueryError) as caught:
        cepheid.query(text, **parameters)
    assert message in caught.value.message
    assert hint is None or hint in (caught.value.hint or "")


def test_a_workload_takes_queries_with_their_values() -> None:
    both = cepheid.workload({"few": cepheid.query(MORE, least=5), "all": cepheid.query(MORE, least=0)})
    assert {name: len(m) for name, m in both.run(EVENTS, time="time", type="type").items()} == {
        "few": 1,
        "all": 2,
    }
