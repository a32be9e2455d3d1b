"""Scenarios: a query, a stream and what should come of them, read from text."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from cepheid.language.sase.parse import parse
from cepheid.pattern.literals import nearest
from cepheid.pattern.query import EmitMode
from cepheid.testing.tables import cell, rows, table

_OPTION = re.compile(r"""(\w+)=('[^']*'|"[^"]*"|\{[^}]*\}|\S+)(?:\s+|$)""")
_OF_PROFILES = ("select", "consume", "once", "timezone")
_KNOWN = ("time", "type", "order", "time_unit", "lateness", "query", *_OF_PROFILES)
_ITEM = re.compile(r"(CUT|CRASH|WATERMARK|EMITS)\b\s*(.*)$")


@dataclass(frozen=True, slots=True)
class ScenarioStep:
    """What happens to a session: `push` of rows [start, stop), `crash`, `watermark` or `emits`."""

    kind: str
    start: int = 0
    stop: int = 0
    watermark: Any = None
    matches: tuple[str, ...] = ()  # or rows, each the cells of one line


@dataclass(frozen=True, slots=True)
class Scenario:
    """A query, a stream, and what should come of them."""

    title: str
    query: str
    events: pa.Table
    binding: Mapping[str, Any]  # keywords of `run` and `session`: time, type, order, time_unit
    lateness: Any = None
    steps: tuple[ScenarioStep, ...] = ()
    matches: tuple[str, ...] | None = None
    rows: tuple[Mapping[str, Any], ...] | None = None
    errors: tuple[str, ...] = ()
    late: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()
    profile: Mapping[str, Any] | None = None  # keywords of `cepheid.profile`; None: it is a plain query
    source: str = field(default="", compare=False)

    @property
    def is_session(self) -> bool:
        """Whether it speaks of batches, watermarks, crashes or lateness."""
        return any(step.kind != "push" for step in self.steps) or len(self.steps) > 1 or bool(self.late)

    @property
    def is_aggregate(self) -> bool:
        """Whether its query has AGG, and so gives rows and no matches."""
        return parse(self.query).aggregation is not None

    @property
    def is_counted(self) -> bool:
        """Whether its query has EMIT COUNT, and so gives rows and no matches."""
        return parse(self.query).emit.mode is EmitMode.COUNT

    @property
    def is_compressed(self) -> bool:
        """Whether its query has EMIT COMPRESSED: what it expands to is expected."""
        return parse(self.query).emit.mode is EmitMode.COMPRESSED

    @property
    def advances(self) -> bool:
        """Whether time passes in it without events."""
        return any(step.kind == "watermark" for step in self.steps)

    def __str__(self) -> str:
        return f"{self.source}: {self.title}" if self.source else self.title


@dataclass(frozen=True, slots=True)
class WrittenScenario:
    """A scenario as it is written: `read` makes sense of it, or says what is wrong."""

    title: str
    body: str
    source: str = ""  # the name of its file
    line: int = 1  # of its title
    folder: Path = Path()  # that `query=` is relative to

    def read(self) -> "Scenario":
        """The scenario; raises ValueError where it is none."""
        try:
            return _one_scenario(self)
        except (ValueError, KeyError) as problem:
            raise ValueError(f"{self.source or 'scenario'}, '{self.title}': {problem}") from problem


def scenario(source: str | Path) -> list[Scenario]:
    """The scenarios of a file, or of a text that begins with `===`."""
    if isinstance(source, str) and source.lstrip().startswith("==="):
        found = written_scenarios(source)
    else:
        path = Path(source)
        found = written_scenarios(path.read_text(encoding="utf-8"), path.name, path.parent)
    return [each.read() for each in found]


def written_scenarios(text: str, source: str = "", folder: Path = Path()) -> list[WrittenScenario]:
    """The scenarios of a text, each from its title to the next."""
    blocks: list[tuple[int, str, list[str]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("==="):
            blocks.append((number, line.removeprefix("===").strip(), []))
        elif blocks and not line.startswith("#"):
            blocks[-1][2].append(line.rstrip())
    return [WrittenScenario(title, "\n".join(body), source, number, folder) for number, title, body in blocks]


def _one_scenario(written: WrittenScenario) -> Scenario:
    sections = [
        [line for line in section.splitlines() if line.strip()]
        for section in re.split(r"(?m)^---$", written.body)
    ]
    if len(sections) not in (2, 3):
        raise ValueError("it should have a query, events and expectations, with '---' between them")
    head, *streams, expected = sections
    stream = streams[0] if streams else ["id:int time:int type:string"]
    is_option = [not _OPTION.sub("", line.strip()) for line in head]
    count = is_option.index(False) if False in is_option else len(head)
    options = {
        name: value.strip("'\"") for line in head[:count] for name, value in _OPTION.findall(line.strip())
    }
    _refuse_unknown(options)
    given, steps = _stream(stream)
    return Scenario(
        title=written.title,
        query=_query("\n".join(head[count:]), options.get("query"), written.folder),
        events=given,
        binding=binding_of(options, given.column_names),
        lateness=cell(options["lateness"]) if "lateness" in options else None,
        steps=steps,
        profile=_profile_of(options),
        source=written.source,
        **_expectations(expected),
    )


def _refuse_unknown(options: Mapping[str, str]) -> None:
    unknown = next((name for name in options if name not in _KNOWN), None)
    if unknown is not None:
        near = nearest(unknown, _KNOWN)
        raise ValueError(f"there is no '{unknown}='; {near or 'there are ' + ', '.join(_KNOWN)}")


def _query(text: str, file: str | None, folder: Path) -> str:
    """The query, which stands in the scenario or in a file of its own."""
    if file is None:
        return text
    if text:
        raise ValueError(f"it has a query of its own beside query={file}")
    try:
        return (folder / file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise ValueError(f"query={file} cannot be read: {problem}") from problem


def _profile_of(options: Mapping[str, str]) -> dict[str, Any] | None:
    """The keywords of a profile."""
    given: dict[str, Any] = {name: options[name] for name in _OF_PROFILES if name in options}
    if "select" in given:
        given["select"] = _selection(given["select"])
    if "once" in given:
        given["once"] = cell(given["once"])
    return given or None


def _selection(text: str) -> Any:
    """A choice for all variables, or for each: `a:last,b:2`, or as JSON."""
    if text.startswith("{"):
        return json.loads(text)
    pairs = [choice.rpartition(":") for choice in text.split(",")]
    chosen = {variable: cell(choice) for variable, _, choice in pairs}
    return chosen.get("", chosen)


def binding_of(options: Mapping[str, str], columns: list[str]) -> dict[str, Any]:
    """The keywords of `run` and `session`; a column `type` is the type if nothing else is said."""
    binding: dict[str, Any] = {"time": options.get("time", "time")}
    kind = options.get("type", "type" if "type" in columns else "-")
    if kind != "-":
        binding["type"] = kind
    if "order" in options:
        binding["order"] = options["order"].split(",")
    if "time_unit" in options:
        binding["time_unit"] = options["time_unit"]
    return binding


def _stream(lines: Sequence[str]) -> tuple[pa.Table, tuple[ScenarioStep, ...]]:
    given: list[str] = []
    steps: list[ScenarioStep] = []
    pushed = 0
    for line in [*lines[1:], "CUT"]:
        item = _ITEM.match(line)
        if item is None:
            given.append(line)
            continue
        if len(given) > pushed:
            steps.append(ScenarioStep("push", pushed, len(given)))
            pushed = len(given)
        steps += _step(item[1], item[2].strip())
    events = table(lines[0].split(), given)
    if "id" not in events.column_names:
        events = events.add_column(0, "id", pa.array(range(1, len(events) + 1), pa.int64()))
    return events, tuple(steps)


def _step(word: str, rest: str) -> list[ScenarioStep]:
    if word == "EMITS":
        return [
            ScenarioStep("emits", matches=tuple(part.strip() for part in rest.split("|") if part.strip()))
        ]
    if word == "WATERMARK":
        return [ScenarioStep("watermark", watermark=cell(rest))]
    return [ScenarioStep("crash")] if word == "CRASH" else []


def _expectations(lines: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = {"matches": [], "errors": [], "late": [], "bad": [], "rows": None}
    for place, line in enumerate(lines):
        word, _, rest = line.strip().partition(" ")
        if word == "RETURNS":
            found |= {"matches": None, "rows": rows(rest.split(), lines[place + 1 :])}
            break
        if word == "ERROR":
            found["errors"].append(rest.strip())
        elif word in ("LATE", "BAD"):
            found[word.lower()] += rest.split()
        elif word != "NONE":
            found["matches"].append(line)
    return {key: None if value is None else tuple(value) for key, value in found.items()}
