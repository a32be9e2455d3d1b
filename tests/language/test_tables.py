"""The parser's tables may come ready; what does not fit is not read."""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cepheid.cache import READY_PACKAGE, READY_SWITCH
from cepheid.language.grammar import Grammar
from cepheid.language.sase import parse as parsing
from cepheid.language.sase.parse import GRAMMAR
from cepheid.language.tables import ABOUT, FOLDER, TABLES, ready_tables
from cepheid.language.twig import parse as twig_parsing

TEXT = "PATTERN SEQ(A a, ~B b, C+ c[]) WHERE [k] AND c[i].x > avg(c[..i-1].x) WITHIN 5 RETURN a.x AS x"
TWIG = "//people[//person(/address->A : /profile*)]"


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with ready tables, in a package on the path."""
    package = tmp_path / READY_PACKAGE
    package.mkdir()
    (package / "__init__.py").touch()
    for grammar in (GRAMMAR, twig_parsing.GRAMMAR):
        grammar.write_ready_tables(package)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, READY_PACKAGE, raising=False)
    monkeypatch.delenv(READY_SWITCH, raising=False)
    forget()
    yield package / FOLDER
    forget()


def forget() -> None:
    """Forget the parsers that this process has made."""
    parsing._parser.cache_clear()
    twig_parsing._twig_parser.cache_clear()


def ready() -> tuple[Any, Any] | None:
    """The query language's tables."""
    return ready_tables(GRAMMAR.name, GRAMMAR.text)


def test_a_query_is_the_same_by_ready_tables(tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Grammar, "_made", lambda *given, **options: pytest.fail("the tables were made anew"))
    read, twig = parsing.parse(TEXT), twig_parsing.parse_twig(TWIG)
    with pytest.raises(parsing.QuerySyntaxError, match="column"):
        parsing.parse("PATTERN SEQ(A a,")
    monkeypatch.undo()
    monkeypatch.setenv(READY_SWITCH, "0")
    forget()
    assert parsing.parse(TEXT) == read
    assert twig_parsing.parse_twig(TWIG) == twig


class Trap:
    """Something that must never be unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return pytest.fail, ("it was unpickled",)


@pytest.mark.parametrize("field", ["grammar", "lark", "python", "sha256"])
def test_tables_of_something_else_are_not_read(tables: Path, field: str) -> None:
    about = json.loads((tables / f"sase.{ABOUT}").read_text())
    (tables / f"sase.{ABOUT}").write_text(json.dumps(about | {field: "other"}))
    assert ready() is None
    assert parsing.parse(TEXT) is not None


@pytest.mark.parametrize("file", [TABLES, ABOUT])
def test_damaged_tables_are_not_read(tables: Path, file: str) -> None:
    (tables / f"sase.{file}").write_bytes(pickle.dumps(Trap()))
    assert ready() is None
    (tables / f"sase.{file}").unlink()
    assert ready() is None


def test_tables_switched_off(tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ready() is not None
    monkeypatch.setenv(READY_SWITCH, "0")
    assert ready() is None
