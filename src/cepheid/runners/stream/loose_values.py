"""An event of any shape as one JSON text, in which equal events are equal texts.

Attributes are sorted and those without a value left out, so it does not matter whether an event came as a
dict or as a row of a table with more columns. 1.0 is written as 1, which is the same number. NaN and the
infinities, which JSON does not have, are no values. Times become ISO 8601, and it is noted where they are.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pyarrow as pa
import pyarrow.compute as pc

from cepheid.matchers.loose_columns import value_at

_LONG_NUMBER = re.compile(r"[0-9]{16}")
_EXACT = 2**53
_MANY = 50  # texts: Arrow is quicker from here on

Path = tuple[str, ...]


def _encoding() -> Callable[[Any], str]:
    """What writes an event. The encoder in C is made once: making one for each event takes longer than
    writing it."""
    plain = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True)
    make: Any = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return plain.encode
    quoted: Any = json.encoder.encode_basestring
    pieces = make(None, plain.default, quoted, None, ": ", ", ", True, False, False)
    return lambda event: "".join(pieces(event, 0))


_written = _encoding()


class OddEvent(Exception):
    """Why something is not an event."""


def json_event(event: Mapping[str, Any]) -> tuple[str, str | None]:
    """An event as JSON, and where in it times are, as JSON too; None if nowhere."""
    try:
        text = _written(event)
        if "null" not in text and not _has_whole_real(text) and (text.isascii() or text.encode()):
            return text, None
    except (TypeError, ValueError):  # something in it is no JSON: a time, half a character, a NaN
        pass
    moments: list[Path] = []
    text = _written(_plain(event, (), moments))
    try:
        text.encode()
    except UnicodeEncodeError:
        raise OddEvent("it holds half a character, which is no text") from None
    return text, json.dumps(moments) if moments else None


def _has_whole_real(text: str) -> bool:
    """Whether something in a text looks like 1.0."""
    return ".0" in text and (".0," in text or ".0}" in text or ".0]" in text)


def _plain(value: Any, path: Path, moments: list[Path] | None) -> Any:
    """A value as JSON holds it; the times inside objects are noted, those inside lists are texts."""
    for kind, rule in _PLAIN:
        if isinstance(value, kind):
            return rule(value, path, moments)
    if hasattr(value, "item") and hasattr(value, "dtype"):
        return _plain(value.item(), path, moments)
    raise OddEvent(f"'{'.'.join(path)}' is a {type(value).__name__}, which an event cannot hold")


def _object(value: Mapping[Any, Any], path: Path, moments: list[Path] | None) -> dict[str, Any]:
    pairs = ((str(name), _plain(each, (*path, str(name)), moments)) for name, each in value.items())
    return {name: each for name, each in pairs if each is not None}


def _list(value: Iterable[Any], path: Path, moments: list[Path] | None) -> list[Any]:
    return [_plain(each, path, None) for each in value]


def _moment(value: date, path: Path, moments: list[Path] | None) -> str | None:
    if value != value:  # pandas has a time that is none
        return None
    if moments is not None:
        moments.append(path)
    text = value.isoformat()
    return text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") else text


def _real(value: float, path: Path, moments: list[Path] | None) -> float | int | None:
    if not math.isfinite(value):
        return None
    return int(value) if value == int(value) and abs(value) <= _EXACT else float(value)


def _as(show: Callable[[Any], Any]) -> Callable[[Any, Path, list[Path] | None], Any]:
    return lambda value, path, moments: show(value)


_PLAIN: tuple[tuple[type | tuple[type, ...], Callable[[Any, Path, list[Path] | None], Any]], ...] = (
    (type(None), _as(lambda value: None)),
    (bool, _as(lambda value: value)),
    (str, _as(str)),
    (int, _as(int)),
    ((float, Decimal), _real),
    (date, _moment),
    (Mapping, _object),
    ((list, tuple), _list),
    ((time, timedelta, UUID), _as(str)),
    (bytes, _as(bytes.hex)),
)


def with_long_numbers(texts: Sequence[str]) -> list[int]:
    """The places of texts that have a number, or anything that looks like one, which may be no float64."""
    if len(texts) >= _MANY:
        found = pc.match_substring_regex(pa.array(texts, pa.string()), _LONG_NUMBER.pattern)
        if not pc.any(found).as_py():
            return []
    return [place for place, text in enumerate(texts) if _LONG_NUMBER.search(text) is not None]


def inexact_number(text: str, paths: Iterable[Path]) -> str | None:
    """Why an event cannot be used, if a whole number that is computed with is no float64."""
    if _LONG_NUMBER.search(text) is None:
        return None
    event = json.loads(text)
    for path in paths:
        number = value_at(event, path)
        if type(number) is int and abs(number) > _EXACT and not _is_float(number):
            return f"'{'.'.join(path)}' is {number}, which is too large to be compared exactly: send a text"
    return None


def _is_float(number: int) -> bool:
    try:
        return int(float(number)) == number
    except OverflowError:
        return False


def as_moment(value: Any) -> Any:
    """A time of the stream: texts in ISO 8601 are times, all else is as it was."""
    if type(value) is str:
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            return value
    return value.item() if hasattr(value, "item") and hasattr(value, "dtype") else value
