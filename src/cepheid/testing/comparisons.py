"""What was found against what is expected: both sides in full where they differ."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa

Row = Mapping[str, Any]


class Difference(AssertionError):
    """What was found is not what was expected; `where` says in which run, if there are several."""

    def __init__(self, found: Sequence[Any], expected: Sequence[Any], what: str = "match") -> None:
        super().__init__(f"expected {_listed(expected, what)}\nbut found {_listed(found, what)}")
        self.found = tuple(found)
        self.expected = tuple(expected)
        self.what = what
        self.where = ""


_TOLERANCE = 1e-9  # relative; sums of floats depend on the order in which they are added


def describe(match: Row, *, named: bool = False) -> str:
    """A match in the words of a scenario, from the label (or labels) bound to each variable."""
    texts = {variable: _described(bound) for variable, bound in match.items()}
    if named:
        return "{" + "; ".join(f"{variable}: {text}" for variable, text in texts.items()) + "}"
    return "; ".join(texts.values())


def _described(bound: Any) -> str:
    if bound is None:
        return "-"
    return (" ".join(map(str, bound)) or "[]") if isinstance(bound, list | tuple) else str(bound)


def compare_matches(found: Iterable[Row], expected: Sequence[str], *, ordered: bool = True) -> None:
    """Fail with both sides in full unless the matches (labels by variable) are the expected lines."""
    wanted = [_spaced(line) for line in expected]
    named = any(line.startswith("{") for line in wanted)
    got = [_spaced(describe(match, named=named)) for match in found]
    if not ordered:
        got, wanted = sorted(got), sorted(wanted)
    if got != wanted:
        _fail(got, wanted)


def _spaced(line: str) -> str:
    """A match with blanks where they stand by custom, however it was written."""
    return re.sub(r"\s+", " ", re.sub(r"\s*([;:{}])\s*", r"\1", line)).strip().replace(";", "; ")


def compare_rows(found: Sequence[Row], expected: Sequence[Row]) -> None:
    """Fail unless the rows are equal, column by column, in this order; NaN equals NaN."""
    got, wanted = [_plain(row) for row in found], [_plain(row) for row in expected]
    if got != wanted:
        _fail(got, wanted, "row")


def _plain(cell: Any) -> Any:
    if isinstance(cell, list | tuple):
        return [_plain(item) for item in cell]
    if isinstance(cell, Mapping):
        return {name: _plain(item) for name, item in cell.items()}
    return "nan" if cell != cell else _moment(cell)


def _moment(cell: Any) -> Any:
    """A time with a zone as a moment of UTC: Python takes an hour that clocks show twice for one."""
    return cell.astimezone(UTC) if isinstance(cell, datetime) and cell.tzinfo else cell


def compare_aggregates(found: Sequence[Row], expected: Sequence[Row]) -> None:
    """Fail unless the rows of AGG are equal, in this order.

    A whole number is exact, whether its column holds integers, decimals or digits; floats may differ
    by a billionth.
    """
    if len(found) != len(expected) or not all(map(_is_same_row, found, expected)):
        _fail(found, expected, "row")


def _is_same_row(found: Row, expected: Row) -> bool:
    return found.keys() == expected.keys() and all(is_same(found[name], expected[name]) for name in expected)


def is_same(found: Any, expected: Any) -> bool:
    """Whether a value of an aggregate is the expected one."""
    if _is_number(found) and _is_number(expected) and float in (type(found), type(expected)):
        both_nan = found != found and expected != expected
        return both_nan or math.isclose(found, expected, rel_tol=_TOLERANCE)
    if isinstance(found, str) and type(expected) is int:
        return re.fullmatch(r"-?\d+", found) is not None and int(found) == expected
    return bool(_moment(found) == _moment(expected))


def _is_number(cell: Any) -> bool:
    return isinstance(cell, int | float | Decimal) and not isinstance(cell, bool)


def labels(table: pa.Table, label: str = "id") -> list[dict[str, Any]]:
    """For each match, the label of each variable's event or events; what RETURN computes stands as it is."""

    def labelled(bound: Any) -> Any:
        if isinstance(bound, list):
            return [labelled(event) for event in bound]
        return bound[label] if isinstance(bound, dict) and label in bound else bound

    return [{variable: labelled(bound) for variable, bound in row.items()} for row in rows_of(table)]


def rows_of(table: pa.Table) -> list[dict[str, Any]]:
    """The rows of a result, without the identity that rows of matches have."""
    named = [name for name in table.column_names if name != "match_id"]
    rows: list[dict[str, Any]] = table.select(named).to_pylist()
    return rows


def _fail(found: Sequence[Any], expected: Sequence[Any], what: str = "match") -> None:
    raise Difference(found, expected, what)


def _listed(lines: Sequence[Any], what: str) -> str:
    return f"no {what}" if not lines else "".join(f"\n  {line}" for line in lines)
