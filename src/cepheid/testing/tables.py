"""Tables written as text: a header line with the names of the columns, then a line a row."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import pyarrow as pa

DAY = "2024-01-01"  # the day of times that are written without one

_CELL = re.compile(r"'[^']*'|\[[^\]]*\]|\S+")
_TYPES: dict[str, pa.DataType] = {
    "int": pa.int64(),
    "float": pa.float64(),
    "bool": pa.bool_(),
    "string": pa.string(),
    "timestamp": pa.timestamp("us"),
    "date": pa.date32(),
}
_ZONED = re.compile(r"timestamp\[(.+)\]")


def events(text: str) -> pa.Table:
    """A table of events: a header line with the names of the columns, then a line an event."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise ValueError("a table of events begins with a header line: the names of the columns")
    return table(lines[0].split(), lines[1:])


def table(header: Sequence[str], lines: Sequence[str]) -> pa.Table:
    """The lines as Arrow; a heading may say the type, as in `x:float`."""
    columns = _columns(header, lines).items()
    return pa.table({name: pa.array(cells, type=_type(kind, cells)) for (name, kind), cells in columns})


def rows(header: Sequence[str], lines: Sequence[str]) -> list[dict[str, Any]]:
    """The lines as dicts; integers may be of any size."""
    columns = _columns(header, lines).items()
    named = {
        name: pa.array(cells, type=_type(kind, cells)).to_pylist() if kind else cells
        for (name, kind), cells in columns
    }
    return [{name: cells[place] for name, cells in named.items()} for place in range(len(lines))]


def _type(kind: str, cells: Sequence[Any]) -> pa.DataType | None:
    """The type that a heading says, as in `x:float` or `x:timestamp[Europe/Berlin]`; None if it says none."""
    zone = _ZONED.fullmatch(kind)
    if zone is None:
        return _TYPES.get(kind)
    unclear = [one for one in cells if isinstance(one, datetime) and one.tzinfo is None]
    if unclear:
        raise ValueError(f"{unclear[0]} is in a column with a zone, and needs an offset: {unclear[0]}+01:00")
    return pa.timestamp("us", zone[1])


def cells(line: str) -> list[Any]:
    """The values of one line."""
    return [cell(text) for text in _CELL.findall(line)]


def cell(text: str) -> Any:
    """The value that a cell looks like."""
    if text.startswith("'"):
        return text[1:-1]
    if text.startswith("["):
        return [cell(item) for item in re.split(r"[,\s]+", text[1:-1].strip()) if item]
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    for parse in (int, float, _timestamp):
        try:
            return parse(text)
        except ValueError:
            continue
    return text


_CONSTANTS = {"null": None, "true": True, "false": False}


def _timestamp(text: str) -> datetime:
    if re.match(r"\d\d?:\d\d", text):
        return datetime.fromisoformat(f"{DAY}T{'0' * (text[1] == ':')}{text}")
    if re.match(r"\d{4}-\d\d-\d\d", text):
        return datetime.fromisoformat(text)
    raise ValueError(text)


def _columns(header: Sequence[str], lines: Sequence[str]) -> dict[tuple[str, str], list[Any]]:
    """The cells of each column, by its name and the type that its heading says."""
    found = [cells(line) for line in lines]
    for line, row in zip(lines, found, strict=True):
        if len(row) != len(header):
            raise ValueError(f"{len(header)} columns, but {len(row)} cells: {line.strip()!r}")
    names = [(name, kind) for name, _, kind in (heading.partition(":") for heading in header)]
    unknown = [kind for _, kind in names if kind and kind not in _TYPES and not _ZONED.fullmatch(kind)]
    if unknown:
        raise ValueError(f"there is no type '{unknown[0]}'; the types are {', '.join(_TYPES)}")
    return {name: _alike([row[place] for row in found]) for place, name in enumerate(names)}


def _alike(column: list[Any]) -> list[Any]:
    """The cells as one type: floats if all are numbers, else text."""
    kinds = {type(one) for one in column if one is not None}
    if len(kinds) < 2:
        return column
    common: Any = float if kinds == {int, float} else str
    return [None if one is None else common(one) for one in column]
