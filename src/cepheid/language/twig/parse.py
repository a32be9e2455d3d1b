"""Regular tree patterns: text to `TwigPattern`.

parse_twig("//people[//person(/address->A : /profile)]")
"""

import functools
import re

from lark import Lark
from lark.exceptions import UnexpectedInput

from cepheid.errors import QueryError, QuerySyntaxError, Span
from cepheid.language.grammar import Grammar
from cepheid.language.twig.errors import explain_twig
from cepheid.language.twig.lowering import TwigLowering
from cepheid.pattern.twig.check import check_twig
from cepheid.pattern.twig.nodes import TwigPattern

GRAMMAR = Grammar("twig")
MAX_LENGTH = 64 * 1024
MAX_NESTING = 64

_BRACKETS = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|[()\[\]]""")
_REPEATED = re.compile(r"(?:[*+?]\s*){16}")


def parse_twig(text: str) -> TwigPattern:
    """The checked pattern that the text says; raises `QueryError` with the place and a probable fix."""
    try:
        return check_twig(written_twig(text))
    except QueryError as error:
        raise error.with_text(text) from None


def written_twig(text: str) -> TwigPattern:
    """The pattern as it was written: nothing is checked or marked."""
    try:
        _refuse_too_much(text)
        pattern: TwigPattern = _twig_parser().parse(text)  # type: ignore[assignment]  # what the lowering made
        return pattern
    except UnexpectedInput as error:
        raise explain_twig(error, text) from None
    except QueryError as error:
        raise error.with_text(text) from None


@functools.cache
def _twig_parser() -> Lark:
    return GRAMMAR.parser(TwigLowering())


def _refuse_too_much(text: str) -> None:
    if len(text) > MAX_LENGTH:
        raise QuerySyntaxError(f"the pattern has {len(text):,} characters, and the limit is {MAX_LENGTH:,}")
    level = 0
    for found in _BRACKETS.finditer(text):
        level += {"(": 1, "[": 1, ")": -1, "]": -1}.get(found.group(), 0)
        if level > MAX_NESTING:
            raise QuerySyntaxError(
                f"brackets are nested more than {MAX_NESTING} deep, which is the limit",
                span=Span(*found.span()),
            )
    repeated = _REPEATED.search(text)
    if repeated is not None:
        raise QuerySyntaxError(
            "repetitions are repeated too often", span=Span(*repeated.span()), hint="one * says it"
        )
