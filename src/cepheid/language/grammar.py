"""A language's grammar, and the parser that lark makes of it.

To make a parser's tables takes longer than a small run: they come ready, or are made once and kept.
"""

import sys
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from lark import Lark

from cepheid.cache import cache_folder
from cepheid.language.tables import ready_tables, write_tables


@dataclass(frozen=True)
class Grammar:
    """The grammar in a language's folder: `sase/sase.lark` is named `sase`. A text may begin with any of
    `start`."""

    name: str
    start: tuple[str, ...] = ("start",)

    @property
    def text(self) -> str:
        """What is written in its file."""
        return resources.files(f"{__package__}.{self.name}").joinpath(f"{self.name}.lark").read_text("utf-8")

    def parser(self, lowering: Any) -> Lark:
        """A parser that lowers while it reads, from tables that came ready or that are made once and kept."""
        ready = ready_tables(self.name, self.text)
        if ready is not None:
            loaded: Any = Lark._load_from_dict  # as parsers do that lark generates
            parser: Lark = loaded(*ready, transformer=lowering)
            return parser
        folder = cache_folder(f"parser-py{sys.version_info.major}{sys.version_info.minor}")
        file = str(folder / f"{self.name}.tables") if folder is not None else False
        return self._made(transformer=lowering, cache=file)  # lark renews it with the grammar

    def write_ready_tables(self, package: Path) -> None:
        """Write its parser's tables into a package of ready kernels."""
        write_tables(self.name, self._made(), self.text, package)

    def _made(self, **options: Any) -> Lark:
        return Lark(
            self.text,
            parser="lalr",
            lexer="contextual",
            start=list(self.start),
            maybe_placeholders=True,
            **options,
        )
