"""QUERY is a text, or the name of a file that holds one query, or several under their names.

    -- name: pairs
    PATTERN SEQ(buy a, sell b) WITHIN 5 min;

    -- name: large
    PATTERN buy a WHERE a.price > 100;

A semicolon at the end of a query may stay away. Between two steps of a pattern it means SEQ, so it does not
tell where a query ends: the names do.
"""

import difflib
import os
import re
from itertools import pairwise
from pathlib import Path

from cepheid.cli.refuse import misuse
from cepheid.sources.paths import ALIASES

QUERY_ENDINGS = (".sase", ".query", ".cep", ".txt", ".sql")
UNNAMED = ""
"""The name of a query that stands alone."""

_HEADING = re.compile(r"^[ \t]*--[ \t]*name:[ \t]*(?P<name>.*?)[ \t\r]*$", re.MULTILINE | re.IGNORECASE)
_TOKEN = re.compile(r"""(?P<skipped>\s+|--[^\n]*)|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)+`|\w+|.""")


def query_texts(given: str) -> dict[str, str]:
    """The queries of a text or of a file by their names; one that stands alone is `UNNAMED`."""
    text = _text(given)
    headings = list(_HEADING.finditer(text))
    if not headings:
        return {UNNAMED: _one_query(text, "")}
    if _words(text[: headings[0].start()]):
        misuse(f"a query stands before the first name: put '-- name: …' above it, as '{headings[0][0]}' does")
    found: dict[str, str] = {}
    ends = [*(heading.start() for heading in headings[1:]), len(text)]
    for heading, end in zip(headings, ends, strict=True):
        name = heading["name"]
        if not name or name in found:
            misuse(f"two queries are named '{name}'" if name else "a line '-- name:' names no query")
        above = "\n" * text.count("\n", 0, heading.end())  # errors then tell the line of the file
        found[name] = above + _one_query(text[heading.end() : end], f" under the name '{name}'")
    return found


def parameters_in(text: str) -> set[str]:
    """The names of the parameters that a query has: `$name`."""
    return {name[0] for mark, name in pairwise(_words(text)) if mark[0] == "$" and mark.end() == name.start()}


def _text(given: str) -> str:
    if not given.strip():
        misuse("the query is empty; it begins with PATTERN")
    if not _is_file(given):
        if _looks_like_a_file(given):
            misuse(_missing(given))
        return given
    if os.path.splitext(given)[1].lower() in ALIASES:
        misuse(f"{given} holds events: the query comes first, and then the files")
    try:
        return Path(given).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        misuse(f"{given} is not a text file: it should hold a query")


def _one_query(text: str, where: str) -> str:
    """The text of one query without the semicolon at its end."""
    words = _words(text)
    if not words:
        misuse(f"there is no query{where}; it begins with PATTERN")
    for mark, word in pairwise(words):
        if mark[0] == ";" and word[0].upper() == "PATTERN":
            misuse(
                f"there are two queries{where}: give each a name on a line above it, such as '-- name: pairs'"
            )
    last = words[-1]
    return text[: last.start()] + text[last.end() :] if last[0] == ";" and len(words) > 1 else text


def _words(text: str) -> list[re.Match[str]]:
    """What the text says, without spaces and comments."""
    return [token for token in _TOKEN.finditer(text) if token["skipped"] is None]


def _is_file(given: str) -> bool:
    try:
        return os.path.isfile(given)
    except ValueError:  # a null character, which no file name has
        return False


def _looks_like_a_file(given: str) -> bool:
    one_word = len(given.split()) == 1 and "(" not in given
    return one_word and (os.sep in given or given.lower().endswith(QUERY_ENDINGS))


def _missing(path: str) -> str:
    folder = os.path.dirname(path) or "."
    names = os.listdir(folder) if os.path.isdir(folder) else []
    near = difflib.get_close_matches(os.path.basename(path), names, n=1)
    return f"there is no query file {path}{f'; did you mean {near[0]}?' if near else ''}"
