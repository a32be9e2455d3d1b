"""What errors and warnings look like where people meet them."""

from __future__ import annotations

import warnings
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import warn

QUERY = cepheid.query("PATTERN SEQ(A a, B b) WITHIN 5")


def raised(*arguments: Any, **options: Any) -> cepheid.CepheidError:
    with pytest.raises(cepheid.CepheidError) as caught:
        QUERY.run(*arguments, **options)
    return caught.value


def test_notebooks_show_the_line_of_the_user_and_the_message() -> None:
    shown = raised(pa.table({"t": [1]}), time="ts")._render_traceback_()
    assert len(shown) == 2
    assert __file__ in shown[0] and "QUERY.run(*arguments, **options)" in shown[0]
    assert shown[1].startswith("BindingError: the stream has no column 'ts'")


def test_a_caret_stays_under_its_word() -> None:
    with pytest.raises(cepheid.CepheidError) as caught:
        cepheid.query("PATTERN SEQ(A a, B b) WITHN 5")
    assert str(caught.value) in "\n".join(caught.value._render_traceback_())


def test_all_lines_where_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CEPHEID_TRACEBACK", "1")
    assert "binding.py" in "\n".join(raised(pa.table({"t": [1]}), time="ts")._render_traceback_())


def test_in_a_real_notebook() -> None:
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell()
    shown: list[str] = []
    shell._showtraceback = lambda kind, error, lines: shown.extend(lines)
    shell.run_cell("import cepheid\ncepheid.query('PATTERN')")
    text = "\n".join(shown)
    assert "a cell, line 2" in text and "QuerySyntaxError" in text and "parse.py" not in text


def test_a_warning_is_at_the_line_of_the_user() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn("look here")
    assert caught[0].filename == __file__ and caught[0].category is cepheid.CepheidWarning
