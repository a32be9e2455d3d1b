"""Expressions of Spark as SQL text, made as columns are made: by functions, operators and methods."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

_INT32 = 2**31


@dataclass(frozen=True, slots=True, eq=False)
class SqlText:
    """What `Column` is to Spark's functions, as far as filters ask."""

    text: str

    def __str__(self) -> str:
        return self.text

    def __and__(self, other: Any) -> SqlText:
        return _binary(self, "AND", other)

    def __or__(self, other: Any) -> SqlText:
        return _binary(self, "OR", other)

    def __invert__(self) -> SqlText:
        return SqlText(f"(NOT {self})")

    def __eq__(self, other: object) -> SqlText:  # type: ignore[override]
        return _binary(self, "=", other)

    def __ne__(self, other: object) -> SqlText:  # type: ignore[override]
        return _binary(self, "!=", other)

    def __lt__(self, other: Any) -> SqlText:
        return _binary(self, "<", other)

    def __le__(self, other: Any) -> SqlText:
        return _binary(self, "<=", other)

    def __gt__(self, other: Any) -> SqlText:
        return _binary(self, ">", other)

    def __ge__(self, other: Any) -> SqlText:
        return _binary(self, ">=", other)

    def cast(self, kind: Any) -> SqlText:
        """To a type, or the name of one."""
        name = kind if isinstance(kind, str) else kind.simpleString()
        return SqlText(f"CAST({self} AS {name})")

    def isNull(self) -> SqlText:
        return SqlText(f"({self} IS NULL)")

    def isin(self, *values: Any) -> SqlText:
        return SqlText(f"({self} IN ({_listed(values)}))")

    def like(self, pattern: str) -> SqlText:
        return _binary(self, "LIKE", pattern)


class SqlFunctions:
    """Spark's functions by their names, which are those of SQL; texts among their arguments are literals."""

    def col(self, name: str) -> SqlText:
        return SqlText(name)

    def lit(self, value: object) -> SqlText:
        return SqlText(_sql(value))

    def __getattr__(self, name: str) -> Callable[..., SqlText]:
        return lambda *arguments: SqlText(f"{name}({_listed(arguments)})")


def _binary(left: SqlText, operator: str, right: object) -> SqlText:
    return SqlText(f"({left} {operator} {_sql(right)})")


def _listed(values: tuple[object, ...]) -> str:
    return ", ".join(map(_sql, values))


def _sql(value: object) -> str:
    """A value that means the same whatever a session's settings are."""
    match value:
        case SqlText(text=text):
            return text
        case None:
            return "NULL"
        case bool():
            return str(value).upper()
        case int():
            return str(value) if abs(value) < _INT32 else f"CAST('{value}' AS BIGINT)"
        case float():
            return f"CAST('{_real(value)}' AS DOUBLE)"
        case Decimal():
            return f"{value:f}BD"
        case str():
            is_plain = value.isprintable() and not set(value) & {"\\", "'"}
            return f"'{value}'" if is_plain else f"CAST(X'{value.encode().hex()}' AS STRING)"
    raise TypeError(f"{value!r} has no text in SQL")


def _real(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return repr(value) if math.isfinite(value) else ("Infinity" if value > 0 else "-Infinity")
