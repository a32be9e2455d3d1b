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
from cepheid.language.sase import parse as parsing
from cepheid.language.sase.tables import ABOUT, FOLDER, TABLES, ready_tables

TEXT = "PATTERN SEQ(A a, ~B b, C+ c[]) WHERE [k] AND c[i].x > avg(c[..i-1].x) WITHIN 5 RETURN a.x AS x"


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with ready tables, in a package on the path."""
    package = tmp_path / READY_PACKAGE
    package.mkdir()
    (package / "__init__.py").touch()
    parsing.write_ready_tables(package)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, READY_PACKAGE, raising=False)
    monkeypatch.delenv(READY_SWITCH, raising=False)
    parsing._parser.cache_clear()
    yield package / FOLDER
    parsing._parser.cache_clear()


def test_a_query_is_the_same_by_ready_tables(tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "_made", lambda **options: pytest.fail("the tables were made anew"))
    read = parsing.parse(TEXT)
    with pytest.raises(parsing.QuerySyntaxError, match="column"):
        parsing.parse("PATTERN SEQ(A a,")
    monkeypatch.undo()
    monkeypatch.setenv(READY_SWITCH, "0")
    parsing._parser.cache_clear()
    assert parsing.parse(TEXT) == read


class Trap:
    """Something that must never be unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return pytest.fail, ("it was unpickled",)


@pytest.mark.parametrize("field", ["grammar", "lark", "python", "sha256"])
def test_tables_of_something_else_are_not_read(tables: Path, field: str) -> None:
    about = json.loads((tables / ABOUT).read_text())
    (tables / ABOUT).write_text(json.dumps(about | {field: "other"}))
    assert ready_tables(parsing._grammar()) is None
    assert parsing.parse(TEXT) is not None


@pytest.mark.parametrize("file", [TABLES, ABOUT])
def test_damaged_tables_are_not_read(tables: Path, file: str) -> None:
    (tables / file).write_bytes(pickle.dumps(Trap()))
    assert ready_tables(parsing._grammar()) is None
    (tables / file).unlink()
    assert ready_tables(parsing._grammar()) is None


def test_tables_switched_off(tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ready_tables(parsing._grammar()) is not None
    monkeypatch.setenv(READY_SWITCH, "0")
    assert ready_tables(parsing._grammar()) is None
