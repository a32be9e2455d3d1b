"""For tests of queries: events written as text, scenarios read from files, and assertions over both.

    assert_matches("PATTERN SEQ(A a, B b)", events("time type\\n1 A\\n2 B"), ["1; 2"])

A scenario file holds scenarios, each a title, a query, its events and what is expected:

    === Shoplifting                                a title begins a scenario; lines of '#' are comments
    time=ts order=seq                              optional: time type order time_unit lateness
    PATTERN SEQ(Shelf s, ~Register r, Exit e)
    WHERE skip_till_next_match { [tag] }
    ---
    id ts    type  tag                             the header; `id` labels the events, `x:float` sets a type
    1  12:00 Shelf 7
    CUT                                            ends a batch; WATERMARK 12:05 advances the watermark,
    2  12:10 Exit  7                               CRASH goes on from a snapshot, EMITS 1; 2 says what has
    ---                                            become certain since the last EMITS
    1; 2                                           a match in the order of the variables, or {s: 1; e: 2}:
                                                   `1 2 3` a Kleene variable, `[]` an empty one, `-` null

Expected are matches in order, `NONE`, `RETURNS` with a table of rows, `ERROR` with a part of the
message, and `LATE` or `BAD` with the labels of events. Cells are integers, floats, `true`, ISO
timestamps (`12:05` is on 2024-01-01), `null`, `[1,2]`, or strings, in quotes where they have blanks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from cepheid.errors import CepheidError

DAY = "2024-01-01"  # the day of times that are written without one

_CELL = re.compile(r"'[^']*'|\[[^\]]*\]|\S+")
_OPTIONS = re.compile(r"(\w+=\S+\s*)+$")
_ITEM = re.compile(r"(CUT|CRASH|WATERMARK|EMITS)\b\s*(.*)$")
_TYPES: dict[str, pa.DataType] = {
    "int": pa.int64(),
    "float": pa.float64(),
    "bool": pa.bool_(),
    "string": pa.string(),
    "timestamp": pa.timestamp("us"),
    "date": pa.date32(),
}


# -- events as text --------------------------------------------------------------------------------


def events(text: str) -> pa.Table:
    """A table of events: a header line with the names of the columns, then a line an event."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise ValueError("a table of events begins with a header line: the names of the columns")
    return _table(lines[0].split(), lines[1:])


def _table(header: Sequence[str], lines: Sequence[str]) -> pa.Table:
    rows = [[_cell(text) for text in _CELL.findall(line)] for line in lines]
    for line, row in zip(lines, rows, strict=True):
        if len(row) != len(header):
            raise ValueError(f"{len(header)} columns, but {len(row)} cells: {line.strip()!r}")
    columns = {}
    for place, heading in enumerate(header):
        name, _, kind = heading.partition(":")
        columns[name] = _column([row[place] for row in rows], kind)
    return pa.table(columns)


def _column(cells: list[Any], kind: str) -> pa.Array:
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds == {int, float}:
        cells = [None if cell is None else float(cell) for cell in cells]
    elif len(kinds) > 1:
        cells = [None if cell is None else str(cell) for cell in cells]
    return pa.array(cells, type=_TYPES[kind] if kind else None)


def _cell(text: str) -> Any:
    if text.startswith("'"):
        return text[1:-1]
    if text.startswith("["):
        return [_cell(item) for item in re.split(r"[,\s]+", text[1:-1].strip()) if item]
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
    if re.match(r"\d\d:\d\d", text):
        return datetime.fromisoformat(f"{DAY}T{text}")
    if re.match(r"\d{4}-\d\d-\d\d", text):
        return datetime.fromisoformat(text)
    raise ValueError(text)


# -- scenarios -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Step:
    """What happens to a session: `push` of rows [start, stop), `crash`, `watermark` or `emits`."""

    kind: str
    start: int = 0
    stop: int = 0
    watermark: Any = None
    matches: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scenario:
    """A query, a stream, and what should come of them."""

    title: str
    query: str
    events: pa.Table
    binding: Mapping[str, Any]  # keywords of `run` and `session`: time, type, order, time_unit
    lateness: Any = None
    steps: tuple[Step, ...] = ()
    matches: tuple[str, ...] | None = None
    rows: tuple[Mapping[str, Any], ...] | None = None
    errors: tuple[str, ...] = ()
    late: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()
    source: str = field(default="", compare=False)

    @property
    def is_session(self) -> bool:
        """Whether it speaks of batches, watermarks, crashes or lateness."""
        return any(step.kind != "push" for step in self.steps) or len(self.steps) > 1 or bool(self.late)

    def __str__(self) -> str:
        return f"{self.source}: {self.title}" if self.source else self.title


def scenario(source: str | Path) -> list[Scenario]:
    """The scenarios of a file, or of a text that begins with `===`."""
    if isinstance(source, str) and source.lstrip().startswith("==="):
        return list(_scenarios(source, ""))
    return list(_scenarios(Path(source).read_text(encoding="utf-8"), Path(source).name))


def _scenarios(text: str, source: str) -> Iterator[Scenario]:
    lines = [line.rstrip() for line in text.splitlines() if not line.startswith("#")]
    for block in re.split(r"^===\s*", "\n".join(lines), flags=re.MULTILINE)[1:]:
        title, _, body = block.partition("\n")
        try:
            yield _one_scenario(title.strip(), body, source)
        except (ValueError, KeyError) as problem:
            raise ValueError(f"{source or 'scenario'}, '{title.strip()}': {problem}") from problem


def _one_scenario(title: str, body: str, source: str) -> Scenario:
    sections = [
        [line for line in section.splitlines() if line.strip()] for section in re.split(r"(?m)^---$", body)
    ]
    if len(sections) not in (2, 3):
        raise ValueError("it should have a query, events and expectations, with '---' between them")
    head, *streams, expected = sections
    stream = streams[0] if streams else ["id:int time:int type:string"]
    is_option = [_OPTIONS.match(line) is not None for line in head]
    count = is_option.index(False) if False in is_option else len(head)
    options = dict(pair.split("=", 1) for line in head[:count] for pair in line.split())
    table, steps = _stream(stream)
    return Scenario(
        title=title,
        query="\n".join(head[count:]),
        events=table,
        binding=_binding(options, table.column_names),
        lateness=_cell(options["lateness"]) if "lateness" in options else None,
        steps=steps,
        source=source,
        **_expectations(expected),
    )


def _binding(options: Mapping[str, str], columns: list[str]) -> dict[str, Any]:
    binding: dict[str, Any] = {"time": options.get("time", "time")}
    kind = options.get("type", "type" if "type" in columns else "-")
    if kind != "-":
        binding["type"] = kind
    if "order" in options:
        binding["order"] = options["order"].split(",")
    if "time_unit" in options:
        binding["time_unit"] = options["time_unit"]
    return binding


def _stream(lines: Sequence[str]) -> tuple[pa.Table, tuple[Step, ...]]:
    rows: list[str] = []
    steps: list[Step] = []
    pushed = 0
    for line in [*lines[1:], "CUT"]:
        item = _ITEM.match(line)
        if item is None:
            rows.append(line)
            continue
        if len(rows) > pushed:
            steps.append(Step("push", pushed, len(rows)))
            pushed = len(rows)
        steps += _step(item[1], item[2].strip())
    return _table(lines[0].split(), rows), tuple(steps)


def _step(word: str, rest: str) -> list[Step]:
    if word == "EMITS":
        return [Step("emits", matches=tuple(part.strip() for part in rest.split("|") if part.strip()))]
    if word == "WATERMARK":
        return [Step("watermark", watermark=_cell(rest))]
    return [Step("crash")] if word == "CRASH" else []


def _expectations(lines: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = {"matches": [], "errors": [], "late": [], "bad": [], "rows": None}
    for place, line in enumerate(lines):
        word, _, rest = line.strip().partition(" ")
        if word == "RETURNS":
            found |= {"matches": None, "rows": _table(rest.split(), lines[place + 1 :]).to_pylist()}
            break
        if word == "ERROR":
            found["errors"].append(rest.strip())
        elif word in ("LATE", "BAD"):
            found[word.lower()] += rest.split()
        elif word != "NONE":
            found["matches"].append(line)
    return {key: None if value is None else tuple(value) for key, value in found.items()}


# -- assertions ------------------------------------------------------------------------------------


def describe(match: Mapping[str, Any], *, named: bool = False) -> str:
    """A match in the words of a scenario, from the label (or labels) bound to each variable."""
    texts = {variable: _described(bound) for variable, bound in match.items()}
    if named:
        return "{" + "; ".join(f"{variable}: {text}" for variable, text in texts.items()) + "}"
    return "; ".join(texts.values())


def _described(bound: Any) -> str:
    if bound is None:
        return "-"
    return (" ".join(map(str, bound)) or "[]") if isinstance(bound, list | tuple) else str(bound)


def compare_matches(
    found: Iterable[Mapping[str, Any]], expected: Sequence[str], *, ordered: bool = True
) -> None:
    """Fail with both sides in full unless the matches (labels by variable) are the expected lines."""
    wanted = [re.sub(r"\s+", " ", re.sub(r"\s*([;:{}])\s*", r"\1", line)).strip() for line in expected]
    named = any(line.startswith("{") for line in wanted)
    got = [re.sub(r"([;:]) ", r"\1", describe(match, named=named)) for match in found]
    if not ordered:
        got, wanted = sorted(got), sorted(wanted)
    if got != wanted:
        raise AssertionError(f"expected {_listed(wanted)}\nbut found {_listed(got)}")


def _listed(lines: Sequence[Any]) -> str:
    return "no match" if not lines else "".join(f"\n  {line}" for line in lines)


def labels(table: pa.Table, label: str = "id") -> list[dict[str, Any]]:
    """For each match of a result without RETURN, the label of each variable's event or events."""

    def labelled(bound: Any) -> Any:
        if bound is None:
            return None
        return [event[label] for event in bound] if isinstance(bound, list) else bound[label]

    rows = table.drop_columns(["match_id"]).to_pylist()
    return [{variable: labelled(bound) for variable, bound in row.items()} for row in rows]


def assert_matches(query: str, events: pa.Table, expected: str | Sequence[str], **binding: Any) -> None:
    """Run the query over the events, and fail unless it finds the expected matches in this order.

    Events are labelled by their column `id`, or else numbered from 1. Matches are lines such as
    `1 2 3; 6`, the variables in the order of the text.
    """
    import cepheid

    if "id" not in events.column_names:
        events = events.add_column(0, "id", pa.array(range(1, len(events) + 1)))
    binding = {**_binding({}, events.column_names), **binding}
    lines = expected.splitlines() if isinstance(expected, str) else expected
    result = cepheid.query(query).run(events, **binding)
    compare_matches(labels(result.table), [line.strip() for line in lines if line.strip()])


def assert_scenario(scenario: Scenario) -> None:
    """Run a scenario as the table that it is and, where it speaks of batches, as a session too."""
    if scenario.errors:
        _assert_error(scenario)
        return
    if not scenario.late:
        _assert_run(scenario)
    if scenario.is_session:
        _assert_session(scenario)


def _assert_error(scenario: Scenario) -> None:
    import cepheid

    try:
        cepheid.query(scenario.query).run(scenario.events, **scenario.binding)
    except CepheidError as error:
        missing = [part for part in scenario.errors if part not in str(error)]
        if missing:
            raise AssertionError(f"expected an error with {missing}, but it says:\n{error}") from error
        return
    raise AssertionError(f"expected an error with {list(scenario.errors)}, but the query ran")


def _assert_run(scenario: Scenario) -> None:
    import cepheid

    result = cepheid.query(scenario.query).run(scenario.events, **scenario.binding)
    if scenario.rows is not None:
        compare_rows(result.table.drop_columns(["match_id"]).to_pylist(), scenario.rows)
    else:
        compare_matches(labels(result.table), scenario.matches or (), ordered=not scenario.is_session)
    _compare_labels("bad", result.bad, scenario.bad)


def _assert_session(scenario: Scenario) -> None:
    import cepheid

    query = cepheid.query(scenario.query)
    options = {} if scenario.lateness is None else {"lateness": scenario.lateness}
    session = query.session(scenario.events.schema, **scenario.binding, **options)
    found: list[dict[str, Any]] = []
    reported = 0
    for step in scenario.steps:
        if step.kind == "push":
            found += labels(session.push(scenario.events.slice(step.start, step.stop - step.start)))
        elif step.kind == "watermark":
            found += labels(session.advance(step.watermark))
        elif step.kind == "crash":
            session = cepheid.resume(query, session.snapshot())
        else:
            compare_matches(found[reported:], step.matches)
            reported = len(found)
    found += labels(session.close())
    compare_matches(found, scenario.matches or (), ordered=False)
    _compare_labels("late", session.late, scenario.late)
    _compare_labels("bad", session.bad, scenario.bad)


def _compare_labels(what: str, table: pa.Table, expected: Sequence[str]) -> None:
    got = [str(label) for label in table.column("id").to_pylist()] if len(table) else []
    if sorted(got) != sorted(expected):
        raise AssertionError(f"expected the {what} events {list(expected)}, but found {got}")


def compare_rows(found: Sequence[Mapping[str, Any]], expected: Sequence[Mapping[str, Any]]) -> None:
    """Fail unless the rows are equal, column by column, in this order; NaN equals NaN."""
    got, wanted = [_plain(row) for row in found], [_plain(row) for row in expected]
    if got != wanted:
        raise AssertionError(f"expected {_listed(wanted)}\nbut found {_listed(got)}")


def _plain(cell: Any) -> Any:
    if isinstance(cell, list | tuple):
        return [_plain(item) for item in cell]
    if isinstance(cell, Mapping):
        return {name: _plain(item) for name, item in cell.items()}
    return "nan" if cell != cell else cell
