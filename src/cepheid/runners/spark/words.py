"""Spark's functions, `F`: they make columns, or SQL text where there is no Spark to make columns with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions

from cepheid.runners.spark.sql_text import SqlFunctions

_words: ContextVar[Any] = ContextVar("words", default=functions)


@contextmanager
def in_sql() -> Iterator[None]:
    """Meanwhile, `F` makes SQL text."""
    before = _words.set(SqlFunctions())
    try:
        yield
    finally:
        _words.reset(before)


class _Words:
    def __getattr__(self, name: str) -> Any:
        return getattr(_words.get(), name)


if TYPE_CHECKING:
    F = functions
else:
    F = _Words()
