"""The page about the builder: every row of its tables holds, and no public name is missing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from cepheid import pattern as p
from cepheid.language.sase.parse import parse, parse_conditions, parse_having, parse_returns
from cepheid.pattern.build import Builder
from cepheid.pattern.terms import Term, Variable

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "builder.md").read_text()
ROW = re.compile(r"^\| `(?P<built>.+?)` \| `(?P<text>.+)` \|$", re.MULTILINE)

x = p.seq(p.one_or_more("A", "a"), p.event("B", "b"))
TEXT = "PATTERN SEQ(A+ a[], B b) "
NAMES = {"p": p, "x": x, "a": p.var("a"), "b": p.var("b")}


def rows() -> list[tuple[str, str, str]]:
    """The section, the builder and the text of each row."""
    sections = re.split(r"^## (.+)$", PAGE, flags=re.MULTILINE)
    return [
        (
            title,
            found["built"].replace("\\|", "|"),
            re.sub(r"^`(.*)`$", r"\1", found["text"]).replace("\\|", "|"),
        )
        for title, body in zip(sections[1::2], sections[2::2], strict=True)
        for found in ROW.finditer(body)
    ]


def whole(section: str, given: Any, text: str) -> tuple[Builder, str]:
    """The builder and the text of a whole query, from a part of one."""
    if section == "Patterns":
        return given, f"PATTERN {text}"
    if section == "Clauses":
        return given, TEXT + text
    return x.where(given), f"{TEXT} WHERE {text}"


@pytest.mark.parametrize(("section", "built", "text"), rows())
def test_both_columns_say_the_same(section: str, built: str, text: str) -> None:
    builder, query = whole(section, eval(built, dict(NAMES)), text)
    assert builder.build(parse_conditions, parse_returns, parse_having) == parse(query)


def public(kind: type) -> list[str]:
    return [name for name in vars(kind) if not name.startswith("_")]


def test_every_name_is_on_the_page() -> None:
    fields = set(Builder.__dataclass_fields__)
    methods = [name for name in public(Builder) if name not in fields]
    words = {f"p.{name}(" for name in p.__all__ if name not in ("Builder", "Term")}
    words |= {
        f".{name}(" for name in (*methods, *public(Term)) if name not in ("build", "expression", "name")
    }
    words |= {f"a.{name}" for name in public(Variable)}
    assert sorted(word for word in words if word not in PAGE) == []
    assert len(rows()) > 50
