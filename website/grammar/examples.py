"""The examples of the grammar pages: read from their files, and run over one small stream or document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cepheid
from cepheid.testing import events

NUMBERS = """\
time type k x  s
1    A    1 10 red
2    B    1 20 red
3    C    1 5  green
4    A    2 40 blue
5    B    1 30 red
6    C    2 3  null
7    D    2 2  green
"""
CLOCK = """\
time             type  room
2024-05-01T09:00 Open  1
2024-05-01T10:30 Open  2
2024-05-01T10:45 Close 1
2024-05-01T14:00 Open  1
2024-05-01T15:00 Close 2
2024-05-01T18:00 Open  2
"""
DOCUMENT = b"""\
<people>
  <person id="p1"><name>Ann</name><age>44</age><mail>a@x</mail><mail>b@x</mail></person>
  <person id="p2"><name>Bob</name><age>30</age><address kind="home"><city>Bonn</city></address></person>
</people>"""
LISTED = 4
GIVEN = {"$least": {"least": 25}}


@dataclass(frozen=True, slots=True)
class GrammarExample:
    """What one form means, in a sentence, and a text that uses it."""

    form: str
    told: str
    text: str
    way: str = ""


def examples(name: str) -> list[GrammarExample]:
    """Those of a grammar, in the order of their file."""
    return [*_read((Path(__file__).parent / f"{name}.txt").read_text())]


def _read(text: str) -> Iterator[GrammarExample]:
    lines = [line for line in text.splitlines() if line and not line.startswith("# ")]
    for form, told, example in zip(lines[::3], lines[1::3], lines[2::3], strict=True):
        way, _, query = example.partition(" ") if example.startswith("@") else ("", "", example)
        yield GrammarExample(form.removeprefix("= "), told, query, way)


def result_of_query(example: GrammarExample) -> str:
    """What the query finds, in a line or a few."""
    given = next((values for name, values in GIVEN.items() if name in example.text), {})
    stream = events(CLOCK if example.way in ("@clock", "@profile") else NUMBERS)
    if example.way in ("@profile", "@timed"):
        found = cepheid.profile(example.text).run(stream, time="time", type="type")
    else:
        found = cepheid.query(example.text, **given).run(stream, time="time", type="type")
    return _listed([_row(row) for row in found])


def result_of_tree(example: GrammarExample) -> str:
    """What the tree pattern finds."""
    rows = cepheid.xml(example.text).run(DOCUMENT)
    return _listed([f"{row['var']} = {row['text']!r}" for row in rows])


def _listed(rows: list[str]) -> str:
    if not rows:
        return "nothing"
    rest = f" … {len(rows)} in all" if len(rows) > LISTED else ""
    return "; ".join(rows[:LISTED]) + rest


def _row(row: Mapping[str, Any]) -> str:
    shown = {
        name: value for name, value in row.items() if name not in ("match_id", "nodes", "edges", "roots")
    }
    if all(_is_bound(value) for value in shown.values()):
        return " ".join(filter(None, (_bound(value) for value in shown.values()))) or "a match of time alone"
    return ", ".join(
        f"{name} {_bound(value) if _is_bound(value) and value is not None else _value(value)}"
        for name, value in shown.items()
    )


def _is_bound(value: Any) -> bool:
    return (
        value is None
        or (isinstance(value, dict) and "time" in value)
        or (isinstance(value, list) and all(map(_is_bound, value)))
    )


def _bound(value: Any) -> str:
    """Events by their type and time."""
    if isinstance(value, list):
        return f"[{' '.join(map(_bound, value))}]"
    if value is None:
        return "–"
    time = _value(value["time"])
    return f"{value['type']}{' ' * (':' in time)}{time}"


def _value(value: Any) -> str:
    if hasattr(value, "strftime"):
        return f"{value:%H:%M}"
    return (
        f"{value:g}"
        if isinstance(value, float)
        else str(value).lower()
        if isinstance(value, bool)
        else str(value)
    )
