"""Parsers' tables that came ready, beside the compiled kernels: to make those of the query language takes a
quarter of a second.

They are a pickle, so they are read only if their hash is the one that was noted when they were made, and used
only for this grammar, this lark and this Python.
"""

import hashlib
import json
import pickle
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import lark
from lark.grammar import Rule
from lark.lexer import TerminalDef

from cepheid.cache import READY_PACKAGE, is_ready_wanted

FOLDER, TABLES, ABOUT = "parser", "tables", "json"
"""The folder in the package, and how the names of a language's two files there end."""


def ready_tables(language: str, grammar: str) -> tuple[Any, Any] | None:
    """The tables of a language, as lark loads them; None where there are none that fit its grammar."""
    folder = _folder()
    if folder is None:
        return None
    try:
        about = json.loads((folder / f"{language}.{ABOUT}").read_text("utf-8"))
        content = (folder / f"{language}.{TABLES}").read_bytes()
    except (OSError, ValueError):
        return None
    if about != _about(grammar, content):
        return None
    data, memo = pickle.loads(content)
    return data, memo


def write_tables(language: str, parser: lark.Lark, grammar: str, package: Path) -> None:
    """Write the tables of a parser, which has no transformer, into the package of ready kernels."""
    folder = package / FOLDER
    folder.mkdir(exist_ok=True)
    content = pickle.dumps(parser.memo_serialize([TerminalDef, Rule]))
    (folder / f"{language}.{TABLES}").write_bytes(content)
    about = json.dumps(_about(grammar, content), indent=1) + "\n"
    (folder / f"{language}.{ABOUT}").write_text(about, encoding="utf-8")


def _about(grammar: str, content: bytes) -> dict[str, str]:
    return {
        "grammar": hashlib.sha256(grammar.encode()).hexdigest(),
        "lark": lark.__version__,
        "python": str(sys.implementation.cache_tag),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def _folder() -> Path | None:
    if not is_ready_wanted():
        return None
    found = find_spec(READY_PACKAGE)
    return None if found is None or found.origin is None else Path(found.origin).parent / FOLDER
