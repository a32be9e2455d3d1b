"""The pieces that every lowering of a query's text shares: words, spans, numbers and quotes."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any

from lark import Token

from cepheid.errors import QuerySyntaxError, Span
from cepheid.pattern.durations import calendar_hint
from cepheid.pattern.literals import parse_timestamp
from cepheid.pattern.words import KEYWORDS
from cepheid.time import UNIT_NAMES, Duration, parse_unit

MAX_NUMBER_LENGTH = 100
MAX_EXPONENT = 400

CLAUSE_WORDS = ("pattern", "where", "within", "return", "agg", "emit")


@dataclass(frozen=True, slots=True)
class Word:
    """A name as written: backquoted names are never functions, strategies or indices."""

    text: str
    span: Span
    quoted: bool = False

    @property
    def lower(self) -> str:
        """The name as a word of the language, or nothing if it was backquoted."""
        return "" if self.quoted else self.text.lower()


@dataclass(frozen=True, slots=True)
class Period:
    """A duration, and where it stands in the text."""

    value: Duration
    span: Span


def span_of(item: Any) -> Span:
    """Where a token, a word or a node stands in the text."""
    if isinstance(item, Token):
        return Span(item.start_pos or 0, item.end_pos or 0)
    span: Span = item.span
    return span


def cover(children: Sequence[Any]) -> Span:
    """The span from the first child to the last, those left out skipped."""
    first = next(child for child in children if child is not None)
    last = next(child for child in reversed(children) if child is not None)
    return Span(span_of(first).start, span_of(last).end)


def word(token: Token) -> Word:
    """A `name`, its backquotes removed."""
    if token.type == "QUOTED":
        return Word(token[1:-1].replace("``", "`"), span_of(token), quoted=True)
    return Word(str(token), span_of(token))


def unquoted(token: Token) -> str:
    """The text of a string: a doubled quote stands for one."""
    quote = token[0]
    return str(token[1:-1]).replace(quote * 2, quote)


def number(token: Token) -> int | float:
    """An integer, or a finite float."""
    _bounded(token)
    if token.isdigit():
        return int(token)
    value = float(token)
    if value in (float("inf"), float("-inf")):
        raise QuerySyntaxError(f"the number {token} is too large", span=span_of(token))
    return value


def exact(token: Token) -> Fraction:
    """A decimal, exactly."""
    _bounded(token)
    return Fraction(str(token))


def whole(token: Token, what: str, least: int) -> int:
    """A whole number of at least `least`."""
    _bounded(token)
    if not token.isdigit() or int(token) < least:
        raise QuerySyntaxError(
            f"{what} should be a whole number, {least} or more, not {token}", span=span_of(token)
        )
    return int(token)


def _bounded(token: Token) -> None:
    exponent = token.lower().partition("e")[2]
    if len(token) > MAX_NUMBER_LENGTH or (exponent and abs(int(exponent)) > MAX_EXPONENT):
        raise QuerySyntaxError(
            f"the number is too long or too large: at most {MAX_NUMBER_LENGTH} characters, "
            f"and an exponent of at most {MAX_EXPONENT}",
            span=span_of(token),
        )


def duration(amount: Token, unit: Token) -> Duration:
    """`30 min`."""
    name = parse_unit(unit)
    if name is None:
        raise QuerySyntaxError(
            f"'{unit}' is not a unit of time",
            span=span_of(unit),
            hint=calendar_hint(unit)
            or ("write 10%" if unit.lower() in ("percent", "pct") else None)
            or did_you_mean(unit, [*UNIT_NAMES, *KEYWORDS], cutoff=0.7)
            or "units: microseconds, milliseconds, seconds, minutes, hours, days, weeks",
        )
    return Duration(exact(amount), name)


def timestamp(text: str, span: Span) -> datetime:
    """`TIMESTAMP '2024-05-01 12:00'`."""
    moment = parse_timestamp(text)
    if moment is None:
        raise QuerySyntaxError(
            f"'{text}' is not a timestamp",
            span=span,
            hint="write it as ISO 8601, to the microsecond: TIMESTAMP '2024-05-01 12:30:00'",
        )
    return moment


def did_you_mean(found: str, words: Iterable[str], cutoff: float = 0.6) -> str | None:
    """A hint that names the nearest of the words, if one is near."""
    known = list(words)
    if found in ("m", "M") and "min" in known:
        return "did you mean min?"
    near = difflib.get_close_matches(found.lower(), known, n=1, cutoff=cutoff)
    if not near:
        return None
    return f"did you mean {near[0].upper() if near[0] in KEYWORDS else near[0]}?"
