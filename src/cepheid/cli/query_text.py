"""QUERY is a text, or the name of a file that holds one."""

import difflib
import os
from pathlib import Path

from cepheid.cli.refuse import misuse

QUERY_ENDINGS = (".sase", ".query", ".cep", ".txt", ".sql")


def query_text(given: str) -> str:
    if not given.strip():
        misuse("the query is empty; it begins with PATTERN")
    if not _is_file(given):
        if _looks_like_a_file(given):
            misuse(_missing(given))
        return given
    try:
        return Path(given).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        misuse(f"{given} is not a text file: it should hold a query")


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
