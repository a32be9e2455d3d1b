"""`cepheid xml`: the nodes of a tree pattern in XML files, on the terminal, in a pipe or in a file."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cepheid.cli.query_text import UNNAMED
from cepheid.cli.quick_start import without_linear_algebra
from cepheid.cli.refuse import misuse
from cepheid.cli.say import progress, say
from cepheid.errors import CepheidError, LimitError, SourceError, XmlError
from cepheid.language.twig.namespaces import given_namespaces
from cepheid.language.twig.parse import parse_twig
from cepheid.sources.paths import STANDARD, missing
from cepheid.sources.xml_limits import DEEPEST, HTML, LONGEST

FILE = "file"
"""The column that says in which of several files a node is."""

PARSERS = ("fast", "lxml", "expat")
IGNORE = "ignore"
OPTIONS = {
    'entities="html"': f"--entities {HTML}",
    "entities=": "--entities NAME=TEXT",
    "max_depth = ": "--max-depth ",
    "max_text = ": "--max-text ",
}
"""What options are called here, by how they are called in Python."""


@dataclass(frozen=True, slots=True)
class XmlAsked:
    """What was asked for."""

    pattern: str
    files: Sequence[str]
    is_wide: bool = False
    is_count: bool = False
    parser: str = PARSERS[0]
    namespaces: Sequence[str] = ()  # each PREFIX=URI, or just `ignore`
    entities: Sequence[str] = ()  # each NAME=TEXT, or just `html`
    max_depth: int = DEEPEST
    max_text: int = LONGEST


def run_xml(asked: XmlAsked, out: str | None, limit: int) -> None:
    """Show, write or count the nodes. What is wrong with the question is said before anything is read."""
    _check(asked, out)
    parse_twig(asked.pattern)
    total = sum(map(_size, asked.files))
    from cepheid.cli.deliver import deliver, showing_for  # Arrow, and soon the compiler

    one, many = ("match", "matches") if asked.is_wide else ("node", "nodes")
    showing = showing_for(out, stats=False, limit=limit, format=None, rows=(one, many))
    with progress("reading", total, in_bytes=True) as show:
        found = _found(asked, show)
    tables = [each.wide() if asked.is_wide else each.table for each in found]
    if asked.is_count:
        print(sum(table.num_rows for table in tables))
    else:
        deliver({UNNAMED: _one_table(tables, asked.files)}, showing)
    for note in dict.fromkeys(note for each in found for note in each.notes):
        say(note)


def _check(asked: XmlAsked, out: str | None) -> None:
    if asked.parser not in PARSERS:
        misuse(f"--parser is one of {', '.join(PARSERS)}, not '{asked.parser}'")
    namespaces_of(asked.namespaces)
    entities_of(asked.entities)
    if asked.is_count and out is not None:
        misuse("--count prints a number: it does not go with --out")
    if list(asked.files).count(STANDARD) > 1:
        misuse("- is standard input, which can be read once")


def namespaces_of(given: Sequence[str]) -> dict[str, str] | str | None:
    """How names compare: by the namespaces that prefixes stand for, by local name, or as they are written."""
    if list(given) == [IGNORE]:
        return IGNORE
    found: dict[str, str] = {}
    for item in given:
        prefix, separator, uri = item.partition("=")
        if not separator:
            misuse(
                f"--namespaces is {IGNORE} or PREFIX=URI, not '{item}': such as "
                "--namespaces a=http://www.w3.org/2005/Atom"
            )
        if prefix in found:
            misuse(f"--namespaces {prefix}=… is given twice")
        found[prefix] = uri
    try:
        return given_namespaces(found) if found else None
    except CepheidError as error:
        misuse(f"--namespaces: {error}")


def entities_of(given: Sequence[str]) -> dict[str, str] | str | None:
    """The texts of entities by their names; or just `html`."""
    if list(given) == [HTML]:
        return HTML
    pairs = [item.partition("=") for item in given]
    for (name, separator, _), item in zip(pairs, given, strict=True):
        if not name or not separator:
            misuse(f"--entities is {HTML} or NAME=TEXT, not '{item}': such as --entities auml=ä")
    return {name: text for name, _, text in pairs} or None


def _size(file: str) -> int:
    if file == STANDARD:
        return 0
    if not os.path.exists(file):
        raise SourceError(missing(file))
    if os.path.isdir(file):
        raise SourceError(f"{file} is a folder: name the files, {os.path.join(file, '*.xml')}")
    return os.path.getsize(file)


def _found(asked: XmlAsked, show: Callable[[int], None]) -> list[Any]:
    """The nodes of each file."""
    without_linear_algebra()
    from cepheid.cli.say import say_if_cold
    from cepheid.xml import xml

    pattern = xml(
        asked.pattern,
        namespaces_of(asked.namespaces),
        entities_of(asked.entities),
        asked.max_depth,
        asked.max_text,
    )
    say_if_cold()
    found, before = [], 0
    for file in asked.files:
        try:
            found.append(pattern.run(_chunks(file, show, before), parser=asked.parser))
        except (XmlError, LimitError) as error:
            place = "standard input" if file == STANDARD else file
            raise SourceError(f"{place}: {_in_the_shell(str(error))}") from None
        before += _size(file)
    return found


def _in_the_shell(message: str) -> str:
    """What is wrong with a document, by the names of options."""
    for option, words in OPTIONS.items():
        message = message.replace(option, words)
    return message


def _chunks(file: str, show: Callable[[int], None], before: int) -> Iterable[bytes]:
    """The bytes of a file; `show` is told how much of all files was read."""
    from cepheid.sources.xml import file_chunks

    if file == STANDARD:
        return _standard_input()
    return file_chunks(Path(file), lambda done: show(before + done))


def _standard_input() -> Iterator[bytes]:
    from cepheid.sources.xml import CHUNK

    if sys.stdin is None or sys.stdin.closed:
        raise SourceError("standard input is closed")
    while chunk := sys.stdin.buffer.read(CHUNK):
        yield chunk


def _one_table(tables: list[Any], files: Sequence[str]) -> Any:
    """The rows of all files; of several, each row says which."""
    import pyarrow as pa

    if len(tables) == 1:
        return tables[0]
    named = [
        table.add_column(0, FILE, pa.array([file] * table.num_rows, pa.string()))
        for table, file in zip(tables, files, strict=True)
    ]
    return pa.concat_tables(named)
