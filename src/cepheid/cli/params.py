"""`--param NAME=VALUE`: what a query calls `$NAME`."""

import re
from collections.abc import Iterable
from datetime import date, datetime

from cepheid.cli.refuse import misuse

Value = bool | int | float | date | datetime | str

_NAME = re.compile(r"[^\W\d]\w*")
_WHOLE = re.compile(r"[+-]?\d+")
_TRUTH = {"true": True, "false": False}
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def parameters(given: Iterable[str]) -> dict[str, Value]:
    """The parameters by name."""
    found: dict[str, Value] = {}
    for item in given:
        name, equals, text = item.partition("=")
        name = name.strip().removeprefix("$")
        if not equals or not _NAME.fullmatch(name):
            misuse(f"--param {item}: write it as NAME=VALUE, such as --param least=5")
        if name in found:
            misuse(f"--param {name} is given twice")
        found[name] = value_of(text)
    return found


def value_of(text: str) -> Value:
    """A whole number, a number, a truth value, a date or a timestamp if the text reads as one; quotes keep
    it text."""
    bare = text.strip()
    if len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "'\"":
        return bare[1:-1]
    if bare.lower() in _TRUTH:
        return _TRUTH[bare.lower()]
    if _WHOLE.fullmatch(bare):
        return int(bare)
    if bare[:1].isdigit() or bare[:1] in "+-.":
        try:
            return float(bare) if "_" not in bare else text
        except ValueError:
            return _moment(bare, text)
    return text


def _moment(bare: str, text: str) -> Value:
    if not _DATE.match(bare):
        return text
    try:
        return date.fromisoformat(bare) if _DATE.fullmatch(bare) else datetime.fromisoformat(bare)
    except ValueError:
        return text
